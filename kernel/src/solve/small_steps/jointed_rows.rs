//! Rows of an island's joints: built where its bodies are, and what is kept of them.
use crate::math::real::Real;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::joint::Joint;
use crate::problem::kept_joint::KeptJoint;
use crate::solve::joints::build::{End, position_at};
use crate::solve::joints::pose::{Place, Pose};
use crate::solve::small_steps::{FrameTask, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::joint_row::JointRow;
use crate::space::velocity::Velocity;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Builds the rows of the island's joints where its bodies are.
    pub(super) fn build_joints(&mut self, work: &SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>, time: T) {
        self.for_each_row(work, task, time, |row, joint, kept, ends| row.build(joint, kept, ends, task.division.h));
    }

    /// Lever arms and kept impulses of the island's joints where the frame begins.
    pub(super) fn stand_joints(&mut self, work: &SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>) {
        self.for_each_row(work, task, T::ZERO, |row, joint, kept, ends| {
            row.stand(joint, kept, ends);
        });
    }

    /// Rows of the island's joints, what is kept of them, and where their bodies are `time` seconds after the frame began.
    #[inline(always)]
    fn for_each_row(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        time: T,
        mut visit: impl FnMut(&mut JointRow<T>, &Joint<T>, &KeptJoint<T>, &[End<'_, T>; 2]),
    ) {
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
            visit(row, joint, kept, &[a, b]);
        }
    }

    /// Keeps the impulses that the next substep begins with, `time` seconds after the frame began.
    pub(super) fn keep_joints(&mut self, work: &SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>, time: T) {
        let window = self.window();
        let SmallSteps { joints, joint_of, kept_joints, poses, .. } = self;
        for row in joints.part(window) {
            let index = usize::from(row.joint);
            let (Some(joint), Some(slot)) = (joint_of.at(index), kept_joints.at_mut(index)) else { continue };
            let place = |body: usize| place_at(poses.at(body)?, work, task, body, time);
            let (Some(a), Some(b)) = (place(joint.a), place(joint.b)) else { continue };
            *slot = KeptJoint { position: position_at(joint, row.position, &a, &b), ..row.kept(&a) };
        }
    }
}

/// Where a body with this pose is `time` seconds after the frame began, which is now. Bodies that no impulse moves follow
/// their velocity; islands share them, so they stay where they were.
pub(super) fn place_at<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
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
