//! The two-phase solve on problems with analytic answers: bounce, contact, coupling, bias, energies.

use nalgebra::{Matrix3, Vector3};
use stiction::Hooks;
use stiction::local::Cone;
use stiction::{
    Body, BounceMode, Contact, ContactConstraint, ContactOutcome, ContactState, LocalRule, Method, MethodChoice,
    PositionCorrection, Real, Settings, Solver, Status, Twist, WarmStart,
};
use stiction::{Delassus, DelassusSolver};
use stiction_testkit::capacity::Solved;
use stiction_testkit::island::{Island, kinetic_energy};
use stiction_testkit::known_answers::*;

fn tight() -> Settings<f64> {
    Settings { tolerance: 1e-14, sweeps: 500, ..Settings::default() }
}

fn solve(island: &Island) -> Solved<f64> {
    island.solve(&tight()).expect("a valid problem")
}

/// A ball of 2 kg that falls on the ground at 3 m/s.
fn falling_ball(restitution: f64, mu: f64) -> Island {
    let mut island = thrown_sphere(0.0, 3.0, mu, restitution);
    island.bodies[1].inverse_mass = 0.5;
    island.bodies[1].inverse_inertia_world = sphere_inverse_inertia(2.0, 1.0);
    island
}

fn energies(island: &Island, solved: &Solved<f64>) -> (f64, f64) {
    let before: Vec<_> = island.bodies.iter().map(|b| (b.linear_velocity, b.angular_velocity)).collect();
    (kinetic_energy(&island.bodies, &before), kinetic_energy(&island.bodies, &solved.velocities))
}

#[test]
fn a_bouncing_contact_leaves_at_restitution_times_its_approach() {
    for e in [0.1, 0.5, 0.9, 1.0] {
        let solved = solve(&falling_ball(e, 0.0));
        assert!((solved.velocities[1].0.z - 3.0 * e).abs() <= 1e-14);
        // Impulse m (1 + e) v, all of it in the bounce.
        assert!((solved.contacts[0].bounce_impulse - 2.0 * (1.0 + e) * 3.0).abs() <= 1e-13);
        assert_eq!(solved.contacts[0].normal_impulse, 0.0);
    }
}

#[test]
fn a_resting_contact_gets_no_bounce() {
    let solved = solve(&falling_ball(0.0, 0.5));
    assert_eq!((solved.contacts[0].bounce_impulse, solved.report.bounce_sweeps), (0.0, 0));
    assert!((solved.contacts[0].normal_impulse - 6.0).abs() <= 1e-13);
    assert!(solved.velocities[1].0.z.abs() <= 1e-14);
}

#[test]
fn a_separating_contact_gets_no_impulse() {
    let mut island = falling_ball(0.8, 0.5);
    island.bodies[1].linear_velocity.z = 1.0;
    let solved = solve(&island);
    assert_eq!((solved.contacts[0].bounce_impulse, solved.contacts[0].normal_impulse), (0.0, 0.0));
    assert_eq!(solved.velocities[1].0.z, 1.0);
    assert_eq!(solved.contacts[0].state, ContactState::Open);
}

#[test]
fn four_corners_bounce_together_in_any_order() {
    let mut island = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -2.0), 0.3, 0.7);
    for _ in 0..4 {
        island.contacts.rotate_left(1);
        let (v, w) = solve(&island).velocities[1];
        assert!((v - Vector3::new(0.0, 0.0, 1.4)).norm() <= 1e-12 && w.norm() <= 1e-12);
    }
}

#[test]
fn sequential_bounce_depends_on_contact_order() {
    let island = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -3.0), 0.5, 0.5);
    let settings = Settings { bounce: BounceMode::Sequential, ..tight() };
    let (v, w) = island.solve(&settings).unwrap().velocities[1];
    assert!(w.norm() > 0.1 && (v.z - 1.5).abs() > 0.01);
}

#[test]
fn restitution_never_enters_the_contact_phase() {
    // Below the threshold nothing bounces: full restitution ends at rest, not at e·v.
    let mut island = falling_ball(1.0, 0.5);
    island.bodies[1].linear_velocity.z = -0.4;
    let solved = solve(&island);
    assert_eq!(solved.contacts[0].bounce_impulse, 0.0);
    assert!(solved.velocities[1].0.z.abs() <= 1e-15);
    // Above it, the contact phase adds nothing along the normal.
    assert_eq!(solve(&falling_ball(1.0, 0.5)).contacts[0].normal_impulse, 0.0);
}

#[test]
fn a_given_pre_impact_velocity_replaces_the_measured_one() {
    let mut island = falling_ball(0.5, 0.0);
    island.contacts[0].pre_impact_normal_velocity = Some(-2.0);
    assert!((solve(&island).velocities[1].0.z - 1.0).abs() <= 1e-14);
    // Even a given velocity that is faster than the fall cannot add energy.
    island.contacts[0].restitution = 1.0;
    island.contacts[0].pre_impact_normal_velocity = Some(-9.0);
    let solved = solve(&island);
    assert!(solved.report.passivity_guard && (solved.velocities[1].0.z - 3.0).abs() <= 1e-12);
}

#[test]
fn the_bounce_uses_the_velocity_before_the_warm_start() {
    let mut island = falling_ball(0.5, 0.0);
    island.contacts[0].warm = WarmStart { normal_impulse: 100.0, tangent_impulse: Vector3::zeros() };
    let solved = solve(&island);
    assert!((solved.contacts[0].bounce_impulse - 9.0).abs() <= 1e-13);
    assert!((solved.velocities[1].0.z - 1.5).abs() <= 1e-12);
}

#[test]
fn an_impact_loses_one_minus_e_squared_of_its_energy() {
    for e in [1.0, 0.6] {
        let island = falling_ball(e, 0.0);
        let (before, after) = energies(&island, &solve(&island));
        assert!((after - e * e * before).abs() <= 1e-13 * before);
    }
}

/// Four corners hit at once, with and without sliding and rotation.
#[test]
fn friction_at_four_corners_only_takes_from_the_energy_of_a_bounce() {
    for e in [1.0, 0.6] {
        let flat = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -3.0), 0.5, e);
        let (before, after) = energies(&flat, &solve(&flat));
        assert!((after - e * e * before).abs() <= 1e-12 * before, "{after}");
        for spin in [0.0, 2.0] {
            let at = |mu: f64| {
                let mut island = cube_on_ground(1.0, Vector3::new(4.0, 1.0, -3.0), mu, e);
                island.bodies[1].angular_velocity = Vector3::new(spin, 0.5 * spin, 0.3 * spin);
                let solved = solve(&island);
                (energies(&island, &solved), solved.report)
            };
            let ((before, bounced), _) = at(0.0);
            let ((_, after), report) = at(0.5);
            assert!(bounced <= before * (1.0 + 1e-14) && (e < 1.0 || bounced >= before * (1.0 - 1e-13)));
            assert!(report.method != Method::ActiveSet && report.friction_work < -1.0, "{report:?}");
            // What friction takes comes off the energy that the bounce leaves, and nothing is given back.
            assert!(after < bounced - 1.0 && (after - bounced - report.contact_work).abs() <= 1e-12 * before);
        }
    }
}

#[test]
fn equal_masses_exchange_velocities_and_keep_momentum() {
    let solved = solve(&head_on([1.0, 1.0], [2.0, -1.0], 1.0, 0.5));
    assert!((solved.velocities[0].0.x + 1.0).abs() <= 1e-14);
    assert!((solved.velocities[1].0.x - 2.0).abs() <= 1e-14);
    // λ = (1 + e) m* v_rel with the reduced mass m* = 1/2.
    assert!((solved.contacts[0].bounce_impulse - 3.0).abs() <= 1e-14);
    let solved = solve(&head_on([1.0, 3.0], [2.0, -1.0], 0.5, 0.5));
    let momentum = solved.velocities[0].0.x + 3.0 * solved.velocities[1].0.x;
    assert!((momentum + 1.0).abs() <= 1e-13);
}

#[test]
fn the_cone_clamps_separating_sticking_and_sliding_impulses() {
    let cone = Cone { mu: 0.5, preload: 0.0 };
    assert_eq!(cone.clamp(&Vector3::new(-1.0, 3.0, 4.0)), Vector3::zeros());
    let inside = Vector3::new(10.0, 3.0, 3.9);
    assert_eq!(cone.clamp(&inside), inside);
    assert!((cone.clamp(&Vector3::new(10.0, 6.0, 8.0)) - Vector3::new(10.0, 3.0, 4.0)).norm() <= 1e-15);
    // The nearest point, by contrast, also moves along the normal, and the polar cone goes to 0.
    let nearest = cone.project(&Vector3::new(10.0, 6.0, 8.0));
    assert!((nearest - Vector3::new(12.0, 3.6, 4.8)).norm() <= 1e-14);
    assert_eq!(cone.project(&Vector3::new(-5.0, 3.0, 4.0)), Vector3::zeros());
}

#[test]
fn an_axis_aligned_slide_has_kinetic_friction_and_no_lift() {
    let solved = solve(&sliding_cube(5.0, 0.0, 0.4));
    let v = solved.velocities[1].0;
    assert!(v.z.abs() <= 1e-12);
    assert!((v.x - (5.0 - 0.4 * GRAVITY * DT)).abs() <= 1e-12, "v_x = {}", v.x);
    let on_rim = |c: &ContactOutcome<f64>| (c.tangent_impulse.norm() - 0.4 * c.normal_impulse).abs() <= 1e-13;
    assert!(solved.contacts.iter().all(on_rim));
}

#[test]
fn an_oblique_slide_has_opposing_friction_and_no_lift() {
    let solved = solve(&sliding_cube(6.0, std::f64::consts::FRAC_PI_4, 0.5));
    let v = solved.velocities[1].0;
    let expected = (6.0 - 0.5 * GRAVITY * DT) * std::f64::consts::FRAC_1_SQRT_2;
    assert!((v - Vector3::new(expected, expected, 0.0)).norm() <= 1e-12);
}

#[test]
fn a_bounce_with_slide_has_the_bounce_speed_and_coulomb_friction() {
    let (e, mu) = (0.6, 0.3);
    let solved = solve(&cube_on_ground(1.0, Vector3::new(4.0, 0.0, -2.0), mu, e));
    let (v, _) = solved.velocities[1];
    // While sliding all the way, friction takes μ (1 + e) m v_z; four corners share it.
    assert!((solved.contacts.iter().map(|c| c.bounce_impulse).sum::<f64>() - (1.0 + e) * 2.0).abs() <= 1e-12);
    let total: f64 = solved.contacts.iter().map(|c| c.bounce_impulse + c.normal_impulse).sum();
    let friction: f64 = -solved.contacts.iter().map(|c| c.tangent_impulse.x).sum::<f64>();
    assert!((friction / (mu * total) - 1.0).abs() <= 1e-12, "{friction} of {}", mu * total);
    assert!((v.x - (4.0 - friction)).abs() <= 1e-12 && v.z >= 1.2 - 1e-12);
}

#[test]
fn a_box_sliding_down_a_ramp_has_steady_normal_impulse_over_frames() {
    let angle = 30.0_f64.to_radians();
    let mut island = cube_on_ramp(angle, 1.0, 0.3);
    let gravity = Vector3::new(0.0, 0.0, -GRAVITY * DT);
    for _ in 0..60 {
        let solved = solve(&island);
        let normal: f64 = solved.contacts.iter().map(|c| c.normal_impulse).sum();
        assert!((normal / (2.0 * GRAVITY * angle.cos() * DT) - 1.0).abs() <= 1e-9);
        for (contact, outcome) in island.contacts.iter_mut().zip(&solved.contacts) {
            contact.warm =
                WarmStart { normal_impulse: outcome.normal_impulse, tangent_impulse: outcome.tangent_impulse };
        }
        (island.bodies[1].linear_velocity, island.bodies[1].angular_velocity) = solved.velocities[1];
        island.bodies[1].linear_velocity += gravity;
    }
    // a = g (sin θ − μ cos θ) for one second.
    let expected = 1.0 + 60.0 * GRAVITY * DT * (angle.sin() - 0.3 * angle.cos());
    let downhill = Vector3::new(angle.cos(), 0.0, -angle.sin());
    let speed = (island.bodies[1].linear_velocity - gravity).dot(&downhill);
    assert!((speed / expected - 1.0).abs() <= 1e-9, "{speed} {expected}");
}

#[test]
fn sixty_frames_at_rest_gain_no_energy_and_need_under_five_sweeps() {
    let mut island = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -GRAVITY * DT), 0.5, 0.5);
    let settings = Settings::<f64>::default();
    let mut sweeps = Vec::new();
    for _ in 0..60 {
        let solved = island.solve(&settings).unwrap();
        let (before, after) = energies(&island, &solved);
        assert!(after <= before && after < 1e-16, "{after}");
        sweeps.push(solved.report.sweeps);
        for (contact, outcome) in island.contacts.iter_mut().zip(&solved.contacts) {
            contact.warm =
                WarmStart { normal_impulse: outcome.normal_impulse, tangent_impulse: outcome.tangent_impulse };
        }
        (island.bodies[1].linear_velocity, island.bodies[1].angular_velocity) = solved.velocities[1];
        island.bodies[1].linear_velocity.z -= GRAVITY * DT;
    }
    assert!(sweeps[1..].iter().all(|s| *s < 5), "{sweeps:?}");
}

/// Every frame is another problem: the cube slows down. The impulses persist.
#[test]
fn sixty_frames_of_a_slide_need_under_five_sweeps_when_started_warm() {
    let mut island = sliding_cube(6.0, 0.3, 0.5);
    let settings = Settings::<f64>::default();
    let cold = island.solve(&settings).unwrap().report.sweeps;
    let mut sweeps = Vec::new();
    for _ in 0..60 {
        let solved = island.solve(&settings).unwrap();
        assert_eq!(solved.report.status, Status::Converged);
        sweeps.push(solved.report.sweeps);
        for (contact, outcome) in island.contacts.iter_mut().zip(&solved.contacts) {
            contact.warm =
                WarmStart { normal_impulse: outcome.normal_impulse, tangent_impulse: outcome.tangent_impulse };
        }
        (island.bodies[1].linear_velocity, island.bodies[1].angular_velocity) = solved.velocities[1];
        island.bodies[1].linear_velocity.z -= GRAVITY * DT;
    }
    println!("cold {cold}, then {sweeps:?}");
    assert!(cold > 10 && sweeps[1..].iter().all(|s| *s < 5), "{sweeps:?}");
    assert!((island.bodies[1].linear_velocity.norm() - 6.0).abs() > 1.0);
}

/// A sphere of 1 kg and radius 0.5 on four points around its lowest one.
#[test]
fn a_sphere_that_lands_on_four_points_gets_no_spin() {
    for (e, speed) in [(0.0, 3.0), (0.5, 3.0), (1.0, 3.0), (0.5, 0.3)] {
        let point = |x, y| {
            let r_b = Vector3::new(x, y, -0.5);
            Contact { restitution: e, ..Contact::new(0, 1, Vector3::z(), r_b, r_b, 0.5) }
        };
        let ball = Body {
            linear_velocity: Vector3::new(0.0, 0.0, -speed),
            ..Body::from_inverse(1.0, sphere_inverse_inertia(1.0, 0.5))
        };
        let d = 0.05;
        let contacts = vec![point(d, d), point(-d, d), point(-d, -d), point(d, -d)];
        let solved = solve(&Island { bodies: vec![Body::fixed(), ball], contacts });
        let (v, w) = solved.velocities[1];
        let bounce = if speed > 0.5 { e * speed } else { 0.0 };
        assert!((v - Vector3::new(0.0, 0.0, bounce)).norm() <= 1e-11 && w.norm() <= 1e-11, "{e}: {v:?} {w:?}");
    }
}

#[test]
fn an_oblique_impact_with_strong_coupling_gains_no_energy() {
    // A long rod, end first, shallow and rough: friction torques press it into the ground.
    let inverse_inertia = Matrix3::from_diagonal(&Vector3::new(0.75, 0.75, 50.0));
    let rod = Body {
        linear_velocity: Vector3::new(8.0, 0.0, -1.0),
        angular_velocity: Vector3::new(0.0, 3.0, 0.0),
        ..Body::from_inverse(1.0, inverse_inertia)
    };
    for r in [Vector3::new(1.5, 0.0, -1.0), Vector3::new(-1.5, 0.0, -1.0), Vector3::new(0.3, 0.8, -1.6)] {
        for e in [0.0, 0.5, 1.0] {
            let contact = Contact { restitution: e, ..Contact::new(0, 1, Vector3::z(), r, r, 1.2) };
            let island = Island { bodies: vec![Body::fixed(), rod], contacts: vec![contact] };
            let solved = solve(&island);
            let (before, after) = energies(&island, &solved);
            assert!(after <= before * (1.0 + 1e-14), "{before} -> {after}");
            assert!(solved.report.residual.natural <= 1e-14);
        }
    }
}

#[test]
fn normal_impulses_are_never_negative_and_a_lifted_corner_is_open() {
    let mut island = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -1.0), 0.5, 0.0);
    island.bodies[1].angular_velocity = Vector3::new(0.0, 4.0, 0.0);
    let solved = solve(&island);
    assert!(solved.contacts.iter().all(|c| c.normal_impulse >= 0.0));
    assert!(solved.contacts.iter().any(|c| c.state == ContactState::Open));
}

/// By the change of the impulses between two sweeps, in N s. The residual of this project is stricter and needs a few
/// sweeps more.
#[test]
fn ten_sweeps_over_a_resting_cube_with_friction_end_with_a_change_below_1e_minus_4() {
    for mu in [0.1, 0.3, 0.5, 1.0] {
        let island = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -GRAVITY * DT), mu, 0.0);
        let after = |sweeps| {
            let fixed = Settings { sweeps, tolerance: 0.0, method: MethodChoice::Sweeps, ..Settings::default() };
            let solved = island.solve(&fixed).unwrap();
            assert_eq!((solved.report.method, solved.report.sweeps), (Method::BlockPgs, sweeps));
            solved.contacts
        };
        let difference = |a: &ContactOutcome<f64>, b: &ContactOutcome<f64>| {
            (a.normal_impulse - b.normal_impulse).powi(2) + (a.tangent_impulse - b.tangent_impulse).norm_squared()
        };
        let change: f64 = after(9).iter().zip(&after(10)).map(|(a, b)| difference(a, b)).sum();
        let settings = Settings { tolerance: 1e-4, method: MethodChoice::Sweeps, ..Settings::default() };
        let report = island.solve(&settings).unwrap().report;
        println!("mu {mu}: changes by {:.1e} N s, residual of 1e-4 after {} sweeps", change.sqrt(), report.sweeps);
        assert!(change.sqrt() < 1e-4);
        assert!(report.status == Status::Converged && report.sweeps <= 14);
    }
}

#[test]
fn an_immovable_body_keeps_zero_velocity_under_an_impulse() {
    let solved = solve(&falling_ball(0.5, 0.5));
    assert_eq!(solved.velocities[0], (Vector3::zeros(), Vector3::zeros()));
}

#[test]
fn effective_mass_and_contact_coupling_match_analytic_values() {
    let contact = Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::new(0.5, 0.0, -0.5), 0.5);
    let inertia = cube_inverse_inertia(1.0);
    let k = ContactConstraint::new(&contact).unwrap().effective_mass((0.0, &Matrix3::zeros()), (1.0, &inertia));
    // 1/m + (r×n)ᵀ I⁻¹ (r×n) with r×n = (0, −0.5, 0).
    assert!((k[(0, 0)] - (1.0 + 6.0 * 0.25)).abs() <= 1e-15);
    // K_nt along x: (r×n)·I⁻¹(r×t1) with r×x = (0, −0.5, 0).
    assert!((k[(0, 1)] - 6.0 * 0.25).abs() <= 1e-15 && k[(0, 2)].abs() <= 1e-15);
}

/// `W` of two points of a unit cube of 1 kg, in world axes: the velocity at `i` by a unit impulse at `j`. Its inverse
/// inertia is 6, so this is `P + 6 (r_j×P)×r_i`.
fn cube_response(i: &Vector3<f64>, j: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::identity() * (1.0 + 6.0 * i.dot(j)) - j * i.transpose() * 6.0
}

fn in_world(contact: &ContactOutcome<f64>) -> Vector3<f64> {
    Vector3::z() * (contact.normal_impulse + contact.bounce_impulse) + contact.tangent_impulse
}

/// In one sweep each contact sees the impulses of those before it through the solver's own rows: the impulses satisfy
/// `K_ii x_i = −u_i − Σ W_ij x_j` over them, with `W` in closed form.
#[test]
fn one_sweep_couples_contacts_by_the_off_diagonal_blocks_of_their_body() {
    let velocity = Vector3::new(0.3, -0.2, -1.0);
    let mut island = cube_on_ground(1.0, velocity, 1e3, 0.0);
    let settings = Settings { sweeps: 1, tolerance: 0.0, method: MethodChoice::Sweeps, ..Settings::default() };
    for first in 0..4 {
        island.contacts.rotate_left(first);
        let arms: Vec<Vector3<f64>> = island.contacts.iter().map(|contact| contact.r_b).collect();
        let x: Vec<Vector3<f64>> = island.solve(&settings).unwrap().contacts.iter().map(in_world).collect();
        for i in 0..2 {
            let seen: Vector3<f64> = (0..=i).map(|j| cube_response(&arms[i], &arms[j]) * x[j]).sum();
            assert!((seen + velocity).norm() <= 1e-12, "contact {i}: {seen:?}");
            assert!(x[i].z > 0.05 && x[i].xy().norm() > 0.01, "{x:?}");
        }
    }
    // The same for the normals of a bounce in order: targets e v, entries 1 + 1.5 (±1 ±1).
    island.contacts.iter_mut().for_each(|contact| (contact.mu, contact.restitution) = (0.0, 0.5));
    island.contacts.truncate(2);
    let sequential = Settings { bounce: BounceMode::Sequential, sweeps: 0, ..tight() };
    let x: Vec<f64> = island.solve(&sequential).unwrap().contacts.iter().map(|c| c.bounce_impulse).collect();
    assert!((4.0 * x[0] - 1.5).abs() <= 1e-14 && (x[0] + 4.0 * x[1] - 1.5).abs() <= 1e-14, "{x:?}");
}

#[test]
fn bias_velocity_is_error_reduction_times_depth_beyond_slop() {
    let mut island = falling_ball(0.0, 0.5);
    island.contacts[0].depth = 0.05;
    let settings = Settings { position_correction: PositionCorrection::Bias, ..tight() };
    let solved = island.solve(&settings).unwrap();
    assert!((solved.velocities[1].0.z - 0.2 / DT * 0.04).abs() <= 1e-13);
    // The energy that bias adds is the bias's own work, and the guard lets it pass.
    assert!(!solved.report.passivity_guard);
    island.contacts[0].depth = 0.009;
    assert!(island.solve(&settings).unwrap().velocities[1].0.z.abs() <= 1e-14);
}

#[test]
fn the_split_impulse_separates_bodies_without_changing_velocities() {
    let mut island = cube_on_ground(1.0, Vector3::new(1.0, 0.0, -0.2), 0.5, 0.0);
    island.contacts.iter_mut().for_each(|contact| contact.depth = 0.03);
    let (mut bodies, contacts) = island.columns::<f64, 8, 64>();
    let mut plain = bodies.clone();
    let mut solver = Solver::<f64, 8, 64>::new();
    let uncorrected = Settings { position_correction: PositionCorrection::None, ..tight() };
    solver.solve(&mut plain, &contacts, &uncorrected, 1.0 / 60.0).unwrap();
    assert_eq!(solver.position_correction(1), Some(Twist::ZERO));
    let settings = Settings { position_correction: PositionCorrection::SplitImpulse, ..tight() };
    solver.solve(&mut bodies, &contacts, &settings, 1.0 / 60.0).unwrap();
    assert_eq!(bodies, plain);
    let Twist { linear, angular } = solver.position_correction(1).unwrap();
    assert!((linear - Vector3::new(0.0, 0.0, 0.2 / DT * 0.02)).norm() <= 1e-12 && angular.norm() <= 1e-12);
    assert_eq!(solver.position_correction(2), None);
}

#[test]
fn wrenches_are_the_momentum_change_over_the_step() {
    let island = cube_on_ground(2.0, Vector3::new(3.0, 1.0, -2.0), 0.4, 0.5);
    let (mut bodies, contacts) = island.columns::<f64, 8, 64>();
    let mut solver = Solver::<f64, 8, 64>::new();
    solver.solve(&mut bodies, &contacts, &tight(), 1.0 / 60.0).unwrap();
    let wrench = solver.wrench(1).unwrap();
    let gained = (bodies.linear_velocities()[1] - island.bodies[1].linear_velocity) * 2.0 / DT;
    assert!((wrench.force - gained).norm() <= 1e-10 * gained.norm());
    let spun = bodies.angular_velocities()[1] / 3.0 / DT;
    assert!((wrench.torque - spun).norm() <= 1e-10 * gained.norm());
    assert!((solver.wrench(0).unwrap().force + gained).norm() <= 1e-10 * gained.norm());
    assert_eq!(solver.wrench(2), None);
}

#[test]
fn reported_coupling_is_that_of_the_contact_block() {
    let island = sliding_cube(6.0, 0.3, 0.5);
    let (mut bodies, contacts) = island.columns::<f64, 8, 64>();
    let mut solver = Solver::<f64, 8, 64>::new();
    solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0).unwrap();
    for (i, contact) in island.contacts.iter().enumerate() {
        let inertia = cube_inverse_inertia(1.0);
        let k = ContactConstraint::new(contact).unwrap().effective_mass((0.0, &Matrix3::zeros()), (1.0, &inertia));
        let coupling = solver.coupling(i).unwrap();
        assert!((coupling.normal_tangent_ratio - k[(0, 1)].hypot(k[(0, 2)]) / k[(0, 0)]).abs() <= 1e-14);
        assert!((coupling.condition / stiction_testkit::merit::condition(&k) - 1.0).abs() <= 1e-12);
    }
}

#[test]
fn a_deadline_ends_the_solve_passively_and_is_reported() {
    let island = stack(8, 1.0, 0.5);
    for allowed in 0..6 {
        let (mut bodies, contacts) = island.columns::<f64, 33, 128>();
        let mut solver = Solver::<f64, 33, 128>::new();
        let mut asked = 0;
        let mut deadline = || {
            asked += 1;
            asked > allowed
        };
        let report = solver
            .solve_with(
                &mut bodies,
                &contacts,
                &Settings::default(),
                1.0 / 60.0,
                Hooks::with_should_stop(&mut deadline),
            )
            .unwrap();
        assert_eq!((report.status, report.sweeps), (Status::Deadline, allowed));
        assert!(report.energy_after <= report.energy_before);
        assert!(report.residual.natural > 0.0);
    }
}

#[test]
fn a_part_squeezed_between_closing_walls_does_not_bounce_and_stays_finite() {
    fn study<T: Real>(settings: &Settings<T>) {
        let wall = |v: f64| Body { linear_velocity: Vector3::new(v, 0.0, 0.0), ..Body::fixed() };
        let part = Body::from_inverse(1.0, cube_inverse_inertia(1.0));
        let contact = |a, normal: Vector3<f64>| Contact {
            restitution: 0.9,
            ..Contact::new(a, 2, normal, Vector3::zeros(), normal * -0.5, 0.5)
        };
        let island = Island {
            bodies: vec![wall(1.0), wall(-1.0), part],
            contacts: vec![contact(0, Vector3::x()), contact(1, -Vector3::x())],
        };
        let solved = island.solve(settings).expect("a valid problem");
        assert!(solved.report.bounce_dropped && solved.report.status != Status::Converged);
        assert!(solved.report.residual.closing_speed > T::ZERO);
        let (v, w) = &solved.velocities[2];
        assert!(v.iter().chain(w.iter()).all(|x| x.is_finite()));
        for c in &solved.contacts {
            assert!(
                [c.bounce_impulse, c.normal_impulse, c.tangent_impulse.x, c.tangent_impulse.y, c.tangent_impulse.z]
                    .iter()
                    .all(|x| x.is_finite()),
                "{c:?}"
            );
            assert!(c.bounce_impulse == T::ZERO && c.normal_impulse >= T::ZERO);
        }
        // No faster than a wall, so it leaves neither.
        let rounding = T::lit(64.0) * T::EPSILON;
        assert!(v.x.abs() <= T::ONE + rounding && v.y.abs() <= rounding && v.z.abs() <= rounding, "{v:?}");
        assert!(w.iter().all(|x| x.abs() <= rounding), "{w:?}");
    }
    study(&tight());
    study(&Settings::<f64>::default());
    study(&Settings::<f32>::default());
    study(&Settings::<f32> { sweeps: 500, ..Settings::default() });
}

#[test]
fn every_local_rule_holds_a_resting_cube() {
    for local in [LocalRule::Exact, LocalRule::HoldAndResolve, LocalRule::Projection, LocalRule::Box] {
        let island = cube_on_ground(1.0, Vector3::new(0.0, 0.0, -GRAVITY * DT), 0.5, 0.0);
        let solved = island.solve(&Settings { local, ..tight() }).unwrap();
        assert!(solved.velocities[1].0.norm() <= 1e-12, "{local:?} {:?}", solved.velocities[1]);
    }
}

#[test]
fn a_problem_without_contacts_is_converged() {
    let island = Island { bodies: vec![Body::from_inverse(1.0, Matrix3::identity())], contacts: vec![] };
    let solved = solve(&island);
    assert_eq!((solved.report.status, solved.report.sweeps), (Status::Converged, 0));
    assert_eq!(solved.report.residual.worst_contact, None);
}

#[test]
fn a_dense_matrix_and_its_blocks_give_the_same_bits() {
    let problem = sliding_cube(6.0, 0.4, 0.5).delassus(&[]);
    let n = problem.mu.len();
    let q: Vec<Vector3<f64>> = (0..n).map(|i| problem.q.fixed_rows::<3>(3 * i).into_owned()).collect();
    let row_major: Vec<f64> = problem.w.transpose().iter().copied().collect();
    let block = |k: usize| problem.w.fixed_view::<3, 3>(3 * (k / n), 3 * (k % n)).into_owned();
    let blocks: Vec<Matrix3<f64>> = (0..n * n).map(block).collect();
    let starts: Vec<u32> = (0..=n as u32).map(|i| i * n as u32).collect();
    let columns: Vec<u32> = (0..n * n).map(|k| (k % n) as u32).collect();
    let solve = |problem: &Delassus<'_, f64>| {
        let mut solver = DelassusSolver::<f64, 4>::new();
        let report = solver.solve(problem, &tight()).unwrap();
        (report, (0..n).map(|i| solver.impulse(i)).collect::<Vec<_>>())
    };
    let dense = solve(&Delassus::dense(&row_major, &q, &problem.mu).unwrap());
    let sparse = solve(&Delassus::new(&blocks, &starts, &columns, &q, &problem.mu).unwrap());
    assert_eq!(dense, sparse);
    assert_eq!(dense.0.status, Status::Converged);
    let rejection = |w: &[f64]| Delassus::dense(w, &q, &problem.mu).unwrap_err().to_string();
    assert_eq!(rejection(&row_major[1..]), "w[0]: length 143, must be 144");
    let indefinite: Vec<f64> = row_major.iter().map(|x| -x).collect();
    assert!(rejection(&indefinite).starts_with("blocks[0]"));
}

/// One contact pushes another and is not pushed back: no bodies do that, yet validation accepts it.
#[test]
fn a_nonphysical_delassus_matrix_gains_no_energy() {
    let own = Matrix3::identity();
    let across = Matrix3::from_diagonal(&Vector3::new(-10.0, 0.0, 0.0));
    let (blocks, starts, columns) = ([own, Matrix3::zeros(), across, own], [0, 2, 4], [0, 1, 0, 1]);
    let q = [Vector3::new(-1.0, 0.0, 0.0), Vector3::new(5.0, 0.0, 0.0)];
    let problem = Delassus::new(&blocks, &starts, &columns, &q, &[0.5, 0.5]).unwrap();
    let report = DelassusSolver::<f64, 2>::new().solve(&problem, &Settings { sweeps: 5, ..tight() }).unwrap();
    assert!(report.work <= 0.0, "{report:?}");
}
