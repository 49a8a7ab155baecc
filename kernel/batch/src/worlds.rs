//! Worlds that are stepped: each with its own pipeline, and contacts from the caller.
use std::sync::atomic::AtomicUsize;

use rayon::prelude::*;
use stiction::{ContactCollector, ContactRows, InputError, Pipeline, Real, StepReport, ThreeRows, World};

use crate::control::{BatchError, Control};

/// A world and its pipeline.
pub struct Stepped<T: Real, const NB: usize, const NC: usize, const NF: usize = NC, R: ContactRows = ThreeRows> {
    /// Its bodies and joints.
    pub world: World<T, NB, R>,
    /// What is kept of its contacts.
    pub pipeline: Pipeline<T, NB, NC, NF, R>,
}

/// How a step ended: its report, or why it was rejected; none if it was not begun.
pub type StepEnd<T> = Option<Result<StepReport<T>, InputError<T>>>;

/// Steps all worlds by `dt` seconds, each with the bits of [`Pipeline::step`]. `detector` finds the contacts of the world
/// with an index. Reports are in the order of the worlds; a world that was rejected has not changed, and those that were
/// not begun because the caller cancelled have none.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::{Manifold, Pipeline, RigidBody, StepSettings, World};
/// use stiction_batch::{Control, Stepped, step_all};
///
/// // Ten balls in worlds of their own fall from different heights, without any contact.
/// let mut worlds: Vec<Stepped<f64, 1, 1>> = Vec::new();
/// for index in 0..10 {
///     let mut world = World::new();
///     let position = Vector3::new(0.0, 0.0, 10.0 + index as f64);
///     world.push(RigidBody { position, ..RigidBody::from_mass(1.0, Matrix3::identity()) })?;
///     worlds.push(Stepped { world, pipeline: Pipeline::new(StepSettings::default()) });
/// }
/// let reports = step_all(&mut worlds, 0.1, |_, _, _| Ok(()), &Control::default())?;
/// assert!(reports.iter().all(|report| report.as_ref().unwrap().is_ok()));
/// assert!(worlds[9].world.positions()[0].z < 19.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn step_all<T, const NB: usize, const NC: usize, const NF: usize, R>(
    worlds: &mut [Stepped<T, NB, NC, NF, R>],
    dt: T,
    detector: impl Fn(usize, &World<T, NB, R>, &mut ContactCollector<'_, T, NB, NC, R>) -> Result<(), InputError<T>> + Sync,
    control: &Control<'_>,
) -> Result<Vec<StepEnd<T>>, BatchError>
where
    T: Real + Send + Sync,
    R: ContactRows,
    Stepped<T, NB, NC, NF, R>: Send,
{
    run_all(worlds, control, |index, Stepped { world, pipeline }| {
        pipeline.step(world, |world, collector| detector(index, world, collector), dt)
    })
}

/// Does some work on everything that is given, on all threads: for worlds with controllers of their own, and many steps a
/// call. Results are in order; what was not begun because the caller cancelled has none.
///
/// ```
/// use stiction_batch::{Control, run_all};
/// let mut sums = [0; 3];
/// let results = run_all(&mut sums, &Control::on(2), |index, sum| {
///     *sum += 10 * index;
///     *sum + 1
/// })?;
/// assert_eq!((sums, results), ([0, 10, 20], vec![Some(1), Some(11), Some(21)]));
/// # Ok::<(), stiction_batch::BatchError>(())
/// ```
pub fn run_all<W: Send, A: Send>(
    items: &mut [W],
    control: &Control<'_>,
    work: impl Fn(usize, &mut W) -> A + Sync,
) -> Result<Vec<Option<A>>, BatchError> {
    let done = AtomicUsize::new(0);
    control.run(items.len(), || {
        let each = |(index, item): (usize, &mut W)| {
            if control.is_cancelled() {
                return None;
            }
            let answer = work(index, item);
            control.add_done(&done, 1);
            Some(answer)
        };
        items.par_iter_mut().enumerate().map(each).collect()
    })
}
