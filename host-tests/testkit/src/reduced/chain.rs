//! Rigid rods in a plane, joined end to end by hinges; the first hangs by a hinge at the origin.
//!
//! `x` points to the right and `y` up; all axes of rotation are `z`. Rod `i` has the absolute angle `θᵢ` from hanging
//! down, positive from `y` down towards `x`, so turned about `+z`. Its direction is `e(θ) = (sin θ, −cos θ)`, its length
//! `lᵢ`, and its centre of mass lies `cᵢ` along it. With `bᵢⱼ = lⱼ` for `j < i`, `bᵢᵢ = cᵢ`, and 0 otherwise, the centre
//! of mass of rod `i` is at
//!
//! `rᵢ = Σⱼ bᵢⱼ e(θⱼ)`, so `ṙᵢ = Σⱼ bᵢⱼ θ̇ⱼ e'(θⱼ)`, and `e'(θⱼ)·e'(θₖ) = cos(θⱼ − θₖ)`.
//!
//! With `Aⱼₖ = Σᵢ mᵢ bᵢⱼ bᵢₖ + δⱼₖ Iⱼ` and `wⱼ = Σᵢ mᵢ bᵢⱼ`, kinetic and potential energy are
//!
//! `T = ½ Σⱼₖ Aⱼₖ cos(θⱼ − θₖ) θ̇ⱼ θ̇ₖ`, `V = −g Σⱼ wⱼ cos θⱼ`.
//!
//! Lagrange's equation `d/dt ∂T/∂θ̇ⱼ − ∂T/∂θⱼ + ∂V/∂θⱼ = 0`: the first term is
//! `Σₖ Aⱼₖ [cos(θⱼ − θₖ) θ̈ₖ − sin(θⱼ − θₖ)(θ̇ⱼ − θ̇ₖ) θ̇ₖ]`, the second `−Σₖ Aⱼₖ sin(θⱼ − θₖ) θ̇ⱼ θ̇ₖ` before its sign. The
//! products `θ̇ⱼ θ̇ₖ` cancel, and what remains is
//!
//! `Σₖ Aⱼₖ cos(θⱼ − θₖ) θ̈ₖ + Σₖ Aⱼₖ sin(θⱼ − θₖ) θ̇ₖ² + g wⱼ sin θⱼ = 0`,
//!
//! a linear system with a positive definite matrix for `θ̈`, solved by Cholesky's method.

use nalgebra::{DMatrix, DVector, Vector2};

use super::integrate::{Accuracy, advanced};

/// A rod of a chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rod {
    /// kg.
    pub mass: f64,
    /// From its upper to its lower hinge, m.
    pub length: f64,
    /// From its upper hinge to its centre of mass, along the rod, m.
    pub centre: f64,
    /// Moment of inertia about `z` through its centre of mass, kg m².
    pub inertia: f64,
}

impl Rod {
    /// A thin uniform rod of `mass` kg and `length` m.
    pub fn uniform(mass: f64, length: f64) -> Self {
        Rod { mass, length, centre: 0.5 * length, inertia: mass * length * length / 12.0 }
    }

    /// A point of `mass` kg at the end of a massless rod of `length` m.
    pub fn point(mass: f64, length: f64) -> Self {
        Rod { mass, length, centre: length, inertia: 0.0 }
    }

    /// How far along the rod it moves a centre of mass, m: its own, or that of a later rod.
    fn lever(&self, own: bool) -> f64 {
        if own { self.centre } else { self.length }
    }
}

/// Rods, and what their equations of motion are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    rods: Vec<Rod>,
    gravity: f64,
    /// `A`, kg m².
    coupling: DMatrix<f64>,
    /// `w`, kg m.
    weights: DVector<f64>,
}

/// Absolute angles of all rods and their rates.
#[derive(Debug, Clone, PartialEq)]
pub struct ChainState {
    /// Absolute angles from hanging down, rad.
    pub angles: Vec<f64>,
    /// rad/s.
    pub rates: Vec<f64>,
}

impl ChainState {
    /// At rest with these angles in rad.
    pub fn at_rest(angles: &[f64]) -> Self {
        ChainState { angles: angles.to_vec(), rates: vec![0.0; angles.len()] }
    }

    fn packed(&self) -> DVector<f64> {
        DVector::from_iterator(2 * self.angles.len(), self.angles.iter().chain(&self.rates).copied())
    }

    fn unpacked(packed: &DVector<f64>) -> Self {
        let (angles, rates) = packed.as_slice().split_at(packed.len() / 2);
        ChainState { angles: angles.to_vec(), rates: rates.to_vec() }
    }

    /// The largest difference of an angle from another state's, rad.
    pub fn distance(&self, other: &Self) -> f64 {
        self.angles.iter().zip(&other.angles).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}

impl Chain {
    /// Rods from the origin on, under `gravity` m/s² along `−y`.
    pub fn new(rods: &[Rod], gravity: f64) -> Self {
        let n = rods.len();
        let lever = |i: usize, j: usize| if j <= i { rods[j].lever(i == j) } else { 0.0 };
        let coupling = DMatrix::from_fn(n, n, |j, k| {
            let masses: f64 = (0..n).map(|i| rods[i].mass * lever(i, j) * lever(i, k)).sum();
            masses + if j == k { rods[j].inertia } else { 0.0 }
        });
        let weights = DVector::from_fn(n, |j, _| (0..n).map(|i| rods[i].mass * lever(i, j)).sum());
        Chain { rods: rods.to_vec(), gravity, coupling, weights }
    }

    /// The rods.
    pub fn rods(&self) -> &[Rod] {
        &self.rods
    }

    /// The mass matrix `Aⱼₖ cos(θⱼ − θₖ)`, kg m².
    fn mass_matrix(&self, angles: &[f64]) -> DMatrix<f64> {
        let n = self.rods.len();
        DMatrix::from_fn(n, n, |j, k| self.coupling[(j, k)] * (angles[j] - angles[k]).cos())
    }

    /// Rates of angles and angular velocities.
    fn change(&self, packed: &DVector<f64>) -> DVector<f64> {
        let n = self.rods.len();
        let (angles, rates) = packed.as_slice().split_at(n);
        let moments = DVector::from_fn(n, |j, _| {
            let turning = |k: usize| self.coupling[(j, k)] * (angles[j] - angles[k]).sin() * rates[k] * rates[k];
            -(0..n).map(turning).sum::<f64>() - self.gravity * self.weights[j] * angles[j].sin()
        });
        let factor = self.mass_matrix(angles).cholesky().expect("rods with mass have a positive definite mass matrix");
        let accelerations = factor.solve(&moments);
        DVector::from_iterator(2 * n, rates.iter().chain(accelerations.iter()).copied())
    }

    /// The state `time` s later, integrated as `accuracy` says.
    ///
    /// # Panics
    /// When there are not as many angles and rates as rods.
    pub fn after_with(&self, state: &ChainState, time: f64, accuracy: Accuracy) -> ChainState {
        assert!(state.angles.len() == self.rods.len() && state.rates.len() == self.rods.len(), "an angle for each rod");
        ChainState::unpacked(&advanced(&|packed| self.change(packed), &state.packed(), time, accuracy))
    }

    /// The state `time` s later.
    pub fn after(&self, state: &ChainState, time: f64) -> ChainState {
        self.after_with(state, time, Accuracy::FINE)
    }

    /// The states at `samples` multiples of `interval` s, and for each how far in rad another integration
    /// ([`Accuracy::OTHER`]) is from it: small until chaos has amplified rounding.
    pub fn sampled(&self, start: &ChainState, interval: f64, samples: usize) -> Vec<(ChainState, f64)> {
        let (mut fine, mut other) = (start.clone(), start.clone());
        let next = |_| {
            fine = self.after(&fine, interval);
            other = self.after_with(&other, interval, Accuracy::OTHER);
            (fine.clone(), fine.distance(&other))
        };
        (0..samples).map(next).collect()
    }

    /// Kinetic and potential energy in J; the potential is zero with all centres of mass at the origin's height.
    pub fn energy(&self, state: &ChainState) -> f64 {
        let rates = DVector::from_column_slice(&state.rates);
        let kinetic = 0.5 * rates.dot(&(self.mass_matrix(&state.angles) * &rates));
        let heights = state.angles.iter().zip(self.weights.iter()).map(|(angle, weight)| weight * angle.cos());
        kinetic - self.gravity * heights.sum::<f64>()
    }

    /// Centres of mass, m. The orientation of a rod is its angle about `z`.
    pub fn centres(&self, angles: &[f64]) -> Vec<Vector2<f64>> {
        let upper = self.hinges(angles);
        let parts = upper.iter().zip(angles).zip(&self.rods);
        parts.map(|((upper, angle), rod)| upper + direction(*angle) * rod.centre).collect()
    }

    /// The upper hinges of all rods and the lower end of the last, m: one more than rods.
    pub fn hinges(&self, angles: &[f64]) -> Vec<Vector2<f64>> {
        let mut hinges = vec![Vector2::zeros()];
        for (angle, rod) in angles.iter().zip(&self.rods) {
            hinges.push(hinges[hinges.len() - 1] + direction(*angle) * rod.length);
        }
        hinges
    }
}

fn direction(angle: f64) -> Vector2<f64> {
    Vector2::new(angle.sin(), -angle.cos())
}
