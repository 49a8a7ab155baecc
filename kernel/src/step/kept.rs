//! Contacts that are kept from frame to frame: normal, lever arms and rows stay as they are while two bodies hardly
//! move against each other, and only the gaps follow.
//!
//! A stack that is solved by few sweeps has a finite bending stiffness. Gravity on lever arms that follow the lean is
//! a negative one, and beyond a height the stack buckles. With the arms of the frame in which two bodies came to rest
//! there is no negative stiffness, and no work to build rows again.
//!
//! A manifold is kept as long as
//!
//! ```text
//! |Δx| + extent |Δθ| ≤ L extent      L = 0.05 for three points or more, 0.005 for one or two
//! |θ_a|, |θ_b| ≤ 0.1 rad             each body's rotation since the manifold was built
//! |v_b − v_a|, extent |ω_b − ω_a| ≤ 0.1 m/s
//! ```
//!
//! and the detector finds no more points than there are. `Δx, Δθ` is the motion of B as seen from A since the
//! manifold was built. The extent is the longest lever arm of the smaller body of the two that move. Few points limit
//! motion less, and a body that tips over an edge or rolls must not wait; the speed ends the keeping of whatever
//! falls or slides.
//!
//! Gaps follow from anchors, points fixed in each body:
//!
//! ```text
//! depth = n·(x_a + R_a l_a − x_b − R_b l_b)
//! ```
use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::math::quaternion::matrix;
use crate::math::real::{Real, smaller};
use crate::math::vector::{VectorOps, times, without_noise};
use crate::problem::contact_rules::normalised;
use crate::problem::contacts::Site;
use crate::problem::kept::{IslandState, KeptManifold, KeptPoint};
use crate::problem::material::Material;
use crate::step::anchors::{Pair, rotation_since};
use crate::step::cached_point::COS_15_DEGREES;
use crate::step::manifold::Manifold;

/// Motion beyond which a manifold is built again, as a fraction of the extent: for three points or more, and for one
/// or two.
const DRIFT_LIMITS: [f64; 2] = [0.05, 0.005];
/// Rotation of either body beyond which it is built again, rad.
const ROTATION_LIMIT: f64 = 0.1;
/// Relative speed beyond which it is built again, m/s.
const SPEED_LIMIT: f64 = 0.1;

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
pub struct KeptContacts<T: Real, const NC: usize> {
    pub(crate) list: ArrayVec<KeptManifold<T>, NC>,
    pub(crate) points: ArrayVec<KeptPoint<T>, NC>,
    /// Points that did not fit.
    pub(crate) left_out: usize,
    /// Steps so far, modulo 8: islands that move are tried for rest in every eighth.
    pub(crate) steps: u8,
}

/// The contacts of this step and of the one before.
pub(crate) struct Generations<T: Real, const NC: usize> {
    first: KeptContacts<T, NC>,
    second: KeptContacts<T, NC>,
    /// Whether the second is this step's.
    second_is_now: bool,
}

impl<T: Real, const NC: usize> Generations<T, NC> {
    pub const fn new() -> Self {
        Generations { first: KeptContacts::new(), second: KeptContacts::new(), second_is_now: false }
    }

    /// Contacts of this step.
    pub fn now(&self) -> &KeptContacts<T, NC> {
        if self.second_is_now { &self.second } else { &self.first }
    }

    /// Contacts of this step, to change.
    pub fn now_mut(&mut self) -> &mut KeptContacts<T, NC> {
        if self.second_is_now { &mut self.second } else { &mut self.first }
    }

    /// Begins a step without contacts; returns its contacts, and those of the step before.
    pub fn advance(&mut self) -> (&mut KeptContacts<T, NC>, &KeptContacts<T, NC>) {
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
impl<T: Real, const NC: usize> Clone for KeptContacts<T, NC> {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
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
        (self.left_out, self.steps) = (source.left_out, source.steps);
    }
}

impl<T: Real, const NC: usize> Default for KeptContacts<T, NC> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Real, const NC: usize> KeptContacts<T, NC> {
    /// No contacts.
    pub const fn new() -> Self {
        KeptContacts { list: ArrayVec::new_const(), points: ArrayVec::new_const(), left_out: 0, steps: 0 }
    }

    /// How many contacts there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Removes all contacts.
    pub fn clear(&mut self) {
        self.list.clear();
        self.points.clear();
        (self.left_out, self.steps) = (0, 0);
    }

    /// A manifold's points.
    #[inline(always)]
    pub(crate) fn points_of(&self, manifold: &KeptManifold<T>) -> &[KeptPoint<T>] {
        let first = usize::from(manifold.first);
        self.points.get(first..first + usize::from(manifold.count)).unwrap_or(&[])
    }

    /// Adds a point to the last manifold. Where there is no capacity left, the shallowest point goes if this one is
    /// deeper.
    #[inline(always)]
    pub(crate) fn push_point(&mut self, point: KeptPoint<T>) -> Place {
        let mut place = Place::Last;
        if self.points.is_full() {
            place = self.make_space(point.depth);
            if place == Place::LeftOut {
                return place;
            }
        }
        let manifold = self.list.len().saturating_sub(1);
        if let Some(last) = self.list.last_mut() {
            last.count += 1;
            // There is space.
            let _ = self.points.try_push(KeptPoint { manifold: manifold as u16, ..point });
        }
        place
    }

    /// Leaves out the shallowest point for one of a depth, or that one.
    #[cold]
    fn make_space(&mut self, depth: T) -> Place {
        self.left_out += 1;
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
        for (index, manifold) in self.list.iter_mut().enumerate() {
            manifold.count = manifold.count.saturating_sub(u16::from(index == removed));
            manifold.first -= u16::from(usize::from(manifold.first) > shallowest);
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

impl<T: Real> KeptManifold<T> {
    /// Whether neither body has rotated since it was built. Then gaps follow from the way between the centres alone.
    pub(crate) fn has_not_rotated(&self, pair: &Pair<'_, T>) -> bool {
        self.orientation_a == *pair.a.orientation && self.orientation_b == *pair.b.orientation
    }

    /// Motion of B's centre as seen from A since it was built, along the normal, m.
    pub(crate) fn way_apart(&self, pair: &Pair<'_, T>) -> T {
        self.normal.dot(&self.way(pair))
    }

    /// Motion of B's centre as seen from A since it was built, in the axes of the world, m.
    fn way(&self, pair: &Pair<'_, T>) -> Vector3<T> {
        pair.b.position.minus(pair.a.position).minus(&self.offset)
    }

    /// Whether its rows still hold, for bodies that have rotated since it was built or not.
    pub(crate) fn holds(&self, pair: &Pair<'_, T>, points: usize, has_rotated: bool) -> bool {
        let (spin, speed) = (pair.b.angular.minus(pair.a.angular), pair.b.linear.minus(pair.a.linear));
        let (slow, extent) = (T::lit(SPEED_LIMIT * SPEED_LIMIT), self.extent);
        let is_slow = speed.dot(&speed) <= slow && extent * extent * spin.dot(&spin) <= slow;
        if !is_slow || points > usize::from(self.count) {
            return false;
        }
        let [many, few] = DRIFT_LIMITS;
        let limit = if self.count < 3 { T::lit(few) } else { T::lit(many) } * extent;
        let way = self.way(pair);
        if !has_rotated {
            return way.dot(&way) <= limit * limit;
        }
        let turn_a = rotation_since(&self.orientation_a, pair.a.orientation);
        let turn_b = rotation_since(&self.orientation_b, pair.b.orientation);
        let (way, turned) = (way.minus(&turn_a.cross(&self.offset)), turn_b.minus(&turn_a));
        let length = |v: &Vector3<T>| v.dot(v).sqrt_or_zero();
        let most = T::lit(ROTATION_LIMIT * ROTATION_LIMIT);
        turn_a.dot(&turn_a) <= most && turn_b.dot(&turn_b) <= most && length(&way) + extent * length(&turned) <= limit
    }

    /// The manifold of a detector's answer, without its points.
    pub(crate) fn new(manifold: &Manifold<T>, pair: &Pair<'_, T>, material: Material<T>, masses: [u64; 2]) -> Self {
        KeptManifold {
            a: manifold.a as u16,
            b: manifold.b as u16,
            first: 0,
            count: 0,
            island: IslandState::default(),
            masses,
            normal: without_noise(&normalised(&manifold.normal)),
            orientation_a: *pair.a.orientation,
            orientation_b: *pair.b.orientation,
            offset: pair.b.position.minus(pair.a.position),
            extent: T::ZERO,
            material,
        }
    }

    /// Lever arms of a point where the manifold was built, in world axes.
    pub(crate) fn arms(&self, point: &KeptPoint<T>) -> (Vector3<T>, Vector3<T>) {
        (times(&matrix(&self.orientation_a), &point.anchor_a), times(&matrix(&self.orientation_b), &point.anchor_b))
    }

    /// Whether its rows were built with these masses.
    pub(crate) fn has_masses(&self, [a, b]: [u64; 2]) -> bool {
        self.masses[0] == a && self.masses[1] == b
    }

    /// The site of a contact at given lever arms.
    pub(crate) fn site<'a>(&'a self, r_a: &'a Vector3<T>, r_b: &'a Vector3<T>) -> Site<'a, T> {
        Site { pair: (self.a, self.b), normal: &self.normal, r_a, r_b }
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

/// The extent of a manifold from the squares of the longest lever arms of its two bodies, of those that move.
pub(crate) fn extent<T: Real>((a, b): (T, T), moves: (bool, bool)) -> T {
    let square = match moves {
        (true, true) => smaller(a, b),
        (true, false) => a,
        (false, _) => b,
    };
    square.sqrt_or_zero()
}
