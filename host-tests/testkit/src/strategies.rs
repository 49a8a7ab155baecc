//! Random contact problems for property tests. Public: test your own contact code with them.
//!
//! ```
//! use proptest::prelude::*;
//! use stiction_testkit::strategies::{Shape, island};
//! proptest!(|(problem in island(Shape::default()))| {
//!     prop_assert!(!problem.contacts.is_empty());
//! });
//! ```

use nalgebra::{Matrix3, Rotation3, UnitVector3, Vector3};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use stiction::{Body, Contact, WarmStart};

use crate::island::Island;

/// What kind of islands to draw.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Most movable bodies.
    pub bodies: usize,
    /// Most contacts.
    pub contacts: usize,
    /// Ratio of the heaviest to the lightest mass.
    pub mass_ratio: f64,
    /// Largest friction coefficient.
    pub mu: f64,
    /// Whether contacts may bounce.
    pub bounce: bool,
    /// Warm starts up to this many N s; 0 for none.
    pub warm: f64,
    /// Whether body 0 is immovable ground.
    pub ground: bool,
    /// Gaps up to this, m.
    pub gap: f64,
}

impl Default for Shape {
    fn default() -> Self {
        Shape { bodies: 4, contacts: 8, mass_ratio: 100.0, mu: 1.0, bounce: true, warm: 0.0, ground: true, gap: 0.02 }
    }
}

/// Log-uniform between two positive numbers.
pub fn log_uniform(low: f64, high: f64) -> impl Strategy<Value = f64> + Clone {
    (low.ln()..=high.ln()).prop_map(f64::exp)
}

/// A vector with components in `-size..size`.
pub fn vector(size: f64) -> impl Strategy<Value = Vector3<f64>> + Clone {
    (-size..=size, -size..=size, -size..=size).prop_map(|(x, y, z)| Vector3::new(x, y, z))
}

/// A uniformly distributed unit vector.
pub fn direction() -> impl Strategy<Value = Vector3<f64>> + Clone {
    (-1.0..=1.0_f64, 0.0..std::f64::consts::TAU).prop_map(|(z, angle)| {
        let r = (1.0 - z * z).max(0.0).sqrt();
        Vector3::new(r * angle.cos(), r * angle.sin(), z)
    })
}

/// A rotation about a random axis.
pub fn rotation() -> impl Strategy<Value = Matrix3<f64>> + Clone {
    (direction(), 0.0..std::f64::consts::TAU)
        .prop_map(|(axis, angle)| *Rotation3::from_axis_angle(&UnitVector3::new_unchecked(axis), angle).matrix())
}

/// A movable body of about a metre, with mass between `1/√ratio` and `√ratio` kg.
pub fn body(mass_ratio: f64) -> impl Strategy<Value = Body<f64>> + Clone {
    let root = mass_ratio.sqrt();
    let gyration = (log_uniform(0.5, 20.0), log_uniform(0.5, 20.0), log_uniform(0.5, 20.0));
    (log_uniform(1.0 / root, root), gyration, rotation(), vector(5.0), vector(5.0)).prop_map(
        |(inverse_mass, (x, y, z), r, linear, angular)| {
            let inverse_inertia = r * Matrix3::from_diagonal(&Vector3::new(x, y, z)) * r.transpose() * inverse_mass;
            let inverse_inertia = (inverse_inertia + inverse_inertia.transpose()) * 0.5;
            Body {
                inverse_mass,
                inverse_inertia_world: inverse_inertia,
                linear_velocity: linear,
                angular_velocity: angular,
            }
        },
    )
}

/// A contact between two given bodies.
pub fn contact(a: usize, b: usize, shape: Shape) -> impl Strategy<Value = Contact<f64>> + Clone {
    let mu = prop_oneof![1 => Just(0.0), 9 => 0.0..=shape.mu];
    let restitution =
        if shape.bounce { prop_oneof![1 => Just(0.0), 1 => 0.0..=1.0].boxed() } else { Just(0.0).boxed() };
    // Now and then a warm start that pulls: it must be moved into the cone, not used as it is.
    let warm = (-0.2..=1.0_f64, vector(1.0));
    (direction(), vector(1.0), vector(1.0), mu, restitution, warm, -shape.gap..=0.02_f64).prop_map(
        move |(normal, r_a, r_b, mu, restitution, (warm_normal, warm_tangent), depth)| Contact {
            a,
            b,
            normal,
            r_a,
            r_b,
            mu,
            restitution,
            depth,
            pre_impact_normal_velocity: None,
            warm: WarmStart { normal_impulse: warm_normal * shape.warm, tangent_impulse: warm_tangent * shape.warm },
        },
    )
}

/// Bodies joined by random contacts. With ground, body 0 is immovable.
pub fn island(shape: Shape) -> impl Strategy<Value = Island> {
    let least = if shape.ground { 1 } else { 2 };
    (prop::collection::vec(body(shape.mass_ratio), least..=shape.bodies.max(least)), 1..=shape.contacts)
        .prop_flat_map(move |(mut bodies, count)| {
            if shape.ground {
                bodies.insert(0, Body::fixed());
            }
            let n = bodies.len();
            let pair = (0..n, 1..n).prop_map(move |(a, step)| (a, (a + step) % n));
            let contacts = prop::collection::vec(pair.prop_flat_map(move |(a, b)| contact(a, b, shape)), count);
            (Just(bodies), contacts)
        })
        .prop_map(|(bodies, contacts)| Island { bodies, contacts })
}

/// Runs a property over a fixed number of cases, the same ones every time.
pub fn check<S: Strategy>(cases: u32, strategy: S, property: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    if let Err(error) = runner.run(&strategy, property) {
        panic!("{error}");
    }
}
