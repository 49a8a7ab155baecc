//! The contact phase's loop: sweeps until solved, up to the sweep limit or the deadline; accelerated where sweeps
//! converge slowly, and with a direct method in between if they do not suffice and there is memory for one.
//!
//! The stopping rule is the residual, never a small change alone: slow Gauss–Seidel also changes little. The file
//! `residual_watch` says when it is measured.
use crate::direct::contact_system::IslandSystem;
use crate::direct::improve::{improve, take_better};
use crate::direct::memory::DirectView;
use crate::math::real::{Real, infinity, larger};
use crate::problem::contact_rows::ContactRows;
use crate::problem::report::{DirectReport, Residual};
use crate::problem::settings::{MethodChoice, Settings};
use crate::problem::status::{Method, Status};
use crate::problem::stop_check::StopCheck;
use crate::solve::residual_watch::ResidualWatch;
use crate::sweep::acceleration::Accelerator;
use crate::sweep::gauss_seidel::Sweeper;
use crate::sweep::lanes::LaneSweeps;
use crate::sweep::lent_lanes::LentLanes;
use crate::sweep::mechanics::Mechanics;
use crate::sweep::rows::Rows;

/// State and result of a contact phase. Kept in the solver to save stack.
#[derive(Clone, Copy)]
pub(crate) struct PhaseState<T> {
    pub status: Status,
    pub method: Method,
    pub sweeps: u32,
    pub direct: DirectReport,
    pub residual: Residual<T>,
    /// Whether the residual is that of the present impulses.
    pub residual_is_current: bool,
    accelerator: Accelerator<T>,
}

impl<T: Real> PhaseState<T> {
    /// Before the first phase.
    pub const EMPTY: Self = PhaseState {
        status: Status::SweepLimit,
        method: Method::BlockPgs,
        sweeps: 0,
        direct: DirectReport { newton_steps: 0, interior_steps: 0, memory_too_small: false },
        residual: Residual::SOLVED,
        residual_is_current: false,
        accelerator: Accelerator::IDLE,
    };

    /// Resets field by field; assigning a whole struct would compile to a memcpy call.
    pub fn reset(&mut self, method: Method) {
        (self.status, self.method, self.sweeps) = (Status::SweepLimit, method, 0);
        self.direct = DirectReport::default();
        self.residual = Residual::SOLVED;
        self.accelerator = Accelerator::IDLE;
    }

    /// Takes the impulses of an exact method as the phase's, unless they are off by more than rounding; returns whether
    /// it did.
    pub fn accept_exact<const NC: usize, R: ContactRows>(
        &mut self,
        rows: &Rows<T, NC, R>,
        space: &impl Mechanics<T>,
        q_norm: T,
        settings: &Settings<T>,
    ) -> bool {
        self.reset(Method::ActiveSet);
        space.measure(rows, q_norm, infinity(), &mut self.residual);
        self.conclude(settings.tolerance);
        self.residual.is_below(larger(settings.tolerance, T::lit(1e3) * T::EPSILON))
    }

    /// Converged, if the residual is below the tolerance.
    pub fn conclude(&mut self, tolerance: T) {
        if self.residual.is_below(tolerance) {
            self.status = Status::Converged;
        }
    }

    /// Whether sweeps may end after so many.
    pub fn is_solved(&self, sweeps: u32, settings: &Settings<T>) -> bool {
        self.residual_is_current && sweeps >= settings.min_sweeps && self.residual.is_below(settings.tolerance)
    }

    /// The closing speed up to which a residual is measured: beyond it, the phase is usually not solved yet.
    #[inline(always)]
    pub fn measured_up_to(&self, tolerance: T) -> T {
        T::lit(2.0) * self.residual.max_closing_speed(tolerance)
    }

    /// Whether a contact closes too fast for the phase to be solved, by the last residual.
    #[inline(always)]
    pub fn still_closes(&self, tolerance: T) -> bool {
        self.residual.closing_speed > self.residual.max_closing_speed(tolerance)
    }

    /// Measures the residual of velocities that changed after the phase.
    pub fn measure_again<const NC: usize, R: ContactRows>(
        &mut self,
        rows: &Rows<T, NC, R>,
        space: &impl Mechanics<T>,
        q_norm: T,
        tolerance: T,
    ) {
        space.measure(rows, q_norm, infinity(), &mut self.residual);
        if self.status == Status::Converged && !self.residual.is_below(tolerance) {
            self.status = Status::Guarded;
        }
    }
}

/// One run of the contact phase.
pub(crate) struct ContactPhase<'a, T> {
    settings: &'a Settings<T>,
    /// The speed norm at the start of the phase.
    q_norm: T,
    state: &'a mut PhaseState<T>,
    /// What a paused phase has to keep.
    pub watch: ResidualWatch<T>,
}

impl<'a, T: Real> ContactPhase<'a, T> {
    pub fn new(settings: &'a Settings<T>, q_norm: T, state: &'a mut PhaseState<T>) -> Self {
        state.reset(Method::BlockPgs);
        ContactPhase { settings, q_norm, state, watch: ResidualWatch::NEW }
    }

    /// Solves the phase; gives the memory for lanes back.
    pub fn solve<'l, S: Mechanics<T>, const NC: usize, R: ContactRows>(
        mut self,
        rows: &mut Rows<T, NC, R>,
        space: &mut S,
        stop: &mut StopCheck<'_>,
        direct: Option<&mut DirectView<'_, T>>,
        lanes: LentLanes<'l, T>,
    ) -> LentLanes<'l, T> {
        let settings = self.settings;
        self.begin(rows, space);
        let first = settings.sweeps_before_direct(rows.has_moments());
        let (direct, first) = match (direct, first) {
            (Some(memory), Some(first)) => (Some(memory), first),
            _ => (None, settings.sweeps),
        };
        let sweeps_in_lanes = if self.state.accelerator.allowed { 0 } else { settings.sweeps };
        let mut lanes = LaneSweeps::new(lanes, sweeps_in_lanes);
        let solved = self.sweep(rows, space, stop, first, &mut lanes);
        if let Some(memory) = direct
            && !solved
        {
            self.improve(rows, space, stop, memory, &mut lanes);
        }
        self.finish(rows, space);
        lanes.into_lanes()
    }

    /// Measures where the phase begins.
    #[inline(always)]
    pub fn begin<S: Mechanics<T>, const NC: usize, R: ContactRows>(&mut self, rows: &Rows<T, NC, R>, space: &S) {
        let settings = self.settings;
        self.state.accelerator.allowed = matches!(settings.method, MethodChoice::Accelerated | MethodChoice::Direct);
        // With tolerance 0 the residual is not needed before the end.
        self.state.residual_is_current = settings.tolerance > T::ZERO;
        if self.state.residual_is_current {
            space.measure(rows, self.q_norm, infinity(), &mut self.state.residual);
        }
    }

    /// A phase that has begun and was paused between two sweeps.
    pub fn resumed(
        settings: &'a Settings<T>,
        q_norm: T,
        state: &'a mut PhaseState<T>,
        watch: ResidualWatch<T>,
    ) -> Self {
        ContactPhase { settings, q_norm, state, watch }
    }

    /// Sweeps over one contact after another, up to a total number of sweeps; returns whether the phase is finished.
    pub fn advance<S: Mechanics<T>, const NC: usize, R: ContactRows>(
        &mut self,
        rows: &mut Rows<T, NC, R>,
        space: &mut S,
        cap: u32,
    ) -> bool {
        let lanes = &mut LaneSweeps::new(LentLanes::default(), 0);
        self.sweep(rows, space, &mut StopCheck::new(None), cap, lanes)
    }

    /// Sweeps up to a total number of sweeps; returns whether the phase is finished.
    #[inline(always)]
    fn sweep<S: Mechanics<T>, const NC: usize, R: ContactRows>(
        &mut self,
        rows: &mut Rows<T, NC, R>,
        space: &mut S,
        stop: &mut StopCheck<'_>,
        cap: u32,
        lanes: &mut LaneSweeps<'_, T>,
    ) -> bool {
        let is_solved = self.sweep_on(rows, space, stop, cap, lanes);
        lanes.store(rows, space);
        lanes.release();
        is_solved
    }

    #[inline(always)]
    fn sweep_on<S: Mechanics<T>, const NC: usize, R: ContactRows>(
        &mut self,
        rows: &mut Rows<T, NC, R>,
        space: &mut S,
        stop: &mut StopCheck<'_>,
        cap: u32,
        lanes: &mut LaneSweeps<'_, T>,
    ) -> bool {
        let settings = self.settings;
        for number in self.state.sweeps..cap {
            if self.is_solved(number) {
                return true;
            }
            if self.state.status == Status::Deadline || stop.should_stop() {
                self.state.status = Status::Deadline;
                return true;
            }
            self.state.sweeps = number + 1;
            let sweeper = self.state.accelerator.begin(&plain_sweeper(settings), settings.accelerated_relaxation, rows);
            let change = lanes.run(&sweeper, rows, space, number);
            let change = self.state.accelerator.end(number + 1, change, rows, space);
            // Does not hold in tests that flip bits.
            debug_assert!(cfg!(test) || rows.are_admissible(), "an impulse outside its cone after a sweep");
            self.maybe_measure(change, rows, space, lanes);
        }
        self.is_solved(self.state.sweeps)
    }

    /// Measures the residual after a sweep that changed the impulses by `change`, if that is worthwhile. On boards its
    /// numbers are not on the stack together with a sweep's.
    #[cfg_attr(target_os = "none", inline(never))]
    #[cfg_attr(not(target_os = "none"), inline(always))]
    fn maybe_measure<S: Mechanics<T>, const NC: usize, R: ContactRows>(
        &mut self,
        change: T,
        rows: &mut Rows<T, NC, R>,
        space: &mut S,
        lanes: &LaneSweeps<'_, T>,
    ) {
        let (tolerance, count) = (self.settings.tolerance, rows.contacts());
        self.state.residual_is_current = self.watch.is_due(change, count, &self.state.residual, tolerance);
        if self.state.residual_is_current {
            lanes.store(rows, space);
            self.measure(rows, space);
        }
    }

    /// Measures the residual, no further than needed: a contact that closes much faster than the last limit usually
    /// means that the phase is not solved yet. The residual is current if all of it was measured.
    #[inline(always)]
    fn measure<S: Mechanics<T>, const NC: usize, R: ContactRows>(&mut self, rows: &Rows<T, NC, R>, space: &S) {
        let tolerance = self.settings.tolerance;
        self.measure_up_to(self.state.measured_up_to(tolerance), rows, space);
        if !self.state.residual_is_current && !self.state.still_closes(tolerance) {
            self.measure_up_to(infinity(), rows, space);
        }
    }

    /// Measures the residual, but stops at a contact that closes faster than `max`, m/s.
    #[inline(always)]
    fn measure_up_to<S: Mechanics<T>, const NC: usize, R: ContactRows>(
        &mut self,
        max: T,
        rows: &Rows<T, NC, R>,
        space: &S,
    ) {
        space.measure(rows, self.q_norm, max, &mut self.state.residual);
        self.state.residual_is_current = !(self.state.residual.closing_speed > max);
    }

    fn is_solved(&self, sweeps: u32) -> bool {
        self.state.is_solved(sweeps, self.settings)
    }

    /// Lets direct methods improve the result of the sweeps; if they do not solve it, sweeps continue to their limit.
    #[inline(never)]
    fn improve<S: Mechanics<T>, const NC: usize, R: ContactRows>(
        &mut self,
        rows: &mut Rows<T, NC, R>,
        space: &mut S,
        stop: &mut StopCheck<'_>,
        memory: &mut DirectView<'_, T>,
        lanes: &mut LaneSweeps<'_, T>,
    ) {
        let plain = Sweeper { relaxation: T::ONE, ..plain_sweeper(self.settings) };
        let mut window = IslandSystem { rows, space, q_norm: self.q_norm, sweeper: plain };
        let direct = improve::<T, R>(&mut window, memory, self.settings, stop);
        self.state.direct = direct.report;
        let mut taken = direct.solved || direct.deadline_passed;
        if direct.deadline_passed {
            self.state.status = Status::Deadline;
        }
        if !taken {
            if !direct.report.memory_too_small {
                self.state.accelerator.forget();
            }
            self.state.residual_is_current = false;
            self.sweep(rows, space, stop, self.settings.sweeps, lanes);
            let mut window = IslandSystem { rows, space, q_norm: self.q_norm, sweeper: plain };
            taken = !direct.report.memory_too_small && take_better(&mut window, memory);
        }
        if let Some(method) = direct.method.filter(|_| taken) {
            self.state.method = method;
        }
        space.measure(rows, self.q_norm, infinity(), &mut self.state.residual);
        self.state.residual_is_current = true;
    }

    /// Measures the end, if that was not done, and concludes.
    pub fn finish<S: Mechanics<T>, const NC: usize, R: ContactRows>(self, rows: &Rows<T, NC, R>, space: &S) {
        if !self.state.residual_is_current {
            space.measure(rows, self.q_norm, infinity(), &mut self.state.residual);
        }
        if self.state.accelerator.was_engaged() && self.state.method == Method::BlockPgs {
            self.state.method = Method::Accelerated;
        }
        self.state.conclude(self.settings.tolerance);
    }
}

fn plain_sweeper<T: Real>(settings: &Settings<T>) -> Sweeper<T> {
    Sweeper { rule: settings.local, relaxation: settings.relaxation, order: settings.order }
}
