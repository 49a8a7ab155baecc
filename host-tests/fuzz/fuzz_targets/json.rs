//! Problem and scene documents, as the command line reads them. A rejected document gives a one-line error. An accepted
//! one is solved or stepped with finite numbers, or rejected by the kernel's validation.

#![no_main]

use libfuzzer_sys::fuzz_target;
use nalgebra::Vector3;
use stiction::{Bodies, Contacts, Real, Settings, Solver};
use stiction_cli::problem::Problem;
use stiction_cli::rig::scene::Scene;
use stiction_cli::rig::world::Rig;
use stiction_fuzz::{NB, NC};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = core::str::from_utf8(data) else { return };
    match Problem::parse(text) {
        Ok(problem) => solve::<f64>(&problem).and(solve::<f32>(&problem)).unwrap_or_default(),
        Err(line) => is_one_line(&line),
    }
    match Scene::parse(text) {
        Ok(scene) => run(scene),
        Err(line) => is_one_line(&line),
    }
});

fn is_one_line(text: &str) {
    assert!(!text.is_empty() && !text.contains('\n'), "not one line: {text:?}");
}

/// `None` where it is rejected, or too large for a fuzz case.
fn solve<T: Real>(problem: &Problem) -> Option<()> {
    problem.check_precision::<T>().map_err(|line| is_one_line(&line)).ok()?;
    let (all_bodies, all_contacts) = problem.island().rounded::<T>();
    let (mut bodies, mut contacts) = (Bodies::<T, NB>::new(), Contacts::<T, NC>::new());
    for body in all_bodies {
        bodies.push(body).ok()?;
    }
    for contact in all_contacts {
        contacts.push(contact).ok()?;
    }
    let asked = problem.settings.settings::<T>(Settings::default());
    let settings = Settings { sweeps: asked.sweeps.min(50), normal_sweeps: 50, ..asked };
    let dt = T::lit(problem.settings.dt.unwrap_or(1.0 / 60.0));
    Solver::<T, NB, NC>::new().solve(&mut bodies, &contacts, &settings, dt).ok()?;
    are_finite(bodies.linear_velocities().iter().chain(bodies.angular_velocities()));
    Some(())
}

fn are_finite<'a, T: Real>(mut vectors: impl Iterator<Item = &'a Vector3<T>>) {
    assert!(vectors.all(|v| v.iter().all(|x| x.is_finite())), "a position or a velocity that is not finite");
}

fn run(mut scene: Scene) {
    if let Err(line) = scene.frames() {
        is_one_line(&line);
    }
    scene.settings.sweeps = scene.settings.sweeps.map(|sweeps| sweeps.min(50));
    scene.settings.least_sweeps = scene.settings.least_sweeps.map(|sweeps| sweeps.min(50));
    scene.substeps = scene.substeps.min(3);
    match Rig::<f64, NB, NC>::new(&scene, None) {
        Err(line) => is_one_line(&line),
        Ok(mut rig) => {
            // A step that the kernel rejects is reported with the frame's number and ends the run; the frames before it
            // stay.
            let _ = rig.step(&mut (), None);
            for body in rig.bodies() {
                are_finite([&body.position, &body.linear, &body.angular].into_iter());
                let orientation = body.orientation.quaternion().coords;
                assert!(orientation.iter().all(|x| x.is_finite()), "an orientation that is not finite: {body:?}");
            }
        }
    }
}
