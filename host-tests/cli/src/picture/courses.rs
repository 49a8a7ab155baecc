//! Residual against work, one line for each method.

use crate::methods::Course;
use stiction_pictures::chart::{Chart, Scale};
use stiction_pictures::svg::{Anchor, COLOURS, GREY, INK, Svg};

/// Draws the courses.
pub fn courses(title: &str, courses: &[Course]) -> String {
    // Work on a logarithmic axis: from one sweep to ten thousand.
    let line = |course: &Course| -> (Vec<f64>, Vec<f64>) {
        course.outcomes.iter().map(|o| (o.work().max(1.0).log10(), o.residual.max(1e-17))).unzip()
    };
    let lines: Vec<_> = courses.iter().map(line).collect();
    let xs: Vec<f64> = lines.iter().flat_map(|(xs, _)| xs.clone()).collect();
    let ys: Vec<f64> = lines.iter().flat_map(|(_, ys)| ys.clone()).collect();
    let mut svg = Svg::new(820.0, title);
    svg.text((60.0, 26.0), 16.0, Anchor::Start, INK, title);
    let caption = "residual after so much work; a factorisation counts for ten sweeps";
    svg.text((60.0, 44.0), 12.0, Anchor::Start, GREY, caption);
    let over = Chart::over((60.0, 96.0, 630.0, 300.0), &xs, &ys, Scale::Logarithmic);
    let chart = Chart { x_scale: Scale::Logarithmic, ..over };
    chart.axes(&mut svg, "relative residual", "sweeps");
    for ((xs, ys), colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        chart.series(&mut svg, xs, ys, colour);
    }
    let names: Vec<_> = courses.iter().map(|course| course.name).zip(COLOURS.iter().cycle().copied()).collect();
    chart.legend(&mut svg, &names);
    svg.finish(440.0)
}
