//! Solving joints and contacts of an island together: sweeps, with a factor of all of them in between where there is
//! memory for it, and how far they are from solved.
use crate::math::real::{Real, infinity, larger};
use crate::problem::contact_rows::{Column, ContactRows};
use crate::problem::settings::MethodChoice;
use crate::solve::small_steps::frame::exact_pass;
use crate::solve::small_steps::guard::products;
use crate::solve::small_steps::undivided::Factored;
use crate::solve::small_steps::{FrameTask, IslandFrame, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::bodies::BodySpace;
use crate::space::velocity::Velocity;
use crate::sweep::residual::measure;

/// Part of its length by which a joint may be apart.
const APART: f64 = 0.01;
/// Error of a joint's velocity that counts as rounding, in `ε` of its bodies' speeds.
const ROUNDING: f64 = 4.0;
/// Sweeps of a substep unless the settings ask for more.
const SWEEPS: u32 = 16;

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Sweeps over joints, then contacts, until both are solved. Returns whether there is a factor of them.
    pub(super) fn sweep_jointed<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        kept: &mut Factored<'_, T, NF>,
        start: T,
        frame: &mut IslandFrame<T>,
    ) -> bool {
        let (sweeps, tolerance) = (task.settings.sweeps, task.settings.tolerance);
        let most = if sweeps < SWEEPS && tolerance > T::ZERO { SWEEPS } else { sweeps };
        let may_factor = NF > 0 && tolerance > T::ZERO && task.settings.method != MethodChoice::Sweeps;
        let window = self.window();
        let has_factor = may_factor && kept.factor.reserve_jointed(work, kept.island, self.joints.part(window));
        frame.factor.memory_too_small |= may_factor && !has_factor;
        let (mut is_made, mut is_corrected) = (false, false);
        for number in 0..most {
            self.joint_pass(&mut work.velocity, number % 2 == 1);
            exact_pass(work, task.settings.local);
            frame.sweeps += 1;
            is_corrected = has_factor && number % 2 == 0;
            if is_corrected {
                is_made = self.correct_by_factor(work, kept, is_made, frame);
            }
            if tolerance > T::ZERO && (number % 2 == 1 || has_factor) {
                self.measure_jointed(work, start);
                if work.phase.residual.is_below(tolerance) {
                    break;
                }
            }
        }
        if is_corrected {
            let rows = self.joints.part_mut(self.window());
            rows.iter_mut().for_each(|row| row.divide(&work.velocity));
        }
        is_made
    }

    /// Solves joints and contacts as they are at once; returns whether the factor is made. `is_made` says whether there is
    /// one of this substep.
    fn correct_by_factor<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        kept: &mut Factored<'_, T, NF>,
        is_made: bool,
        frame: &mut IslandFrame<T>,
    ) -> bool {
        if !self.make_factor(work, kept, is_made, frame) {
            return false;
        }
        frame.factor.corrections += 1;
        let window = self.window();
        let SmallSteps { joints, kick, scratch, mass, inertia, .. } = self;
        let square_of = |body: usize, velocity: &Velocity<T>| {
            let (Some(mass), Some(inertia)) = (mass.get(body), inertia.get(body)) else { return T::ZERO };
            let [square, _] = products(*mass, inertia, velocity, velocity, velocity);
            square
        };
        if let Ok(scratch) = scratch.part_mut(0..NB).try_into() {
            kept.factor.correct_jointed(work, kept.island, [kick, scratch], square_of, joints.part_mut(window));
        }
        true
    }

    /// Makes the factor of joints and contacts as they are, unless it `is_made` of them; returns whether it is there.
    pub(super) fn make_factor<const NF: usize>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        kept: &mut Factored<'_, T, NF>,
        is_made: bool,
        frame: &mut IslandFrame<T>,
    ) -> bool {
        let window = self.window();
        let SmallSteps { joints, mass, poses, .. } = self;
        let mass_of = |body: usize| {
            let (mass, pose) = (mass.get(body)?, poses.at(body)?);
            Some((*mass, pose.inertia()))
        };
        let joints = joints.part_mut(window);
        let (is_made, is_new) = kept.factor.make_jointed(work, kept.island, joints, &mass_of, is_made);
        frame.factor.factors += u32::from(is_made && is_new);
        is_made
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
    pub(super) fn joint_speed(&self, velocity: &[Velocity<T>; NB]) -> T {
        let mut square = T::ZERO;
        for row in self.joints.part(self.window()) {
            square += row.square_of(&row.velocity(velocity).minus(&row.target));
        }
        square.sqrt_or_zero()
    }

    /// Measures how far contacts and joints are from solved. `start` is the joints' speed before impulses.
    ///
    /// A joint's velocity is a difference of its bodies' velocities: what it has of their rounding is no error.
    pub(super) fn measure_jointed(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, start: T) {
        let scale = larger(self.start_speed, start);
        let (mut square, mut impulses, mut moving) = (T::ZERO, T::ZERO, T::ZERO);
        for row in self.joints.part(self.window()) {
            square += row.square_of_error(&work.velocity);
            impulses += row.square_of_impulse();
            moving += row.square_of_motion(&work.velocity);
        }
        let SolverWorkspace { rows, jacobians, velocity, phase, .. } = work;
        let scale = larger(scale, impulses.sqrt_or_zero());
        measure(rows, &BodySpace::new(jacobians, velocity), scale, infinity(), &mut phase.residual);
        let rounding = if moving.is_finite() { T::lit(ROUNDING) * T::EPSILON * moving.sqrt_or_zero() } else { T::ZERO };
        let error = square.sqrt_or_zero() - rounding;
        let relative = if error > T::ZERO { error / larger(scale, phase.residual.scale) } else { T::ZERO };
        phase.residual.natural = larger(phase.residual.natural, relative);
    }

    /// Joints that were far apart where the substep began are not solved, whatever their velocities are.
    pub(super) fn note_parting(&self, work: &mut SolverWorkspace<T, NB, NC, R>) {
        let residual = &mut work.phase.residual;
        for row in self.joints.part(self.window()) {
            let parting = row.parting();
            if parting > T::lit(APART) {
                residual.natural = larger(residual.natural, parting);
            }
        }
    }
}
