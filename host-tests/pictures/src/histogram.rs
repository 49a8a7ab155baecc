//! Histograms side by side.

use crate::chart::{Chart, Scale};
use crate::svg::{Anchor, COLOURS, GREY, INK, Svg};

/// A histogram: what it counts, and the share of each bin.
pub struct Histogram {
    /// Its title.
    pub title: String,
    /// Names of the bins, and the share of each, between 0 and 1.
    pub bins: Vec<(String, f64)>,
}

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 220.0;

/// Draws histograms in a row. Shares are in percent.
pub fn histograms(title: &str, caption: &str, panels: &[Histogram]) -> String {
    let mut svg = Svg::new(60.0 + (WIDTH + 70.0) * panels.len() as f64, title);
    svg.text((60.0, 26.0), 16.0, Anchor::Start, INK, title);
    svg.text((60.0, 44.0), 12.0, Anchor::Start, GREY, caption);
    for (at, panel) in panels.iter().enumerate() {
        draw(&mut svg, 60.0 + (WIDTH + 70.0) * at as f64, panel);
    }
    svg.finish(96.0 + HEIGHT + 50.0)
}

fn draw(svg: &mut Svg, left: f64, panel: &Histogram) {
    let largest = panel.bins.iter().map(|(_, share)| 100.0 * share).fold(1.0, f64::max);
    let chart = Chart {
        area: (left, 96.0, WIDTH, HEIGHT),
        x: (0.0, panel.bins.len() as f64),
        y: (0.0, 1.1 * largest),
        scale: Scale::Linear,
        x_scale: Scale::Linear,
    };
    chart.frame(svg, &panel.title);
    for (at, (name, share)) in panel.bins.iter().enumerate() {
        let (from, to, height) = (at as f64 + 0.1, at as f64 + 0.9, 100.0 * share);
        let corners = [(from, 0.0), (to, 0.0), (to, height), (from, height)].map(|(x, y)| chart.place(x, y));
        svg.shape(&corners, COLOURS[0], 0.7, "none");
        let (x, y) = chart.place(at as f64 + 0.5, height);
        svg.text((x, y - 4.0), 10.0, Anchor::Middle, INK, &format!("{height:.1}"));
        svg.text((x, 96.0 + HEIGHT + 16.0), 10.0, Anchor::Middle, GREY, name);
    }
    svg.text((left + WIDTH, 96.0 + HEIGHT + 31.0), 11.0, Anchor::End, GREY, "from here to the next bin");
}
