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
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::math::quaternion::{matrix, to_own_axes};
use crate::math::real::{Real, smaller};
use crate::math::vector::{VectorOps, times};
use crate::problem::contacts::Site;
use crate::problem::material::Material;
use crate::problem::point_id::PointId;
use crate::step::cached_point::COS_15_DEGREES;
use crate::step::manifold::Manifold;
use crate::step::world::State;

/// Row of a point that has none yet.
pub(crate) const NO_ROW: u16 = u16::MAX;

/// Motion beyond which a manifold is built again, as a fraction of the extent: for three points or more, and for one
/// or two.
const DRIFT_LIMITS: [f64; 2] = [0.05, 0.005];
/// Rotation of either body beyond which it is built again, rad.
const ROTATION_LIMIT: f64 = 0.1;
/// Relative speed beyond which it is built again, m/s.
const SPEED_LIMIT: f64 = 0.1;

/// Two bodies that touch, as they were when their rows were built.
#[derive(Clone, Copy)]
pub(crate) struct KeptManifold<T: Real> {
    pub a: u16,
    pub b: u16,
    /// Its points: the first, and how many.
    pub first: u16,
    pub count: u16,
    /// Whether its rows are those of the frame before.
    pub kept: bool,
    pub normal: Vector3<T>,
    pub orientation_a: UnitQuaternion<T>,
    pub orientation_b: UnitQuaternion<T>,
    /// From A's centre to B's, m.
    pub offset: Vector3<T>,
    /// Longest lever arm of the smaller body, m.
    pub extent: T,
    pub material: Material<T>,
}

/// A point of a kept manifold.
#[derive(Clone, Copy)]
pub(crate) struct KeptPoint<T> {
    pub id: PointId,
    pub anchor_a: Vector3<T>,
    pub anchor_b: Vector3<T>,
    /// Its manifold.
    pub manifold: u16,
    /// Its row in the frame before.
    pub row: u16,
    pub depth: T,
    /// Its depth where the manifold was built, m.
    pub depth_built: T,
}

/// The manifolds of one frame, in the detector's order.
pub(crate) struct KeptManifolds<T: Real, const NC: usize> {
    pub list: ArrayVec<KeptManifold<T>, NC>,
    pub points: ArrayVec<KeptPoint<T>, NC>,
    /// Points that did not fit.
    pub left_out: usize,
}

/// The two bodies of a manifold.
pub(crate) struct Pair<'a, T: Real> {
    pub a: &'a State<T>,
    pub b: &'a State<T>,
}

impl<T: Real, const NC: usize> KeptManifolds<T, NC> {
    pub const fn new() -> Self {
        KeptManifolds { list: ArrayVec::new_const(), points: ArrayVec::new_const(), left_out: 0 }
    }

    pub fn clear(&mut self) {
        self.list.clear();
        self.points.clear();
        self.left_out = 0;
    }

    /// A manifold's points.
    #[inline(always)]
    pub fn points_of(&self, manifold: &KeptManifold<T>) -> &[KeptPoint<T>] {
        let first = usize::from(manifold.first);
        self.points.get(first..first + usize::from(manifold.count)).unwrap_or(&[])
    }

    /// Adds a point to the last manifold. Where there is no capacity left, the shallowest point goes if this one is
    /// deeper.
    #[inline(always)]
    pub fn push_point(&mut self, point: KeptPoint<T>) {
        if self.points.is_full() && !self.make_space(point.depth) {
            return;
        }
        let manifold = self.list.len().saturating_sub(1);
        if let Some(last) = self.list.last_mut() {
            last.count += 1;
            // There is space.
            let _ = self.points.try_push(KeptPoint { manifold: manifold as u16, ..point });
        }
    }

    /// Leaves out the shallowest point for one of a depth, or that one; returns whether there is space now.
    #[cold]
    fn make_space(&mut self, depth: T) -> bool {
        self.left_out += 1;
        let mut shallowest = 0;
        for (index, other) in self.points.iter().enumerate() {
            if self.points.get(shallowest).is_some_and(|least| other.depth <= least.depth) {
                shallowest = index;
            }
        }
        let deeper = self.points.get(shallowest).is_some_and(|least| least.depth < depth);
        if deeper {
            let removed = self.points.remove(shallowest);
            for (index, manifold) in self.list.iter_mut().enumerate() {
                manifold.count -= u16::from(index == usize::from(removed.manifold));
                manifold.first -= u16::from(usize::from(manifold.first) > shallowest);
            }
        }
        deeper
    }

    /// Index of a pair's manifold with a normal close to the given one that is not claimed yet, searched from where
    /// it is likely.
    pub fn find(&self, (a, b): (u16, u16), normal: &Vector3<T>, from: usize, claimed: &[bool; NC]) -> Option<usize> {
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
    pub fn has_not_rotated(&self, pair: &Pair<'_, T>) -> bool {
        self.orientation_a == pair.a.orientation && self.orientation_b == pair.b.orientation
    }

    /// Motion of B's centre as seen from A since it was built, along the normal, m.
    pub fn way_apart(&self, pair: &Pair<'_, T>) -> T {
        self.normal.dot(&pair.b.position.minus(&pair.a.position).minus(&self.offset))
    }

    /// Whether its rows still hold.
    pub fn holds(&self, pair: &Pair<'_, T>, points: usize) -> bool {
        if points > usize::from(self.count) {
            return false;
        }
        let limit = T::lit(DRIFT_LIMITS[usize::from(self.count < 3)]) * self.extent;
        let (turn_a, turn_b) = (
            rotation_since(&self.orientation_a, &pair.a.orientation),
            rotation_since(&self.orientation_b, &pair.b.orientation),
        );
        let most = T::lit(ROTATION_LIMIT * ROTATION_LIMIT);
        if !(turn_a.dot(&turn_a) <= most && turn_b.dot(&turn_b) <= most) {
            return false;
        }
        let way = pair.b.position.minus(&pair.a.position).minus(&self.offset).minus(&turn_a.cross(&self.offset));
        let turned = turn_b.minus(&turn_a);
        let spin = pair.b.angular.minus(&pair.a.angular);
        let speed = pair.b.linear.minus(&pair.a.linear);
        let length = |v: &Vector3<T>| v.dot(v).sqrt_or_zero();
        let slow = T::lit(SPEED_LIMIT);
        length(&way) + self.extent * length(&turned) <= limit
            && speed.dot(&speed) <= slow * slow
            && self.extent * self.extent * spin.dot(&spin) <= slow * slow
    }

    /// The manifold of a detector's answer, without its points.
    pub fn new(manifold: &Manifold<T>, normal: Vector3<T>, pair: &Pair<'_, T>, material: Material<T>) -> Self {
        KeptManifold {
            a: manifold.a as u16,
            b: manifold.b as u16,
            first: 0,
            count: 0,
            kept: false,
            normal,
            orientation_a: pair.a.orientation,
            orientation_b: pair.b.orientation,
            offset: pair.b.position.minus(&pair.a.position),
            extent: T::ZERO,
            material,
        }
    }

    /// Lever arms of a point where the manifold was built, in world axes.
    pub fn arms(&self, point: &KeptPoint<T>) -> (Vector3<T>, Vector3<T>) {
        (times(&matrix(&self.orientation_a), &point.anchor_a), times(&matrix(&self.orientation_b), &point.anchor_b))
    }

    /// The site of a contact at given lever arms.
    pub fn site<'a>(&'a self, r_a: &'a Vector3<T>, r_b: &'a Vector3<T>) -> Site<'a, T> {
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

/// Where anchors are now: what depths follow from.
pub(crate) struct Axes<T> {
    a: Matrix3<T>,
    b: Matrix3<T>,
    between: Vector3<T>,
}

impl<T: Real> Axes<T> {
    pub fn of(pair: &Pair<'_, T>) -> Self {
        let (a, b) = (matrix(&pair.a.orientation), matrix(&pair.b.orientation));
        Axes { a, b, between: pair.a.position.minus(&pair.b.position) }
    }

    /// Depth of a point along a normal.
    pub fn depth(&self, point: &KeptPoint<T>, normal: &Vector3<T>) -> T {
        let apart = self.between.plus(&times(&self.a, &point.anchor_a)).minus(&times(&self.b, &point.anchor_b));
        normal.dot(&apart)
    }
}

/// Anchors of a point between two bodies, such that their distance along the normal is the depth.
pub(crate) fn anchors<T: Real>(
    on_a: &Vector3<T>,
    on_b: &Vector3<T>,
    depth: T,
    normal: &Vector3<T>,
    pair: &Pair<'_, T>,
) -> (Vector3<T>, Vector3<T>) {
    let shift = normal.dot(&on_a.minus(on_b)) - depth;
    let on_b = on_b.plus(&normal.scaled(shift));
    (
        to_own_axes(&matrix(&pair.a.orientation), &on_a.minus(&pair.a.position)),
        to_own_axes(&matrix(&pair.b.orientation), &on_b.minus(&pair.b.position)),
    )
}

/// Rotation vector from one orientation to another, to first order in the angle, rad.
fn rotation_since<T: Real>(before: &UnitQuaternion<T>, now: &UnitQuaternion<T>) -> Vector3<T> {
    let (p, q) = (before.quaternion().coords, now.quaternion().coords);
    if p == q {
        return Vector3::zeros();
    }
    // The vector part of now · conjugate of before; x, y, z, w in this order.
    let vector = |p: &nalgebra::Vector4<T>| Vector3::new(p.x, p.y, p.z);
    let (u, v) = (vector(&p), vector(&q));
    let part = v.scaled(p.w).minus(&u.scaled(q.w)).minus(&v.cross(&u));
    let same_side = p.dot(&q) >= T::ZERO;
    part.scaled(if same_side { T::lit(2.0) } else { T::lit(-2.0) })
}
