//! Where a step's energy went.
//!
//! Each substep, of length `h`, first lets gravity `g` and loads `F` act, `v' = v + h(g + F/m)`, then contacts,
//! `v' → v''`, and moves everything, `x ← x + h(v̄ + v_c)`, with `v_c` the velocity that corrects positions and `v̄ = v''`
//! for bodies that contacts hold, `v̄ = v'' − ½(v' − v)` for those that fly. A substep in which something bounces is
//! divided at the touch. Of each entry the sum over all substeps is booked:
//!
//! ```text
//! load          h F·(v + v')/2 + h τ·(ω + ω')/2
//! integration   h m g·(v + v')/2 − h m g·v̄            kinetic energy from gravity minus potential energy of the fall
//! bounce        ½ p·(u⁰ + u¹)                         ≤ 0
//! friction      ½ λ_t·(u⁰ + u¹)_t
//! normal        the contacts' change of kinetic energy less friction; both together ≤ 0 unless something drives
//! position correction h m g·(−v_c), and the energy change of a spin when a body of unequal inertia is rotated
//! ```
//!
//! In large islands whose substeps are not solved, friction is booked once a step (see `small_steps`).
//!
#![doc = include_str!("../../figures/ledger.svg")]
//!
//! and `ΔK + ΔU` is their sum. Rotating freely changes the energy only by rounding (see `free_rotation`).
//!
//! Bound: without loads, bounces and position correction, `ΔK + ΔU ≤ 0` for solved contacts, because then
//! `normal + friction + integration = −½‖v'' − v‖²_M` plus work that friction and closing gaps take. A solve that ended
//! at its sweep limit or deadline is still passive in `K`, but its remaining error may lift bodies: `integration` then
//! exceeds the work of the contacts. The report's status shows this.
//!
//! *Integration* is only rounding in flight. For a body at rest it is `+½ m g² h²`, from the speed that gravity adds at
//! the substep's start, and *normal* removes it again. A bounce happens at the touch, so its work is exactly the loss
//! `−½ m (1 − e²) (u⁻)²`.
use crate::math::real::Real;

/// Energies in J at the ends of a step, and the work of each of its parts.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::PointId;
/// # use stiction::{Manifold, ManifoldPoint, Material};
/// # use stiction::{Pipeline, RigidBody, StepSettings, World};
/// # let mut world = World::<f64, 2>::new();
/// # world.push(RigidBody::fixed())?;
/// # let linear = Vector3::new(0.0, 0.0, -2.0);
/// # world.push(RigidBody { linear_velocity: linear, ..RigidBody::from_mass(1.0, Matrix3::identity()) })?;
/// # let mut manifold = Manifold::new(0, 1, Vector3::z());
/// # manifold.material = Some(Material { mu: 0.0, restitution: 0.5 });
/// # let at = Vector3::zeros();
/// # manifold.points.push(ManifoldPoint { on_a: at, on_b: at, depth: 0.0, id: PointId::Feature(0) });
/// # let mut pipeline = Pipeline::<f64, 2, 1>::new(StepSettings::default());
/// // A ball of 1 kg hits the ground at 2 m/s with restitution 0.5: of 2 J, a quarter is left.
/// let ledger = pipeline.step(&mut world, stiction::manifolds(&[manifold]), 1.0 / 60.0)?.ledger;
/// assert!((ledger.bounce + 1.5).abs() < 1e-9);
/// assert!((ledger.change() - ledger.work()).abs() < 1e-9); // no remainder
/// assert!(ledger.closure() < 1e-12);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Ledger<T> {
    /// Kinetic energy before.
    pub kinetic_before: T,
    /// Kinetic energy after.
    pub kinetic_after: T,
    /// Potential energy before, zero at the origin.
    pub potential_before: T,
    /// Potential energy after.
    pub potential_after: T,
    /// Work of external forces and torques.
    pub load: T,
    /// First-order error of the time step under gravity.
    pub integration: T,
    /// Work of the bounce.
    pub bounce: T,
    /// Work of the normal impulses of the contact phase.
    pub normal: T,
    /// Work of friction.
    pub friction: T,
    /// Work of position correction.
    pub position_correction: T,
}

impl<T: Real> Ledger<T> {
    /// A ledger at the start of a step.
    pub(crate) const fn open(kinetic: T, potential: T) -> Self {
        Ledger {
            kinetic_before: kinetic,
            kinetic_after: kinetic,
            potential_before: potential,
            potential_after: potential,
            load: T::ZERO,
            integration: T::ZERO,
            bounce: T::ZERO,
            normal: T::ZERO,
            friction: T::ZERO,
            position_correction: T::ZERO,
        }
    }

    /// Adds the ledger of the step that followed.
    pub fn append(&mut self, next: &Self) {
        self.kinetic_after = next.kinetic_after;
        self.potential_after = next.potential_after;
        self.load += next.load;
        self.integration += next.integration;
        self.bounce += next.bounce;
        self.normal += next.normal;
        self.friction += next.friction;
        self.position_correction += next.position_correction;
    }

    /// Change of kinetic and potential energy together.
    pub fn change(&self) -> T {
        (self.kinetic_after - self.kinetic_before) + (self.potential_after - self.potential_before)
    }

    /// Work of all parts.
    pub fn work(&self) -> T {
        self.load + self.integration + self.bounce + self.normal + self.friction + self.position_correction
    }

    /// How far the ledger is from closing, relative to the largest entry in it.
    pub fn closure(&self) -> T {
        let entries = [
            self.kinetic_before,
            self.kinetic_after,
            self.potential_before,
            self.potential_after,
            self.load,
            self.integration,
            self.bounce,
            self.normal,
            self.friction,
            self.position_correction,
        ];
        let largest = entries.into_iter().fold(T::ZERO, |max, entry| crate::math::real::larger(max, entry.abs()));
        if largest > T::ZERO { (self.change() - self.work()).abs() / largest } else { T::ZERO }
    }
}
