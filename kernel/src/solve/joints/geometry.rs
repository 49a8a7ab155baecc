//! A joint where its two bodies are: lever arms, free axis, position along it, and how far it is apart.
//!
//! With `R` the orientations, anchors are at `p = x + R l`. The orientation of B from A, in world axes, is the quaternion
//! `q = R_b rest⁻¹ R_a⁻¹ = (w, v)`: the identity where a fixed joint is exact. About the axis `a` of a hinge it turns by
//! the angle of `(w, v·a)`, and the axes of both bodies are apart by `a_a × a_b`. A slider's point on A is that of B's
//! anchor: A's arm has the length that the slider has now.
use nalgebra::Vector3;

use crate::math::angle::angle_of;
use crate::math::quaternion::{composed, matrix, relative};
use crate::math::real::Real;
use crate::math::vector::{VectorOps, times};
use crate::problem::joint::{Joint, JointKind};
use crate::solve::joints::pose::Place;
use crate::space::joint_row::Held;
use crate::space::velocity::Velocity;

/// A joint at given poses.
pub(crate) struct Geometry<T> {
    pub held: Held,
    /// Lever arms on A and B.
    pub arms: [Vector3<T>; 2],
    /// The free axis, and whether it is one of rotation.
    pub axis: Option<(Vector3<T>, bool)>,
    /// How far the anchors are from where they should be, m.
    pub apart: Vector3<T>,
    /// How far the orientations are from where they should be, rad.
    pub turned: Vector3<T>,
    /// Position along the axis; the angle of a hinge is in `−π..=π`.
    pub position: T,
}

impl<T: Real> Geometry<T> {
    pub fn new(joint: &Joint<T>, a: &Place<T>, b: &Place<T>) -> Self {
        let (r_a, r_b) = (times(&a.axes, &joint.anchor_a), times(&b.axes, &joint.anchor_b));
        let apart = b.position.plus(&r_b).minus(&a.position.plus(&r_a));
        let point = Geometry {
            held: Held::Point,
            arms: [r_a, r_b],
            axis: None,
            apart,
            turned: Vector3::zeros(),
            position: T::ZERO,
        };
        let axis = times(&a.axes, &joint.axis);
        match joint.kind {
            JointKind::Ball => point,
            JointKind::Hinge(_) => {
                let turn = Turn::of(joint, a, b);
                // Where the axis of B is, the one that coincides with A's at rest.
                let other = turn.applied(&axis);
                let position = angle_of(turn.w, turn.v.dot(&axis));
                let turned = turned_axis(&axis, &other);
                Geometry { held: Held::Pose, axis: Some((axis, true)), turned, position, ..point }
            }
            JointKind::Slider(_) => {
                let position = apart.dot(&axis);
                let across = apart.minus(&axis.scaled(position));
                let turned = Turn::of(joint, a, b).vector();
                let arms = [r_a.plus(&apart), r_b];
                Geometry { held: Held::Pose, arms, axis: Some((axis, false)), apart: across, turned, position }
            }
            JointKind::Fixed => Geometry { held: Held::Pose, turned: Turn::of(joint, a, b).vector(), ..point },
            JointKind::Distance { .. } | JointKind::Rope { .. } | JointKind::Spring(_) => {
                let length = apart.dot(&apart).sqrt_or_zero();
                let direction = if length > T::ZERO { apart.divided(length) } else { axis };
                let apart = match joint.kind {
                    JointKind::Distance { length: wanted } => direction.scaled(length - wanted),
                    _ => Vector3::zeros(),
                };
                Geometry { held: Held::Line, axis: Some((direction, false)), apart, position: length, ..point }
            }
        }
    }
}

impl<T: Real> Geometry<T> {
    /// How far the rows are from where they should be, m and rad.
    pub fn error(&self) -> Velocity<T> {
        Velocity::new(&self.apart, &self.turned)
    }
}

/// How far an axis is turned from another: `a × b`, which is the angle where it is small. Beyond a right angle, where that
/// becomes shorter again, its length `s` is replaced by `2 − s`.
fn turned_axis<T: Real>(axis: &Vector3<T>, other: &Vector3<T>) -> Vector3<T> {
    let cross = axis.cross(other);
    if axis.dot(other) >= T::ZERO {
        return cross;
    }
    let length = cross.dot(&cross).sqrt_or_zero();
    let two = T::lit(2.0);
    if length > T::EPSILON {
        return cross.scaled((two - length) / length);
    }
    // Opposite: any direction across the axis will do.
    let other = if axis.x.abs() < T::HALF { Vector3::x() } else { Vector3::y() };
    let across = axis.cross(&other);
    across.scaled(two / across.dot(&across).sqrt_or_zero())
}

/// The orientation of B from A, in world axes, less that at rest.
struct Turn<T> {
    w: T,
    v: Vector3<T>,
}

impl<T: Real> Turn<T> {
    fn of(joint: &Joint<T>, a: &Place<T>, b: &Place<T>) -> Self {
        // Where B would be: `q_a rest`; from there to where it is, in world axes: `q_b (q_a rest)⁻¹`.
        let wanted = composed(&a.orientation, &joint.rest);
        let in_own_axes = relative(&wanted, &b.orientation);
        let q = in_own_axes.quaternion();
        let v = times(&matrix(&wanted), &Vector3::new(q.i, q.j, q.k));
        if q.w < T::ZERO { Turn { w: -q.w, v: v.negated() } } else { Turn { w: q.w, v } }
    }

    /// The rotation vector, for small rotations.
    fn vector(&self) -> Vector3<T> {
        self.v.scaled(T::lit(2.0))
    }

    /// The rotation of a vector.
    fn applied(&self, u: &Vector3<T>) -> Vector3<T> {
        let twice = self.v.cross(u).scaled(T::lit(2.0));
        u.plus(&twice.scaled(self.w)).plus(&self.v.cross(&twice))
    }
}
