//! Reports as C structs.

use stiction::DelassusReport as KernelDelassus;
use stiction::{Real, StepReport as KernelStep};

/// Why a solve ended, from best to worst. In every case the answer is usable and adds no energy.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The residual is below the tolerance.
    Converged = 0,
    /// The passivity guard scaled impulses down, and the residual is no longer below the tolerance.
    Guarded = 1,
    /// The bounce made no progress and was discarded: no contact bounced.
    BounceDropped = 2,
    /// The limit on sweeps was reached.
    SweepLimit = 3,
    /// `should_stop` returned true.
    Deadline = 4,
}

/// How the contact phase was solved.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Exact active set, for a few contacts without friction.
    ActiveSet = 0,
    /// Gauss-Seidel on the normals, for more contacts without friction.
    ScalarPgs = 1,
    /// Gauss-Seidel with every contact solved as a block.
    BlockPgs = 2,
    /// The same, accelerated after some of the sweeps.
    Accelerated = 3,
    /// Newton's method after sweeps.
    Newton = 4,
    /// An interior-point method, with sweeps and Newton's method before and after it.
    InteriorPoint = 5,
}

/// State of a contact at the end of a solve.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactState {
    /// The impulse is zero.
    Open = 0,
    /// Friction is inside its cone.
    Stick = 1,
    /// Friction is on the boundary of its cone.
    Slide = 2,
}

/// No contact: the value of `worst_contact` where there is none.
pub const NO_CONTACT: u32 = u32::MAX;

/// Summary of a solve. If it was solved by islands, counts are the maximum over the islands, works and energies are
/// sums, and residuals are the worst.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report<T> {
    /// Why it ended: one of StictionStatus.
    pub status: u32,
    /// How it was solved: one of StictionMethod; by islands, the method of the island with the largest residual.
    pub method: u32,
    /// Sweeps of the contact phase.
    pub sweeps: u32,
    /// Sweeps of the bounce.
    pub bounce_sweeps: u32,
    /// Newton steps, each with a factorisation.
    pub newton_steps: u32,
    /// Interior-point steps, each with a factorisation.
    pub interior_steps: u32,
    /// Number of islands solved separately; 1 if everything was solved together.
    pub islands: u32,
    /// The contact with the largest share of the residual, or STICTION_NO_CONTACT.
    pub worst_contact: u32,
    /// Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    pub safe_blocks: u32,
    /// Whether a direct method was needed but the memory provided for it was too small.
    pub memory_too_small: bool,
    /// Whether the bounce made no progress and was discarded: no contact bounced.
    pub bounce_dropped: bool,
    /// Whether an impulse was scaled down so as not to add energy.
    pub passivity_guard: bool,
    /// Residual, relative to `residual_scale`.
    pub residual: T,
    /// The speed that the residual is relative to, m/s.
    pub residual_scale: T,
    /// Largest remaining closing speed, m/s.
    pub closing_speed: T,
    /// Largest excess of a friction impulse over its cone, N s.
    pub cone: T,
    /// Largest difference between the separation speed required by restitution and the one reached, m/s.
    pub bounce_missing: T,
    /// Kinetic energy before, J.
    pub energy_before: T,
    /// Kinetic energy after, J.
    pub energy_after: T,
    /// Energy change by the bounce, J.
    pub bounce_work: T,
    /// Energy change by the contact phase, J.
    pub contact_work: T,
    /// The part of it due to friction, J.
    pub friction_work: T,
    /// The part of it due to a bias, J.
    pub bias_work: T,
}

/// Work of friction in a solve or a step by what it resists, J; negative where it takes energy out.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrictionWork<T> {
    /// By tangential impulses.
    pub sliding: T,
    /// By moments about the normal.
    pub spinning: T,
    /// By moments against rolling.
    pub rolling: T,
}

impl<T: Real> FrictionWork<T> {
    /// As the C struct.
    pub fn from_kernel(work: &stiction::FrictionWork<T>) -> Self {
        FrictionWork { sliding: work.sliding, spinning: work.spinning, rolling: work.rolling }
    }
}

/// Summary of a step.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReport<T> {
    /// The worst status of its solves: one of StictionStatus.
    pub status: u32,
    /// Contacts.
    pub contacts: u32,
    /// Contacts beyond the capacity: the shallowest ones are left out.
    pub contacts_left_out: u32,
    /// Contacts that began with an impulse of the step before.
    pub warm_started: u32,
    /// Contacts that kept their rows from the step before.
    pub kept: u32,
    /// Islands.
    pub islands: u32,
    /// Passes over contacts of the island that took most.
    pub sweeps: u32,
    /// Newton steps.
    pub newton_steps: u32,
    /// Interior-point steps.
    pub interior_steps: u32,
    /// Factors that were made because contacts are new or changed.
    pub factors: u32,
    /// Corrections of all contacts of an island at once, with its factor.
    pub corrections: u32,
    /// Contacts that began to stick, to slide or to open as the factor has it.
    pub contacts_changed: u32,
    /// Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    pub safe_blocks: u32,
    /// Whether a direct method was needed but the memory provided for it was too small.
    pub memory_too_small: bool,
    /// Whether an island needed a factor and its memory was too small.
    pub factor_memory_too_small: bool,
    /// Whether an impulse was scaled down so as not to add energy.
    pub passivity_guard: bool,
    /// Whether an island's bounce made no progress and was discarded: its contacts did not bounce.
    pub bounce_dropped: bool,
    /// Worst relative residual of an island.
    pub residual: T,
    /// Largest remaining closing speed, m/s.
    pub closing_speed: T,
    /// Deepest penetration at the start, m.
    pub depth: T,
    /// Kinetic energy before, J.
    pub kinetic_before: T,
    /// Kinetic energy after, J.
    pub kinetic_after: T,
    /// Potential energy before, J, zero at the origin.
    pub potential_before: T,
    /// Potential energy after, J.
    pub potential_after: T,
    /// Work of external forces and torques, J.
    pub load_work: T,
    /// First-order error of the time step under gravity, J.
    pub integration_work: T,
    /// Work of the bounce, J.
    pub bounce_work: T,
    /// Work of the normal impulses, J.
    pub normal_work: T,
    /// Work of friction, J.
    pub friction_work: T,
    /// Work of position correction, J.
    pub position_correction_work: T,
}

/// Summary of a solve in Delassus form.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelassusReport<T> {
    /// Why it ended: one of StictionStatus.
    pub status: u32,
    /// How it was solved: one of StictionMethod.
    pub method: u32,
    /// Sweeps.
    pub sweeps: u32,
    /// Newton steps.
    pub newton_steps: u32,
    /// Interior-point steps.
    pub interior_steps: u32,
    /// The contact with the largest share of the residual, or STICTION_NO_CONTACT.
    pub worst_contact: u32,
    /// Contacts whose block was singular or indefinite up to rounding: a safe one was used instead.
    pub safe_blocks: u32,
    /// Whether a direct method was needed but the memory provided for it was too small.
    pub memory_too_small: bool,
    /// Whether the impulses were scaled down so as not to add energy.
    pub passivity_guard: bool,
    /// Residual, relative to the largest of `q`, impulses and velocities.
    pub residual: T,
    /// Largest remaining closing speed, m/s.
    pub closing_speed: T,
    /// Natural map at rho = 1 over |q|, as reported in the literature.
    pub natural_rel_q: T,
    /// Natural map in velocity units over |q|.
    pub unit_rel_q: T,
    /// Energy change, J, if `q` is a velocity of bodies that move freely.
    pub work: T,
}

/// A count in 32 bits, saturated.
pub fn short(count: usize) -> u32 {
    if count < u32::MAX as usize { count as u32 } else { u32::MAX }
}

impl<T: Real> Report<T> {
    /// The report for no island.
    pub const EMPTY: Self = Report {
        status: Status::Converged as u32,
        method: Method::ActiveSet as u32,
        sweeps: 0,
        bounce_sweeps: 0,
        newton_steps: 0,
        interior_steps: 0,
        islands: 0,
        worst_contact: NO_CONTACT,
        safe_blocks: 0,
        memory_too_small: false,
        bounce_dropped: false,
        passivity_guard: false,
        residual: T::ZERO,
        residual_scale: T::ZERO,
        closing_speed: T::ZERO,
        cone: T::ZERO,
        bounce_missing: T::ZERO,
        energy_before: T::ZERO,
        energy_after: T::ZERO,
        bounce_work: T::ZERO,
        contact_work: T::ZERO,
        friction_work: T::ZERO,
        bias_work: T::ZERO,
    };

    /// Copies the kernel's report and the number of islands.
    pub fn take(&mut self, report: &stiction::Report<T>, islands: usize) {
        self.method = report.method as u32;
        self.status = report.status as u32;
        self.sweeps = report.sweeps;
        self.islands = islands as u32;
        self.bounce_sweeps = report.bounce_sweeps;
        self.newton_steps = report.direct.newton_steps;
        self.interior_steps = report.direct.interior_steps;
        self.memory_too_small = report.direct.memory_too_small;
        self.bounce_dropped = report.bounce_dropped;
        self.passivity_guard = report.passivity_guard;
        self.residual = report.residual.natural;
        self.residual_scale = report.residual.scale;
        self.worst_contact = report.residual.worst_contact.map_or(NO_CONTACT, short);
        self.closing_speed = report.residual.closing_speed;
        self.cone = report.residual.cone;
        self.bounce_missing = report.bounce_missing;
        self.energy_before = report.energy_before;
        self.energy_after = report.energy_after;
        self.bounce_work = report.bounce_work;
        self.contact_work = report.contact_work;
        self.friction_work = report.friction_work;
        self.bias_work = report.bias_work;
        self.safe_blocks = report.safe_blocks;
    }
}

impl<T: Real> StepReport<T> {
    /// As the C struct.
    pub fn from_kernel(report: &KernelStep<T>) -> Self {
        let ledger = &report.ledger;
        StepReport {
            status: report.status as u32,
            contacts: short(report.contacts),
            contacts_left_out: short(report.contacts_left_out),
            warm_started: short(report.warm_started),
            kept: short(report.kept),
            islands: short(report.islands),
            sweeps: report.sweeps,
            newton_steps: report.direct.newton_steps,
            interior_steps: report.direct.interior_steps,
            factors: report.factor.factors,
            corrections: report.factor.corrections,
            contacts_changed: report.factor.changed,
            safe_blocks: report.safe_blocks,
            memory_too_small: report.direct.memory_too_small,
            factor_memory_too_small: report.factor.memory_too_small,
            passivity_guard: report.passivity_guard,
            bounce_dropped: report.bounce_dropped,
            residual: report.residual,
            closing_speed: report.closing_speed,
            depth: report.depth,
            kinetic_before: ledger.kinetic_before,
            kinetic_after: ledger.kinetic_after,
            potential_before: ledger.potential_before,
            potential_after: ledger.potential_after,
            load_work: ledger.load,
            integration_work: ledger.integration,
            bounce_work: ledger.bounce,
            normal_work: ledger.normal,
            friction_work: ledger.friction,
            position_correction_work: ledger.position_correction,
        }
    }
}

impl<T: Real> DelassusReport<T> {
    /// As the C struct.
    pub fn from_kernel(report: &KernelDelassus<T>) -> Self {
        DelassusReport {
            status: report.status as u32,
            method: report.method as u32,
            sweeps: report.sweeps,
            newton_steps: report.direct.newton_steps,
            interior_steps: report.direct.interior_steps,
            worst_contact: report.residual.worst_contact.map_or(NO_CONTACT, short),
            safe_blocks: report.safe_blocks,
            memory_too_small: report.direct.memory_too_small,
            passivity_guard: report.passivity_guard,
            residual: report.residual.natural,
            closing_speed: report.residual.closing_speed,
            natural_rel_q: report.natural_rel_q,
            unit_rel_q: report.unit_rel_q,
            work: report.work,
        }
    }
}
