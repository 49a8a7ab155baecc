//! `stiction compare`: the local rules side by side on one scene.

use std::fmt::Write;

use super::run::scene_of;
use nalgebra::Vector3;

use crate::problem::LocalEntry;
use crate::rig::frame::Detail;
use crate::rig::run::{Plan, run};
use crate::rig::simulation::Precision;

const RULES: [(LocalEntry, &str); 4] = [
    (LocalEntry::Exact, "exact"),
    (LocalEntry::HoldAndResolve, "hold_and_resolve"),
    (LocalEntry::Projection, "projection"),
    (LocalEntry::Box, "box"),
];

/// `stiction compare`.
pub(super) fn compare(mut words: lexopt::Parser) -> Result<String, String> {
    use lexopt::prelude::*;
    let mut named = None;
    while let Some(word) = words.next().map_err(|e| e.to_string())? {
        match word {
            Value(value) if named.is_none() => named = Some(value.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let (title, scene) = scene_of(&named.ok_or("SCENE: none given, 'stiction scenes' lists them")?)?;
    let mut out = format!("{title}: {} frames by each local rule\n\n", scene.frames()?);
    line(&mut out, ["rule", "energy at the end", "largest gain", "fastest rise", "approach left", "drift", "sweeps"]);
    for (local, name) in RULES {
        let mut scene = scene.clone();
        scene.settings.local = Some(local);
        let plan = Plan { title: title.clone(), scene, precision: Precision::Double, record: None };
        let mut seen = Seen::default();
        let summary = run(&plan, Detail::Figures, |frame| {
            seen.approach = seen.approach.max(frame.approach);
            seen.rise = frame.bodies.iter().map(|body| body.linear.z).fold(seen.rise, f64::max);
            let start = plan.scene.bodies.iter().map(|body| Vector3::from_column_slice(&body.position));
            let ways = frame.bodies.iter().zip(start).map(|(body, start)| (body.position - start).norm());
            seen.drift = ways.fold(0.0, f64::max);
        })?;
        line(
            &mut out,
            [
                name,
                &format!("{:.4} J", summary.energy.last),
                &format!("{:.1e} J", summary.energy.largest_gain_in_a_step),
                &format!("{:.1e} m/s", seen.rise),
                &format!("{:.1e} m/s", seen.approach),
                &format!("{:.4} m", seen.drift),
                &format!("{:.1}", summary.sweeps.mean),
            ],
        );
    }
    out.push_str("\nFastest rise: largest upward velocity of any body. Drift: farthest way of any body.\n");
    Ok(out)
}

/// What the summary does not have.
#[derive(Default)]
struct Seen {
    approach: f64,
    rise: f64,
    drift: f64,
}

fn line(out: &mut String, cells: [&str; 7]) {
    let [rule, energy, gain, rise, approach, drift, sweeps] = cells;
    let _ = writeln!(out, "{rule:<17} {energy:>17}  {gain:>12}  {rise:>12}  {approach:>13}  {drift:>11}  {sweeps:>7}");
}
