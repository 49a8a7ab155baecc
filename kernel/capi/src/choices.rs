//! Settings as C structs. Choices are plain numbers there, so that an invalid one is rejected instead of undefined
//! behaviour.

use stiction::IslandMode as KernelMode;
use stiction::{Real, StepSettings as KernelStep};

use crate::error::Fault;

/// Which methods may solve a contact phase with friction.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodChoice {
    /// Plain sweeps; then a direct method, if memory for it is provided and thirty sweeps (twelve with moments) did not suffice.
    Auto = 0,
    /// Plain sweeps only.
    Sweeps = 1,
    /// Sweeps, accelerated where they converge slowly.
    Accelerated = 2,
    /// A direct method after eight sweeps, if memory for it is provided, and accelerated sweeps.
    Direct = 3,
}

/// How one contact is solved while the impulses of the others are fixed. Contacts with torsion or rolling are always
/// solved exactly.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalRule {
    /// Coulomb's problem itself, exactly.
    Exact = 0,
    /// Projection, then the normal impulse again with the friction held.
    HoldAndResolve = 1,
    /// Full solve, tangent scaled back into the cone. Wrong while sliding; for comparison.
    Projection = 2,
    /// Row by row, each tangent within a box.
    Box = 3,
}

/// How the bounce treats simultaneous impacts.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BounceMode {
    /// All normals as one problem; independent of contact order.
    Together = 0,
    /// One pass in order; cheap and order-dependent.
    Sequential = 1,
}

/// The order in which sweeps visit contacts.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepOrder {
    /// First to last, then last to first, and so on.
    Alternating = 0,
    /// Always first to last.
    Forward = 1,
    /// In islands of 64 contacts or more, first to last by colours: contacts of one colour share no movable body.
    Colours = 2,
}

/// How penetration is corrected.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionCorrection {
    /// Not at all.
    None = 0,
    /// By a second velocity that separates the bodies and never becomes kinetic energy.
    SplitImpulse = 1,
    /// By a separation speed added to the contact constraint. Adds energy: at most the work of that bias.
    Bias = 2,
}

/// Whether a solve treats all contacts together or island by island.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IslandMode {
    /// Everything together.
    Together = 0,
    /// Each island of touching bodies separately: each stops when it has converged.
    Separate = 1,
}

/// Settings of a solve, in SI units. Begin with those of `stiction_f32_settings()` and change what you need.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings<T> {
    /// Which methods may be used: one of StictionMethodChoice.
    pub method: u32,
    /// How one contact is solved: one of StictionLocalRule.
    pub local: u32,
    /// How simultaneous impacts bounce: one of StictionBounceMode.
    pub bounce: u32,
    /// The order of plain sweeps: one of StictionSweepOrder.
    pub order: u32,
    /// How penetration is corrected: one of StictionPositionCorrection.
    pub position_correction: u32,
    /// Together or by islands: one of StictionIslandMode. Steps always go by islands and do not read it.
    pub islands: u32,
    /// Maximum number of sweeps of the contact phase.
    pub sweeps: u32,
    /// Maximum number of factorisations of direct methods in an island; 0 disables them.
    pub factorisations: u32,
    /// Minimum number of sweeps, done even if the residual is below the tolerance from the start.
    pub min_sweeps: u32,
    /// Maximum number of sweeps of the bounce and of the split impulse.
    pub normal_sweeps: u32,
    /// Fraction of each local step taken, between 0 and 2; 1 is plain Gauss-Seidel.
    pub relaxation: T,
    /// The same for accelerated sweeps.
    pub accelerated_relaxation: T,
    /// The contact phase ends when the relative residual is below this; 0 runs all sweeps.
    pub tolerance: T,
    /// Approach speed above which a contact bounces, m/s.
    pub restitution_threshold: T,
    /// Fraction of the penetration corrected in a step.
    pub error_reduction: T,
    /// Penetration that is not corrected, m.
    pub slop: T,
    /// Largest speed at which penetration is corrected, m/s.
    pub max_correction_speed: T,
}

/// Settings of a step, in SI units. Begin with those of `stiction_f32_step_settings()` and change what you need.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepSettings<T> {
    /// Settings of its solves.
    pub solver: Settings<T>,
    /// Gravity, m/s^2.
    pub gravity: [T; 3],
    /// Gap up to which a manifold's point is a contact, m.
    pub contact_margin: T,
    /// Size of a cell of the contact cache, m.
    pub cache_cell: T,
    /// Number of equal substeps in a step, 1 to 1000.
    pub substeps: u32,
}

fn choice<C: Copy>(value: u32, field: &'static str, all: &[C]) -> Result<C, Fault> {
    all.get(value as usize).copied().ok_or(Fault::choice(field, value))
}

impl<T: Real> Settings<T> {
    /// As the C struct. Kernel enumerations have the same order as those above (a test compares them).
    pub fn from_kernel(settings: &stiction::Settings<T>) -> Self {
        Settings {
            method: settings.method as u32,
            local: settings.local as u32,
            bounce: settings.bounce as u32,
            order: settings.order as u32,
            position_correction: settings.position_correction as u32,
            islands: KernelMode::Together as u32,
            sweeps: settings.sweeps,
            factorisations: settings.factorisations,
            min_sweeps: settings.min_sweeps,
            normal_sweeps: settings.normal_sweeps,
            relaxation: settings.relaxation,
            accelerated_relaxation: settings.accelerated_relaxation,
            tolerance: settings.tolerance,
            restitution_threshold: settings.restitution_threshold,
            error_reduction: settings.error_reduction,
            slop: settings.slop,
            max_correction_speed: settings.max_correction_speed,
        }
    }

    /// As the kernel's type.
    pub fn to_kernel(&self) -> Result<stiction::Settings<T>, Fault> {
        use stiction::{BounceMode as M, LocalRule as L, MethodChoice as A, PositionCorrection as S, SweepOrder as O};
        Ok(stiction::Settings {
            method: choice(self.method, "method", &[A::Auto, A::Sweeps, A::Accelerated, A::Direct])?,
            local: choice(self.local, "local", &[L::Exact, L::HoldAndResolve, L::Projection, L::Box])?,
            bounce: choice(self.bounce, "bounce", &[M::Together, M::Sequential])?,
            order: choice(self.order, "order", &[O::Alternating, O::Forward, O::Colours])?,
            position_correction: choice(
                self.position_correction,
                "position_correction",
                &[S::None, S::SplitImpulse, S::Bias],
            )?,
            sweeps: self.sweeps,
            factorisations: self.factorisations,
            min_sweeps: self.min_sweeps,
            normal_sweeps: self.normal_sweeps,
            relaxation: self.relaxation,
            accelerated_relaxation: self.accelerated_relaxation,
            tolerance: self.tolerance,
            restitution_threshold: self.restitution_threshold,
            error_reduction: self.error_reduction,
            slop: self.slop,
            max_correction_speed: self.max_correction_speed,
        })
    }

    /// Whether to solve by islands.
    pub fn island_mode(&self) -> Result<KernelMode, Fault> {
        choice(self.islands, "islands", &[KernelMode::Together, KernelMode::Separate])
    }
}

impl<T: Real> StepSettings<T> {
    /// As the C struct.
    pub fn from_kernel(settings: &KernelStep<T>) -> Self {
        StepSettings {
            solver: Settings { islands: KernelMode::Separate as u32, ..Settings::from_kernel(&settings.solver) },
            gravity: settings.gravity.into(),
            contact_margin: settings.contact_margin,
            cache_cell: settings.cache_cell,
            substeps: settings.substeps,
        }
    }

    /// As the kernel's type.
    pub fn to_kernel(&self) -> Result<KernelStep<T>, Fault> {
        Ok(KernelStep {
            gravity: self.gravity.into(),
            substeps: self.substeps,
            contact_margin: self.contact_margin,
            cache_cell: self.cache_cell,
            solver: self.solver.to_kernel()?,
        })
    }
}
