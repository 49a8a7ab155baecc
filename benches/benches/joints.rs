//! Jointed chains in this solver, in Rapier and in Bullet, judged by integration in reduced coordinates:
//! `cargo bench -p stiction-benches --bench joints`, or with words of the scenes' names wanted after `--`.
//!
//! Bullet needs the Debian package `libbullet-dev` and is left out without it. `STICTION_DRAW=1` stores the table in
//! `benches/results`. Error: the largest distance of a centre of mass from the oracle's in the first seconds; a cell is
//! empty where chaos has reached the oracle. Joint error: the largest distance by which the anchors of a joint come
//! apart, over all steps and, on average, over those of the second half. Energy is measured by that which lifts the
//! chain from hanging to horizontal. Time is the median of a whole step, without any collision.

use stiction_benches::joint_ours::Ours;
use stiction_benches::joint_peers::{Bullet, Method, Rapier};
use stiction_benches::joint_scenes::{self, Engine, JointScene, Sample};
use stiction_benches::table::{Table, figure};

/// Steps in a second.
const RATES: [usize; 2] = [60, 240];
/// Times at which errors are given, s.
const TIMES: [f64; 4] = [0.5, 1.0, 2.0, 4.0];
/// Passes over all engines; the fastest median of each counts.
const PASSES: usize = 2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_wanted =
        |scene: &JointScene| wanted.is_empty() || wanted.iter().any(|word| scene.name.contains(word.as_str()));
    let engines = engines();
    let errors = TIMES.map(|time| format!("error mm in {time} s")).join(",");
    let header =
        format!("scene,engine,steps a second,{errors},joint error mm,mean joint error mm,energy %,microseconds a step");
    let mut table = Table::new("joints", &header);
    for scene in joint_scenes::all().into_iter().filter(is_wanted) {
        let oracle = scene.oracle();
        for rate in RATES {
            let mut fastest: Vec<Option<f64>> = vec![None; engines.len()];
            let mut judged = Vec::new();
            for _ in 0..PASSES {
                judged.clear();
                for (engine, fastest) in engines.iter().zip(&mut fastest) {
                    let steps = engine.run(&scene, 1.0 / rate as f64, scene.seconds * rate)?;
                    let samples = scene.judge(&steps, rate, &oracle);
                    let time = median(&samples);
                    *fastest = Some(fastest.map_or(time, |other: f64| other.min(time)));
                    judged.push(samples);
                }
            }
            for ((engine, samples), time) in engines.iter().zip(&judged).zip(fastest) {
                let mut row = vec![format!("\"{}\"", scene.name), engine.name(), rate.to_string()];
                row.extend(cells(&scene, samples, rate));
                row.push(time.map_or(String::new(), |time| figure(1e-3 * time)));
                table.row(&row);
            }
        }
    }
    table.keep();
    Ok(())
}

fn engines() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = Vec::new();
    for (double, has_factor, substeps) in [(false, true, 4), (false, true, 8), (false, false, 8), (true, true, 8)] {
        engines.push(Box::new(Ours { double, has_factor, substeps }));
    }
    for (multibody, iterations) in [(false, 4), (false, 16), (false, 128), (true, 4)] {
        engines.push(Box::new(Rapier { multibody, iterations }));
    }
    for double in [false, true] {
        match Bullet::compile(double) {
            Ok(bullet) => {
                let iterative = [(Method::Hinge, 10), (Method::Hinge, 50), (Method::Point, 10), (Method::Nncg, 50)];
                for (method, iterations) in
                    iterative.into_iter().chain([(Method::Dantzig, 10), (Method::Multibody, 10)])
                {
                    // Iterations end long before rounding matters.
                    if !double || matches!(method, Method::Dantzig | Method::Multibody) {
                        engines.push(Box::new(bullet.with(method, iterations)));
                    }
                }
            }
            Err(reason) => println!("Bullet left out: {reason}"),
        }
    }
    engines
}

fn median(samples: &[Sample]) -> f64 {
    let mut times: Vec<f64> = samples.iter().map(|sample| sample.nanoseconds).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Errors at all times, joint errors and energy.
fn cells(scene: &JointScene, samples: &[Sample], rate: usize) -> Vec<String> {
    let worst = |until: f64| {
        let seen = &samples[..samples.len().min((until * rate as f64).round() as usize)];
        seen.iter().try_fold(0.0_f64, |worst, sample| sample.error.map(|error| worst.max(error)))
    };
    let mut cells: Vec<String> =
        TIMES.iter().map(|time| worst(*time).map_or(String::new(), |error| figure(1e3 * error))).collect();
    let second = &samples[samples.len() / 2..];
    let mean = second.iter().map(|sample| sample.joint_error).sum::<f64>() / second.len() as f64;
    let most = samples.iter().map(|sample| sample.joint_error).fold(0.0, f64::max);
    let before = scene.energy(&scene.bodies());
    let change = |sample: &Sample| sample.energy - before;
    let energy = samples
        .iter()
        .map(change)
        .fold(0.0, |worst: f64, change| if change.is_nan() || change.abs() > worst.abs() { change } else { worst });
    cells.extend([1e3 * most, 1e3 * mean, 100.0 * energy / scene.energy_scale()].map(figure));
    cells
}
