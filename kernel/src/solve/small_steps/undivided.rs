//! A frame in one step, with contacts solved at once by the kept factor.
//!
//! ```text
//! base = v + n h a,   v = base + n kick       forces and impulses of the whole frame
//! rounds            a correction with the factor, then exact passes, until solved
//! guard             K(v) ≤ K(base) + work of driven bodies
//! moved += n h (v + position correction)
//! ```
//!
//! At rest one correction is a frame, or none, and it is exact: no softness, so no sinking. Where the rounds do not end,
//! the frame begins again with substeps; small islands, whose substeps are solved, too, also take them where velocities
//! change much within the frame.
use crate::math::real::{Real, larger, smaller};
use crate::math::vector::VectorOps;
use crate::problem::contact_rows::ContactRows;
use crate::problem::report::{FactorReport, Residual};
use crate::problem::stop_check::StopCheck;
use crate::solve::kept_factor::KeptFactor;
use crate::solve::small_steps::frame::{SOLVED, exact_pass, sweep_limit};
use crate::solve::small_steps::guard::products;
use crate::solve::small_steps::{FrameTask, IslandFrame, SmallSteps};
use crate::solve::workspace::SolverWorkspace;
use crate::space::velocity::Velocity;
use crate::sweep::rows::Rows;

/// Rounds of a frame at the most.
const ROUNDS: u32 = 8;
/// Factors that a frame may make.
const FACTORS: u32 = 4;
/// Passes of a round where contacts change.
const RESTLESS_PASSES: u32 = 4;
/// Part of the residual that a round may leave; otherwise the rounds end.
const PROGRESS: f64 = 0.7;
/// Residual of a contact up to which a frame needs no correction, in tolerances, relative to the speed that contacts
/// would have after a substep without impulses. It allows a drift of two micrometres a second.
const UNCHANGED: f64 = 4.0;
/// Residual from which on contacts change, in tolerances.
const RESTLESS: f64 = 100.0;
/// Residual up to which rounding may keep an island, in `ε`.
const ROUNDING: f64 = 64.0;
/// Residual from which on a new factor pays, in tolerances.
const WORTH_A_FACTOR: f64 = 4.0;
/// Residual that is better than that of soft substeps.
const GOOD: f64 = 1e-4;
/// Part of the forces' velocity change that may be left of it in a frame at rest.
const MOVING: f64 = 0.1;
/// Approach from which on a contact lands, in what forces do to a body in the frame.
const LANDING: f64 = 1.5;
/// Depth that stays where contacts slide, in depths that soft substeps leave.
const SAG: f64 = 2.0;
/// Angle by which moving out of penetration may turn a body in a frame, rad.
const MOST_TURN: f64 = 0.1;
/// Gap that counts as closed, in contact margins. The gaps of a face's corners differ by rounding; closing each in a
/// frame would need huge impulses.
const CLOSED: f64 = 0.05;
/// The same where a contact carries load, in these.
const LOADED: f64 = 5.0;

/// Why there is no factor.
pub(super) enum Missing {
    /// The deadline has passed: the next frame makes it.
    Late,
    /// It cannot be made: a body cannot rotate, or arithmetic overflows.
    Impossible,
}

/// The island, and its factor.
pub(crate) struct Factored<'a, T: Real, const NF: usize> {
    pub factor: &'a mut KeptFactor<T, NF>,
    pub island: usize,
    /// Whether it is the stiff one.
    pub is_stiff: bool,
}

impl<T: Real, const NF: usize> Factored<'_, T, NF> {
    /// Whether the factor of what contacts keep is there.
    fn is_made(&self) -> bool {
        self.factor.is_made(self.island)
    }

    /// Makes the factor unless it is there, the soft one where the stiff one cannot be made.
    fn make<const NB: usize, const NC: usize, R: ContactRows>(
        &mut self,
        work: &SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        report: &mut FactorReport,
    ) -> Result<(), Missing> {
        if self.is_made() {
            return Ok(());
        }
        if !self.factor.make(work, self.island, self.is_stiff, task.mass_of) {
            let was_stiff = core::mem::take(&mut self.is_stiff);
            if !was_stiff || !self.factor.make(work, self.island, false, task.mass_of) {
                return Err(Missing::Impossible);
            }
        }
        report.factors += 1;
        Ok(())
    }

    /// Notes that the factor has to be made from contacts as they are now; returns how many changed.
    fn renew<const NC: usize, R: ContactRows>(&mut self, rows: &Rows<T, NC, R>, is_stiff: bool) -> u32 {
        self.factor.discard(self.island);
        self.is_stiff = is_stiff;
        self.factor.update(rows, |_| false)
    }
}

impl<T: Real, const NB: usize, const NC: usize, R: ContactRows> SmallSteps<T, NB, NC, R> {
    /// Takes the frame in one step; otherwise changes no velocity: the frame takes substeps.
    pub(super) fn undivided<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        kept: &mut Factored<'_, T, NF>,
        stop: &mut StopCheck<'_>,
        frame: &mut IslandFrame<T>,
    ) -> Result<bool, Missing> {
        let count = T::integer(task.division.substeps as i16);
        self.set_closing_targets(work, task);
        if kept.factor.has_new(&work.rows) && self.lands(work, count) {
            return Ok(false);
        }
        self.set_start_speed(work);
        self.begin_rest(work, count);
        let solved = self.rounds(work, task, kept, stop, frame);
        let is_soft = sweep_limit(work, task.settings, false) < SOLVED;
        let is_solved = matches!(solved, Ok(true));
        if !is_solved || !(is_soft || self.hardly_accelerates(work, count)) {
            self.take_back(work);
            self.sum_kicks(work);
            for body in work.islands.members() {
                self.forced_way[body] = Velocity::ZERO;
            }
            return solved.map(|_| false);
        }
        self.book_rest(work, task, count, frame);
        let whole = task.division.undivided();
        self.end(work, &whole);
        self.advance(work, &whole);
        self.lift(work, task, kept, stop, &mut frame.factor);
        self.divide_impulses(work, count);
        Ok(true)
    }

    /// Corrections and passes until the island is solved; false if it is not. The deadline is checked before a factor is
    /// made and before each further round.
    fn rounds<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        kept: &mut Factored<'_, T, NF>,
        stop: &mut StopCheck<'_>,
        frame: &mut IslandFrame<T>,
    ) -> Result<bool, Missing> {
        let tolerance = larger(task.settings.tolerance, T::lit(ROUNDING) * T::EPSILON);
        let good = if sweep_limit(work, task.settings, false) < SOLVED { T::lit(GOOD) } else { T::ZERO };
        let (mut left, mut factors) = (T::MAX, u32::from(kept.factor.has_new(&work.rows)));
        let Some(mut passes) = self.first_passes(work, task, kept, stop, &mut frame.factor) else { return Ok(true) };
        for round in 0..ROUNDS {
            let asks = round > 0 || !kept.is_made();
            if asks && stop.is_over() {
                let is_good = round > 0 && work.phase.residual.natural <= good;
                return if is_good { Ok(true) } else { Err(Missing::Late) };
            }
            kept.make(work, task, &mut frame.factor)?;
            self.correct(work, kept);
            frame.factor.corrections += 1;
            for _ in 0..passes {
                exact_pass(work, task.settings.local);
            }
            frame.sweeps += passes;
            self.measure(work);
            let now = work.phase.residual.natural;
            if work.phase.residual.is_below(tolerance) {
                return Ok(true);
            }
            let restless = now > T::lit(RESTLESS) * tolerance;
            passes = if restless || passes == RESTLESS_PASSES { RESTLESS_PASSES } else { 1 };
            let may_make = factors < FACTORS && now > T::lit(WORTH_A_FACTOR) * tolerance;
            let differs = may_make && kept.factor.differs(&work.rows);
            if differs || (may_make && round > 0 && !kept.is_stiff) {
                frame.factor.changed += kept.renew(&work.rows, !differs);
                factors += 1;
            } else if !(now <= T::lit(PROGRESS) * left) {
                break;
            }
            left = now;
        }
        Ok(work.phase.residual.natural <= good)
    }

    /// Chooses the factor and the passes of the first round; `None` if the impulses of the last frame solve this one.
    fn first_passes<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        kept: &mut Factored<'_, T, NF>,
        stop: &mut StopCheck<'_>,
        report: &mut FactorReport,
    ) -> Option<u32> {
        let tolerance = larger(task.settings.tolerance, T::lit(ROUNDING) * T::EPSILON);
        let is_resting = self.island.get(work.rows.window()).is_some_and(|rows| rows.iter().all(|row| row.rested));
        let mut passes = 1;
        if is_resting {
            self.measure(work);
            if self.is_unchanged(work, task) {
                return None;
            }
            let is_quiet = work.phase.residual.is_below(tolerance);
            passes = u32::from(!is_quiet);
            if is_quiet && !kept.is_stiff && !stop.is_over() {
                report.changed += kept.renew(&work.rows, true);
            }
        }
        if kept.factor.has_new(&work.rows) {
            let closed = -self.closed_gap(task);
            report.changed +=
                kept.factor.update(&work.rows, |i| self.depth.get(i).is_some_and(|depth| *depth >= closed));
            kept.factor.discard(kept.island);
        }
        Some(passes)
    }

    /// Whether the impulses of the last frame solve this one, too, and leave hardly any drift.
    fn is_unchanged(&self, work: &SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>) -> bool {
        let Residual { natural, scale, speed, .. } = work.phase.residual;
        let contacts = T::integer(work.rows.window().len() as i16).sqrt_or_zero();
        // In double precision rounding allows less than the tolerance.
        let tolerance = smaller(task.settings.tolerance, T::lit(128.0) * T::EPSILON);
        let drifts = natural * scale > T::lit(UNCHANGED) * tolerance * speed * contacts;
        !drifts && work.phase.residual.is_below(task.settings.tolerance)
    }

    /// Corrects impulses and velocities.
    fn correct<const NF: usize>(&mut self, work: &mut SolverWorkspace<T, NB, NC, R>, kept: &Factored<'_, T, NF>) {
        // Kicks and ways are free until the frame is booked.
        let SmallSteps { kick, forced_way, mass, inertia, .. } = self;
        kept.factor.correct(work, kept.island, kick, forced_way, |body, velocity| {
            let (Some(mass), Some(inertia)) = (mass.get(body), inertia.get(body)) else { return T::ZERO };
            let [square, _] = products(*mass, inertia, velocity, velocity, velocity);
            square
        });
    }

    /// Gap that counts as closed, m.
    fn closed_gap(&self, task: &FrameTask<'_, T, NB>) -> T {
        T::lit(CLOSED) * task.contact_margin
    }

    /// Gaps may close within the frame, except those that count as closed.
    fn set_closing_targets(&self, work: &mut SolverWorkspace<T, NB, NC, R>, task: &FrameTask<'_, T, NB>) {
        let (closed, inverse_h) = (self.closed_gap(task), task.division.undivided().inverse_h);
        for i in work.rows.window() {
            // A contact with load was closed.
            let closed = if work.rows.impulse[i].x > T::ZERO { T::lit(LOADED) * closed } else { closed };
            let depth = self.depth[i] + closed;
            work.rows.target[i] = if depth < T::ZERO { depth * inverse_h } else { T::ZERO };
        }
    }

    /// Whether something approaches faster than from rest: the factor would serve for one frame only.
    fn lands(&self, work: &SolverWorkspace<T, NB, NC, R>, count: T) -> bool {
        let mut fastest = T::ZERO;
        for body in work.islands.members() {
            let force = self.force[body].linear();
            fastest = larger(fastest, force.dot(&force));
        }
        let allowed = T::lit(LANDING) * count * fastest.sqrt_or_zero();
        let mut lands = false;
        for i in work.rows.window() {
            let speed = self.arrival_speed[i] + count * work.jacobians[i].normal_of(&self.forced[i]);
            lands |= work.rows.target[i] - speed > allowed;
        }
        lands
    }

    /// Whether velocities change little within the frame beside what forces alone would do.
    fn hardly_accelerates(&self, work: &SolverWorkspace<T, NB, NC, R>, count: T) -> bool {
        let residual = &work.phase.residual;
        let rounding = T::lit(ROUNDING) * T::EPSILON * residual.scale;
        let mut hardly = true;
        for body in work.islands.members() {
            let force = self.force[body].linear().scaled(count * T::lit(MOVING));
            let change = work.velocity[body].minus(&self.arrival[body]).linear();
            hardly &= change.dot(&change) <= force.dot(&force) + rounding * rounding;
        }
        hardly
    }

    /// Moves bodies out of penetration, as far as `n` substeps would.
    ///
    /// Where contacts slide, a structure may stand by friction alone, and moving it would make it fall. There a depth
    /// stays that soft substeps leave, too, so that it does not change with the kind of substeps.
    fn lift<const NF: usize>(
        &mut self,
        work: &mut SolverWorkspace<T, NB, NC, R>,
        task: &FrameTask<'_, T, NB>,
        kept: &mut Factored<'_, T, NF>,
        stop: &mut StopCheck<'_>,
        report: &mut FactorReport,
    ) {
        let (division, count) = (&task.division, T::integer(task.division.substeps as i16));
        let rate = T::ONE / (T::ONE + count * division.soft);
        let slides = kept.factor.slides(&work.rows);
        let sag = if slides { T::lit(SAG) * division.h / count } else { T::ZERO };
        let mut most = T::ZERO;
        for i in work.rows.window() {
            let sag = sag * work.rows.block[i].normal * work.rows.impulse[i].x;
            let speed = rate * division.push_speed(self.depth[i] - sag);
            work.rows.target[i] = speed;
            most += speed;
        }
        if !(most > T::ZERO) || (!kept.is_made() && stop.is_over()) || kept.make(work, task, report).is_err() {
            return;
        }
        let SmallSteps { arrival: change, moved, .. } = self;
        kept.factor.separate(work, kept.island, change);
        // A body that is much faster than all contacts together ask for was not computed: the factor lost its digits.
        let limit = T::lit(16.0) * most * most;
        let turn = T::lit(MOST_TURN) / (count * division.h);
        for body in work.islands.members() {
            let (v, w) = (change[body].linear(), change[body].angular());
            if !(v.dot(&v) <= limit && w.dot(&w) <= turn * turn) {
                return;
            }
        }
        for body in work.islands.members() {
            moved[body] = moved[body].plus(&change[body].scaled(count * division.h));
        }
    }
}
