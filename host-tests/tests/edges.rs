//! Numbers at the edge, each with its stated behaviour: the rows of the table in `docs/reliability.md`.

use nalgebra::{Matrix3, Vector3};
use stiction::PointId;
use stiction::local::Cone;
use stiction::{
    Bodies, Body, Contact, Contacts, Pipeline, Real, RigidBody, Settings, Solver, Stabilisation, Status, StepSettings,
    WarmStart, World,
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
    Body { inverse_mass, inverse_inertia, linear, angular: Vector3::zeros() }
}

/// B above A, one metre of lever each.
fn upright<T: Real>(a: usize, b: usize, mu: f64) -> Contact<T> {
    Contact::new(a, b, Vector3::z(), Vector3::z(), -Vector3::z(), T::lit(mu))
}

/// Solves, and holds the answer to what every answer owes: finite numbers, impulses within their cones, no energy gained.
fn sound<T: Real>(bodies: &[Body<T>], contacts: &[Contact<T>], settings: &Settings<T>) -> Solved<T> {
    let solved = finite_and_in_cones(bodies, contacts, settings);
    let before: Vec<_> = bodies.iter().map(|body| (body.linear, body.angular)).collect();
    let (before, rounding_before) = kinetic_energy_and_rounding(bodies, &before);
    let (after, rounding_after) = kinetic_energy_and_rounding(bodies, &solved.velocities);
    // An axis of little inverse inertia beside large ones is known to the rounding of these, and so is its energy.
    let rounding = (rounding_before + rounding_after).max(before * tolerance::of::<T>("passivity"));
    assert!(after - before <= rounding, "{before:e} J became {after:e} J, known to {rounding:e} J");
    solved
}

/// The same, of what a bias may give energy.
fn finite_and_in_cones<T: Real>(bodies: &[Body<T>], contacts: &[Contact<T>], settings: &Settings<T>) -> Solved<T> {
    let solved = solve(bodies, contacts, settings).unwrap_or_else(|refusal| panic!("{refusal}"));
    let velocities = solved.velocities.iter().flat_map(|(v, w)| [v.x, v.y, v.z, w.x, w.y, w.z]);
    let impulses = solved.contacts.iter().flat_map(|c| [c.normal, c.tangent.x, c.tangent.y, c.tangent.z]);
    assert!(velocities.chain(impulses).all(|x| x.finite()), "{solved:?}");
    assert!(solved.report.residual.natural.finite() && solved.report.residual.approach.finite());
    for (contact, outcome) in contacts.iter().zip(&solved.contacts) {
        let (normal, tangent) = (outcome.normal.to_f64(), outcome.tangent.map(|x| x.to_f64()).norm());
        let bounce = outcome.bounce.to_f64();
        let within = contact.mu.to_f64() * (normal + bounce) * (1.0 + 1e3 * T::EPSILON.to_f64());
        // Lengths whose squares vanish are none.
        let nothing = if T::BYTES == 4 { 1e-19 } else { 1e-154 };
        assert!(normal >= 0.0 && tangent <= within + nothing, "{outcome:?}");
    }
    solved
}

/// Every number smaller than the smallest normal one, and a pull that is not: accepted, and answered as if they were 0.
#[test]
fn subnormal_numbers_are_taken_for_what_they_are() {
    fn study<T: Real>(tiny: T) {
        assert!(tiny > T::ZERO && tiny.to_f64() < 1e-37);
        let small = Vector3::new(tiny, -tiny, tiny);
        let mut falling = ball::<T>(1.0, [0.0, 0.0, -1.0]);
        falling.angular = small;
        falling.linear += small;
        let contact = Contact {
            depth: tiny,
            restitution: tiny,
            warm: WarmStart { normal: tiny, tangent: small },
            pre_impact_normal_velocity: Some(-tiny),
            ..Contact::new(0, 1, Vector3::z(), small, small, tiny)
        };
        let settings = Settings::default();
        let solved = sound(&[Body::fixed(), falling], &[contact; 3], &settings);
        assert_eq!(solved.report.status, Status::Converged, "{:?}", solved.report);
        assert!(solved.velocities[1].0.z.abs() <= T::EPSILON);
        // Alone: the same as nothing, to within a hundred of the smallest numbers there are.
        let drifting = Body { linear: small, angular: small, ..ball::<T>(1.0, [0.0; 3]) };
        let solved = sound(&[Body::fixed(), drifting], &[contact; 3], &settings);
        assert!(solved.velocities[1].0.iter().all(|v| v.abs() <= T::lit(100.0) * tiny), "{solved:?}");
    }
    study::<f32>(f32::from_bits(0x0040_0000));
    study::<f64>(f64::from_bits(0x0008_0000_0000_0000));
}

/// Cones compare squares: what is too short for one is nothing, and stays as it is; what is longer is seen.
#[test]
fn a_length_whose_square_vanishes_counts_as_none() {
    fn study<T: Real>(vanishing: f64, seen: f64) {
        let cone = Cone { mu: T::HALF, preload: T::ZERO };
        let along = |length: f64| Vector3::new(T::ZERO, T::lit(0.6 * length), T::lit(0.8 * length));
        let nothing = along(vanishing);
        assert!(nothing.y > T::ZERO && nothing.y * nothing.y + nothing.z * nothing.z == T::ZERO);
        assert_eq!((cone.clamp(&nothing), cone.project(&nothing), cone.excess(&nothing)), (nothing, nothing, T::ZERO));
        // No sliding either: the natural map of a contact that opens at that speed is none.
        let opening = Vector3::new(T::ONE, nothing.y, nothing.z);
        assert_eq!(cone.natural_map(&Vector3::zeros(), &opening, T::ONE), Vector3::zeros());
        let something = along(seen);
        assert_eq!(cone.clamp(&something), Vector3::zeros());
        assert!((cone.excess(&something).to_f64() / seen - 1.0).abs() < 1e-3);
        let solved = sound(
            &[Body::fixed(), Body { linear: nothing.yzx(), ..ball::<T>(1.0, [0.0; 3]) }],
            &[upright(0, 1, 0.5)],
            &Settings::default(),
        );
        assert_eq!((solved.report.status, solved.report.residual.cone), (Status::Converged, T::ZERO));
    }
    study::<f32>(1e-23, 1e-17);
    study::<f64>(1e-163, 1e-150);
}

/// The sign of a zero is no information: whatever zeros are negated, the answer is equal.
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
        let biased = Settings { stabilisation: Stabilisation::Bias, ..none };
        for contact in [rough, smooth, bouncing, resting, deep] {
            for settings in [ordinary, none, biased] {
                let plain = sound(&[Body::fixed(), sliding], &[contact; 2], &settings);
                let bodies = [negated_body(&Body::fixed()), negated_body(&sliding)];
                let negated = sound(&bodies, &[negated_contact(&contact); 2], &negated_settings(&settings));
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
        inverse_inertia: body.inverse_inertia.map(negated),
        linear: body.linear.map(negated),
        angular: body.angular.map(negated),
    }
}

fn negated_contact<T: Real>(contact: &Contact<T>) -> Contact<T> {
    let Contact { a, b, normal, r_a, r_b, mu, restitution, depth, pre_impact_normal_velocity, warm } = *contact;
    let warm = WarmStart { normal: negated(warm.normal), tangent: warm.tangent.map(negated) };
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

/// `f64` solves 1e30 kg on 1e-30 kg; `f32` refuses both by name, and nothing has changed.
#[test]
fn masses_of_ten_to_the_thirtieth_are_solved_in_double_and_refused_in_single_precision() {
    let bodies = [Body::fixed(), ball::<f64>(1e-30, [0.0, 0.0, -1.0]), ball(1e30, [0.5, 0.0, -2.0])];
    let contacts = [upright(0, 1, 0.5), upright(1, 2, 0.5)];
    let solved = sound(&bodies, &contacts, &Settings { sweeps: 200, ..Settings::default() });
    // Sixty decades between the masses: sweeps do not get there, and the report does not claim it.
    let true_approach = -(solved.velocities[2].0.z - solved.velocities[1].0.z);
    assert!(solved.report.status == Status::SweepLimit && solved.report.residual.approach >= true_approach - 1e-9);
    for mass in [1e30, 1e-30] {
        let alone = sound(&[Body::fixed(), ball::<f64>(mass, [1.0, 0.0, -1.0])], &contacts[..1], &Settings::default());
        assert_eq!(alone.report.status, Status::Converged);
        assert!(alone.velocities[1].0.z.abs() < 1e-12 && alone.velocities[1].0.x < 1.0);
        let mut bodies = Bodies::<f32, 2>::new();
        let line = bodies.push(ball(mass, [0.0; 3])).unwrap_err().to_string();
        assert!(line.starts_with("bodies[0].inverse_mass: ") && bodies.is_empty(), "{line}");
        println!("f32: {line}");
    }
}

/// A cube on its four corners that slides, with any inverse inertia and spin.
fn on_four_corners<T: Real>(inverse_inertia: Matrix3<T>, angular: Vector3<T>) -> Solved<T> {
    let body = Body { inverse_inertia, angular, ..ball::<T>(1.0, [1.0, 0.5, -1.0]) };
    let corner = |x: f64, y: f64| {
        let r = Vector3::new(x, y, -0.5).map(T::lit);
        Contact::new(0, 1, Vector3::z(), Vector3::zeros(), r, T::lit(0.5))
    };
    let corners = [corner(0.5, 0.5), corner(-0.5, 0.5), corner(0.5, -0.5), corner(-0.5, -0.5)];
    sound(&[Body::fixed(), body], &corners, &Settings { sweeps: 1000, ..Settings::default() })
}

/// A body a million times as easily turned about one axis as about the next, twice: never gains energy, and the report says
/// how far from solved it is.
#[test]
fn inertia_ratios_of_a_million_million_stay_passive() {
    fn study<T: Real>(name: &str, most: f64) {
        let axes = Vector3::new(1e-6, 1.0, 1e6);
        for turned in 0..6 {
            let rotation = nalgebra::Rotation3::from_euler_angles(0.3 * f64::from(turned), 0.7, 0.2).into_inner();
            let tensor = rotation * Matrix3::from_diagonal(&axes) * rotation.transpose();
            let tensor = ((tensor + tensor.transpose()) * 0.5).map(T::lit);
            let solved = on_four_corners(tensor, Vector3::zeros());
            let residual = solved.report.residual.natural.to_f64();
            println!("{name}: {:?}, {residual:.1e}", solved.report.status);
            assert!(solved.report.status == Status::SweepLimit && residual < most, "{:?}", solved.report);
            // Half a joule about the heavy axis; in single precision that axis is below the rounding of the light one.
            if T::BYTES == 8 {
                on_four_corners(tensor, (rotation * Vector3::new(1e-3, 0.0, 0.0)).map(T::lit));
            }
        }
        // Not turned, every axis is exact, so that its energy is.
        for spin in [[0.0; 3], [1e-3, 0.0, 0.0], [1e-3, 1.0, 1e3]] {
            on_four_corners(Matrix3::from_diagonal(&axes.map(T::lit)), Vector3::from(spin).map(T::lit));
        }
    }
    // The table's 3e-4 and 6e-6, each as the one digit that it is written with.
    study::<f32>("f32", 3.5e-4);
    study::<f64>("f64", 6.5e-6);
}

/// At 1e8 m/s a bounce is still `−e` times the approach.
#[test]
fn a_bounce_at_a_hundred_thousand_kilometres_a_second_has_its_restitution() {
    fn study<T: Real>() {
        let contact = Contact { restitution: T::HALF, ..upright::<T>(0, 1, 0.0) };
        let falling = ball::<T>(1.0, [0.0, 0.0, -1e8]);
        let solved = sound(&[Body::fixed(), falling], &[contact], &Settings::default());
        let speed = solved.velocities[1].0.z.to_f64();
        assert!((speed - 5e7).abs() <= 8.0 * T::EPSILON.to_f64() * 5e7, "{speed}");
    }
    study::<f32>();
    study::<f64>();
}

/// Without friction not a bit of tangential motion changes; with a million it stops.
#[test]
fn friction_of_nothing_and_of_a_million() {
    fn study<T: Real>(stops_within: f64) {
        let sliding = ball::<T>(3.0, [4.0, -2.0, -1.0]);
        let smooth = sound(&[Body::fixed(), sliding], &[upright(0, 1, 0.0)], &Settings::default());
        assert_eq!((smooth.velocities[1].0.x, smooth.velocities[1].0.y), (sliding.linear.x, sliding.linear.y));
        assert_eq!((smooth.velocities[1].1, smooth.contacts[0].tangent), (Vector3::zeros(), Vector3::zeros()));
        let rough = sound(&[Body::fixed(), sliding], &[upright(0, 1, 1e6)], &Settings::default());
        let (v, w) = rough.velocities[1];
        let at_contact = (v + w.cross(&-Vector3::z())).map(|x| x.to_f64()).norm();
        assert!(at_contact <= stops_within && rough.report.status == Status::Converged, "{at_contact:e}");
        // Too rough is refused by name.
        let most = T::FRICTION_LIMIT + T::FRICTION_LIMIT;
        let refusal =
            solve(&[Body::fixed(), sliding], &[Contact { mu: most, ..upright(0, 1, 0.0) }], &Settings::default());
        assert!(refusal.unwrap_err().to_string().starts_with("contacts[0].mu: "));
    }
    study::<f32>(1e-5);
    study::<f64>(1e-13);
}

/// Back and forth between two walls a million times, to the bit: after every second bounce the whole body is as it was.
#[test]
fn a_million_bounces_without_loss_keep_their_energy() {
    fn study<T: Real>() {
        let wall = |normal: Vector3<T>| Contact {
            restitution: T::ONE,
            ..Contact::new(0, 1, normal, Vector3::z(), -normal, T::HALF)
        };
        let walls = [wall(Vector3::z()), wall(-Vector3::z())];
        let mut bodies = Bodies::<T, 2>::new();
        bodies.push(Body::fixed()).unwrap();
        bodies.push(ball(0.7, [0.0, 0.0, -3.3])).unwrap();
        let start = bodies.get(1).unwrap();
        let back = Body { linear: -start.linear, ..start };
        let mut solver = Solver::<T, 2, 1>::new();
        let bounces = effort::cases(20_000, 1_000_000);
        for bounce in 0..bounces {
            let mut contacts = Contacts::<T, 1>::new();
            contacts.push(walls[bounce % 2]).unwrap();
            solver.solve(&mut bodies, &contacts, &Settings::default()).unwrap();
            let expected = [back, start][bounce % 2];
            assert_eq!(bodies.get(1).unwrap(), expected, "bounce {bounce}");
        }
    }
    study::<f32>();
    study::<f64>();
}

/// Four contacts in one place, and any number of copies, do together what one does alone.
#[test]
fn coincident_contacts_share_what_one_would_carry() {
    fn study<T: Real>(tolerance: f64) {
        let sliding = ball::<T>(2.0, [3.0, 1.0, -2.0]);
        for restitution in [0.0, 0.5] {
            let contact = Contact { restitution: T::lit(restitution), ..upright::<T>(0, 1, 0.4) };
            let one = sound(&[Body::fixed(), sliding], &[contact], &Settings::default());
            for copies in [2, 4, 8] {
                let many = sound(&[Body::fixed(), sliding], &vec![contact; copies], &Settings::default());
                assert_eq!(many.report.status, Status::Converged);
                let apart = (one.velocities[1].0 - many.velocities[1].0).map(|x| x.to_f64()).norm();
                let total: f64 = many.contacts.iter().map(|c| (c.normal + c.bounce).to_f64()).sum();
                let alone = (one.contacts[0].normal + one.contacts[0].bounce).to_f64();
                assert!(
                    apart <= tolerance && (total - alone).abs() <= tolerance * alone,
                    "{copies}: {apart:e} {total}"
                );
            }
        }
    }
    study::<f32>(2e-5);
    study::<f64>(1e-6);
}

/// Held from two sides by one other body: rest stays rest without impulses, closing walls end in a sound answer that does
/// not claim to have parted them.
#[test]
fn opposite_normals_on_one_pair_of_bodies_hold_without_bouncing() {
    fn study<T: Real>() {
        let jaws = |restitution: f64| {
            let below = Contact { restitution: T::lit(restitution), ..upright::<T>(0, 1, 0.5) };
            let above = Contact { normal: -Vector3::z(), r_a: Vector3::z(), r_b: Vector3::z(), ..below };
            [below, above]
        };
        let still = sound(&[Body::fixed(), ball(1.0, [0.0; 3])], &jaws(0.0), &Settings::default());
        assert_eq!(still.velocities[1], (Vector3::zeros(), Vector3::zeros()));
        assert!(still.contacts.iter().all(|c| c.normal == T::ZERO) && still.report.status == Status::Converged);
        for restitution in [0.0, 1.0] {
            let moving = ball::<T>(1.0, [1.0, 0.0, -1.0]);
            let held = sound(&[Body::fixed(), moving], &jaws(restitution), &Settings::default());
            assert!(held.velocities[1].0.z.abs() <= T::lit(64.0) * T::EPSILON, "{held:?}");
        }
        // Two parts pressed at each other from both sides at once cannot part: nothing diverges.
        let deep = jaws(0.0).map(|jaw| Contact { depth: T::lit(0.1), ..jaw });
        for stabilisation in [Stabilisation::Bias, Stabilisation::SplitImpulse] {
            let settings = Settings { stabilisation, ..Settings::default() };
            let bodies = [Body::fixed(), ball::<T>(1.0, [0.0; 3])];
            let squeezed = match stabilisation {
                Stabilisation::Bias => finite_and_in_cones(&bodies, &deep, &settings),
                _ => sound(&bodies, &deep, &settings),
            };
            let speed = squeezed.velocities[1].0.map(|x| x.to_f64()).norm();
            assert!(speed <= settings.max_correction_speed.to_f64() * 1.01, "{stabilisation:?}: {speed}");
        }
    }
    study::<f32>();
    study::<f64>();
}

/// No lever: pushed through the centre, a body slows down and does not turn.
#[test]
fn lever_arms_of_zero_turn_nothing() {
    fn study<T: Real>() {
        let zero = Vector3::zeros();
        let contact = Contact::new(0, 1, Vector3::z(), zero, zero, T::lit(0.5));
        let solved = sound(&[Body::fixed(), ball(1.0, [2.0, 0.0, -1.0])], &[contact], &Settings::default());
        assert_eq!((solved.report.status, solved.velocities[1].1), (Status::Converged, zero));
        assert!((solved.velocities[1].0.x - T::lit(1.5)).abs() <= T::lit(16.0) * T::EPSILON);
    }
    study::<f32>();
    study::<f64>();
}

/// Two bodies that cannot move have nothing to solve: refused by name, and nothing has changed.
#[test]
fn a_contact_between_two_immovable_bodies_is_refused() {
    fn study<T: Real>() {
        let (mut bodies, mut contacts) = (Bodies::<T, 3>::new(), Contacts::<T, 2>::new());
        for body in [Body::fixed(), Body::fixed(), ball(1.0, [1.0, 0.0, -1.0])] {
            bodies.push(body).unwrap();
        }
        for contact in [upright(0, 2, 0.5), upright(0, 1, 0.5)] {
            contacts.push(contact).unwrap();
        }
        let before = bodies.clone();
        let refusal = Solver::<T, 3, 2>::new().solve(&mut bodies, &contacts, &Settings::default()).unwrap_err();
        assert_eq!(refusal.to_string(), "contacts[1]: neither body can move");
        assert_eq!(bodies, before);
    }
    study::<f32>();
    study::<f64>();
}

/// A cube on the ground, its centre at `east` metres; pushed from rest for some frames. Gives its velocities and ways.
fn pushed_cube_at(east: f32, frames: u32) -> (Vec<Vector3<f32>>, f32) {
    let rough = Material { mu: 0.5, restitution: 0.0 };
    let mut world = World::<f32, 2>::new();
    let place = |z: f32| Vector3::new(east, 0.0, z);
    let ground = RigidBody { material: rough, position: place(0.0), ..RigidBody::fixed() };
    world.push(ground).unwrap();
    let cube =
        RigidBody { material: rough, position: place(0.5), ..RigidBody::at_rest(1.0, Matrix3::identity() * 6.0) };
    world.push(RigidBody { linear: Vector3::new(0.5, 0.0, 0.0), ..cube }).unwrap();
    let mut pipeline = Pipeline::<f32, 2, 4>::new(StepSettings::default());
    let mut velocities = Vec::new();
    for _ in 0..frames {
        let center = world.positions()[1];
        let mut manifold = Manifold::new(0, 1, Vector3::z());
        for (id, (x, y)) in [(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)].into_iter().enumerate() {
            let on_b = center + Vector3::new(x, y, -0.5);
            let on_a = Vector3::new(on_b.x, on_b.y, 0.0);
            manifold.points.push(ManifoldPoint { on_a, on_b, depth: -on_b.z, id: PointId::Feature(id as u32) });
        }
        pipeline.step_manifolds(&mut world, &[manifold], 1.0 / 60.0).unwrap();
        velocities.push(world.get(1).unwrap().linear);
    }
    (velocities, world.positions()[1].x - east)
}

/// Solves know lever arms, not places: at 1e6 m from the origin velocities are those at the origin, the first to the bit.
/// Places there are a sixteenth of a metre apart in `f32`, so a cube slower than 2 m/s at 60 Hz stays in its place.
#[test]
fn a_million_metres_from_the_origin_velocities_are_the_same_and_places_are_coarse() {
    let ((near, moved), (far, stuck)) = (pushed_cube_at(0.0, 120), pushed_cube_at(1e6, 120));
    assert_eq!(near[0], far[0]);
    let apart = near.iter().zip(&far).map(|(a, b)| (a - b).norm()).fold(0.0, f32::max);
    assert!(apart < 1e-7, "{apart}");
    println!("moved {moved} m at the origin, {stuck} m at 1e6 m");
    assert!(moved > 0.02 && stuck == 0.0);
    assert!(far.last().unwrap().norm() < 1e-6, "{far:?}");
}
