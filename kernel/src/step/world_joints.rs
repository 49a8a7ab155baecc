//! The joints of a world.
use nalgebra::{UnitQuaternion, Vector3};

use crate::math::quaternion::{matrix, relative, to_own_axes};
use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::error::{ErrorKind, InputError};
use crate::problem::joint::{Joint, JointKind};
use crate::step::world::World;

impl<T: Real, const NB: usize, R: ContactRows> World<T, NB, R> {
    /// Adds a joint and returns its index. A rejected joint changes nothing.
    pub fn push_joint(&mut self, joint: Joint<T>) -> Result<usize, InputError<T>> {
        let index = self.joint_len();
        let joint = self.validate_joint(index, &joint)?;
        let full = InputError::joint(index, "", ErrorKind::Full { capacity: R::JOINTS });
        *self.joints.at_mut(index).ok_or(full)? = joint;
        if let Some(count) = self.joint_count.at_mut(0) {
            *count = index as u16 + 1;
        }
        Ok(index)
    }

    /// Replaces a joint: another motor speed, other limits. A rejected joint changes nothing.
    pub fn set_joint(&mut self, index: usize, joint: Joint<T>) -> Result<(), InputError<T>> {
        let joints = self.joint_len();
        if index >= joints {
            return Err(InputError::joint(index, "", ErrorKind::NoSuchJoint { joints }));
        }
        let joint = self.validate_joint(index, &joint)?;
        self.store_joint(index, joint);
        Ok(())
    }

    /// Replaces a joint by a valid one as it is.
    pub(crate) fn store_joint(&mut self, index: usize, joint: Joint<T>) {
        if let Some(slot) = self.joints.at_mut(index) {
            *slot = joint;
        }
    }

    /// The joint at an index.
    pub fn joint(&self, index: usize) -> Option<&Joint<T>> {
        self.joints.at(index).filter(|_| index < self.joint_len())
    }

    /// All joints.
    pub fn joints(&self) -> impl Iterator<Item = &Joint<T>> + '_ {
        self.joints.part(0..self.joint_len()).iter()
    }

    /// Removes all joints.
    pub fn clear_joints(&mut self) {
        if let Some(count) = self.joint_count.at_mut(0) {
            *count = 0;
        }
    }

    /// A joint between two bodies as they are now: anchors on A and on B and the axis are in world coordinates, m, and
    /// its position is 0 here. It is validated when it is added.
    ///
    /// ```
    /// use nalgebra::{Matrix3, Vector3};
    /// use stiction::{JointAxis, JointKind, Jointed, RigidBody, World};
    /// let mut world = World::<f64, 2, Jointed<1>>::empty();
    /// let wall = world.push(RigidBody::fixed())?;
    /// let position = Vector3::new(0.4, 0.0, 1.0);
    /// let door = world.push(RigidBody { position, ..RigidBody::from_mass(20.0, Matrix3::identity()) })?;
    /// let at = Vector3::new(0.0, 0.0, 1.0);
    /// let hinge = world.joint_between(wall, door, JointKind::Hinge(JointAxis::FREE), [at, at], Vector3::z());
    /// world.push_joint(hinge)?;
    /// assert_eq!(world.joint(0).unwrap().anchor_b, Vector3::new(-0.4, 0.0, 0.0));
    /// # Ok::<(), stiction::InputError<f64>>(())
    /// ```
    pub fn joint_between(
        &self,
        a: usize,
        b: usize,
        kind: JointKind<T>,
        [on_a, on_b]: [Vector3<T>; 2],
        axis: Vector3<T>,
    ) -> Joint<T> {
        let orientation = |body: usize| self.orientations().get(body).copied().unwrap_or(UnitQuaternion::identity());
        let own = |body: usize, point: &Vector3<T>| {
            let center = self.positions().get(body).copied().unwrap_or_else(Vector3::zeros);
            to_own_axes(&matrix(&orientation(body)), &point.minus(&center))
        };
        Joint {
            anchor_a: own(a, &on_a),
            anchor_b: own(b, &on_b),
            axis: to_own_axes(&matrix(&orientation(a)), &axis),
            rest: relative(&orientation(a), &orientation(b)),
            kind,
            ..Joint::ball(a, b)
        }
    }

    /// How many joints there are.
    pub(crate) fn joint_len(&self) -> usize {
        self.joint_count.at(0).map_or(0, |count| usize::from(*count))
    }

    /// Whether a joint connects two bodies that it does not let collide.
    pub(crate) fn keeps_apart(&self, a: usize, b: usize) -> bool {
        self.joints().any(|joint| !joint.collide && ((joint.a, joint.b) == (a, b) || (joint.b, joint.a) == (a, b)))
    }

    fn validate_joint(&self, index: usize, joint: &Joint<T>) -> Result<Joint<T>, InputError<T>> {
        for (field, body) in [("a", joint.a), ("b", joint.b)] {
            if body >= self.len() {
                let missing = ErrorKind::NoSuchBody { index: body, bodies: self.len() };
                return Err(InputError::joint(index, field, missing));
            }
        }
        if joint.a == joint.b {
            return Err(InputError::joint(index, "b", ErrorKind::SameBody));
        }
        if !(self.bodies().is_movable(joint.a) || self.bodies().is_movable(joint.b)) {
            return Err(InputError::joint(index, "", ErrorKind::NothingMoves));
        }
        if let Some((field, kind)) = joint.flaw() {
            return Err(InputError::joint(index, field, kind));
        }
        Ok(joint.normalised())
    }
}
