//! The shortest demonstration: one sliding cube, solved by the common projection rule and by the exact one, as a table and as
//! a picture.

use std::fmt::Write;

use stiction::{LocalRule, Settings};

use crate::answer::status_name;
use crate::picture::versus;
use crate::problem::LocalEntry;
use crate::problems::{DT, GRAVITY, sliding_cube};
use crate::rig::scenes;

/// Speeds shown, m/s.
const SPEEDS: [f64; 4] = [1.0, 6.0, 30.0, 100.0];

/// A table of both rules side by side, for the eyes of a newcomer.
pub fn sliding_cube_table() -> String {
    let mut out = String::from(
        "A cube of 1 kg slides along its diagonal on four corners, friction 0.5, for one step of 1/60 s.\n\
         Nothing lifts it: its vertical velocity must end at 0.\n\n",
    );
    line(&mut out, ["speed", "rule", "v_z after", "speed after", "energy lost", "residual", "status"]);
    for speed in SPEEDS {
        for (name, local) in [("projection", LocalRule::Projection), ("exact", LocalRule::Exact)] {
            let settings = Settings::<f64> { local, sweeps: 200, tolerance: 1e-12, ..Settings::default() };
            let island = sliding_cube(speed, std::f64::consts::FRAC_PI_4, 0.5);
            let solved = island.solve(&settings).expect("the built-in problem is admissible");
            let (v, report) = (solved.velocities[1].0, &solved.report);
            line(
                &mut out,
                [
                    &format!("{speed} m/s"),
                    name,
                    &format!("{:+.1e} m/s", v.z),
                    &format!("{:.3} m/s", v.x.hypot(v.y)),
                    &format!("{:.3} J", report.energy_before - report.energy_after),
                    &format!("{:.0e}", report.residual.natural),
                    status_name(report.status),
                ],
            );
        }
    }
    let expected = 6.0 - 0.5 * GRAVITY * DT;
    let _ = writeln!(out, "\nCoulomb's law at 6 m/s: v_z = 0, speed after = 6 - 0.5 g dt = {expected:.3} m/s.");
    out
}

/// The picture of the same cube over its whole way, as SVG, and a line about it.
pub fn sliding_cube_picture() -> Result<(String, String), String> {
    let mut scene = scenes::find("slide-45-fast").ok_or("the scene is built in")?;
    scene.seconds = 1.5;
    let rules =
        [(LocalEntry::Projection, "friction scaled back after the solve"), (LocalEntry::Exact, "solved exactly")];
    let (svg, figures) = versus(&scene, rules, "A cube slides along its diagonal at 6 m/s, friction 0.5")?;
    let [(jump, _), (stay, _)] = figures;
    let about =
        format!("highest: {jump:.3} m with friction scaled back, {stay:.3} m solved exactly; 0.5 m is the ground");
    Ok((svg, about))
}

fn line(out: &mut String, cells: [&str; 7]) {
    let [speed, rule, v_z, after, lost, residual, status] = cells;
    let _ = writeln!(out, "{speed:>8}  {rule:<10}  {v_z:>13}  {after:>12}  {lost:>12}  {residual:>8}  {status}");
}
