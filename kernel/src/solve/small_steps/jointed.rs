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
//! a contact is loaded or a limit has been reached it is `v'`, which does not go beyond them. The correction takes back
//! what joints are apart and what contacts are deep, and never becomes kinetic energy.
use crate::math::lanes::Lanes3;
use crate::math::real::{Real, infinity, larger};
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::joint_work::JointWork;
use crate::problem::kept::IslandState;
use crate::problem::kept_joint::KeptJoint;
use crate::problem::settings::MethodChoice;
use crate::problem::status::Method;
use crate::problem::stop_check::StopCheck;
use crate::solve::joints::build::{Ends, position_at};
use crate::solve::joints::pose::Pose;
use crate::solve::joints::work::Allowed;
use crate::solve::small_steps::frame::exact_pass;
use crate::solve::small_steps::friction::Impulses;
use crate::solve::small_steps::guard::{Gain, is_driven, products};
use crate::solve::small_steps::impact::Impact;
use crate::solve::small_steps::undivided::Factored;
use crate::solve::small_steps::{Division, FrameTask, IslandFrame, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::space::joint_row::{JointRow, dot};
use crate::space::velocity::{Velocity, unchangeable};
use crate::sweep::residual::measure;

/// Sweeps of a substep unless the settings ask for more.
const SWEEPS: u32 = 16;
/// Passes of the position correction.
const CORRECTIONS: u32 = 4;
/// The guard scales impulses by less than this: it says so, and joints take out more first.
const SLIGHTLY: f64 = 0.999;
/// Part of an error that a substep takes back.
const CORRECTED: f64 = 0.5;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Selects an island; returns whether it has joints.
    #[inline(always)]
    pub(super) fn select_joints(&mut self, island: usize) -> bool {
        if R::JOINTS == 0 {
            return false;
        }
        let rows = self.joints.part(0..R::JOINTS);
        let start = rows.partition_point(|row| usize::from(row.island) < island);
        let end = rows.partition_point(|row| usize::from(row.island) <= island);
        if let Some(window) = self.joint_window.at_mut(0) {
            *window = (start as u16, end as u16);
        }
        start < end
    }

    /// The selected island's joints.
    fn window(&self) -> core::ops::Range<usize> {
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
        self.load_contact_velocities(work);
        for body in work.islands.members() {
            if let Some(pose) = self.poses.at_mut(body) {
                pose.set_jointed(&self.force[body].angular());
            }
        }
        for number in 0..task.division.substeps {
            self.move_driven(work, task.bodies, T::integer(number as i16) * task.division.h);
            frame.interrupted |= stop.is_over();
            self.jointed_substep(work, task, kept, bounces, &mut frame);
            self.add_impulses(work);
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
        bounces: bool,
        frame: &mut IslandFrame<T>,
    ) {
        let division = &task.division;
        let hits = bounces && self.find_impacts(work, task);
        self.begin(work, division);
        self.build_joints(work, task);
        self.set_resting_targets(work, division);
        self.set_start_speed(work);
        let start = self.joint_speed(&work.velocity);
        self.push_impulses(work);
        if !frame.interrupted {
            self.sweep_jointed(work, task, kept, start, frame);
        }
        let _ = hits;
        let mut gain = self.gain_of_joints(work, task);
        if gain.scale < T::lit(SLIGHTLY) && !frame.interrupted {
            self.damp_joints();
            self.sweep_jointed(work, task, kept, start, frame);
            gain = self.gain_of_joints(work, task);
        }
        self.guard_jointed(work, &gain, frame);
        self.book_joints(work);
        frame.friction_work += self.friction_work(work, task.bodies, Impulses::OfRows(T::ONE));
        self.measure_jointed(work, start);
        self.advance_jointed(work, division);
        self.keep_joints();
    }

    /// Builds the rows of the island's joints where its bodies are.
    fn build_joints(&mut self, work: &SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>) {
        let window = self.window();
        let SmallSteps { joints, joint_of, kept_joints, poses, arrival, force, .. } = self;
        for row in joints.part_mut(window) {
            let index = usize::from(row.joint);
            let (Some(joint), Some(kept)) = (joint_of.at(index), kept_joints.at(index)) else { continue };
            let (Some(a), Some(b)) = (poses.at(joint.a), poses.at(joint.b)) else { continue };
            let still = Velocity::ZERO;
            let movable = |body: usize| task.bodies.is_movable(body) && body < NB;
            let velocity =
                |body: usize| if movable(body) { arrival.get(body) } else { work.velocity.get(body) }.unwrap_or(&still);
            let forced = |body: usize| if movable(body) { force.get(body) } else { None }.unwrap_or(&still);
            let ends = Ends {
                poses: [a, b],
                velocities: [velocity(joint.a), velocity(joint.b)],
                forces: [forced(joint.a), forced(joint.b)],
            };
            row.build(joint, kept, task.bodies, &ends, task.division.h);
        }
    }

    /// Lets joints take out all of their velocities: that never adds energy.
    fn damp_joints(&mut self) {
        let window = self.window();
        self.joints.part_mut(window).iter_mut().for_each(JointRow::damp);
    }

    /// Begins with the impulses of the last substep.
    fn push_impulses(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>) {
        for i in work.rows.window() {
            work.jacobians[i].push(&mut work.velocity, T::Lanes3::of(&work.rows.impulse[i]));
        }
        for row in self.joints.part(self.window()) {
            row.push(&mut work.velocity, &row.impulse);
        }
    }

    /// Sweeps over joints, then contacts, until both are solved.
    fn sweep_jointed<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        kept: &mut Factored<'_, T, NF>,
        start: T,
        frame: &mut IslandFrame<T>,
    ) {
        let (sweeps, tolerance) = (task.settings.sweeps, task.settings.tolerance);
        let most = if sweeps < SWEEPS && tolerance > T::ZERO { SWEEPS } else { sweeps };
        let may_factor = NF > 0 && tolerance > T::ZERO && task.settings.method != MethodChoice::Sweeps;
        let window = self.window();
        let has_factor = may_factor && kept.factor.reserve_jointed(work, kept.island, self.joints.part(window));
        frame.factor.memory_too_small |= may_factor && !has_factor;
        for number in 0..most {
            self.joint_pass(&mut work.velocity, number % 2 == 1);
            exact_pass(work, task.settings.local);
            frame.sweeps += 1;
            if has_factor && number % 2 == 0 {
                self.correct_by_factor(work, kept, frame);
            }
            if tolerance > T::ZERO && (number % 2 == 1 || has_factor) {
                self.measure_jointed(work, start);
                if work.phase.residual.is_below(tolerance) {
                    break;
                }
            }
        }
    }

    /// Solves joints and contacts as they are at once.
    fn correct_by_factor<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        kept: &mut Factored<'_, T, NF>,
        frame: &mut IslandFrame<T>,
    ) {
        let window = self.window();
        let SmallSteps { joints, kick, scratch, mass, inertia, poses, .. } = self;
        let joints = joints.part_mut(window);
        let mass_of = |body: usize| {
            let (mass, pose) = (mass.get(body)?, poses.at(body)?);
            Some((*mass, pose.inertia()))
        };
        if !kept.factor.make_jointed(work, kept.island, joints, &mass_of) {
            return;
        }
        frame.factor.factors += 1;
        frame.factor.corrections += 1;
        let square_of = |body: usize, velocity: &Velocity<T>| {
            let (Some(mass), Some(inertia)) = (mass.get(body), inertia.get(body)) else { return T::ZERO };
            let [square, _] = products(*mass, inertia, velocity, velocity, velocity);
            square
        };
        let Ok(scratch) = scratch.part_mut(0..NB).try_into() else { return };
        kept.factor.correct_jointed(work, kept.island, [kick, scratch], square_of, joints);
    }

    /// Visits every joint of the island.
    fn joint_pass(&mut self, velocity: &mut [Velocity<T>], backward: bool) {
        let window = self.window();
        let rows = self.joints.part_mut(window);
        if backward {
            rows.iter_mut().rev().for_each(|row| row.visit(velocity));
        } else {
            rows.iter_mut().for_each(|row| row.visit(velocity));
        }
    }

    /// Norm of the joints' velocities less their targets, as speeds.
    fn joint_speed(&self, velocity: &[Velocity<T>; NB]) -> T {
        let mut square = T::ZERO;
        for row in self.joints.part(self.window()) {
            square += row.square_of(&row.velocity(velocity).minus(&row.target));
        }
        square.sqrt_or_zero()
    }

    /// Measures how far contacts and joints are from solved. `start` is the joints' speed before impulses.
    fn measure_jointed(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, start: T) {
        let scale = larger(self.start_speed, start);
        let (mut square, mut impulses) = (T::ZERO, T::ZERO);
        for row in self.joints.part(self.window()) {
            square += row.square_of_error(&work.velocity);
            let x = row.impulse.linear.scaled(row.size);
            let [x, y, z] = x.times(x).xyz();
            impulses += x + y + z;
        }
        let SolverWorkspace { rows, jacobians, velocity, phase, .. } = work;
        let scale = larger(scale, impulses.sqrt_or_zero());
        measure(rows, &BodySpace::new(jacobians, velocity), scale, infinity(), &mut phase.residual);
        let error = square.sqrt_or_zero();
        let relative = if error > T::ZERO { error / larger(scale, phase.residual.scale) } else { T::ZERO };
        phase.residual.natural = larger(phase.residual.natural, relative);
    }

    /// What joints may add, and the gain beyond that.
    fn gain_of_joints(&mut self, work: &SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>) -> Gain<T> {
        let mut allowed = Allowed::NONE;
        for row in self.joints.part(self.window()) {
            allowed = allowed.plus(&row.allowed(&row.velocity(&work.velocity)));
            if work.driven {
                let driven = |side: usize| {
                    row.sides.get(side).map_or(Velocity::ZERO, |side| unchangeable(task.bodies, usize::from(side.body)))
                };
                allowed.along -= dot(&row.impulse, &row.velocity_between([&driven(0), &driven(1)]));
            }
        }
        self.gain(work, task.bodies, allowed)
    }

    /// Ends the substep without a gain of energy but by motors, springs and driven bodies, and books it.
    fn guard_jointed(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, gain: &Gain<T>, frame: &mut IslandFrame<T>) {
        if gain.gains {
            frame.guarded += u32::from(gain.scale < T::lit(SLIGHTLY));
            self.scale_kicks(work, gain.scale);
            let window = self.window();
            self.joints.part_mut(window).iter_mut().for_each(|row| row.scale(gain.scale));
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

    /// Moves bodies.
    fn advance_jointed(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        let is_smooth = !self.pushes_back(work);
        for body in work.islands.members() {
            let v = work.velocity[body];
            // Kicks are not used until the next guard.
            self.kick[body] = v;
            let way = if is_smooth { self.arrival[body].plus(&v).scaled(T::HALF) } else { v };
            self.passive_way[body] = self.passive_way[body].plus(&way.scaled(division.h));
            work.velocity[body] = way;
        }
        self.correct_joints(work, division);
        for body in work.islands.members() {
            let (way, v) = (work.velocity[body], self.kick[body]);
            self.moved[body] = self.moved[body].plus(&way.scaled(division.h));
            let Some(pose) = self.poses.at_mut(body) else { continue };
            let spin = pose.advance(&way.linear(), &way.angular(), &v.angular(), division.h);
            work.velocity[body] = Velocity::new(&v.linear(), &spin);
            let i = pose.inertia();
            self.inertia[body] = [i.m11, i.m21, i.m31, i.m12, i.m22, i.m32, i.m13, i.m23, i.m33, T::ZERO];
            self.force[body] = Velocity::new(&self.force[body].linear(), &pose.change_by_forces());
        }
    }

    /// Whether a contact is loaded, or a limit has been reached that was not before.
    fn pushes_back(&self, work: &SolverWorkspace<T, NB, NC, R>) -> bool {
        let mut loaded = false;
        for i in work.rows.window() {
            loaded |= work.rows.impulse[i].x > T::ZERO && !work.is_second(i);
        }
        loaded || self.joints.part(self.window()).iter().any(|row| row.parts.limit != T::ZERO && !row.was_at_limit)
    }

    /// Changes the velocities that bodies move with, so that joints close and contacts come apart.
    fn correct_joints(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, division: &Division<T>) {
        if !(division.soft > T::ZERO) {
            return;
        }
        let rate = T::lit(CORRECTED) * division.inverse_h;
        for number in 0..CORRECTIONS {
            let rows = self.joints.part(self.window());
            let correct = |row: &JointRow<T>, velocity: &mut [Velocity<T>; NB]| {
                row.correct(velocity, &row.error.scaled(-rate));
            };
            if number % 2 == 0 {
                rows.iter().for_each(|row| correct(row, &mut work.velocity));
            } else {
                rows.iter().rev().for_each(|row| correct(row, &mut work.velocity));
            }
            self.correction_pass(work, division);
        }
    }

    /// Keeps the impulses that the next substep begins with.
    fn keep_joints(&mut self) {
        let window = self.window();
        let SmallSteps { joints, joint_of, kept_joints, poses, .. } = self;
        for row in joints.part(window) {
            let index = usize::from(row.joint);
            let (Some(joint), Some(slot)) = (joint_of.at(index), kept_joints.at_mut(index)) else { continue };
            if let (Some(a), Some(b)) = (poses.at(joint.a), poses.at(joint.b)) {
                *slot = KeptJoint { position: position_at(joint, row.position, a, b), ..row.kept(a) };
            }
        }
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

    #[expect(dead_code, reason = "bounces of islands with joints")]
    fn waits(&self, i: usize) -> bool {
        self.impact.get(i) == Some(&Impact::Waits)
    }
}
