//! A few curves over time, from plain numbers.

use crate::chart::{Chart, Scale};
use crate::svg::{Anchor, COLOURS, GREY, INK, Svg};

/// Draws named series over the same times as SVG.
pub fn curves(title: &str, caption: &str, axis: &str, times: &[f64], series: &[(&str, Vec<f64>)]) -> String {
    let mut svg = Svg::new(1000.0, title);
    svg.text((30.0, 36.0), 22.0, Anchor::Start, INK, title);
    svg.text((30.0, 58.0), 12.0, Anchor::Start, GREY, caption);
    let every: Vec<f64> = series.iter().flat_map(|(_, values)| values.iter().copied()).collect();
    let chart = Chart::over((70.0, 100.0, 720.0, 300.0), times, &every, Scale::Linear);
    chart.axes(&mut svg, axis, "s");
    let colours = COLOURS.iter().cycle();
    for ((_, values), colour) in series.iter().zip(colours.clone()) {
        chart.series(&mut svg, times, values, colour);
    }
    let legend: Vec<(&str, &str)> = series.iter().map(|(name, _)| *name).zip(colours.copied()).collect();
    chart.legend(&mut svg, &legend);
    svg.finish(450.0)
}
