//! Rows of joints in a substep: built where bodies are, and what is kept of them where it ends.
use crate::math::real::Real;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::kept_joint::KeptJoint;
use crate::solve::joints::build::{End, position_at};
use crate::solve::joints::pose::{Place, Pose};
use crate::solve::small_steps::{FrameTask, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::velocity::Velocity;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Builds the rows of the island's joints where its bodies are.
    pub(super) fn build_joints(&mut self, work: &SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>, time: T) {
        let window = self.window();
        let SmallSteps { joints, joint_of, kept_joints, poses, arrival, force, .. } = self;
        let (bodies, still) = (task.bodies, &Velocity::ZERO);
        let end = |body: usize| {
            let pose = poses.at(body)?;
            let place = place_at(pose, work, task, body, time)?;
            let moves = bodies.is_movable(body) && body < NB;
            let velocity = if moves { arrival.get(body) } else { work.velocity.get(body) };
            Some(End {
                inverse_mass: bodies.inverse_mass(body),
                inverse_inertia: pose.inverse_inertia_in(&place.axes),
                place,
                velocity: velocity.unwrap_or(still),
                forced: force.get(body).filter(|_| moves).unwrap_or(still),
            })
        };
        for row in joints.part_mut(window) {
            let index = usize::from(row.joint);
            let (Some(joint), Some(kept)) = (joint_of.at(index), kept_joints.at(index)) else { continue };
            let (Some(a), Some(b)) = (end(joint.a), end(joint.b)) else { continue };
            row.build(joint, kept, &[a, b], task.division.h);
        }
    }

    /// Keeps the impulses that the next substep begins with, `time` seconds after the frame began.
    pub(super) fn keep_joints(&mut self, work: &SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>, time: T) {
        for at in self.window() {
            let Some(row) = self.joints.at(at) else { continue };
            let Some(joint) = self.joint_of.at(usize::from(row.joint)) else { continue };
            let place = |body: usize| place_at(self.poses.at(body)?, work, task, body, time);
            let (a, b) = (place(joint.a), place(joint.b));
            let (Some(a), Some(b)) = (a, b) else { continue };
            let kept = KeptJoint { position: position_at(joint, row.position, &a, &b), ..row.kept(&a) };
            let index = usize::from(row.joint);
            if let Some(slot) = self.kept_joints.at_mut(index) {
                *slot = kept;
            }
        }
    }
}

/// Where a body with this pose is `time` seconds after the frame began, which is now. Bodies that no impulse moves follow
/// their velocity; islands share them, so they stay where they were.
fn place_at<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    pose: &Pose<T>,
    work: &SolverWorkspace<T, NB, NC, R>,
    task: &FrameTask<'_, T, NB>,
    body: usize,
    time: T,
) -> Option<Place<T>> {
    let velocity = work.velocity.get(body)?;
    let is_still = task.bodies.is_movable(body) || !work.driven;
    let place = pose.place();
    Some(if is_still { place } else { place.after(&velocity.linear(), &velocity.angular(), time) })
}
