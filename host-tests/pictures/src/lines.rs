//! Named lines over a common axis, for measurements.

use crate::chart::{Chart, Scale};
use crate::svg::{Anchor, COLOURS, GREY, INK, Svg};

/// Labels and scales of the axes.
pub struct Axis {
    /// Label below the horizontal axis.
    pub x: &'static str,
    /// Label above the vertical axis.
    pub y: &'static str,
    /// Scale of the vertical axis.
    pub scale: Scale,
    /// Scale of the horizontal axis.
    pub x_scale: Scale,
}

/// Draws named lines as SVG.
pub fn lines(title: &str, caption: &str, axis: &Axis, xs: &[f64], lines: &[(&str, Vec<f64>)]) -> String {
    let mut svg = Svg::new(820.0, title);
    svg.text((60.0, 26.0), 16.0, Anchor::Start, INK, title);
    svg.text((60.0, 44.0), 12.0, Anchor::Start, GREY, caption);
    let every: Vec<f64> = lines.iter().flat_map(|(_, values)| values.iter().copied()).collect();
    // A logarithmic axis is linear in the exponents.
    let xs: Vec<f64> = xs.iter().map(|x| if axis.x_scale == Scale::Linear { *x } else { x.log10() }).collect();
    let chart = Chart { x_scale: axis.x_scale, ..Chart::over((60.0, 96.0, 630.0, 300.0), &xs, &every, axis.scale) };
    chart.axes(&mut svg, axis.y, axis.x);
    for ((_, values), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        chart.series(&mut svg, &xs, values, colour);
    }
    let names: Vec<_> = lines.iter().map(|(name, _)| *name).zip(COLOURS.iter().cycle().copied()).collect();
    chart.legend(&mut svg, &names);
    svg.finish(440.0)
}
