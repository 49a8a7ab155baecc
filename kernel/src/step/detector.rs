//! Callbacks that find where bodies touch.
use crate::math::real::Real;
use crate::problem::contact_rows::ContactRows;
use crate::problem::error::InputError;
use crate::step::contact_collector::ContactCollector;
use crate::step::manifold::Manifold;
use crate::step::world::World;

/// Collision-detection callback.
pub(crate) type Detector<'a, T, const NB: usize, const NC: usize, R> =
    dyn FnMut(&World<T, NB, R>, &mut ContactCollector<'_, T, NB, NC, R>) -> Result<(), InputError<T>> + 'a;

/// A detector for manifolds that were found before the step. They serve for all substeps: points stay fixed in
/// their bodies, and normals in the world.
///
/// ```
/// # use stiction::{Manifold, Pipeline, StepSettings, World, manifolds};
/// # let (mut world, mut pipeline) = (World::<f64, 1>::new(), Pipeline::<f64, 1, 1>::new(StepSettings::default()));
/// let found: [Manifold<f64>; 0] = [];
/// let report = pipeline.step(&mut world, manifolds(&found), 0.01)?;
/// assert_eq!(report.contacts, 0);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[expect(clippy::type_complexity, reason = "`impl` types have no aliases")]
pub fn manifolds<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    list: &[Manifold<T>],
) -> impl FnMut(&World<T, NB, R>, &mut ContactCollector<'_, T, NB, NC, R>) -> Result<(), InputError<T>> {
    |_, collector| list.iter().try_for_each(|manifold| collector.push(manifold))
}
