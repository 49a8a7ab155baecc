//! Substeps of islands with joints.
//!
//! ```text
//! base = v + h a               forces
//! rows of joints               where bodies are in the middle of the substep (see `joints`)
//! sweeps                       joints, then contacts by Coulomb's law, to the tolerance
//! guard                        K(v') ≤ K(base) + work of motors, springs and driven bodies
//! moved += h (way + correction)
//! ```
//!
//! The way is `½(v + v')` where joints alone hold bodies: then energy is kept and the joint is (see `joints::build`). Where
//! a contact is loaded or a limit has been reached it is `v'`, which does not go beyond them, and joints end with velocity
//! zero: this takes some energy out. The correction takes back what joints are apart and what contacts are deep, and never
//! becomes kinetic energy.
use core::cell::Cell;

use crate::math::lanes::Lanes3;
use crate::math::real::Real;
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::joint_work::JointWork;
use crate::problem::kept::IslandState;
use crate::problem::status::Method;
use crate::problem::stop_check::StopCheck;
use crate::solve::joints::pose::Pose;
use crate::solve::joints::work::{Allowed, most_work};
use crate::solve::small_steps::friction::Impulses;
use crate::solve::small_steps::guard::{Gain, is_driven};
use crate::solve::small_steps::undivided::Factored;
use crate::solve::small_steps::{FrameTask, IslandFrame, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::joint_row::JointRow;
use crate::space::joint_side::dot;
use crate::space::velocity::{Velocity, unchangeable};

/// Where the guard scales impulses by less than this, joints take out more first.
const SLIGHTLY: f64 = 0.999;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Selects an island; returns whether it has joints.
    #[inline(always)]
    pub(crate) fn select_joints(&mut self, island: usize) -> bool {
        if R::JOINTS == 0 {
            return false;
        }
        let rows = self.joints.part(0..R::JOINTS);
        let start = rows.partition_point(|row| usize::from(row.island()) < island);
        let end = rows.partition_point(|row| usize::from(row.island()) <= island);
        if let Some(window) = self.joint_window.at_mut(0) {
            *window = (start as u16, end as u16);
        }
        start < end
    }

    /// The selected island's joints.
    pub(super) fn window(&self) -> core::ops::Range<usize> {
        self.joint_window.at(0).map_or(0..0, |(start, end)| usize::from(*start)..usize::from(*end))
    }

    /// Takes the selected island, which has joints, through the frame.
    #[inline(never)]
    pub(super) fn run_jointed<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        kept: &mut Factored<'_, T, NF>,
        stop: &mut StopCheck<'_>,
    ) -> IslandFrame<T> {
        let mut frame = IslandFrame { books_substeps: true, ..IslandFrame::EMPTY };
        task.forget_lanes();
        work.phase.reset(Method::BlockPgs);
        work.driven = task.driven && (is_driven(work, task.bodies) || self.joints_are_driven(task));
        let restitution = self.restitution.get(work.rows.window()).unwrap_or(&[]);
        let bounces = restitution.iter().any(|restitution| *restitution > T::ZERO);
        let count = T::integer(task.division.substeps as i16);
        frame.rested = task.division.substeps > 1 && self.is_jointed_at_rest(work, task);
        let whole = FrameTask { division: task.division.undivided(), lanes: Cell::default(), ..*task };
        let task = if frame.rested { &whole } else { task };
        if frame.rested {
            self.lengthen_substep(work, count);
        }
        self.load_contact_velocities(work);
        for body in work.islands.members() {
            if let Some(pose) = self.poses.at_mut(body) {
                pose.set_jointed(&self.force[body].angular());
            }
        }
        for number in 0..task.division.substeps {
            self.move_driven(work, task.bodies, T::integer(number as i16) * task.division.h);
            frame.interrupted |= stop.is_over();
            self.jointed_substep(work, task, kept, (number, bounces), stop, &mut frame);
            self.add_impulses(work);
        }
        if frame.rested {
            self.scale_kept_impulses(work, T::ONE / count);
        }
        if frame.interrupted {
            work.clamp_impulses();
        }
        for i in work.rows.window() {
            self.island[i] = IslandState::NEW;
        }
        frame
    }

    fn jointed_substep<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        kept: &mut Factored<'_, T, NF>,
        (number, bounces): (u32, bool),
        stop: &mut StopCheck<'_>,
        frame: &mut IslandFrame<T>,
    ) {
        let division = &task.division;
        let time = |number: u32| T::integer(number as i16) * division.h;
        let hits = bounces && !frame.interrupted && self.find_impacts(work, task);
        if hits {
            self.bounce_jointed(work, task, time(number), stop, frame);
        } else {
            self.begin(work, division);
            self.build_joints(work, task, time(number));
            self.set_resting_targets(work, division);
        }
        // Bodies that contacts hold move by the velocities after the substep: joints may send nothing back.
        let mut is_held = hits || frame.interrupted || self.is_loaded(work);
        if is_held {
            self.damp_joints();
        }
        self.set_start_speed(work);
        let start = self.joint_speed(&work.velocity);
        self.push_impulses(work);
        let mut has_factor = !frame.interrupted && self.sweep_jointed(work, task, kept, start, frame);
        let mut gain = self.gain_of_joints(work, task);
        let was_wrong = gain.scale < T::lit(SLIGHTLY) || self.is_loaded(work) || self.reaches_limit();
        if was_wrong && !is_held {
            is_held = true;
            self.damp_joints();
            has_factor = self.sweep_jointed(work, task, kept, start, frame);
            gain = self.gain_of_joints(work, task);
        }
        if gain.scale < T::lit(SLIGHTLY) && !frame.interrupted {
            // Scaled impulses gain nothing, but solve nothing either: sweeps from there take energy out.
            self.scale_joints(work, gain.scale);
            has_factor = self.sweep_jointed(work, task, kept, start, frame);
            gain = self.gain_of_joints(work, task);
        }
        self.guard_jointed(work, &gain, frame);
        self.book_joints(work);
        frame.friction_work += self.friction_work(work, task.bodies, Impulses::OfRows(T::ONE));
        self.measure_jointed(work, start);
        self.note_parting(work);
        if hits {
            self.finish_impacts(work);
        }
        self.advance_jointed(work, task, has_factor.then_some(kept), (is_held, time(number + 1)), frame);
        self.keep_joints(work, task, time(number + 1));
    }

    /// Lets contacts bounce, as without joints; then joints take out what that did to them.
    fn bounce_jointed(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        time: T,
        stop: &mut StopCheck<'_>,
        frame: &mut IslandFrame<T>,
    ) {
        self.begin_impacts(work, &task.division);
        self.build_joints(work, task, time);
        self.damp_joints();
        self.bounce(work, task, stop, frame);
        work.rows.turn_impulses_into_preloads();
        self.resume_forces(work, &task.division);
        self.restart_contact_velocities(work);
        let window = self.window();
        self.joints.part_mut(window).iter_mut().for_each(|row| row.start_from(&work.velocity));
        self.set_targets_after_bounce(work, task);
    }

    /// Lets joints take out all of their velocities: that never adds energy.
    fn damp_joints(&mut self) {
        let window = self.window();
        self.joints.part_mut(window).iter_mut().for_each(JointRow::damp);
    }

    /// Begins with the impulses of the last substep.
    pub(super) fn push_impulses(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>) {
        for i in work.rows.window() {
            work.jacobians[i].push(&mut work.velocity, T::Lanes3::of(&work.rows.impulse[i]));
        }
        for row in self.joints.part(self.window()) {
            row.push(&mut work.velocity, &row.impulse);
        }
    }

    /// Scales impulses and what they did to velocities.
    fn scale_joints(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, scale: T) {
        self.scale_kicks(work, scale);
        let window = self.window();
        self.joints.part_mut(window).iter_mut().for_each(|row| row.scale(scale));
    }

    /// What joints may add, and the gain beyond that.
    fn gain_of_joints(&mut self, work: &SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>) -> Gain<T> {
        let mut allowed = Allowed::NONE;
        for row in self.joints.part(self.window()) {
            let Some(joint) = self.joint_of.at(usize::from(row.joint)) else { continue };
            let most = most_work(&joint.kind, row.position, task.division.h);
            allowed = allowed.plus(&row.allowed(&row.velocity(&work.velocity), most));
            if work.driven {
                let driven = |side: usize| {
                    row.sides.get(side).map_or(Velocity::ZERO, |side| unchangeable(task.bodies, usize::from(side.body)))
                };
                allowed.along -= dot(&row.impulse, &row.velocity_between([&driven(0), &driven(1)]));
            }
        }
        let is_known = (allowed.along + allowed.square).is_finite();
        self.gain(work, task.bodies, if is_known { allowed } else { Allowed::NONE })
    }

    /// Ends the substep without a gain of energy but by motors, springs and driven bodies, and books it.
    fn guard_jointed(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, gain: &Gain<T>, frame: &mut IslandFrame<T>) {
        if gain.gains {
            frame.guarded += 1;
            self.scale_joints(work, gain.scale);
        }
        frame.contact_work += gain.change();
    }

    /// Books the work of motors, springs and dry friction.
    fn book_joints(&mut self, work: &SolverWorkspace<T, NB, NC, R>) {
        let window = self.window();
        let Some(sum) = self.joint_work.at_mut(0) else { return };
        for row in self.joints.part(window) {
            row.book(&row.velocity(&work.velocity), sum);
        }
    }

    /// Whether a contact is loaded.
    fn is_loaded(&self, work: &SolverWorkspace<T, NB, NC, R>) -> bool {
        let mut loaded = false;
        for i in work.rows.window() {
            loaded |= work.rows.impulse[i].x > T::ZERO && !work.is_second(i);
        }
        loaded
    }

    /// Whether a limit has been reached that was not before.
    fn reaches_limit(&self) -> bool {
        self.joints.part(self.window()).iter().any(|row| row.parts.limit != T::ZERO && !row.was_at_limit)
    }

    /// Whether a joint has a body with a velocity that no impulse can change.
    fn joints_are_driven(&self, task: &FrameTask<'_, T, NB>) -> bool {
        self.joints
            .part(self.window())
            .iter()
            .any(|row| row.sides.iter().any(|side| !unchangeable(task.bodies, usize::from(side.body)).is_zero()))
    }

    /// Where a body is whose island has joints.
    #[inline(always)]
    pub fn jointed_pose(&self, body: usize) -> Option<&Pose<T>> {
        self.poses.at(body).filter(|pose| pose.is_jointed)
    }

    /// Work of joints in the frame.
    pub fn joint_work(&self) -> Option<&JointWork<T>> {
        self.joint_work.at(0)
    }
}
