//! Joints of a world and of its last step, without its capacity.

use stiction::nalgebra::Vector3;
use stiction::{InputError, Joint, JointKind, JointWork, Jointed, KeptJoint, Pipeline, Real, SixRows, World};

/// A world that can have joints, of any capacity.
pub trait JointedWorld<T: Real> {
    /// Adds a joint.
    fn push(&mut self, joint: Joint<T>) -> Result<usize, InputError<T>>;
    /// Replaces a joint.
    fn set(&mut self, index: usize, joint: Joint<T>) -> Result<(), InputError<T>>;
    /// A joint.
    fn get(&self, index: usize) -> Option<Joint<T>>;
    /// Number of joints.
    fn count(&self) -> usize;
    /// Removes all joints.
    fn clear(&mut self);
    /// A joint between two bodies as they are now, given anchors and axis in world coordinates.
    fn between(&self, bodies: [usize; 2], anchors: [Vector3<T>; 2], axis: Vector3<T>) -> Joint<T>;
}

/// What the last step says about joints.
pub trait JointedStep<T: Real> {
    /// Impulse and position of a joint.
    fn state(&self, index: usize) -> Option<KeptJoint<T>>;
    /// Work of joints.
    fn work(&self) -> JointWork<T>;
}

/// Joints of a world and of its last step.
pub struct Joints<'a, T: Real> {
    /// The world.
    pub world: &'a mut dyn JointedWorld<T>,
    /// The last step.
    pub step: &'a dyn JointedStep<T>,
}

impl<T: Real, const NB: usize, const NJ: usize> JointedWorld<T> for World<T, NB, Jointed<NJ, SixRows>> {
    fn push(&mut self, joint: Joint<T>) -> Result<usize, InputError<T>> {
        self.push_joint(joint)
    }

    fn set(&mut self, index: usize, joint: Joint<T>) -> Result<(), InputError<T>> {
        self.set_joint(index, joint)
    }

    fn get(&self, index: usize) -> Option<Joint<T>> {
        self.joint(index).copied()
    }

    fn count(&self) -> usize {
        self.joints().count()
    }

    fn clear(&mut self) {
        self.clear_joints();
    }

    fn between(&self, [a, b]: [usize; 2], anchors: [Vector3<T>; 2], axis: Vector3<T>) -> Joint<T> {
        self.joint_between(a, b, JointKind::Ball, anchors, axis)
    }
}

impl<T: Real, const NB: usize, const NC: usize, const NJ: usize> JointedStep<T>
    for Pipeline<T, NB, NC, NC, Jointed<NJ, SixRows>>
{
    fn state(&self, index: usize) -> Option<KeptJoint<T>> {
        self.joint(index).copied()
    }

    fn work(&self) -> JointWork<T> {
        self.joint_work()
    }
}
