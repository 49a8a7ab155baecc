//! Where islands with joints move in a substep, and how their joints are kept together.
//!
//! Rows of the middle of a substep keep joints together to third order in `h`. The rest is taken back in the way:
//!
//! - sweeps over joints and contacts change the velocities that bodies move with, so that half of an error is gone;
//! - where the substep has a factor, Newton's steps follow. With the errors `C` of the joints where bodies are now, and
//!   the dampers `D` of the factor,
//!
//!   ```text
//!   (M + Jᵀ D J) δ = −Jᵀ D C
//!   ```
//!
//!   is the way `δ`, the shortest in the measure of mass, that closes all joints and leaves contacts that are held as
//!   they are. The rows are those of the middle of the substep, so each step leaves a small part of the error. Where
//!   contacts and limits leave no such way, the step that makes errors larger is taken back.
//!
//! Neither becomes kinetic energy.
use crate::math::lanes::{Lanes3, columns_times};
use crate::math::real::{Real, infinity, larger};
use crate::problem::contact_rows::{Column, ContactRows};
use crate::solve::joints::geometry::Geometry;
use crate::solve::small_steps::jointed_rows::place_at;
use crate::solve::small_steps::undivided::Factored;
use crate::solve::small_steps::{Division, FrameTask, IslandFrame, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::velocity::Velocity;

/// Passes of the position correction.
const CORRECTIONS: u32 = 4;
/// Part of an error that they take back.
const CORRECTED: f64 = 0.5;
/// Newton's steps, and what counts as closed: an error of so many roundings of a joint's coordinates.
const CLOSINGS: u32 = 5;
const CLOSED: f64 = 32.0;
/// The most that one of them turns a body, rad: they follow the rows.
const TURN: f64 = 0.1;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Moves bodies, which contacts or limits may hold, to the end of a substep, `time` seconds after the frame began.
    /// There may be a factor of this substep: it is made again if the solution is on other parts of its laws, so that
    /// the way does not depend on how the solution was found.
    pub(super) fn advance_jointed<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        factor: Option<&mut Factored<'_, T, NF>>,
        (is_held, time): (bool, T),
        frame: &mut IslandFrame<T>,
    ) {
        let division = &task.division;
        for body in work.islands.members() {
            let v = work.velocity[body];
            // Kicks are not used until the next guard.
            self.kick[body] = v;
            let way = if is_held { v } else { self.arrival[body].plus(&v).scaled(T::HALF) };
            self.passive_way[body] = self.passive_way[body].plus(&way.scaled(division.h));
            work.velocity[body] = way;
        }
        let factor = factor.filter(|_| division.soft > T::ZERO);
        let factor = factor.and_then(|factor| self.make_factor(work, factor, true, frame).then_some(&*factor));
        let is_closed = factor.is_some() && work.rows.window().is_empty() && !self.has_limits();
        if division.soft > T::ZERO && !is_closed {
            self.correct_joints(work, division);
        }
        for body in work.islands.members() {
            let (way, v) = (work.velocity[body], self.kick[body]);
            self.moved[body] = self.moved[body].plus(&way.scaled(division.h));
            let Some(pose) = self.poses.at_mut(body) else { continue };
            let spin = pose.advance(&way.linear(), &way.angular(), &v.angular(), division.h);
            work.velocity[body] = Velocity::new(&v.linear(), &spin);
        }
        if let Some(factor) = factor {
            self.close_joints(work, task, factor, time);
        }
        for body in work.islands.members() {
            let Some(pose) = self.poses.at_mut(body) else { continue };
            let i = pose.inertia();
            self.inertia[body] = [i.m11, i.m21, i.m31, i.m12, i.m22, i.m32, i.m13, i.m23, i.m33, T::ZERO];
            self.force[body] = Velocity::new(&self.force[body].linear(), &pose.change_by_forces());
        }
    }

    /// Whether a joint of the island has limits, beyond which bodies may not move.
    fn has_limits(&self) -> bool {
        self.joints.part(self.window()).iter().any(|row| row.law.speeds != [T::MAX; 2])
    }

    /// Changes the velocities that bodies move with, so that joints close and contacts come apart.
    fn correct_joints(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        let rate = T::lit(CORRECTED) * division.inverse_h;
        for number in 0..CORRECTIONS {
            let rows = self.joints.part(self.window());
            if number % 2 == 0 {
                rows.iter().for_each(|row| row.correct(&mut work.velocity, rate));
            } else {
                rows.iter().rev().for_each(|row| row.correct(&mut work.velocity, rate));
            }
            self.correction_pass(work, division);
        }
    }

    /// Closes joints where bodies are at the end of the substep.
    fn close_joints<const NF: usize>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        factor: &Factored<'_, T, NF>,
        time: T,
    ) {
        let mut smallest = infinity();
        for number in 0..=CLOSINGS {
            let Some(error) = self.joint_errors(work, task, time) else { return };
            if !(error < smallest) {
                self.shift_jointed(work, -T::ONE);
                return;
            }
            if number == CLOSINGS {
                return;
            }
            smallest = error;
            let window = self.window();
            let SmallSteps { joints, scratch, kick, mass, inertia, .. } = self;
            let Ok(way) = <&mut [Velocity<T>; NB]>::try_from(scratch.part_mut(0..NB)) else { return };
            let momentum_of = |body: usize, v: &Velocity<T>| {
                let (Some(mass), Some(inertia)) = (mass.get(body), inertia.get(body)) else { return Velocity::ZERO };
                let angular = columns_times(inertia, 0, v.angular.xyz());
                Velocity { linear: v.linear.scaled(*mass), angular }
            };
            factor.factor.close(work, factor.island, [way, kick], joints.part(window), momentum_of);
            let mut turn = T::ZERO;
            for body in work.islands.members() {
                let spin = way[body].angular();
                turn = larger(turn, spin.dot(&spin));
            }
            let turn = turn.sqrt_or_zero();
            let length = if turn > T::lit(TURN) { T::lit(TURN) / turn } else { T::ONE };
            for body in work.islands.members() {
                way[body] = way[body].scaled(length);
            }
            self.shift_jointed(work, T::ONE);
        }
    }

    /// Moves bodies by `part` of the way of a Newton step.
    fn shift_jointed(&mut self, work: &SolverWorkspace<T, NB, NC, R>, part: T) {
        for body in work.islands.members() {
            let (Some(way), Some(pose)) = (self.scratch.at(body), self.poses.at_mut(body)) else { continue };
            let way = way.scaled(part);
            pose.shift(&way.linear(), &way.angular(), &work.velocity[body].angular());
            self.moved[body] = self.moved[body].plus(&way);
        }
    }

    /// Errors of joints where bodies are, left in the rows; returns their sum of squares as speeds, unless all joints are
    /// closed.
    fn joint_errors(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        time: T,
    ) -> Option<T> {
        let window = self.window();
        let SmallSteps { joints, joint_of, poses, .. } = self;
        let (mut is_apart, mut sum) = (false, T::ZERO);
        for row in joints.part_mut(window) {
            let Some(joint) = joint_of.at(usize::from(row.joint)) else { continue };
            let place = |body: usize| place_at(poses.at(body)?, work, task, body, time);
            let (Some(a), Some(b)) = (place(joint.a), place(joint.b)) else { continue };
            let now = Geometry::new(joint, &a, &b);
            let [arm_a, arm_b] = &now.arms;
            let lengths = [&a.position, &b.position, arm_a, arm_b].map(|length| length.dot(length));
            let square = lengths.into_iter().fold(T::ZERO, |sum, length| sum + length);
            let rounding = T::lit(CLOSED) * T::EPSILON;
            let least = rounding * rounding;
            is_apart |= now.apart.dot(&now.apart) > least * square || now.turned.dot(&now.turned) > least;
            row.error = now.error();
            sum += row.square_of(&row.error);
        }
        is_apart.then_some(sum)
    }
}
