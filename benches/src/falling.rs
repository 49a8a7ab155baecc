//! How long bodies take to fall, beside a solve that converged: small steps and kept rows must not hold what tips.

use nalgebra::UnitQuaternion;
use stiction::{ContactCollector, Pipeline, World};

use crate::engines::detector;
use crate::frame_scenes::Named;

const BODIES: usize = 16;
const CONTACTS: usize = 64;
/// A frame, s.
const FRAME: f64 = 1.0 / 60.0;
/// Parts of a frame in the converged solve, and its sweeps.
const PARTS: u32 = 32;
const SWEEPS: u32 = 100;
/// The rotation that counts as fallen, rad.
const FALLEN: f64 = 0.5;
/// When to stop waiting, s.
const PATIENCE: f64 = 10.0;

/// The time that a body takes to fall in a converged solve, and with numbers of substeps, s.
pub fn falling(named: &Named, body: usize, substeps: &[u32]) -> Result<(f64, Vec<(u32, f64)>), String> {
    let scene = &named.scene;
    let mut settings = scene.step_settings::<f64>()?;
    (settings.solver.sweeps, settings.substeps) = (SWEEPS, 1);
    let (mut shapes, dt) = (detector(scene)?, FRAME / f64::from(PARTS));
    let mut pipeline = Box::new(Pipeline::<f64, BODIES, CONTACTS>::new(settings));
    let reference = time_to_fall(named, body, dt, |world| {
        let touch = |world: &World<f64, BODIES>, collector: &mut ContactCollector<'_, f64, BODIES, CONTACTS>| {
            let (positions, orientations) = (world.positions(), world.orientations());
            shapes.manifolds(positions, orientations, settings.contact_margin, |manifold| collector.push(manifold))
        };
        pipeline.step(world, touch, dt).map(|_| ()).map_err(|error| error.to_string())
    })?;
    let mut times = Vec::new();
    for substeps in substeps {
        let mut shapes = detector(scene)?;
        let mut settings = scene.step_settings::<f64>()?;
        (settings.solver.sweeps, settings.substeps) = (1, *substeps);
        let mut frames = Box::new(Pipeline::<f64, BODIES, CONTACTS>::new(settings));
        let time = time_to_fall(named, body, FRAME, |world| {
            let margin = frames.search_margin(world, FRAME);
            let touch = |world: &World<f64, BODIES>, collector: &mut ContactCollector<'_, f64, BODIES, CONTACTS>| {
                shapes.manifolds(world.positions(), world.orientations(), margin, |manifold| collector.push(manifold))
            };
            frames.step(world, touch, FRAME).map(|_| ()).map_err(|error| error.to_string())
        })?;
        times.push((*substeps, time));
    }
    Ok((reference, times))
}

fn time_to_fall(
    named: &Named,
    body: usize,
    dt: f64,
    mut step: impl FnMut(&mut World<f64, BODIES>) -> Result<(), String>,
) -> Result<f64, String> {
    let mut world = Box::new(World::<f64, BODIES>::new());
    for body in &named.scene.bodies {
        world.push(body.rigid(&body.shape.solid()?)?).map_err(|error| error.to_string())?;
    }
    let start: Vec<UnitQuaternion<f64>> = world.orientations().to_vec();
    let (mut time, mut before) = (0.0, 0.0);
    while time < PATIENCE {
        step(&mut world)?;
        let angle = world.orientations()[body].angle_to(&start[body]);
        if angle > FALLEN {
            return Ok(time + dt * (FALLEN - before) / (angle - before));
        }
        before = angle;
        time += dt;
    }
    Err(format!("{}: body {body} did not fall in {PATIENCE} s", named.name))
}
