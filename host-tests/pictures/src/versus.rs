//! One scene by two rules, one above the other, and the height and energy of its last body over time.

use crate::chart::{Chart, Scale};
use crate::strip::{self, Moment, Outline};
use crate::svg::{Anchor, COLOURS, GREY, INK, Svg};

/// One rule's run of the scene.
pub struct Played {
    /// Description of the rule.
    pub name: &'static str,
    /// The moments that are drawn.
    pub moments: Vec<Moment>,
    /// After each step, s.
    pub time: Vec<f64>,
    /// Height of the last body, m.
    pub height: Vec<f64>,
    /// Kinetic and potential energy, J.
    pub energy: Vec<f64>,
}

/// The series of a run that a chart shows.
type Series = fn(&Played) -> &Vec<f64>;

/// The picture as SVG.
pub fn versus(title: &str, outlines: &[Outline], rules: &[Played; 2]) -> String {
    let mut svg = Svg::new(1160.0, title);
    svg.text((30.0, 36.0), 22.0, Anchor::Start, INK, title);
    let mut top = 62.0;
    for (i, played) in rules.iter().enumerate() {
        svg.text((30.0, top + 6.0), 14.0, Anchor::Start, COLOURS[1 - i], played.name);
        top += 14.0;
        top += strip::draw(&mut svg, (30.0, top, 1100.0, 200.0), outlines, &played.moments) + 26.0;
    }
    let charts: [(&str, Series, f64); 2] = [
        ("Height of the cube's centre, m", |played| &played.height, 70.0),
        ("Kinetic and potential energy, J", |played| &played.energy, 660.0),
    ];
    for (name, series, left) in charts {
        let values: Vec<f64> = rules.iter().flat_map(series).copied().collect();
        let chart = Chart::over((left, top + 30.0, 400.0, 170.0), &rules[0].time, &values, Scale::Linear);
        chart.axes(&mut svg, name, "s");
        for (i, played) in rules.iter().enumerate() {
            chart.series(&mut svg, &played.time, series(played), COLOURS[1 - i]);
        }
    }
    let caption = "Same solver, same contacts, same sweeps; only how one contact is solved differs.";
    svg.text((30.0, top + 252.0), 12.0, Anchor::Start, GREY, caption);
    svg.finish(top + 270.0)
}
