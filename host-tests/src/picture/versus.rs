//! One scene by two local rules, one above the other, and how high its last body is over time.

use super::chart::{Chart, Scale};
use super::strip::{self, Moment};
use super::svg::{Anchor, COLOURS, GREY, INK, Svg};
use crate::problem::LocalEntry;
use crate::rig::frame::Detail;
use crate::rig::run::{Plan, run};
use crate::rig::scene::Scene;
use crate::rig::shape::Shape;
use crate::rig::simulation::Precision;

/// What a rule made of the scene.
struct Played {
    moments: Vec<Moment>,
    time: Vec<f64>,
    height: Vec<f64>,
    energy: Vec<f64>,
}

/// What a chart shows of a run.
type Series = fn(&Played) -> &Vec<f64>;

/// The picture, and for each rule the highest point and the energy that the scene had in the end.
pub fn versus(scene: &Scene, rules: [(LocalEntry, &str); 2], title: &str) -> Result<(String, [(f64, f64); 2]), String> {
    let shapes: Vec<Shape> = scene.bodies.iter().map(|body| body.shape.clone()).collect();
    let mut svg = Svg::new(1160.0, title);
    svg.text((30.0, 36.0), 22.0, Anchor::Start, INK, title);
    let mut top = 62.0;
    let mut all = Vec::new();
    for (i, (local, name)) in rules.iter().enumerate() {
        let played = play(scene, *local)?;
        svg.text((30.0, top + 6.0), 14.0, Anchor::Start, COLOURS[1 - i], name);
        top += 14.0;
        top += strip::draw(&mut svg, (30.0, top, 1100.0, 200.0), &shapes, &played.moments) + 26.0;
        all.push(played);
    }
    let charts: [(&str, Series, f64); 2] = [
        ("Height of the cube's centre, m", |played| &played.height, 70.0),
        ("Kinetic and potential energy, J", |played| &played.energy, 660.0),
    ];
    for (name, series, left) in charts {
        let values: Vec<f64> = all.iter().flat_map(series).copied().collect();
        let chart = Chart::over((left, top + 30.0, 400.0, 170.0), &all[0].time, &values, Scale::Linear);
        chart.axes(&mut svg, name, "s");
        for (i, played) in all.iter().enumerate() {
            chart.series(&mut svg, &played.time, series(played), COLOURS[1 - i]);
        }
    }
    let caption = "Same solver, same contacts, same sweeps; only how one contact is solved differs.";
    svg.text((30.0, top + 252.0), 12.0, Anchor::Start, GREY, caption);
    let figure = |played: &Played| {
        (played.height.iter().copied().fold(0.0, f64::max), played.energy.last().copied().unwrap_or(0.0))
    };
    Ok((svg.finish(top + 270.0), [figure(&all[0]), figure(&all[1])]))
}

fn play(scene: &Scene, local: LocalEntry) -> Result<Played, String> {
    let mut scene = scene.clone();
    scene.settings.local = Some(local);
    let frames = scene.frames()?;
    let plan = Plan { title: String::new(), scene, precision: Precision::Double, record: None };
    let mut played = Played { moments: Vec::new(), time: Vec::new(), height: Vec::new(), energy: Vec::new() };
    run(&plan, Detail::Figures, |frame| {
        played.time.push(frame.time);
        played.energy.push(frame.energy());
        played.height.push(frame.bodies.last().map_or(0.0, |body| body.position.z));
        if (frame.number - 1) % (frames / 6).max(1) == 0 && played.moments.len() < 6 {
            played.moments.push(Moment { time: frame.time, bodies: frame.bodies.clone(), forces: Vec::new() });
        }
    })?;
    Ok(played)
}
