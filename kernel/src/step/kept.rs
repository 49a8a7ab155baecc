//! Contacts that are kept from frame to frame: normal, lever arms and rows stay as they are while two bodies hardly
//! move against each other, and only the gaps follow.
//!
//! A stack that is solved by few sweeps has a finite bending stiffness. Gravity on lever arms that follow the lean is
//! a negative one, and beyond a height the stack buckles. With the arms of the frame in which two bodies came to rest
//! there is no negative stiffness, and no work to build rows again.
//!
//! When a manifold is kept is in [`keeping`](crate::step::keeping).
use arrayvec::ArrayVec;
use nalgebra::{Matrix3, Vector3};

use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::{Column, ContactRows, ThreeRows};
use crate::problem::kept::{FactorState, KeptManifold, KeptPoint};
use crate::problem::kept_joint::KeptJoint;
use crate::step::cached_point::COS_15_DEGREES;
use crate::step::kept_surfaces::{KeptSurfaces, PairSurface};
use crate::step::masses::BodyMass;

/// The contacts of a step, in the detector's order, with all that the next step takes over from them: a pipeline's
/// memory. A copy of it and of the world is a state to return to.
///
/// ```
/// # use stiction::{KeptContacts, Pipeline, StepSettings, World};
/// # let mut world = World::<f64, 1>::new();
/// # let mut pipeline = Pipeline::<f64, 1, 8>::new(StepSettings::default());
/// let before: (World<f64, 1>, KeptContacts<f64, 8>) = (world.clone(), pipeline.cache().clone());
/// pipeline.step(&mut world, stiction::manifolds(&[]), 0.01)?;
/// // Back to where it was: the same step gives the same bits.
/// world = before.0;
/// pipeline.set_cache(before.1);
/// assert!(world.is_empty() && pipeline.cache().is_empty());
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, PartialEq)]
pub struct KeptContacts<T: Real, const NC: usize, R: ContactRows = ThreeRows> {
    pub(crate) list: ArrayVec<KeptManifold<T>, NC>,
    pub(crate) points: ArrayVec<KeptPoint<T>, NC>,
    /// Friction beyond sliding, and moments (see `kept_surfaces`).
    pub(crate) surfaces: KeptSurfaces<T, NC, R>,
    /// Joints of the world, by their index.
    pub(crate) joints: R::PerJoint<KeptJoint<T>>,
    /// Points that did not fit.
    pub(crate) left_out: usize,
    /// Steps so far, modulo 8: islands that move are tried for rest in every eighth.
    pub(crate) steps: u8,
    /// Length of the substeps that impulses are of, s; 0 before the first step.
    pub(crate) substep: T,
}

/// The contacts of this step and of the one before.
pub(crate) struct Generations<T: Real, const NC: usize, R: ContactRows> {
    first: KeptContacts<T, NC, R>,
    second: KeptContacts<T, NC, R>,
    /// Whether the second is this step's.
    second_is_now: bool,
}

impl<T: Real, const NC: usize, R: ContactRows> Generations<T, NC, R> {
    pub const fn new() -> Self {
        Generations { first: KeptContacts::empty(), second: KeptContacts::empty(), second_is_now: false }
    }

    /// Contacts of this step.
    pub fn now(&self) -> &KeptContacts<T, NC, R> {
        if self.second_is_now { &self.second } else { &self.first }
    }

    /// Contacts of this step, to change.
    pub fn now_mut(&mut self) -> &mut KeptContacts<T, NC, R> {
        if self.second_is_now { &mut self.second } else { &mut self.first }
    }

    /// Begins a step without contacts; returns its contacts, and those of the step before.
    pub fn advance(&mut self) -> (&mut KeptContacts<T, NC, R>, &KeptContacts<T, NC, R>) {
        self.second_is_now = !self.second_is_now;
        let Generations { first, second, second_is_now } = self;
        let (now, before) = if *second_is_now { (second, first) } else { (first, second) };
        now.clear();
        now.steps = (before.steps + 1) % 8;
        (now, before)
    }

    /// Takes back that a step began.
    pub fn go_back(&mut self) {
        self.second_is_now = !self.second_is_now;
    }

    /// Whether both steps have as many manifolds.
    pub fn are_as_many(&self) -> bool {
        self.first.list.len() == self.second.list.len()
    }
}

/// Where a point went that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Last,
    /// At the end, and the point at an index was removed for it.
    InsteadOf(usize),
    LeftOut,
}

/// Element by element: the derived one collects into new arrays, which could panic if they were smaller.
impl<T: Real, const NC: usize, R: ContactRows> Clone for KeptContacts<T, NC, R> {
    fn clone(&self) -> Self {
        let mut copy = Self::empty();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        self.clear();
        // The capacity is the same.
        for manifold in &source.list {
            let _ = self.list.try_push(*manifold);
        }
        for point in &source.points {
            let _ = self.points.try_push(*point);
        }
        self.surfaces.clone_from(&source.surfaces);
        self.joints.clone_from(&source.joints);
        (self.left_out, self.steps, self.substep) = (source.left_out, source.steps, source.substep);
    }
}

impl<T: Real, const NC: usize, R: ContactRows> Default for KeptContacts<T, NC, R> {
    fn default() -> Self {
        Self::empty()
    }
}

impl<T: Real, const NC: usize> KeptContacts<T, NC> {
    /// No contacts.
    pub const fn new() -> Self {
        Self::empty()
    }
}

impl<T: Real, const NC: usize, R: ContactRows> KeptContacts<T, NC, R> {
    /// No contacts, of either kind of rows.
    pub const fn empty() -> Self {
        KeptContacts {
            list: ArrayVec::new_const(),
            points: ArrayVec::new_const(),
            surfaces: KeptSurfaces::EMPTY,
            joints: R::PerJoint::PLAIN,
            left_out: 0,
            steps: 0,
            substep: T::ZERO,
        }
    }

    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Removes all contacts, and what is kept of joints.
    pub fn clear(&mut self) {
        self.joints = R::PerJoint::PLAIN;
        self.list.clear();
        self.points.clear();
        self.surfaces.clear();
        (self.left_out, self.steps, self.substep) = (0, 0, T::ZERO);
    }

    /// What impulses are multiplied with where substeps take `h` seconds now.
    pub(crate) fn rescaling(&self, h: T) -> T {
        if self.substep > T::ZERO { h / self.substep } else { T::ONE }
    }

    /// Takes over what is kept of joints, where substeps take `h` seconds now.
    #[inline(always)]
    pub(crate) fn take_over_joints(&mut self, before: &Self, h: T) {
        let rescaling = before.rescaling(h);
        for (now, before) in self.joints.part_mut(0..R::JOINTS).iter_mut().zip(before.joints.part(0..R::JOINTS)) {
            let (linear, angular) = (before.linear.scaled(rescaling), before.angular.scaled(rescaling));
            *now = KeptJoint { linear, angular, ..*before };
        }
    }

    /// A manifold's points.
    #[inline(always)]
    pub(crate) fn points_of(&self, manifold: &KeptManifold<T>) -> &[KeptPoint<T>] {
        let first = usize::from(manifold.first);
        self.points.get(first..first + usize::from(manifold.count)).unwrap_or(&[])
    }

    /// Mass, kg, and inertia in world axes of a body where its first manifold was built; none if it cannot rotate
    /// about some axis.
    pub(crate) fn mass_where_built(&self, masses: &[BodyMass<T>], body: usize) -> Option<(T, Matrix3<T>)> {
        let touches = |manifold: &&KeptManifold<T>| usize::from(manifold.a) == body || usize::from(manifold.b) == body;
        let (mass, manifold) = (masses.get(body)?, self.list.iter().find(touches)?);
        let is_a = usize::from(manifold.a) == body;
        let orientation = if is_a { &manifold.orientation_a } else { &manifold.orientation_b };
        mass.rotates_freely().then(|| (T::ONE / mass.inverse_mass, mass.inertia_in_world(orientation)))
    }

    /// Notes that factors have to be made: only records of what a step begins with say that one is made.
    pub(crate) fn forget_factors(&mut self) {
        for manifold in &mut self.list {
            if manifold.island.factor == FactorState::Made {
                manifold.island.factor = FactorState::Reserved;
            }
        }
    }

    /// Begins a manifold whose deepest point has a depth, before its points are added. Every manifold before it has
    /// a point. Where there is no capacity left, the shallowest point goes if that one is deeper.
    #[inline(always)]
    pub(crate) fn push_manifold(
        &mut self,
        manifold: KeptManifold<T>,
        surface: &PairSurface<T, R>,
        deepest: T,
    ) -> Place {
        let first = self.points.len() as u16;
        let place = if self.list.is_full() { self.make_space(deepest, false) } else { Place::Last };
        if place != Place::LeftOut {
            let first = if place == Place::Last { first } else { first.saturating_sub(1) };
            // There is space: a full list has one point a manifold, and the removed point's manifold went with it.
            let _ = self.list.try_push(KeptManifold { first, count: 0, ..manifold });
            self.surfaces.set_surface(self.list.len().saturating_sub(1), surface);
        }
        place
    }

    /// Ends the last manifold: without a point it is left out.
    pub(crate) fn end_manifold(&mut self) {
        if self.list.last().is_some_and(|last| last.count == 0) {
            self.list.pop();
        }
    }

    /// Adds a point to the last manifold, with its moment in N m s. Where there is no capacity left, the shallowest
    /// point goes if this one is deeper.
    #[inline(always)]
    pub(crate) fn push_point(&mut self, point: KeptPoint<T>, moment: &Vector3<T>) -> Place {
        let mut place = Place::Last;
        if !self.has_space(1) {
            place = self.make_space(point.depth, true);
            self.left_out += 1;
            if place == Place::LeftOut {
                return place;
            }
        }
        let manifold = self.list.len().saturating_sub(1);
        if let Some(last) = self.list.last_mut() {
            last.count += 1;
            // There is space.
            let _ = self.points.try_push(KeptPoint { manifold: manifold as u16, ..point });
            self.surfaces.add_point(self.points.len().saturating_sub(1), manifold, moment);
        }
        place
    }

    /// Leaves out the shallowest point for one of a depth, or that one. A manifold goes with its only point, unless it
    /// is the last one and its points `are_added` now.
    #[cold]
    pub(crate) fn make_space(&mut self, depth: T, are_added: bool) -> Place {
        let mut shallowest = 0;
        for (index, other) in self.points.iter().enumerate() {
            if self.points.get(shallowest).is_some_and(|least| other.depth <= least.depth) {
                shallowest = index;
            }
        }
        if !self.points.get(shallowest).is_some_and(|least| least.depth < depth) {
            return Place::LeftOut;
        }
        let removed = remove(&mut self.points, shallowest).map_or(0, |removed| usize::from(removed.manifold));
        self.surfaces.remove_point(shallowest, removed, self.points.len());
        for (index, manifold) in self.list.iter_mut().enumerate() {
            manifold.count = manifold.count.saturating_sub(u16::from(index == removed));
            manifold.first -= u16::from(usize::from(manifold.first) > shallowest);
        }
        let stays = are_added && removed + 1 == self.list.len();
        if !stays && self.list.get(removed).is_some_and(|manifold| manifold.count == 0) {
            remove(&mut self.list, removed);
            self.surfaces.remove_manifold(removed, self.list.len());
            for point in &mut self.points {
                point.manifold -= u16::from(usize::from(point.manifold) > removed);
            }
        }
        Place::InsteadOf(shallowest)
    }

    /// Index of a pair's manifold with a normal close to the given one that is not claimed yet, searched from where
    /// it is likely.
    pub(crate) fn find(
        &self,
        (a, b): (u16, u16),
        normal: &Vector3<T>,
        from: usize,
        claimed: &[bool; NC],
    ) -> Option<usize> {
        let is_pair = |at: &usize| {
            let free = claimed.get(*at).is_some_and(|claimed| !claimed);
            let manifold = self.list.get(*at).filter(|manifold| free && manifold.a == a && manifold.b == b);
            manifold.is_some_and(|manifold| manifold.normal.dot(normal) >= T::lit(COS_15_DEGREES))
        };
        (from..self.list.len()).chain(0..from).find(is_pair)
    }
}

/// Removes an element; those after it move up. Without the checks of the array's own method, which could panic.
pub(crate) fn remove<E: Copy, const N: usize>(list: &mut ArrayVec<E, N>, at: usize) -> Option<E> {
    let removed = list.get(at).copied()?;
    for index in at + 1..list.len() {
        let next = list.get(index).copied();
        if let (Some(slot), Some(next)) = (list.get_mut(index - 1), next) {
            *slot = next;
        }
    }
    list.pop();
    Some(removed)
}
