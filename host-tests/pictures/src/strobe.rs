//! One body at several moments in one picture, and a chart of its motion below.

use nalgebra::Vector3;

use crate::chart::{Chart, Scale};
use crate::strip::{Outline, Pose, silhouette};
use crate::svg::{Anchor, COLOURS, GREY, INK, Svg};

/// A body at several moments.
pub struct Strobe<'a> {
    /// Its shape.
    pub outline: Outline,
    /// Where it was.
    pub poses: Vec<Pose>,
    /// Directions of the world that are to the right and up in the picture.
    pub view: [Vector3<f64>; 2],
    /// Lines on the body, from point to point in body axes, that make rotation visible.
    pub marks: Vec<[Vector3<f64>; 2]>,
    /// Heading of the chart, and its series over time.
    pub chart: &'a str,
    /// s.
    pub times: Vec<f64>,
    /// Named values at these times.
    pub series: Vec<(&'a str, Vec<f64>)>,
}

const WIDTH: f64 = 820.0;

impl Strobe<'_> {
    /// Draws it as SVG.
    pub fn svg(&self, title: &str, caption: &str) -> String {
        let mut svg = Svg::new(WIDTH, title);
        svg.text((60.0, 26.0), 16.0, Anchor::Start, INK, title);
        svg.text((60.0, 44.0), 12.0, Anchor::Start, GREY, caption);
        let top = 60.0 + self.bodies(&mut svg, 60.0) + 50.0;
        let every: Vec<f64> = self.series.iter().flat_map(|(_, values)| values.iter().copied()).collect();
        let chart = Chart::over((60.0, top, 520.0, 180.0), &self.times, &every, Scale::Linear);
        chart.axes(&mut svg, self.chart, "s");
        let colours = COLOURS.iter().copied();
        for ((_, values), colour) in self.series.iter().zip(colours.clone()) {
            chart.series(&mut svg, &self.times, values, colour);
        }
        let names: Vec<_> = self.series.iter().map(|(name, _)| *name).zip(colours).collect();
        chart.legend(&mut svg, &names);
        svg.finish(top + 225.0)
    }

    /// Draws the body at all moments; returns the height that this takes.
    fn bodies(&self, svg: &mut Svg, top: f64) -> f64 {
        let shapes: Vec<Vec<(f64, f64)>> =
            self.poses.iter().map(|pose| silhouette(&self.outline, pose, &self.view)).collect();
        let every = || shapes.iter().flatten();
        let least = |of: fn(&(f64, f64)) -> f64| every().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&(f64, f64)) -> f64| every().map(of).fold(f64::NEG_INFINITY, f64::max);
        let (left, right, low, high) = (least(|p| p.0), most(|p| p.0), least(|p| p.1), most(|p| p.1));
        let scale = (WIDTH - 120.0) / (right - left);
        let place = |(x, y): (f64, f64)| (60.0 + (x - left) * scale, top + (high - y) * scale);
        for (pose, shape) in self.poses.iter().zip(shapes) {
            let corners: Vec<_> = shape.into_iter().map(place).collect();
            svg.shape(&corners, COLOURS[0], 0.15, COLOURS[0]);
            for mark in &self.marks {
                let ends = mark.map(|end| {
                    let world = pose.position + pose.orientation * end;
                    place((world.dot(&self.view[0]), world.dot(&self.view[1])))
                });
                svg.line(&ends, COLOURS[1], 2.0);
            }
        }
        (high - low) * scale
    }
}
