//! Extreme numbers, each with its documented behaviour: the rows of the table in `docs/reliability.md`.

use nalgebra::{Matrix3, Vector3};
use stiction::PointId;
use stiction::local::Cone;
use stiction::{
    Bodies, Body, Contact, Contacts, Pipeline, PositionCorrection, Real, RigidBody, Settings, Solver, Status,
    StepSettings, WarmStart, World,
};
use stiction::{Manifold, ManifoldPoint, Material};
use stiction_testkit::capacity::{Solved, solve};
use stiction_testkit::effort;
use stiction_testkit::island::kinetic_energy_and_rounding;
use stiction_testkit::tolerance;

/// A body of so many kilograms, a sphere of one metre.
fn ball<T: Real>(mass: f64, linear: [f64; 3]) -> Body<T> {
    let (inverse_mass, linear) = (T::lit(1.0 / mass), Vector3::from(linear).map(T::lit));
    let inverse_inertia = Matrix3::identity() * (inverse_mass * T::lit(2.5));
    Body {
        inverse_mass,
        inverse_inertia_world: inverse_inertia,
        linear_velocity: linear,
        angular_velocity: Vector3::zeros(),
    }
}

/// B above A, one metre of lever each.
fn upright<T: Real>(a: usize, b: usize, mu: f64) -> Contact<T> {
    Contact::new(a, b, Vector3::z(), Vector3::z(), -Vector3::z(), T::lit(mu))
}

/// Solves, and checks what holds for every answer: finite numbers, impulses within their cones, no energy gained.
fn solve_checked<T: Real>(bodies: &[Body<T>], contacts: &[Contact<T>], settings: &Settings<T>) -> Solved<T> {
    let solved = finite_and_in_cones(bodies, contacts, settings);
    let before: Vec<_> = bodies.iter().map(|body| (body.linear_velocity, body.angular_velocity)).collect();
    let (before, rounding_before) = kinetic_energy_and_rounding(bodies, &before);
    let (after, rounding_after) = kinetic_energy_and_rounding(bodies, &solved.velocities);
    // The error of a small inverse inertia next to large ones is the rounding of the large ones, and so is that of its
    // energy.
    let rounding = (rounding_before + rounding_after).max(before * tolerance::of::<T>("passivity"));
    assert!(after - before <= rounding, "{before:e} J became {after:e} J, known to {rounding:e} J");
    solved
}

/// The same without the check of energy, to which a bias may add.
fn finite_and_in_cones<T: Real>(bodies: &[Body<T>], contacts: &[Contact<T>], settings: &Settings<T>) -> Solved<T> {
    let solved = solve(bodies, contacts, settings, T::lit(1.0 / 60.0)).unwrap_or_else(|error| panic!("{error}"));
    let velocities = solved.velocities.iter().flat_map(|(v, w)| [v.x, v.y, v.z, w.x, w.y, w.z]);
    let impulses = solved
        .contacts
        .iter()
        .flat_map(|c| [c.normal_impulse, c.tangent_impulse.x, c.tangent_impulse.y, c.tangent_impulse.z]);
    assert!(velocities.chain(impulses).all(|x| x.is_finite()), "{solved:?}");
    assert!(solved.report.residual.natural.is_finite() && solved.report.residual.closing_speed.is_finite());
    for (contact, outcome) in contacts.iter().zip(&solved.contacts) {
        let (normal, tangent) = (outcome.normal_impulse.to_f64(), outcome.tangent_impulse.map(|x| x.to_f64()).norm());
        let bounce = outcome.bounce_impulse.to_f64();
        let within = contact.mu.to_f64() * (normal + bounce) * (1.0 + 1e3 * T::EPSILON.to_f64());
        // Lengths whose squares underflow count as zero.
        let negligible = if T::BYTES == 4 { 1e-19 } else { 1e-154 };
        assert!(normal >= 0.0 && tangent <= within + negligible, "{outcome:?}");
    }
    solved
}

/// Every number is subnormal but for the speed of the fall: accepted, and solved as if they were 0.
#[test]
fn subnormal_input_is_solved_like_zero() {
    fn study<T: Real>(tiny: T) {
        assert!(tiny > T::ZERO && tiny.to_f64() < 1e-37);
        let small = Vector3::new(tiny, -tiny, tiny);
        let mut falling = ball::<T>(1.0, [0.0, 0.0, -1.0]);
        falling.angular_velocity = small;
        falling.linear_velocity += small;
        let contact = Contact {
            depth: tiny,
            restitution: tiny,
            warm: WarmStart { normal_impulse: tiny, tangent_impulse: small },
            pre_impact_normal_velocity: Some(-tiny),
            ..Contact::new(0, 1, Vector3::z(), small, small, tiny)
        };
        let settings = Settings::default();
        let solved = solve_checked(&[Body::fixed(), falling], &[contact; 3], &settings);
        assert_eq!(solved.report.status, Status::Converged, "{:?}", solved.report);
        assert!(solved.velocities[1].0.z.abs() <= T::EPSILON);
        // Alone: the same as zero, to within a hundred times the smallest number.
        let drifting = Body { linear_velocity: small, angular_velocity: small, ..ball::<T>(1.0, [0.0; 3]) };
        let solved = solve_checked(&[Body::fixed(), drifting], &[contact; 3], &settings);
        assert!(solved.velocities[1].0.iter().all(|v| v.abs() <= T::lit(100.0) * tiny), "{solved:?}");
    }
    study::<f32>(f32::from_bits(0x0040_0000));
    study::<f64>(f64::from_bits(0x0008_0000_0000_0000));
}

/// Cones compare squares: a vector whose square underflows counts as zero and stays unchanged; a longer one is clamped.
#[test]
fn a_length_whose_square_underflows_counts_as_zero() {
    fn study<T: Real>(underflowing: f64, longer_length: f64) {
        let cone = Cone { mu: T::HALF, preload: T::ZERO };
        let along = |length: f64| Vector3::new(T::ZERO, T::lit(0.6 * length), T::lit(0.8 * length));
        let tiny = along(underflowing);
        assert!(tiny.y > T::ZERO && tiny.y * tiny.y + tiny.z * tiny.z == T::ZERO);
        assert_eq!((cone.clamp(&tiny), cone.project(&tiny), cone.excess(&tiny)), (tiny, tiny, T::ZERO));
        // No sliding either: the natural map of a contact that opens at that speed is zero.
        let opening = Vector3::new(T::ONE, tiny.y, tiny.z);
        assert_eq!(cone.natural_map(&Vector3::zeros(), &opening, T::ONE), Vector3::zeros());
        let longer = along(longer_length);
        assert_eq!(cone.clamp(&longer), Vector3::zeros());
        assert!((cone.excess(&longer).to_f64() / longer_length - 1.0).abs() < 1e-3);
        let solved = solve_checked(
            &[Body::fixed(), Body { linear_velocity: tiny.yzx(), ..ball::<T>(1.0, [0.0; 3]) }],
            &[upright(0, 1, 0.5)],
            &Settings::default(),
        );
        assert_eq!((solved.report.status, solved.report.residual.cone), (Status::Converged, T::ZERO));
    }
    study::<f32>(1e-23, 1e-17);
    study::<f64>(1e-163, 1e-150);
}

/// The sign of a zero has no meaning: whichever zeros are negated, the answer is equal.
#[test]
fn the_sign_of_a_zero_changes_nothing() {
    fn study<T: Real>() {
        let sliding = ball::<T>(2.0, [1.0, 0.0, -1.0]);
        let rough = upright::<T>(0, 1, 0.3);
        let smooth = upright::<T>(0, 1, 0.0);
        let bouncing = Contact { restitution: T::HALF, ..rough };
        // Recorded as resting before the impact: nothing bounces.
        let resting = Contact { pre_impact_normal_velocity: Some(T::ZERO), ..bouncing };
        let deep = Contact { depth: T::lit(0.1), ..rough };
        let ordinary = Settings::default();
        let none = Settings {
            tolerance: T::ZERO,
            restitution_threshold: T::ZERO,
            error_reduction: T::ZERO,
            slop: T::ZERO,
            max_correction_speed: T::ZERO,
            ..ordinary
        };
        let biased = Settings { position_correction: PositionCorrection::Bias, ..none };
        for contact in [rough, smooth, bouncing, resting, deep] {
            for settings in [ordinary, none, biased] {
                let plain = solve_checked(&[Body::fixed(), sliding], &[contact; 2], &settings);
                let bodies = [negated_body(&Body::fixed()), negated_body(&sliding)];
                let negated = solve_checked(&bodies, &[negated_contact(&contact); 2], &negated_settings(&settings));
                assert_eq!((plain.velocities, plain.report), (negated.velocities, negated.report));
                assert_eq!(plain.contacts, negated.contacts);
            }
        }
    }
    study::<f32>();
    study::<f64>();
}

fn negated<T: Real>(x: T) -> T {
    if x == T::ZERO { -T::ZERO } else { x }
}

/// A body with every zero negated: those of an immovable mass, beside the diagonal of an inertia, of velocities.
fn negated_body<T: Real>(body: &Body<T>) -> Body<T> {
    Body {
        inverse_mass: negated(body.inverse_mass),
        inverse_inertia_world: body.inverse_inertia_world.map(negated),
        linear_velocity: body.linear_velocity.map(negated),
        angular_velocity: body.angular_velocity.map(negated),
    }
}

fn negated_contact<T: Real>(contact: &Contact<T>) -> Contact<T> {
    let Contact { a, b, normal, r_a, r_b, mu, restitution, depth, pre_impact_normal_velocity, warm } = *contact;
    let warm =
        WarmStart { normal_impulse: negated(warm.normal_impulse), tangent_impulse: warm.tangent_impulse.map(negated) };
    Contact {
        restitution: negated(restitution),
        depth: negated(depth),
        pre_impact_normal_velocity: pre_impact_normal_velocity.map(negated),
        warm,
        ..Contact::new(a, b, normal.map(negated), r_a.map(negated), r_b.map(negated), negated(mu))
    }
}

/// Every setting that may be zero.
fn negated_settings<T: Real>(settings: &Settings<T>) -> Settings<T> {
    Settings {
        tolerance: negated(settings.tolerance),
        restitution_threshold: negated(settings.restitution_threshold),
        error_reduction: negated(settings.error_reduction),
        slop: negated(settings.slop),
        max_correction_speed: negated(settings.max_correction_speed),
        ..*settings
    }
}

/// `f64` solves 1e30 kg on 1e-30 kg; `f32` rejects both by name, and nothing changes.
#[test]
fn masses_of_1e30_and_1e_minus_30_are_solved_in_f64_and_rejected_in_f32() {
    let bodies = [Body::fixed(), ball::<f64>(1e-30, [0.0, 0.0, -1.0]), ball(1e30, [0.5, 0.0, -2.0])];
    let contacts = [upright(0, 1, 0.5), upright(1, 2, 0.5)];
    let solved = solve_checked(&bodies, &contacts, &Settings { sweeps: 200, ..Settings::default() });
    // Sixty decades between the masses: sweeps do not converge, and the report says so.
    let true_approach = -(solved.velocities[2].0.z - solved.velocities[1].0.z);
    assert!(solved.report.status == Status::SweepLimit && solved.report.residual.closing_speed >= true_approach - 1e-9);
    for mass in [1e30, 1e-30] {
        let alone =
            solve_checked(&[Body::fixed(), ball::<f64>(mass, [1.0, 0.0, -1.0])], &contacts[..1], &Settings::default());
        assert_eq!(alone.report.status, Status::Converged);
        assert!(alone.velocities[1].0.z.abs() < 1e-12 && alone.velocities[1].0.x < 1.0);
        let mut bodies = Bodies::<f32, 8>::new();
        let line = bodies.push(ball(mass, [0.0; 3])).unwrap_err().to_string();
        assert!(line.starts_with("bodies[0].inverse_mass: ") && bodies.is_empty(), "{line}");
        println!("f32: {line}");
    }
}

/// A cube on its four corners that slides, with any inverse inertia and spin.
fn on_four_corners<T: Real>(inverse_inertia: Matrix3<T>, angular: Vector3<T>) -> Solved<T> {
    let body =
        Body { inverse_inertia_world: inverse_inertia, angular_velocity: angular, ..ball::<T>(1.0, [1.0, 0.5, -1.0]) };
    let corner = |x: f64, y: f64| {
        let r = Vector3::new(x, y, -0.5).map(T::lit);
        Contact::new(0, 1, Vector3::z(), Vector3::zeros(), r, T::lit(0.5))
    };
    let corners = [corner(0.5, 0.5), corner(-0.5, 0.5), corner(0.5, -0.5), corner(-0.5, -0.5)];
    solve_checked(&[Body::fixed(), body], &corners, &Settings { sweeps: 1000, ..Settings::default() })
}

/// Inverse inertias of 1e-6, 1 and 1e6 about the three axes: no solve gains energy, and the report has the true
/// residual.
#[test]
fn inertia_ratios_of_1e12_stay_passive() {
    fn study<T: Real>(name: &str, most: f64) {
        let axes = Vector3::new(1e-6, 1.0, 1e6);
        for step in 0..6 {
            let rotation = nalgebra::Rotation3::from_euler_angles(0.3 * f64::from(step), 0.7, 0.2).into_inner();
            let tensor = rotation * Matrix3::from_diagonal(&axes) * rotation.transpose();
            let tensor = ((tensor + tensor.transpose()) * 0.5).map(T::lit);
            let solved = on_four_corners(tensor, Vector3::zeros());
            let residual = solved.report.residual.natural.to_f64();
            println!("{name}: {:?}, {residual:.1e}", solved.report.status);
            let tolerance = Settings::<T>::default().tolerance.to_f64();
            let truthful = solved.report.status == Status::SweepLimit || residual < tolerance;
            assert!(truthful && residual < most, "{:?}", solved.report);
            // Half a joule about the heavy axis; in single precision that axis is below the rounding of the light one.
            if T::BYTES == 8 {
                on_four_corners(tensor, (rotation * Vector3::new(1e-3, 0.0, 0.0)).map(T::lit));
            }
        }
        // Along the coordinate axes every axis is exact, and so is its energy.
        for spin in [[0.0; 3], [1e-3, 0.0, 0.0], [1e-3, 1.0, 1e3]] {
            on_four_corners(Matrix3::from_diagonal(&axes.map(T::lit)), Vector3::from(spin).map(T::lit));
        }
    }
    // The table's 1e-4 and 2e-10, each rounded to the one digit in the table.
    study::<f32>("f32", 1.5e-4);
    study::<f64>("f64", 2.5e-10);
}

/// At 1e8 m/s a bounce is still `−e` times the approach.
#[test]
fn a_bounce_at_1e8_metres_per_second_keeps_its_restitution() {
    fn study<T: Real>() {
        let contact = Contact { restitution: T::HALF, ..upright::<T>(0, 1, 0.0) };
        let falling = ball::<T>(1.0, [0.0, 0.0, -1e8]);
        let solved = solve_checked(&[Body::fixed(), falling], &[contact], &Settings::default());
        let speed = solved.velocities[1].0.z.to_f64();
        assert!((speed - 5e7).abs() <= 8.0 * T::EPSILON.to_f64() * 5e7, "{speed}");
    }
    study::<f32>();
    study::<f64>();
}

/// Without friction not a bit of tangential motion changes; with a million it stops.
#[test]
fn zero_friction_slides_freely_and_a_million_sticks() {
    fn study<T: Real>(stops_within: f64) {
        let sliding = ball::<T>(3.0, [4.0, -2.0, -1.0]);
        let smooth = solve_checked(&[Body::fixed(), sliding], &[upright(0, 1, 0.0)], &Settings::default());
        assert_eq!(
            (smooth.velocities[1].0.x, smooth.velocities[1].0.y),
            (sliding.linear_velocity.x, sliding.linear_velocity.y)
        );
        assert_eq!((smooth.velocities[1].1, smooth.contacts[0].tangent_impulse), (Vector3::zeros(), Vector3::zeros()));
        let rough = solve_checked(&[Body::fixed(), sliding], &[upright(0, 1, 1e6)], &Settings::default());
        let (v, w) = rough.velocities[1];
        let at_contact = (v + w.cross(&-Vector3::z())).map(|x| x.to_f64()).norm();
        assert!(at_contact <= stops_within && rough.report.status == Status::Converged, "{at_contact:e}");
        // Too much friction is rejected by name.
        let most = T::FRICTION_LIMIT + T::FRICTION_LIMIT;
        let error = solve(
            &[Body::fixed(), sliding],
            &[Contact { mu: most, ..upright(0, 1, 0.0) }],
            &Settings::default(),
            T::lit(1.0 / 60.0),
        );
        assert!(error.unwrap_err().to_string().starts_with("contacts[0].mu: "));
    }
    study::<f32>(1e-5);
    study::<f64>(1e-13);
}

/// Back and forth between two walls a million times, bit for bit: after every second bounce the whole body is as it
/// was.
#[test]
fn a_million_elastic_bounces_keep_their_energy() {
    fn study<T: Real>() {
        let wall = |normal: Vector3<T>| Contact {
            restitution: T::ONE,
            ..Contact::new(0, 1, normal, Vector3::z(), -normal, T::HALF)
        };
        let walls = [wall(Vector3::z()), wall(-Vector3::z())];
        let mut bodies = Bodies::<T, 8>::new();
        bodies.push(Body::fixed()).unwrap();
        bodies.push(ball(0.7, [0.0, 0.0, -3.3])).unwrap();
        let start = bodies.get(1).unwrap();
        let back = Body { linear_velocity: -start.linear_velocity, ..start };
        let mut solver = Solver::<T, 8, 64>::new();
        let bounces = effort::cases(20_000, 1_000_000);
        for bounce in 0..bounces {
            let mut contacts = Contacts::<T, 64>::new();
            contacts.push(walls[bounce % 2]).unwrap();
            solver.solve(&mut bodies, &contacts, &Settings::default(), T::lit(1.0 / 60.0)).unwrap();
            let expected = [back, start][bounce % 2];
            assert_eq!(bodies.get(1).unwrap(), expected, "bounce {bounce}");
        }
    }
    study::<f32>();
    study::<f64>();
}

/// Copies of a contact at one point together have the effect of one contact.
#[test]
fn coincident_contacts_share_the_impulse_of_one() {
    fn study<T: Real>(tolerance: f64) {
        let sliding = ball::<T>(2.0, [3.0, 1.0, -2.0]);
        for restitution in [0.0, 0.5] {
            let contact = Contact { restitution: T::lit(restitution), ..upright::<T>(0, 1, 0.4) };
            let one = solve_checked(&[Body::fixed(), sliding], &[contact], &Settings::default());
            for copies in [2, 4, 8] {
                let many = solve_checked(&[Body::fixed(), sliding], &vec![contact; copies], &Settings::default());
                assert_eq!(many.report.status, Status::Converged);
                let difference = (one.velocities[1].0 - many.velocities[1].0).map(|x| x.to_f64()).norm();
                let total: f64 = many.contacts.iter().map(|c| (c.normal_impulse + c.bounce_impulse).to_f64()).sum();
                let alone = (one.contacts[0].normal_impulse + one.contacts[0].bounce_impulse).to_f64();
                assert!(
                    difference <= tolerance && (total - alone).abs() <= tolerance * alone,
                    "{copies}: {difference:e} {total}"
                );
            }
        }
    }
    study::<f32>(2e-5);
    study::<f64>(1e-6);
}

/// Held from two sides by one other body: rest stays rest without impulses, closing walls end in a finite, passive
/// answer that does not claim to have separated them.
#[test]
fn opposite_normals_on_one_pair_of_bodies_hold_without_bouncing() {
    fn study<T: Real>() {
        let jaws = |restitution: f64| {
            let below = Contact { restitution: T::lit(restitution), ..upright::<T>(0, 1, 0.5) };
            let above = Contact { normal: -Vector3::z(), r_a: Vector3::z(), r_b: Vector3::z(), ..below };
            [below, above]
        };
        let still = solve_checked(&[Body::fixed(), ball(1.0, [0.0; 3])], &jaws(0.0), &Settings::default());
        assert_eq!(still.velocities[1], (Vector3::zeros(), Vector3::zeros()));
        assert!(still.contacts.iter().all(|c| c.normal_impulse == T::ZERO) && still.report.status == Status::Converged);
        for restitution in [0.0, 1.0] {
            let moving = ball::<T>(1.0, [1.0, 0.0, -1.0]);
            let held = solve_checked(&[Body::fixed(), moving], &jaws(restitution), &Settings::default());
            assert!(held.velocities[1].0.z.abs() <= T::lit(64.0) * T::EPSILON, "{held:?}");
        }
        // Two parts pressed at each other from both sides at once cannot separate: nothing diverges.
        let deep = jaws(0.0).map(|jaw| Contact { depth: T::lit(0.1), ..jaw });
        for correction in [PositionCorrection::Bias, PositionCorrection::SplitImpulse] {
            let settings = Settings { position_correction: correction, ..Settings::default() };
            let bodies = [Body::fixed(), ball::<T>(1.0, [0.0; 3])];
            let squeezed = match correction {
                PositionCorrection::Bias => finite_and_in_cones(&bodies, &deep, &settings),
                _ => solve_checked(&bodies, &deep, &settings),
            };
            let speed = squeezed.velocities[1].0.map(|x| x.to_f64()).norm();
            assert!(speed <= settings.max_correction_speed.to_f64() * 1.01, "{correction:?}: {speed}");
        }
    }
    study::<f32>();
    study::<f64>();
}

/// No lever: pushed through the centre, a body slows down and does not rotate.
#[test]
fn zero_lever_arms_cause_no_rotation() {
    fn study<T: Real>() {
        let zero = Vector3::zeros();
        let contact = Contact::new(0, 1, Vector3::z(), zero, zero, T::lit(0.5));
        let solved = solve_checked(&[Body::fixed(), ball(1.0, [2.0, 0.0, -1.0])], &[contact], &Settings::default());
        assert_eq!((solved.report.status, solved.velocities[1].1), (Status::Converged, zero));
        assert!((solved.velocities[1].0.x - T::lit(1.5)).abs() <= T::lit(16.0) * T::EPSILON);
    }
    study::<f32>();
    study::<f64>();
}

/// Two bodies that cannot move have nothing to solve: rejected by name, and nothing changes.
#[test]
fn a_contact_between_two_immovable_bodies_is_rejected() {
    fn study<T: Real>() {
        let (mut bodies, mut contacts) = (Bodies::<T, 8>::new(), Contacts::<T, 64>::new());
        for body in [Body::fixed(), Body::fixed(), ball(1.0, [1.0, 0.0, -1.0])] {
            bodies.push(body).unwrap();
        }
        for contact in [upright(0, 2, 0.5), upright(0, 1, 0.5)] {
            contacts.push(contact).unwrap();
        }
        let before = bodies.clone();
        let error = Solver::<T, 8, 64>::new()
            .solve(&mut bodies, &contacts, &Settings::default(), T::lit(1.0 / 60.0))
            .unwrap_err();
        assert_eq!(error.to_string(), "contacts[1]: neither body can move");
        assert_eq!(bodies, before);
    }
    study::<f32>();
    study::<f64>();
}

/// A cube on the ground, its centre at `east` metres; pushed from rest for some frames. Returns its velocities and how
/// far it moved.
fn pushed_cube_at(east: f32, frames: u32) -> (Vec<Vector3<f32>>, f32) {
    let rough = Material { mu: 0.5, restitution: 0.0 };
    let mut world = World::<f32, 8>::new();
    let at_height = |z: f32| Vector3::new(east, 0.0, z);
    let ground = RigidBody { material: rough, position: at_height(0.0), ..RigidBody::fixed() };
    world.push(ground).unwrap();
    let cube = RigidBody {
        material: rough,
        position: at_height(0.5),
        ..RigidBody::from_inverse(1.0, Matrix3::identity() * 6.0)
    };
    world.push(RigidBody { linear_velocity: Vector3::new(0.5, 0.0, 0.0), ..cube }).unwrap();
    let mut pipeline = Pipeline::<f32, 8, 64>::new(StepSettings::default());
    let mut velocities = Vec::new();
    for _ in 0..frames {
        let center = world.positions()[1];
        let mut manifold = Manifold::new(0, 1, Vector3::z());
        for (id, (x, y)) in [(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)].into_iter().enumerate() {
            let on_b = center + Vector3::new(x, y, -0.5);
            let on_a = Vector3::new(on_b.x, on_b.y, 0.0);
            manifold.points.push(ManifoldPoint { on_a, on_b, depth: -on_b.z, id: PointId::Feature(id as u32) });
        }
        pipeline.step(&mut world, stiction::manifolds(&[manifold]), 1.0 / 60.0).unwrap();
        velocities.push(world.get(1).unwrap().linear_velocity);
    }
    (velocities, world.positions()[1].x - east)
}

/// Solves see lever arms, not positions: at 1e6 m from the origin velocities are those at the origin, the first to the
/// bit. Positions there are a sixteenth of a metre apart in `f32`, so a cube slower than 2 m/s at 60 Hz does not move.
#[test]
fn far_from_the_origin_velocities_agree_and_positions_are_coarse() {
    let ((near, moved), (far, stuck)) = (pushed_cube_at(0.0, 120), pushed_cube_at(1e6, 120));
    assert_eq!(near[0], far[0]);
    let difference = near.iter().zip(&far).map(|(a, b)| (a - b).norm()).fold(0.0, f32::max);
    assert!(difference < 1e-7, "{difference}");
    println!("moved {moved} m at the origin, {stuck} m at 1e6 m");
    assert!(moved > 0.02 && stuck == 0.0);
    assert!(far.last().unwrap().norm() < 1e-6, "{far:?}");
}
