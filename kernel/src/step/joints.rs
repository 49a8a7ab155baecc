//! Joints in a step: taken over from the world, ordered by island, and kept for the next step.
use core::mem::discriminant;

use crate::math::real::Real;
use crate::problem::contact_rows::{Column, ContactRows, Element};
use crate::problem::joint_work::JointWork;
use crate::problem::kept_joint::KeptJoint;
use crate::solve::connections::Connections;
use crate::solve::joints::build::position_at;
use crate::solve::joints::pose::Pose;
use crate::space::joint_row::{JointRow, NO_ISLAND};
use crate::step::pipeline::Pipeline;
use crate::step::world::World;

/// The joints of a world as what connects its bodies.
pub(crate) struct JointIslands<'a, T: Real, const NB: usize, R: ContactRows> {
    world: &'a World<T, NB, R>,
    rows: &'a mut R::PerJoint<JointRow<T>>,
}

impl<'a, T: Real, const NB: usize, R: ContactRows> JointIslands<'a, T, NB, R> {
    /// Joints are in no island until they are set: those of an earlier step, which the world may not have any more, too.
    #[inline(always)]
    pub fn new(world: &'a World<T, NB, R>, rows: &'a mut R::PerJoint<JointRow<T>>) -> Self {
        for row in rows.part_mut(0..R::JOINTS) {
            row.set_island(NO_ISLAND);
        }
        JointIslands { world, rows }
    }
}

impl<T: Real, const NB: usize, R: ContactRows> Connections for JointIslands<'_, T, NB, R> {
    #[inline(always)]
    fn len(&self) -> usize {
        if R::JOINTS == 0 { 0 } else { self.world.joint_len() }
    }

    fn pair(&self, index: usize) -> (usize, usize) {
        self.world.joint(index).map_or((0, 0), |joint| (joint.a, joint.b))
    }

    fn set_island(&mut self, index: usize, island: u16) {
        if let Some(row) = self.rows.at_mut(index) {
            row.joint = index as u16;
            row.set_island(island);
        }
    }
}

/// Orders joints by island; within one they keep their order. Rows are built again anyway.
#[inline(always)]
pub(crate) fn sort_joints<T: Real, R: ContactRows>(rows: &mut R::PerJoint<JointRow<T>>) {
    let rows = rows.part_mut(0..R::JOINTS);
    for at in 1..rows.len() {
        for place in (1..=at).rev() {
            let Some([before, here]) = rows.get_mut(place - 1..).and_then(<[_]>::first_chunk_mut::<2>) else { return };
            let (left, right) = (before.island(), here.island());
            if left <= right {
                break;
            }
            before.set_island(right);
            here.set_island(left);
            core::mem::swap(&mut before.joint, &mut here.joint);
        }
    }
}

impl<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows> Pipeline<T, NB, NC, NF, R> {
    /// Whether the world's joints connect other bodies than in the last step, or bodies that move now and did not, or the
    /// other way round.
    pub(crate) fn joints_changed(&self, world: &World<T, NB, R>) -> bool {
        if R::JOINTS == 0 {
            return false;
        }
        let count = self.joint_count.at(0).map_or(0, |count| usize::from(*count));
        let are_same = |index: usize| {
            let (before, now) = (self.small.joint_of.at(index), world.joint(index));
            before.zip(now).is_some_and(|(before, now)| (before.a, before.b) == (now.a, now.b))
        };
        let moves_as_before = |row: &JointRow<T>| {
            row.sides.iter().all(|side| side.moves() == world.bodies().is_movable(usize::from(side.body)))
        };
        count != world.joint_len()
            || !(0..count).all(are_same)
            || !self.small.joints.part(0..count).iter().all(moves_as_before)
    }

    /// Takes over joints, what is kept of them, and where bodies are.
    pub(crate) fn load_joints(&mut self, world: &World<T, NB, R>) {
        if R::JOINTS == 0 {
            return;
        }
        self.forget_replaced_joints(world);
        self.joint_count.clone_from(&world.joint_count);
        self.small.joint_of.clone_from(&world.joints);
        self.small.kept_joints.clone_from(&self.kept.now().joints);
        for body in 0..world.len() {
            let (Some(state), Some(own), Some(mass), Some(pose)) = (
                world.state(body),
                world.own_inverse_inertia(body),
                self.masses.get(body),
                self.small.poses.at_mut(body),
            ) else {
                break;
            };
            *pose = Pose::new(state.position, state.orientation, own, mass.own_inertia());
        }
        let stored = self.stored_energy();
        if let Some(work) = self.small.joint_work.at_mut(0) {
            *work = JointWork { stored_before: stored, ..JointWork::PLAIN };
        }
    }

    /// Forgets what is kept of joints that are not those of the last step. What acts along the axis may be another.
    fn forget_replaced_joints(&mut self, world: &World<T, NB, R>) {
        // Restored contacts have the joints of the world that they were saved with.
        if !self.rows_hold {
            return;
        }
        let count = self.joint_count.at(0).map_or(0, |count| usize::from(*count));
        for index in 0..world.joint_len() {
            let before = self.small.joint_of.at(index).filter(|_| index < count);
            let is_same = before.zip(world.joint(index)).is_some_and(|(before, now)| {
                let bodies = (before.a, before.b) == (now.a, now.b);
                bodies
                    && discriminant(&before.kind) == discriminant(&now.kind)
                    && (before.rest, before.axis) == (now.rest, now.axis)
            });
            if let Some(slot) = self.kept.now_mut().joints.at_mut(index).filter(|_| !is_same) {
                *slot = KeptJoint::PLAIN;
            }
        }
    }

    /// Books the work of joints. What contacts and joints did together is booked as the normals' so far.
    pub(crate) fn book_joints(&mut self) {
        let Some(work) = self.small.joint_work() else { return };
        let (driven, friction) = (work.motor + work.spring, work.friction);
        let ledger = &mut self.report.ledger;
        ledger.load += driven;
        ledger.friction += friction;
        ledger.normal -= driven + friction;
    }

    /// Keeps joints for the next step.
    pub(crate) fn remember_joints(&mut self) {
        if R::JOINTS == 0 {
            return;
        }
        let stored = self.stored_energy();
        if let Some(work) = self.small.joint_work.at_mut(0) {
            work.stored_after = stored;
        }
        self.kept.now_mut().joints.clone_from(&self.small.kept_joints);
    }

    /// What is kept of a joint after the last step: its impulse and its position.
    pub fn joint(&self, index: usize) -> Option<&KeptJoint<T>> {
        self.kept_joints().get(index).filter(|_| self.stepped)
    }

    /// What is kept of all joints.
    #[inline(always)]
    pub(crate) fn kept_joints(&self) -> &[KeptJoint<T>] {
        let count = self.joint_count.at(0).map_or(0, |count| usize::from(*count));
        self.small.kept_joints.part(0..count)
    }

    /// Work of joints in the last step; the ledger has the sums.
    pub fn joint_work(&self) -> JointWork<T> {
        self.small.joint_work().copied().filter(|_| self.stepped).unwrap_or_default()
    }

    /// Energy stored in springs where bodies are, J.
    fn stored_energy(&self) -> T {
        let mut sum = T::ZERO;
        let count = self.joint_count.at(0).map_or(0, |count| usize::from(*count));
        for index in 0..count {
            let (Some(joint), Some(kept)) = (self.small.joint_of.at(index), self.small.kept_joints.at(index)) else {
                break;
            };
            let (Some(spring), Some(a), Some(b)) =
                (joint.kind.spring(), self.small.poses.at(joint.a), self.small.poses.at(joint.b))
            else {
                continue;
            };
            let away = position_at(joint, kept.position, &a.place(), &b.place()) - spring.rest;
            sum += T::HALF * spring.stiffness * away * away;
        }
        sum
    }
}
