//! Every tolerance of the property tests, once, with its reason. Units: multiples of the case's own scale.

use stiction::Real;

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Tolerance {
    /// What is compared.
    pub law: &'static str,
    /// In double precision.
    pub double: f64,
    /// In single precision.
    pub single: f64,
    /// Why it is not smaller.
    pub reason: &'static str,
}

/// The table.
pub const TABLE: &[Tolerance] = &[
    Tolerance {
        law: "cone membership",
        double: 1e-15,
        single: 5e-7,
        reason: "impulses are moved into the cone in contact axes and rotated into world axes by a frame that is orthonormal to rounding",
    },
    Tolerance {
        law: "moment bounds",
        double: 4e-15,
        single: 2e-6,
        reason: "as cone membership, in tangents along a tread whose direction is up to 70° off the tangent plane, and relative to the whole vector: a small bound beside a large one has the rounding of the large",
    },
    Tolerance {
        law: "law of moments",
        double: 2e-8,
        single: 2e-4,
        reason: "twenty times the default tolerance: the residual is one number for an island, a violation one of a contact",
    },
    Tolerance {
        law: "momentum",
        double: 1e-13,
        single: 1e-5,
        reason: "both bodies get the same impulse, each rounded on its own at every sweep",
    },
    Tolerance {
        law: "swap",
        double: 1e-12,
        single: 2e-5,
        reason: "another tangent frame: rounding differs in every local step, and sweeps amplify it by the conditioning of the island",
    },
    Tolerance {
        law: "rotated world",
        double: 1e-12,
        single: 2e-5,
        reason: "as swap, and inertia and arms are rounded again",
    },
    Tolerance {
        law: "guarded",
        double: 1e-9,
        single: 2e-3,
        reason: "where the guard acts at its limit, rounding decides whether it cuts 0, 64 ε or 64² ε off the step",
    },
    Tolerance { law: "rotated tangents", double: 1e-12, single: 2e-5, reason: "as swap" },
    Tolerance {
        law: "solved stays solved",
        double: 1e-9,
        single: 5e-3,
        reason: "the residual that the first solve stopped at, times the conditioning of the island",
    },
    Tolerance {
        law: "passivity",
        double: 1e-12,
        single: 1e-5,
        reason: "rounding of the velocities themselves, relative to the energy before",
    },
    Tolerance {
        law: "exact is best",
        double: 16.0 * f64::EPSILON,
        single: 16.0 * f32::EPSILON as f64,
        reason: "times the condition number: the rounding that the exact rule is allowed",
    },
    Tolerance {
        law: "delassus form",
        double: 1e-12,
        single: 2e-5,
        reason: "the Delassus matrix is rounded once, the bodies' rows separately; sweeps amplify the difference",
    },
];

/// A law's tolerance in a precision.
///
/// # Panics
/// If [`TABLE`] has no such law.
pub fn of<T: Real>(law: &str) -> f64 {
    let row = TABLE.iter().find(|row| row.law == law).expect("a law in the table");
    if T::EPSILON.to_f64() > 1e-10 { row.single } else { row.double }
}
