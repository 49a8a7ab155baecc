//! When a manifold is kept, and where its points are then.
//!
//! A manifold is kept as long as
//!
//! ```text
//! |Δx| + extent |Δθ| ≤ L extent      L = 0.05 for three points or more, 0.005 for one or two
//! |θ_a|, |θ_b| ≤ 0.1 rad             each body's rotation since the manifold was built
//! |v_b − v_a|, extent |ω_b − ω_a| ≤ 0.1 m/s
//! |depth − detector's depth| ≤ 0.005 extent      of the deepest points: shapes may change, too
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
use nalgebra::Vector3;

use crate::local::cone::Cone;
use crate::local::frame::Frame;
use crate::math::quaternion::matrix;
use crate::math::real::{Real, larger, smaller};
use crate::math::vector::{VectorOps, times, without_noise};
use crate::problem::contact_rules::normalised;
use crate::problem::contacts::Site;
use crate::problem::kept::{IslandState, KeptManifold, KeptPoint};
use crate::problem::material::Material;
use crate::step::anchors::{Pair, rotation_since};
use crate::step::manifold::Manifold;

/// Motion beyond which a manifold is built again, as a fraction of the extent: for three points or more, and for one
/// or two.
const DRIFT_LIMITS: [f64; 2] = [0.05, 0.005];
/// Difference between the depth that is followed and the detector's beyond which it is built again, as a fraction of
/// the extent.
const DEPTH_LIMIT: f64 = 0.005;
/// Rotation of either body beyond which it is built again, rad.
const ROTATION_LIMIT: f64 = 0.1;
/// Relative speed beyond which it is built again, m/s.
const SPEED_LIMIT: f64 = 0.1;

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

    /// Whether its deepest point is as deep as the detector finds it, for points of these depths.
    pub(crate) fn is_as_deep(&self, depths: &[T], deepest: T) -> bool {
        let followed = depths.iter().fold(-T::MAX, |most, depth| larger(most, *depth));
        (followed - deepest).abs() <= T::lit(DEPTH_LIMIT) * self.extent
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

    /// The impulse of a point of an earlier manifold as this one sees it, with its normal and friction coefficient: the
    /// same vector in the world.
    pub(crate) fn carried_over(&self, point: &KeptPoint<T>, old: &Self, mu: T) -> Vector3<T> {
        let in_world = Frame::on(&old.normal).to_world(&point.impulse);
        let impulse = Frame::on(&self.normal).components(&in_world);
        Cone { mu, preload: T::ZERO }.clamp(&impulse)
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

/// The extent of a manifold from the squares of the longest lever arms of its two bodies, of those that move.
pub(crate) fn extent<T: Real>((a, b): (T, T), moves: (bool, bool)) -> T {
    let square = match moves {
        (true, true) => smaller(a, b),
        (true, false) => a,
        (false, _) => b,
    };
    square.sqrt_or_zero()
}
