//! The oracle for jointed mechanisms against closed forms, conservation laws and itself with other steps.

use std::f64::consts::{PI, TAU};

use nalgebra::{DVector, Matrix3, Quaternion, UnitQuaternion, Vector2, Vector3};
use stiction_testkit::reduced::integrate::{Accuracy, advanced, equal_steps};
use stiction_testkit::reduced::{
    Chain, ChainState, Rod, Top, TopState, pendulum_angle, pendulum_period, physical_pendulum_period,
};

const G: f64 = 9.81;

fn degrees(angle: f64) -> f64 {
    angle.to_radians()
}

fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} and {b} differ by {:e}, more than {within:e}", (a - b).abs());
}

#[test]
fn the_period_has_its_known_values() {
    // K(sin 45°) = Γ(1/4)²/(4 √π), and the first terms of the series for small amplitudes.
    close(physical_pendulum_period(1.0, 0.5 * PI), 4.0 * 1.854_074_677_301_371_9, 4e-15);
    let small: f64 = 0.01;
    let series = 1.0 + small.powi(2) / 16.0 + 11.0 * small.powi(4) / 3072.0;
    close(physical_pendulum_period(TAU, small), series, 1e-14);
    close(pendulum_period(2.0, 8.0, 0.0), PI, 1e-15);
    // Close to the upper end it grows like a logarithm: K(k) → ln(4/k').
    let top = PI - 1e-6;
    close(physical_pendulum_period(4.0, top), (4.0 / (0.5 * top).cos()).ln(), 1e-9);
}

#[test]
fn a_swing_lasts_one_period_at_every_amplitude() {
    let chain = Chain::new(&[Rod::point(2.0, 0.7)], G);
    for amplitude in [10.0, 90.0, 170.0].map(degrees) {
        let (start, period) = (ChainState::at_rest(&[amplitude]), pendulum_period(0.7, G, amplitude));
        close(chain.after(&start, 0.25 * period).angles[0], 0.0, 1e-12);
        close(chain.after(&start, 0.5 * period).angles[0], -amplitude, 1e-12);
        let end = chain.after(&start, period);
        close(end.angles[0], amplitude, 1e-12);
        close(end.rates[0], 0.0, 1e-11);
    }
}

#[test]
fn a_chain_of_one_rod_is_a_physical_pendulum() {
    let rod = Rod { mass: 3.0, length: 1.3, centre: 0.4, inertia: 0.2 };
    let frequency = (rod.mass * G * rod.centre / (rod.inertia + rod.mass * rod.centre * rod.centre)).sqrt();
    let chain = Chain::new(&[rod], G);
    for amplitude in [10.0, 90.0, 170.0].map(degrees) {
        for time in [0.1, 1.0, 7.0] {
            let state = chain.after(&ChainState::at_rest(&[amplitude]), time);
            close(state.angles[0], pendulum_angle(frequency, amplitude, time), 1e-11);
        }
    }
    // A uniform rod swings like a point at two thirds of its length.
    let uniform = Chain::new(&[Rod::uniform(5.0, 1.5)], G).after(&ChainState::at_rest(&[2.0]), 3.0);
    close(
        uniform.angles[0],
        Chain::new(&[Rod::point(1.0, 1.0)], G).after(&ChainState::at_rest(&[2.0]), 3.0).angles[0],
        1e-11,
    );
}

#[test]
fn halved_steps_converge_with_the_order() {
    let rates = |state: &DVector<f64>| DVector::from_column_slice(&[state[1], -state[0].sin()]);
    let start = DVector::from_column_slice(&[2.0, 0.0]);
    let exact = pendulum_angle(1.0, 2.0, 3.0);
    for (columns, steps) in [(1, 400), (2, 40), (3, 16), (4, 10)] {
        let error = |steps: usize| (equal_steps(&rates, &start, 3.0, steps, columns)[0] - exact).abs();
        let order = (error(steps) / error(2 * steps)).log2();
        println!("{columns} columns: order {order:.2}, errors {:e} and {:e}", error(steps), error(2 * steps));
        close(order, 2.0 * columns as f64, 0.4);
    }
    for accuracy in [Accuracy::FINE, Accuracy::OTHER] {
        close(advanced(&rates, &start, 3.0, accuracy)[0], exact, 2e-13);
    }
}

fn double() -> Chain {
    Chain::new(
        &[
            Rod { mass: 1.0, length: 1.0, centre: 0.6, inertia: 0.1 },
            Rod { mass: 2.0, length: 0.5, centre: 0.2, inertia: 0.05 },
        ],
        G,
    )
}

fn ten() -> Chain {
    Chain::new(&[Rod::uniform(0.5, 0.3); 10], G)
}

#[test]
fn energy_is_constant() {
    let cases = [
        (double(), ChainState { angles: vec![2.5, -1.0], rates: vec![1.0, -6.0] }, 10.0),
        (ten(), ChainState::at_rest(&[0.5 * PI; 10]), 3.0),
    ];
    for (chain, start, time) in cases {
        let before = chain.energy(&start);
        for part in 1..=4 {
            let state = chain.after(&start, time * f64::from(part) / 4.0);
            close(chain.energy(&state), before, 1e-10);
        }
    }
}

#[test]
fn small_swings_of_a_double_pendulum_are_its_normal_modes() {
    // Two equal points on equal lengths: ω² = (2 ∓ √2) g/l, and the lower swings ±√2 times as far.
    let (length, small) = (0.8, 1e-5);
    let chain = Chain::new(&[Rod::point(1.5, length); 2], G);
    for sign in [1.0, -1.0] {
        let frequency = ((2.0 - sign * 2.0_f64.sqrt()) * G / length).sqrt();
        let ratio = sign * 2.0_f64.sqrt();
        for time in [0.3, 1.0, 4.0] {
            let state = chain.after(&ChainState::at_rest(&[small, small * ratio]), time);
            let expected = small * (frequency * time).cos();
            close(state.angles[0], expected, 1e-13);
            close(state.angles[1], expected * ratio, 1e-13);
        }
    }
}

#[test]
fn the_first_mode_of_many_short_rods_is_that_of_a_hanging_chain() {
    // Bernoulli: a heavy cord of length L has ω = j₀ √(g/L)/2, where j₀ is the first zero of J₀. The error of n rods is
    // of order 1/n².
    let frequency = |n: usize| {
        let rods = vec![Rod::uniform(1.0 / n as f64, 1.0 / n as f64); n];
        let chain = Chain::new(&rods, G);
        // Rayleigh's quotient in the cord's shape θ(s) = d/ds J₀(j₀ √(1 − s)): potential by kinetic energy.
        let angles: Vec<f64> = (0..n).map(|i| 1e-3 * slope((i as f64 + 0.5) / n as f64)).collect();
        let still = chain.energy(&ChainState::at_rest(&vec![0.0; n]));
        let potential = chain.energy(&ChainState::at_rest(&angles)) - still;
        let kinetic = chain.energy(&ChainState { angles: vec![0.0; n], rates: angles.clone() }) - still;
        (potential / kinetic).sqrt()
    };
    let exact = 2.404_825_557_695_773 * G.sqrt() / 2.0;
    close(frequency(40), exact, 2e-3);
    assert!((frequency(20) - exact).abs() < 0.5 * (frequency(10) - exact).abs());
}

/// `d/ds J₀(j₀ √(1 − s))` up to a factor, by the power series of J₀.
fn slope(s: f64) -> f64 {
    let quarter = 2.404_825_557_695_773_f64.powi(2) / 4.0;
    let (mut term, mut sum) = (quarter, 0.0);
    for k in 1..30 {
        sum += term;
        term *= -quarter * (1.0 - s) / (f64::from(k) * f64::from(k + 1));
    }
    sum
}

/// The principle of virtual work with differences of positions in place of the mass matrix:
/// `Σᵢ mᵢ (r̈ᵢ − g)·∂rᵢ/∂θⱼ + Iⱼ θ̈ⱼ = 0` for all `j`.
#[test]
fn motion_obeys_the_principle_of_virtual_work() {
    let h = 1e-3;
    for (chain, start) in [
        (double(), ChainState { angles: vec![2.5, -1.0], rates: vec![1.0, -6.0] }),
        (ten(), ChainState::at_rest(&[0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0])),
    ] {
        // Second derivatives from five points, with an error of order h⁴.
        let weights = [-1.0, 16.0, -30.0, 16.0, -1.0].map(|weight| weight / (12.0 * h * h));
        let states: Vec<ChainState> = (0..5).map(|i| chain.after(&start, 0.5 + h * f64::from(i))).collect();
        let centres: Vec<_> = states.iter().map(|state| chain.centres(&state.angles)).collect();
        let n = chain.rods().len();
        for j in 0..n {
            let moved = |by: f64| {
                let mut angles = states[2].angles.clone();
                angles[j] += by;
                chain.centres(&angles)
            };
            let (more, less) = (moved(1e-5), moved(-1e-5));
            let mut work = 0.0;
            let mut size = 0.0;
            for i in 0..n {
                let acceleration: Vector2<f64> = (0..5).map(|k| centres[k][i] * weights[k]).sum();
                let virtual_way = (more[i] - less[i]) / 2e-5;
                let part = chain.rods()[i].mass * (acceleration + Vector2::new(0.0, G)).dot(&virtual_way);
                work += part;
                size += part.abs();
            }
            let turning: f64 = (0..5).map(|k| states[k].angles[j] * weights[k]).sum();
            work += chain.rods()[j].inertia * turning;
            close(work, 0.0, 1e-6 * (1.0 + size));
        }
    }
}

#[test]
fn other_steps_give_the_same_motion() {
    for (chain, start, time) in
        [(double(), ChainState::at_rest(&[2.0, 2.5]), 3.0), (ten(), ChainState::at_rest(&[0.5 * PI; 10]), 2.0)]
    {
        let samples = chain.sampled(&start, time / 500.0, 500);
        let worst = samples.iter().map(|(_, error)| *error).fold(0.0, f64::max);
        // Were the two the same method with the same steps, nothing would differ.
        assert!(worst > 0.0);
        println!("{} rods: worst difference {worst:e} rad", chain.rods().len());
        assert!(worst < 1e-10, "{worst:e}");
    }
}

#[test]
fn without_gravity_angular_momentum_about_the_hinge_is_constant() {
    let chain = Chain::new(ten().rods(), 0.0);
    let start = ChainState { angles: (0..10).map(|i| f64::from(i).sin()).collect(), rates: vec![3.0; 10] };
    let momentum = |time: f64| {
        let state = chain.after(&start, time);
        let h = 1e-3;
        let moved = |by: f64| {
            let angles: Vec<f64> = state.angles.iter().zip(&state.rates).map(|(a, rate)| a + rate * by).collect();
            chain.centres(&angles)
        };
        let (more, less, at) = (moved(h), moved(-h), chain.centres(&state.angles));
        let (more_2, less_2) = (moved(2.0 * h), moved(-2.0 * h));
        let parts = chain.rods().iter().enumerate().map(|(i, rod)| {
            let velocity = ((more[i] - less[i]) * 8.0 - (more_2[i] - less_2[i])) / (12.0 * h);
            rod.mass * at[i].perp(&velocity) + rod.inertia * state.rates[i]
        });
        parts.sum::<f64>()
    };
    let before = momentum(0.0);
    assert!(before > 1.0);
    for time in [0.5, 1.0, 2.0] {
        close(momentum(time), before, 1e-7);
    }
}

fn top() -> Top {
    // The joint lies off all principal axes.
    Top {
        mass: 1.7,
        inertia: Matrix3::from_diagonal(&Vector3::new(0.02, 0.05, 0.04)),
        centre: Vector3::new(0.1, -0.3, 0.2),
        gravity: Vector3::new(0.0, -G, 0.0),
    }
}

fn thrown() -> TopState {
    TopState { orientation: Quaternion::new(0.5, 0.5, -0.5, 0.5), angular: Vector3::new(4.0, -3.0, 5.0) }
}

#[test]
fn a_heavy_top_keeps_energy_and_vertical_angular_momentum() {
    let (top, start) = (top(), thrown());
    let (energy, vertical) = (top.energy(&start), top.angular_momentum(&start).y);
    for time in [0.5, 2.0, 8.0] {
        let state = top.after(&start, time);
        close(top.energy(&state), energy, 1e-11);
        close(top.angular_momentum(&state).y, vertical, 1e-11);
        close(state.orientation.norm(), 1.0, 1e-12);
        assert!((state.angular - start.angular).norm() > 0.5, "it does move");
    }
    let (direct, in_parts) = (top.after(&start, 2.0), (0..7).fold(start, |state, _| top.after(&state, 2.0 / 7.0)));
    assert!((direct.orientation - in_parts.orientation).norm() < 1e-11);
}

#[test]
fn without_weight_all_angular_momentum_is_constant() {
    let top = Top { gravity: Vector3::zeros(), ..top() };
    let before = top.angular_momentum(&thrown());
    assert!((top.angular_momentum(&top.after(&thrown(), 5.0)) - before).norm() < 1e-12);
}

#[test]
fn a_symmetric_top_precesses_steadily() {
    // J₁ Ω² cos θ − J₃ s Ω + m g l = 0, where s is the spin about the axis in space and l the way up to the centre of mass.
    let (mass, lever, tilt) = (2.0, 0.3, 0.7_f64);
    let top = Top {
        mass,
        inertia: Matrix3::from_diagonal(&Vector3::new(0.03, 0.03, 0.05)),
        centre: Vector3::new(0.0, 0.0, lever),
        gravity: Vector3::new(0.0, 0.0, -G),
    };
    let (across, along, precession) = (0.03 + mass * lever * lever, 0.05, 3.0);
    let spin = (across * precession * precession * tilt.cos() + mass * G * lever) / (along * precession);
    let tilted = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), tilt);
    // ω has the precession's part across the axis, in the plane of the axis and the vertical.
    let start =
        TopState { orientation: tilted.into_inner(), angular: Vector3::new(0.0, precession * tilt.sin(), spin) };
    for time in [0.1, 1.0, 5.0] {
        let centre = top.centre_in_world(&top.after(&start, time));
        let turned = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), precession * time);
        assert!((centre - turned * top.centre_in_world(&start)).norm() < 1e-11);
    }
}

#[test]
fn a_top_that_swings_in_a_plane_is_a_pendulum() {
    let top = Top { centre: Vector3::new(0.0, -0.4, 0.0), ..top() };
    let frequency = (top.mass * G * 0.4 / (0.04 + top.mass * 0.16)).sqrt();
    let orientation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 1.2).into_inner();
    let state = top.after(&TopState { orientation, angular: Vector3::zeros() }, 0.9);
    let angle = 2.0 * state.orientation.k.atan2(state.orientation.w);
    close(angle, pendulum_angle(frequency, 1.2, 0.9), 1e-12);
}
