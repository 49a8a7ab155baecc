//! Collects the contacts of a step's manifolds, with a rule for too many contacts.
//!
//! The capacity is fixed. When it is full, the deepest contacts stay: a deeper one replaces the shallowest (the last of
//! them in the list where depths are equal), and every contact that does not fit is counted. No contact is lost
//! silently.
use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::contact_rules::{ContactRow, validate_contact};
use crate::problem::contacts::Contacts;
use crate::problem::error::{ErrorKind, InputError, validate_range};
use crate::problem::point_id::PointId;
use crate::step::manifold::{Manifold, Side, contacts_of};
use crate::step::world::World;

/// Contacts and their ids.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found<T: Real, const NC: usize> {
    pub contacts: Contacts<T, NC>,
    pub ids: ArrayVec<PointId, NC>,
    /// Contacts that did not fit.
    pub left_out: usize,
}

impl<T: Real, const NC: usize> Found<T, NC> {
    pub const fn new() -> Self {
        Found { contacts: Contacts::new(), ids: ArrayVec::new_const(), left_out: 0 }
    }

    pub fn clear(&mut self) {
        self.contacts.clear();
        self.ids.clear();
        self.left_out = 0;
    }

    /// Adds a validated contact; if the capacity is full, the shallowest is left out.
    fn take(&mut self, contact: &ContactRow<T>, id: PointId) -> Result<(), InputError<T>> {
        if self.contacts.len() < NC {
            self.contacts.push_row(contact)?;
            let _ = self.ids.try_push(id);
            return Ok(());
        }
        self.left_out += 1;
        let Some((shallowest, depth)) = self.contacts.shallowest() else { return Ok(()) };
        if contact.depth > depth {
            self.contacts.set_row(shallowest, contact)?;
            if let Some(slot) = self.ids.get_mut(shallowest) {
                *slot = id;
            }
        }
        Ok(())
    }
}

/// Receives the manifolds that collision detection finds in a step.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::PointId;
/// # use stiction::{Manifold, ManifoldPoint};
/// # use stiction::{Pipeline, InputError, RigidBody, StepSettings, World};
/// # use stiction::ContactCollector;
/// // A floor at z = 0 under a ball (body 1) of radius 1 m.
/// fn floor(world: &World<f64, 2>, collector: &mut ContactCollector<'_, f64, 2, 1>) -> Result<(), InputError<f64>> {
///     let on_b = world.positions()[1] - Vector3::z();
///     let on_a = Vector3::new(on_b.x, on_b.y, 0.0);
///     let mut manifold = Manifold::new(0, 1, Vector3::z());
///     manifold.points.push(ManifoldPoint { on_a, on_b, depth: -on_b.z, id: PointId::Feature(0) });
///     collector.push(&manifold)
/// }
/// for (height, contacts) in [(1.5, 0), (1.0, 1)] {
/// #     let mut world = World::<f64, 2>::new();
/// #     world.push(RigidBody::fixed())?;
/// #     let position = Vector3::new(0.0, 0.0, height);
/// #     world.push(RigidBody { position, ..RigidBody::from_mass(1.0, Matrix3::identity()) })?;
/// #     let mut pipeline = Pipeline::<f64, 2, 1>::new(StepSettings::default());
///     let report = pipeline.step(&mut world, floor, 1.0 / 60.0)?;
///     assert_eq!(report.contacts, contacts); // a gap beyond the margin is no contact
/// }
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
pub struct ContactCollector<'a, T: Real, const NB: usize, const NC: usize> {
    pub(crate) world: &'a World<T, NB>,
    pub(crate) found: &'a mut Found<T, NC>,
    pub(crate) rest_threshold: T,
    pub(crate) margin: T,
    /// The first error: it rejects the step even if the caller ignored it.
    pub(crate) rejected: Option<InputError<T>>,
}

impl<T: Real, const NB: usize, const NC: usize> ContactCollector<'_, T, NB, NC> {
    /// Adds a manifold's contacts; points with a gap beyond the margin are left out. After an error no contact is
    /// added, and the step is rejected.
    pub fn push(&mut self, manifold: &Manifold<T>) -> Result<(), InputError<T>> {
        let pushed = self.push_validated(manifold);
        if let Err(error) = pushed {
            self.rejected = self.rejected.or(Some(error));
        }
        pushed
    }

    fn push_validated(&mut self, manifold: &Manifold<T>) -> Result<(), InputError<T>> {
        let index = self.len();
        let (a, b) = (self.side(index, "a", manifold.a)?, self.side(index, "b", manifold.b)?);
        if !(a.0.inverse_mass + b.0.inverse_mass > T::ZERO) {
            return Err(InputError::contact(index, "", ErrorKind::NothingMoves));
        }
        if let Some(material) = manifold.material {
            let reject = |reason| InputError::contact(index, "material.restitution", reason);
            validate_range(material.restitution, T::ZERO, T::ONE, reject)?;
        }
        let side_a = Side { body: &a.0, centre: a.1, material: self.world.material(manifold.a) };
        let side_b = Side { body: &b.0, centre: b.1, material: self.world.material(manifold.b) };
        let contacts = contacts_of(manifold, &side_a, &side_b, self.rest_threshold);
        for (contact, _) in &contacts {
            validate_contact(index, contact)?;
        }
        for ((contact, id), point) in contacts.iter().zip(&manifold.points) {
            // NaN depths were rejected above.
            if point.depth >= -self.margin {
                self.found.take(&ContactRow::of_valid(contact), *id)?;
            }
        }
        Ok(())
    }

    /// How many contacts there are so far.
    pub fn len(&self) -> usize {
        self.found.contacts.len()
    }

    /// Whether there are none so far.
    pub fn is_empty(&self) -> bool {
        self.found.contacts.is_empty()
    }

    /// The body and its centre of mass.
    fn side(
        &self,
        contact: usize,
        field: &'static str,
        index: usize,
    ) -> Result<(crate::problem::body::Body<T>, Vector3<T>), InputError<T>> {
        let missing = ErrorKind::NoSuchBody { index, bodies: self.world.len() };
        let found = self.world.bodies().get(index).zip(self.world.positions().get(index).copied());
        found.ok_or(InputError::contact(contact, field, missing))
    }
}

/// A detector for manifolds that were found before the step. With several substeps they serve for all: points and
/// normals stay fixed in the world, so keep `dt` short against the motion.
///
/// ```
/// # use stiction::{Manifold, Pipeline, StepSettings, World, manifolds};
/// # let (mut world, mut pipeline) = (World::<f64, 1>::new(), Pipeline::<f64, 1, 1>::new(StepSettings::default()));
/// let found: [Manifold<f64>; 0] = [];
/// let report = pipeline.step(&mut world, manifolds(&found), 0.01)?;
/// assert_eq!(report.contacts, 0);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
pub fn manifolds<T: Real, const NB: usize, const NC: usize>(
    list: &[Manifold<T>],
) -> impl FnMut(&World<T, NB>, &mut ContactCollector<'_, T, NB, NC>) -> Result<(), InputError<T>> {
    |_, collector| list.iter().try_for_each(|manifold| collector.push(manifold))
}
