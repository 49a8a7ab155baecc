//! Small guarantees of the API, each at its exact boundary: limits to the last digit, emptiness, replacement, indices
//! past the end.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use stiction::CacheError;
use stiction::local::{Block, Cone};
use stiction::record::digest;
/// Default size of a cell of the contact cache, m.
const CELL: f64 = 0.005;
use stiction::{
    Bodies, Body, Contact, ContactCollector, Contacts, DirectReport, ErrorKind, FactorReport, InputError, InputField,
    Ledger, Pipeline, Real, RigidBody, Settings, Solver, Status, StepReport, StepSettings, WarmStart, World,
};
use stiction::{ContactCache, PointId};
use stiction::{Delassus, DelassusSolver};
use stiction::{Manifold, ManifoldPoint};
use stiction_scenes::boxes::stack;
use stiction_testkit::known_answers::{cube_inverse_inertia, cube_on_ground, sliding_cube, thrown_sphere};

fn cube() -> Body<f64> {
    Body::from_inverse(1.0, cube_inverse_inertia(1.0))
}

fn touching() -> Contact<f64> {
    Contact::new(0, 1, Vector3::z(), Vector3::zeros(), -Vector3::z(), 0.5)
}

fn check_inverse_of_mass<T: Real>() {
    for exponent in -9..=9 {
        let scale = 10.0_f64.powi(exponent);
        let inertia = Matrix3::new(2.0, 0.5, 0.0, 0.5, 1.0, 0.25, 0.0, 0.25, 2.5).map(|entry| T::lit(entry * scale));
        let exact = inertia.map(T::to_f64).try_inverse().unwrap();
        let bodies = [
            Body::from_mass(T::lit(scale), inertia).inverse_inertia_world,
            RigidBody::from_mass(T::lit(scale), inertia).inverse_inertia_body,
        ];
        for inverse in bodies {
            let error = (inverse.map(T::to_f64) - exact).norm() / exact.norm();
            assert!(error <= 8.0 * T::EPSILON.to_f64(), "scale {scale}: {error}");
        }
    }
    assert!(Body::from_mass(T::ONE, Matrix3::<T>::zeros()).inverse_inertia_world.iter().all(|x| !x.is_finite()));
}

#[test]
fn inverse_inertia_has_all_digits_for_light_and_heavy_bodies() {
    check_inverse_of_mass::<f32>();
    check_inverse_of_mass::<f64>();
}

#[test]
fn containers_are_empty_only_before_push_and_after_clear() {
    let (mut bodies, mut contacts) = (Bodies::<f64, 8>::new(), Contacts::<f64, 64>::new());
    let mut world = World::<f64, 8>::new();
    assert!(bodies.is_empty() && contacts.is_empty() && world.is_empty());
    bodies.push(cube()).unwrap();
    contacts.push(touching()).unwrap();
    world.push(RigidBody::from_inverse(1.0, cube_inverse_inertia(1.0))).unwrap();
    assert!(!bodies.is_empty() && !contacts.is_empty() && !world.is_empty());
    assert_eq!((bodies.len(), contacts.len(), world.len()), (1, 1, 1));
    bodies.clear();
    contacts.clear();
    world.clear();
    assert!(bodies.is_empty() && contacts.is_empty() && world.is_empty());
    assert!(bodies.get(0).is_none() && contacts.get(0).is_none() && world.get(0).is_none());
}

#[test]
fn set_replaces_the_whole_contact_and_a_rejected_set_changes_nothing() {
    let mut contacts = Contacts::<f64, 64>::new();
    contacts.push(touching()).unwrap();
    let other = Contact {
        a: 2,
        b: 3,
        normal: Vector3::x(),
        r_a: Vector3::x(),
        r_b: Vector3::y(),
        mu: 0.25,
        restitution: 0.75,
        depth: 0.125,
        pre_impact_normal_velocity: Some(-2.0),
        warm: WarmStart { normal_impulse: 3.0, tangent_impulse: Vector3::y() },
    };
    contacts.set(0, other).unwrap();
    assert_eq!(contacts.get(0), Some(other));
    assert!(contacts.set(0, Contact { mu: -1.0, ..touching() }).is_err());
    assert_eq!(contacts.set(1, other).unwrap_err().kind, ErrorKind::NoSuchContact { contacts: 1 });
    assert_eq!(contacts.get(0), Some(other));
}

#[test]
fn set_warm_replaces_only_the_warm_start() {
    let mut contacts = Contacts::<f64, 64>::new();
    contacts.push(touching()).unwrap();
    let warm = WarmStart { normal_impulse: 3.0, tangent_impulse: Vector3::x() };
    contacts.set_warm(0, warm).unwrap();
    assert_eq!(contacts.get(0), Some(Contact { warm, ..touching() }));
    let error = contacts.set_warm(0, WarmStart { normal_impulse: f64::NAN, ..warm }).unwrap_err();
    assert_eq!(error.kind, ErrorKind::NotFinite);
    assert_eq!(contacts.set_warm(1, warm).unwrap_err().kind, ErrorKind::NoSuchContact { contacts: 1 });
    assert_eq!(contacts.get(0).unwrap().warm, warm);
}

/// The next number away from zero.
fn beyond<T: Real>(limit: T) -> T {
    limit * (T::ONE + T::EPSILON)
}

/// Why a body is rejected, if it is.
fn rejection<T: Real>(body: Body<T>) -> Option<ErrorKind<T>> {
    Bodies::<T, 8>::new().push(body).err().map(|error| error.kind)
}

fn check_body_limits<T: Real>() {
    let most = T::INVERSE_MASS_LIMIT;
    let least = T::ONE / most;
    let plain = |inverse_mass: T| Body::from_inverse(inverse_mass, Matrix3::identity());
    assert_eq!(rejection(plain(most)), None);
    assert_eq!(rejection(plain(beyond(most))), Some(ErrorKind::TooLarge { value: beyond(most), max: most }));
    assert_eq!(rejection(plain(least)), None);
    let below = least * (T::ONE - T::EPSILON);
    assert_eq!(rejection(plain(below)), Some(ErrorKind::TooSmall { value: below, min: least }));
    assert_eq!(rejection(plain(-least)), Some(ErrorKind::TooSmall { value: -least, min: T::ZERO }));
    assert_eq!(rejection(Body::<T>::fixed()), None);
    // One entry at the limit is allowed, beyond it not.
    let rotating = |entry: T| Body::from_inverse(T::ONE, Matrix3::from_diagonal(&Vector3::new(T::ONE, entry, entry)));
    assert_eq!(rejection(rotating(most)), None);
    assert_eq!(rejection(rotating(beyond(most))), Some(ErrorKind::TooLarge { value: beyond(most), max: most }));
    let spinning = |speed: T| Body { angular_velocity: Vector3::new(T::ZERO, T::ZERO, -speed), ..plain(T::ONE) };
    assert_eq!(rejection(spinning(T::ANGULAR_SPEED_LIMIT)), None);
    assert!(rejection(spinning(beyond(T::ANGULAR_SPEED_LIMIT))).is_some());
    let moving = |speed: T| Body { linear_velocity: Vector3::new(T::ZERO, speed, T::ZERO), ..plain(T::ONE) };
    assert_eq!(rejection(moving(T::LINEAR_SPEED_LIMIT)), None);
    assert!(rejection(moving(beyond(T::LINEAR_SPEED_LIMIT))).is_some());
}

#[test]
fn bodies_are_accepted_up_to_their_exact_limits() {
    check_body_limits::<f32>();
    check_body_limits::<f64>();
}

#[test]
fn inertia_may_be_asymmetric_by_a_millionth_of_its_largest_entry() {
    let skew = |by: f64| {
        let mut inertia = Matrix3::identity() * 100.0;
        inertia.m12 = by;
        rejection(Body::from_inverse(1.0, inertia))
    };
    assert_eq!(skew(0.9e-4), None);
    assert_eq!(skew(1.1e-4), Some(ErrorKind::NotSymmetric));
}

/// Why a contact is rejected, if it is.
fn contact_rejection<T: Real>(contact: Contact<T>) -> Option<(InputField, ErrorKind<T>)> {
    Contacts::<T, 64>::new().push(contact).err().map(|error| (error.field, error.kind))
}

fn check_contact_limits<T: Real>() {
    let x = Vector3::new(T::ONE, T::ZERO, T::ZERO);
    let plain = Contact::new(0, 1, x, Vector3::zeros(), Vector3::zeros(), T::HALF);
    let is_accepted = |contact: Contact<T>| contact_rejection(contact).is_none();
    assert!(is_accepted(Contact { mu: T::FRICTION_LIMIT, ..plain }) && is_accepted(Contact { mu: T::ZERO, ..plain }));
    assert!(
        !is_accepted(Contact { mu: beyond(T::FRICTION_LIMIT), ..plain })
            && !is_accepted(Contact { mu: -T::EPSILON, ..plain })
    );
    assert!(
        is_accepted(Contact { restitution: T::ONE, ..plain })
            && !is_accepted(Contact { restitution: beyond(T::ONE), ..plain })
    );
    for sign in [T::ONE, -T::ONE] {
        let (length, speed, impulse) = (T::LENGTH_LIMIT * sign, T::LINEAR_SPEED_LIMIT * sign, T::IMPULSE_LIMIT * sign);
        assert!(
            is_accepted(Contact { depth: length, ..plain }) && !is_accepted(Contact { depth: beyond(length), ..plain })
        );
        assert!(
            is_accepted(Contact { r_a: x * length, ..plain })
                && !is_accepted(Contact { r_a: x * beyond(length), ..plain })
        );
        assert!(
            is_accepted(Contact { r_b: x * length, ..plain })
                && !is_accepted(Contact { r_b: x * beyond(length), ..plain })
        );
        let hits = |velocity| Contact { pre_impact_normal_velocity: Some(velocity), ..plain };
        assert!(is_accepted(hits(speed)) && !is_accepted(hits(beyond(speed))));
        let warm =
            |normal, tangent| Contact { warm: WarmStart { normal_impulse: normal, tangent_impulse: tangent }, ..plain };
        assert!(is_accepted(warm(impulse, x * impulse)));
        assert!(!is_accepted(warm(beyond(impulse), x)) && !is_accepted(warm(T::ONE, x * beyond(impulse))));
    }
    let long = |by: f64| Contact { normal: x * T::lit(1.0 + by), ..plain };
    assert!(
        is_accepted(long(0.9e-3))
            && is_accepted(long(-0.9e-3))
            && !is_accepted(long(1.1e-3))
            && !is_accepted(long(-1.1e-3))
    );
    let stored = |contact: Contact<T>| {
        let mut contacts = Contacts::<T, 64>::new();
        contacts.push(contact).expect("a contact");
        contacts.get(0).expect("the contact").normal
    };
    // Within rounding of unit length it stays unchanged; beyond, it is normalised.
    assert_eq!(stored(long(0.8e-6)), long(0.8e-6).normal);
    assert!((stored(long(0.9e-3)).norm() - T::ONE).abs() <= T::EPSILON);
    let last = usize::from(u16::MAX);
    assert!(is_accepted(Contact { a: last, ..plain }) && is_accepted(Contact { b: last, ..plain }));
    assert!(!is_accepted(Contact { a: last + 1, ..plain }) && !is_accepted(Contact { b: last + 1, ..plain }));
    assert!(!is_accepted(Contact { b: 0, ..plain }));
}

#[test]
fn contacts_are_accepted_up_to_their_exact_limits() {
    check_contact_limits::<f32>();
    check_contact_limits::<f64>();
}

fn check_settings_limits<T: Real>() {
    type Field<T> = (&'static str, fn(&mut Settings<T>) -> &mut T, T, T);
    let (least, two) = (T::EPSILON, T::lit(2.0));
    let fields: [Field<T>; 7] = [
        ("relaxation", |s| &mut s.relaxation, least, two - least),
        ("accelerated_relaxation", |s| &mut s.accelerated_relaxation, least, two - least),
        ("tolerance", |s| &mut s.tolerance, T::ZERO, T::ONE),
        ("restitution_threshold", |s| &mut s.restitution_threshold, T::ZERO, T::LINEAR_SPEED_LIMIT),
        ("error_reduction", |s| &mut s.error_reduction, T::ZERO, T::ONE),
        ("slop", |s| &mut s.slop, T::ZERO, T::LENGTH_LIMIT),
        ("max_correction_speed", |s| &mut s.max_correction_speed, T::ZERO, T::LINEAR_SPEED_LIMIT),
    ];
    for (name, field, least, most) in fields {
        let with = |value: T| {
            let mut settings = Settings::default();
            *field(&mut settings) = value;
            settings.validate().map_err(|error: InputError<T>| (error.field, error.kind))
        };
        assert!(with(least).is_ok() && with(most).is_ok(), "{name}");
        let above = beyond(most);
        assert_eq!(with(above), Err((InputField::Setting(name), ErrorKind::TooLarge { value: above, max: most })));
        let below = if least > T::ZERO { least * T::lit(0.999_999) } else { -T::EPSILON };
        assert_eq!(with(below), Err((InputField::Setting(name), ErrorKind::TooSmall { value: below, min: least })));
        assert_eq!(with(T::lit(f64::NAN)), Err((InputField::Setting(name), ErrorKind::NotFinite)));
    }
}

fn check_time_step_limits<T: Real>() {
    let with = |dt: T| {
        let (bodies, contacts) = (Bodies::<T, 8>::new(), Contacts::<T, 64>::new());
        Solver::validate(&bodies, &contacts, &Settings::default(), dt).map_err(|error| (error.field, error.kind))
    };
    let (min, max) = (T::lit(1e-9), T::lit(1e6));
    assert!(with(min).is_ok() && with(max).is_ok());
    let (below, above) = (min * T::lit(0.999_999), beyond(max));
    assert_eq!(with(above), Err((InputField::Dt, ErrorKind::TooLarge { value: above, max })));
    assert_eq!(with(below), Err((InputField::Dt, ErrorKind::TooSmall { value: below, min })));
    assert_eq!(with(T::lit(f64::NAN)), Err((InputField::Dt, ErrorKind::NotFinite)));
}

#[test]
fn time_steps_are_accepted_up_to_their_exact_limits() {
    check_time_step_limits::<f32>();
    check_time_step_limits::<f64>();
}

#[test]
fn settings_are_accepted_up_to_their_exact_limits_and_rejected_by_name() {
    check_settings_limits::<f32>();
    check_settings_limits::<f64>();
}

#[test]
fn block_coupling_matches_its_eigenvalues() {
    let rotation = Rotation3::from_euler_angles(0.3, -0.8, 1.1).into_inner();
    for (values, condition) in [([1.0, 2.0, 5.0], 5.0_f64), ([7.0, 0.5, 2.0], 14.0), ([3.0, 3.0, 3.0], 1.0)] {
        let k: Matrix3<f64> = rotation * Matrix3::from_diagonal(&Vector3::from(values)) * rotation.transpose();
        let coupling = Block::new(&k).0.coupling();
        assert!((coupling.condition / condition - 1.0).abs() < 1e-12, "{coupling:?}");
        let ratio = k.m12.hypot(k.m13) / k.m11;
        assert!((coupling.normal_tangent_ratio - ratio).abs() < 1e-12, "{coupling:?}, {ratio}");
    }
    // A block of rank one has no condition that could be computed.
    let v = Vector3::new(1.0, 2.0, -0.5);
    assert_eq!(Block::new(&(v * v.transpose())).0.coupling().condition, 1.0 / f64::EPSILON);
}

#[test]
fn friction_whose_square_overflows_is_measured_and_projected() {
    let cone = Cone { mu: 0.5_f64, preload: 0.0 };
    for (y, z) in [(3e200_f64, 4e200_f64), (-4e200, 3e200), (3e200, -4e200)] {
        let far = Vector3::new(2e100, y, z);
        let is = |value: f64, expected: f64| (value / expected - 1.0).abs() < 1e-14;
        assert!(is(cone.excess(&far), 5e200));
        // Onto the rim at right angles: x_n = (a + μ ‖x_t‖)/(1 + μ²).
        let nearest = cone.project(&far);
        assert!(is(nearest.x, 2e200) && is(nearest.y, y * 0.2) && is(nearest.z, z * 0.2));
        let shortened = cone.clamp(&far);
        assert!(shortened.x == 2e100 && is(shortened.y, y * 2e-101) && is(shortened.z, z * 2e-101));
        // Both squares overflow and cannot be compared; lengths can.
        let shortened = cone.clamp(&Vector3::new(2e199, y, z));
        assert!(shortened.x == 2e199 && is(shortened.y, y * 0.02) && is(shortened.z, z * 0.02));
        let inside = Vector3::new(2e201, y, z);
        assert_eq!((cone.clamp(&inside), cone.project(&inside)), (inside, inside));
    }
    // Scaled by a subnormal factor, the result is zero rather than inexact.
    let thin = Cone { mu: 1e-35_f32, preload: 8.978643e21 };
    let shortened = thin.clamp(&Vector3::new(0.0, -6.1e31, 8.0e31));
    assert!(shortened.yz().norm() <= thin.radius(0.0) * (1.0 + f32::EPSILON), "{shortened}");
}

#[test]
fn inertia_indefinite_by_rounding_gives_finite_answers() {
    // 4e-8 beside zeros is below the rounding of 0.14; an arm of 10 km makes -3 of it, against an inverse mass of 4e-8.
    let mut body = Body::<f32> { inverse_mass: 4.172325e-8, ..Body::fixed() };
    let (off, far) = (4.172325e-8, 4.973799e-15);
    body.inverse_inertia_world = Matrix3::new(3.7947066e-20, off, far, off, 4.70126e-39, 0.0, far, 0.0, 0.13523102);
    body.linear_velocity = Vector3::new(0.0, -1e9, 8.750134e8);
    let normal = Vector3::new(0.59116656, -0.8065491, -0.0008109281);
    let mut solver = Solver::<f32, 8, 64>::new();
    let (mut bodies, mut contacts) = (Bodies::<f32, 8>::new(), Contacts::<f32, 64>::new());
    bodies.push(body).unwrap();
    bodies.push(Body::fixed()).unwrap();
    contacts.push(Contact::new(0, 1, normal, Vector3::z() * 9568.628, Vector3::zeros(), 1e6)).unwrap();
    let report = solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0).unwrap();
    let outcome = solver.contact(0).unwrap();
    assert!(outcome.normal_impulse.is_finite() && outcome.tangent_impulse.iter().all(|x| x.is_finite()), "{outcome:?}");
    assert!(bodies.linear_velocities()[0].iter().all(|x| x.is_finite()) && report.energy_after <= report.energy_before);
}

#[test]
fn projection_onto_a_preloaded_cone_is_the_nearest_point() {
    let cone = Cone { mu: 0.5, preload: 2.0 };
    let near = |x: f64, y: f64, z: f64| cone.project(&Vector3::new(x, y, z));
    // Pulling, friction within what the preload carries: only the normal part goes.
    assert_eq!(near(-1.0, 0.5, 0.0), Vector3::new(0.0, 0.5, 0.0));
    // Pulling so hard that the lower end of the rim is nearest.
    assert_eq!(near(-10.0, 0.0, 3.0), Vector3::new(0.0, 0.0, 1.0));
    // No tangential part, nothing to scale.
    assert_eq!(near(-1.0, 0.0, 0.0), Vector3::zeros());
    // Without friction, the half-line.
    let line = Cone { mu: 0.0, preload: 1.0 };
    assert_eq!(line.project(&Vector3::new(2.0, 1.0, 1.0)), Vector3::new(2.0, 0.0, 0.0));
    assert_eq!(line.project(&Vector3::new(-2.0, 1.0, 1.0)), Vector3::zeros());
}

#[test]
fn delassus_solver_may_be_full_and_getters_past_the_end_return_none() {
    let (w, q) = (Matrix3::<f64>::identity(), [-Vector3::x(); 3]);
    let blocks = [w, w, w];
    let problem = |n: usize| Delassus::new(&blocks[..n], &[0, 1, 2, 3][..=n], &[0, 1, 2][..n], &q[..n], &[0.5; 3][..n]);
    let mut solver = DelassusSolver::<f64, 2>::new();
    for contacts in 0..=2 {
        solver.solve(&problem(contacts).unwrap(), &Settings::default()).unwrap();
        for i in 0..4 {
            let exists = i < contacts;
            assert_eq!((solver.impulse(i).is_some(), solver.state(i).is_some()), (exists, exists));
            assert_eq!(solver.coupling(i).is_some(), exists);
        }
    }
    let error = solver.solve(&problem(3).unwrap(), &Settings::default()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Full { capacity: 2 });
}

#[test]
fn solver_getters_return_none_past_the_last_contact_and_body() {
    let (mut bodies, contacts) = cube_on_ground(1.0, -Vector3::z(), 0.5, 0.0).columns::<f64, 8, 64>();
    let mut solver = Solver::<f64, 8, 64>::new();
    solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0).unwrap();
    for i in 0..9 {
        let exists = i < 4;
        assert_eq!((solver.contact(i).is_some(), solver.warm(i).is_some()), (exists, exists));
        assert_eq!((solver.coupling(i).is_some(), solver.island_of(i).is_some()), (exists, exists));
        assert_eq!((solver.wrench(i).is_some(), solver.position_correction(i).is_some()), (i < 2, i < 2));
    }
}

#[test]
fn the_digest_of_velocities_is_fnv_1a_over_their_words() {
    let mut bodies = Bodies::<f32, 8>::new();
    for speed in [1.5_f32, -0.25] {
        let linear = Vector3::new(speed, 2.0, -3.0);
        bodies
            .push(Body {
                linear_velocity: linear,
                angular_velocity: linear * 0.5,
                ..Body::from_inverse(1.0, Matrix3::identity())
            })
            .unwrap();
    }
    let numbers =
        (0..2).flat_map(|i| bodies.linear_velocities()[i].iter().chain(bodies.angular_velocities()[i].iter()));
    let expected = numbers
        .map(|v| v.to_bits())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, word| (hash ^ u64::from(word)).wrapping_mul(0x100_0000_01b3));
    assert_eq!(digest(&bodies), expected);
}

#[test]
fn cache_error_messages_name_the_problem() {
    let says = |error: CacheError, words: &str| assert!(error.to_string().contains(words), "{error}");
    says(CacheError::NotACache, "no saved cache");
    says(CacheError::UnknownVersion(9), "version 9");
    says(CacheError::OtherScalar(4), "4 bytes");
    says(CacheError::TooMany { points: 9, capacity: 8 }, "9 points, at most 8");
    says(CacheError::WrongLength, "ends early");
    says(CacheError::Checksum, "checksum");
    says(CacheError::BadPoint(3), "point 3");
}

/// A cache that holds one frame of some contacts.
fn remembered(contacts: &[Contact<f64>], ids: &[PointId]) -> ContactCache<f64, 8> {
    let mut cube = sliding_cube(1.0, 0.4, 0.5);
    cube.contacts = contacts.to_vec();
    let (mut bodies, contacts) = cube.columns::<f64, 8, 64>();
    let mut solver = Solver::<f64, 8, 64>::new();
    solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0).unwrap();
    let mut cache = ContactCache::new();
    cache.remember(&contacts, ids, &solver);
    cache
}

#[test]
fn a_cleared_cache_is_empty() {
    let contacts = sliding_cube(1.0, 0.4, 0.5).contacts;
    let mut cache = remembered(&contacts, &[]);
    assert!(!cache.is_empty() && cache.len() == 4 && cache.find(&contacts[0], PointId::Proximity).is_some());
    cache.clear();
    assert_eq!((cache.is_empty(), cache.len()), (true, 0));
    assert!(cache.find(&contacts[0], PointId::Proximity).is_none());
}

#[test]
fn a_full_cache_restores_into_the_same_capacity_and_no_smaller() {
    let cache = remembered(&sliding_cube(1.0, 0.4, 0.5).contacts, &[]);
    let mut bytes = [0; ContactCache::<f64, 4>::saved_bytes(4)];
    assert_eq!(cache.save(&mut bytes), Some(bytes.len()));
    let mut same = ContactCache::<f64, 4>::new();
    assert_eq!((same.restore(&bytes), same.len()), (Ok(()), 4));
    let mut small = ContactCache::<f64, 3>::new();
    assert_eq!(small.restore(&bytes), Err(CacheError::TooMany { points: 4, capacity: 3 }));
}

#[test]
fn proximity_lookup_matches_within_two_cells_per_axis() {
    // In the middle of a cell, so that whole cells are whole cells.
    let centre = Vector3::repeat(0.5 * CELL) + Vector3::new(-40.0, 30.0, -100.0) * CELL;
    let at = |cells: [f64; 3]| Contact {
        r_b: centre + Vector3::from(cells) * CELL,
        ..sliding_cube(1.0, 0.4, 0.5).contacts[0]
    };
    let cache = remembered(&[at([0.0; 3])], &[]);
    for axis in 0..3 {
        for (moved, found) in [(1.0, true), (2.0, true), (3.0, false), (-2.0, true), (-3.0, false), (500.0, false)] {
            let mut cells = [0.0; 3];
            cells[axis] = moved;
            assert_eq!(cache.find(&at(cells), PointId::Proximity).is_some(), found, "{cells:?}");
        }
    }
    assert!(cache.find(&at([2.0, -2.0, 2.0]), PointId::Proximity).is_some());
    // A proximity id does not match a feature id, nor the reverse.
    assert!(cache.find(&at([0.0; 3]), PointId::Feature(0)).is_none());
    let by_feature = remembered(&[at([0.0; 3])], &[PointId::Feature(0)]);
    assert!(by_feature.find(&at([0.0; 3]), PointId::Feature(0)).is_some());
    assert!(by_feature.find(&at([0.0; 3]), PointId::Proximity).is_none());
}

#[test]
fn proximity_lookup_returns_the_nearest_point_over_all_axes() {
    let centre = Vector3::repeat(0.5 * CELL);
    let base = sliding_cube(1.0, 0.4, 0.5).contacts[0];
    let at = |cells: [f64; 3], side: f64| Contact {
        r_b: centre + Vector3::from(cells) * CELL + Vector3::x() * side,
        ..base
    };
    // Far apart when solved, so that their impulses differ; one is 4 cells off in all, the other 2.
    let (far, near) = (at([2.0, 1.0, 1.0], 0.0), at([0.0, 0.0, -2.0], 0.0));
    let cache = remembered(&[far, near], &[]);
    let of = |contact: &Contact<f64>| cache.find(contact, PointId::Proximity).unwrap();
    assert!(of(&far) != of(&near));
    assert_eq!(of(&at([0.0; 3], 0.0)), of(&near));
    assert_eq!(of(&at([1.0, 1.0, 1.0], 0.0)), of(&far));
}

#[test]
fn a_frictionless_contact_has_no_sliding_direction() {
    let mut contact = sliding_cube(1.0, 0.4, 0.5).contacts[0];
    contact.mu = 0.0;
    let sliding = remembered(&[contact], &[]).sliding(&contact, PointId::Proximity).unwrap();
    assert_eq!((sliding.direction, sliding.frames), (Vector3::zeros(), 0));
}

#[test]
fn world_get_returns_the_body_that_was_pushed_or_set() {
    let mut world = World::<f64, 8>::new();
    let rotation = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
    let body = RigidBody {
        position: Vector3::new(1.0, 2.0, 3.0),
        orientation: rotation,
        linear_velocity: Vector3::x(),
        ..RigidBody::from_inverse(0.5, cube_inverse_inertia(2.0))
    };
    assert_eq!(world.push(body).unwrap(), 0);
    assert_eq!(world.get(0), Some(body));
    let moved = RigidBody { position: Vector3::zeros(), ..body };
    world.set(0, moved).unwrap();
    assert_eq!(world.get(0), Some(moved));
    assert!(world.set(1, moved).is_err() && world.get(1).is_none());
    // ½ m v² and m g h, in J.
    assert_eq!(world.kinetic_energy(), 1.0);
    world.set(0, body).unwrap();
    assert!((world.potential_energy(&Vector3::new(0.0, 0.0, -10.0)) - 60.0).abs() < 1e-12);
}

#[test]
fn free_flight_conserves_angular_momentum_for_any_inertia_and_orientation() {
    let shapes = [Vector3::new(1.0, 2.0, 2.5), Vector3::new(2.5, 1.0, 2.0), Vector3::new(2.0, 2.5, 1.0)];
    for (inertia, angle) in shapes.into_iter().flat_map(|shape| [0.0, 0.7, -2.0].map(|angle| (shape, angle))) {
        let orientation = UnitQuaternion::from_euler_angles(angle, 0.4 * angle, -0.3 * angle);
        let axes = Rotation3::from_euler_angles(0.4, 0.9, -0.5).into_inner();
        let tensor = axes * Matrix3::from_diagonal(&inertia) * axes.transpose();
        let inverse = tensor.try_inverse().unwrap();
        let mut world = World::<f64, 8>::new();
        let body = RigidBody {
            orientation,
            angular_velocity: Vector3::new(0.5, -0.3, 0.8),
            ..RigidBody::from_inverse(1.0, (inverse + inverse.transpose()) * 0.5)
        };
        world.push(body).unwrap();
        let momentum = |world: &World<f64, 8>| {
            let rotation = world.orientations()[0].to_rotation_matrix().into_inner();
            rotation * tensor * rotation.transpose() * world.bodies().angular_velocities()[0]
        };
        let before = momentum(&world);
        let settings = StepSettings { gravity: Vector3::zeros(), ..StepSettings::default() };
        let mut pipeline = Pipeline::<f64, 8, 64>::new(settings);
        for _ in 0..30 {
            pipeline.step(&mut world, stiction::manifolds(&[]), 1.0 / 60.0).unwrap();
        }
        assert!((momentum(&world) - before).norm() < 1e-9 * before.norm(), "{inertia:?} {angle}");
    }
}

#[test]
fn rotational_energy_counts_only_axes_with_finite_inertia() {
    let rotation = Rotation3::from_euler_angles(0.4, 0.9, -0.5).into_inner();
    for values in [[1.0, 2.0, 4.0], [4.0, 1.0, 2.0], [2.0, 4.0, 1.0], [3.0, 1.0, 0.0], [0.0, 3.0, 1.0], [0.0, 0.0, 2.0]]
    {
        for axes in [rotation, rotation.transpose(), Matrix3::identity(), rotation * rotation] {
            let inverse = axes * Matrix3::from_diagonal(&Vector3::from(values)) * axes.transpose();
            let inverse = (inverse + inverse.transpose()) * 0.5;
            let angular = Vector3::new(0.3, -1.2, 0.7);
            let own = axes.transpose() * angular;
            let parts = own.iter().zip(values).filter(|(_, inverse)| *inverse > 0.0);
            let expected: f64 = parts.map(|(speed, inverse)| 0.5 * speed * speed / inverse).sum();
            let energy = Body { angular_velocity: angular, ..Body::from_inverse(1.0, inverse) }.kinetic_energy();
            assert!((energy / expected - 1.0).abs() < 1e-9, "{values:?}: {energy} J, {expected} J");
        }
    }
}

#[test]
fn inertia_with_any_negative_eigenvalue_is_rejected() {
    let rejection = |rows: [[f64; 3]; 3]| rejection(Body::from_inverse(1.0, Matrix3::from_fn(|i, j| rows[i][j])));
    let bad = Some(ErrorKind::NotPositiveSemidefinite);
    // Every pair of axes is positive definite, all three together are not.
    assert_eq!(rejection([[1.0, -0.9, -0.9], [-0.9, 1.0, -0.9], [-0.9, -0.9, 1.0]]), bad);
    // After elimination of the first axis only an off-diagonal entry is left.
    assert_eq!(rejection([[1.0, 1.0, 1.0], [1.0, 1.0, 0.5], [1.0, 0.5, 1.0]]), bad);
    assert_eq!(rejection([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]), None);
    assert_eq!(rejection([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), bad);
    assert_eq!(rejection([[0.0, 0.0, 0.1], [0.0, 1.0, 0.0], [0.1, 0.0, 0.0]]), bad);
    assert_eq!(rejection([[1.0, 0.0, 0.0], [0.0, -1e-3, 0.0], [0.0, 0.0, 1.0]]), bad);
}

/// A ledger with a different number in every field.
fn ledger(first: f64) -> Ledger<f64> {
    Ledger {
        kinetic_before: first,
        kinetic_after: first + 1.0,
        potential_before: first + 2.0,
        potential_after: first + 4.0,
        load: first + 8.0,
        integration: first + 16.0,
        bounce: -first - 32.0,
        normal: first + 64.0,
        friction: -first - 128.0,
        position_correction: first + 256.0,
    }
}

#[test]
fn ledger_append_sums_two_steps() {
    let (mut both, next) = (ledger(1.0), ledger(1000.0));
    both.append(&next);
    let expected = Ledger {
        kinetic_before: 1.0,
        kinetic_after: 1001.0,
        potential_before: 3.0,
        potential_after: 1004.0,
        load: 1017.0,
        integration: 1033.0,
        bounce: -1065.0,
        normal: 1129.0,
        friction: -1257.0,
        position_correction: 1513.0,
    };
    assert_eq!(both, expected);
    assert_eq!((both.change(), both.work()), (2001.0, 2370.0));
    // Of the largest entry, whichever it is.
    assert_eq!(both.closure(), 369.0 / 1513.0);
    assert_eq!(
        Ledger { friction: -4000.0, ..both }.closure(),
        (2001.0_f64 - (2370.0 + 1257.0 - 4000.0)).abs() / 4000.0
    );
    let empty = StepReport::open(&World::<f64, 8>::new(), &Vector3::zeros()).ledger;
    assert_eq!((empty.closure(), empty.work()), (0.0, 0.0));
}

#[test]
fn step_report_append_combines_two_steps() {
    let mut world = World::<f64, 8>::new();
    let falling = RigidBody {
        position: Vector3::z() * 2.0,
        linear_velocity: Vector3::x() * 3.0,
        ..RigidBody::from_inverse(0.5, Matrix3::identity())
    };
    world.push(falling).unwrap();
    let open = StepReport::open(&world, &Vector3::new(0.0, 0.0, -10.0));
    assert_eq!((open.ledger.kinetic_before, open.ledger.kinetic_after), (9.0, 9.0));
    assert_eq!((open.ledger.potential_before, open.ledger.potential_after), (40.0, 40.0));
    let part = |n: usize, x: f64, flag: bool| {
        let mut report = open;
        report.status = if flag { Status::SweepLimit } else { Status::Converged };
        (report.contacts, report.contacts_left_out, report.warm_started) = (n, n + 1, n + 2);
        (report.kept, report.islands, report.sweeps) = (n + 3, n + 4, n as u32 + 5);
        (report.residual, report.closing_speed, report.depth) = (x, x + 1.0, x + 2.0);
        (report.direct.newton_steps, report.direct.interior_steps) = (n as u32, n as u32 + 1);
        report.direct.memory_too_small = flag;
        let n = n as u32;
        (report.factor.factors, report.factor.corrections, report.factor.changed) = (n, n + 1, n + 2);
        report.factor.memory_too_small = flag;
        (report.passivity_guard, report.bounce_dropped) = (flag, flag);
        report
    };
    for (first, last) in [(true, false), (false, true)] {
        let mut both = part(10, 0.5, first);
        both.append(&part(100, 0.25, last));
        assert_eq!((both.contacts, both.warm_started, both.kept, both.islands), (100, 102, 103, 104));
        assert_eq!((both.contacts_left_out, both.sweeps), (112, 120));
        assert_eq!((both.residual, both.closing_speed, both.depth), (0.5, 1.5, 2.5));
        assert_eq!((both.status, both.passivity_guard, both.bounce_dropped), (Status::SweepLimit, true, true));
        let DirectReport { newton_steps, interior_steps, memory_too_small, .. } = both.direct;
        assert_eq!((newton_steps, interior_steps, memory_too_small), (110, 112, true));
        let FactorReport { factors, corrections, changed, memory_too_small, .. } = both.factor;
        assert_eq!((factors, corrections, changed, memory_too_small), (110, 112, 114, true));
    }
    let mut both = part(1, 0.0, true);
    let mut late = part(1, 0.0, false);
    late.status = Status::Deadline;
    both.append(&late);
    assert_eq!(both.status, Status::Deadline);
}

/// Why a problem of one contact with this block is rejected, if it is.
fn block_rejection(block: Matrix3<f64>) -> Option<ErrorKind<f64>> {
    Delassus::new(&[block], &[0, 1], &[0], &[Vector3::zeros()], &[0.5]).err().map(|error| error.kind)
}

#[test]
fn delassus_blocks_may_be_indefinite_by_print_rounding_and_no_more() {
    let diagonal = |a: f64, b: f64, c: f64| block_rejection(Matrix3::from_diagonal(&Vector3::new(a, b, c)));
    let bad = Some(ErrorKind::NotPositiveSemidefinite);
    assert_eq!((diagonal(1.0, 1.0, -1e-5), diagonal(1.0, 1.0, -3e-5)), (None, bad));
    assert_eq!((diagonal(100.0, 100.0, -1e-3), diagonal(100.0, 100.0, -3e-3)), (None, bad));
    assert_eq!((diagonal(1.0, 0.0, 0.0), diagonal(1.0, 1.0, -0.5)), (None, bad));
    // Only the symmetric part counts.
    let skew = Matrix3::new(1.0, 5.0, 0.0, -5.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    assert_eq!(block_rejection(skew), None);
    assert_eq!(block_rejection(Matrix3::new(1.0, 3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)), bad);
    let least = 1.0 / f64::INVERSE_MASS_LIMIT;
    assert_eq!(diagonal(least, 0.0, 0.0), None);
    assert_eq!(diagonal(0.5 * least, 0.0, 0.0), Some(ErrorKind::TooSmall { value: 0.5 * least, min: least }));
}

#[test]
fn malformed_block_rows_are_rejected_by_name() {
    let (blocks, q) = ([Matrix3::<f64>::identity(); 3], [Vector3::zeros(); 2]);
    let rejection = |starts: &[u32; 3], columns: &[u32]| {
        let error = Delassus::new(&blocks[..columns.len()], starts, columns, &q, &[0.5; 2]).err();
        error.map(|error| (error.field, error.kind))
    };
    let rows = |row| Some((InputField::Delassus("row_starts", row), ErrorKind::BadStructure));
    let columns = |row| Some((InputField::Delassus("columns", row), ErrorKind::BadStructure));
    assert_eq!(rejection(&[0, 2, 3], &[0, 1, 1]), None);
    assert_eq!(rejection(&[0, 4, 3], &[0, 1, 1]), rows(0));
    assert_eq!(rejection(&[1, 2, 3], &[0, 1, 1]), rows(0));
    assert_eq!(rejection(&[0, 2, 2], &[0, 1, 1]), rows(0));
    assert_eq!(rejection(&[0, 2, 3], &[0, 0, 1]), columns(0));
    assert_eq!(rejection(&[0, 2, 3], &[1, 0, 1]), columns(0));
    assert_eq!(rejection(&[0, 2, 3], &[0, 2, 1]), columns(0));
    assert_eq!(rejection(&[0, 2, 3], &[0, 1, 2]), columns(1));
    let missing = |row| Some((InputField::Delassus("blocks", row), ErrorKind::NoDiagonalBlock));
    assert_eq!(rejection(&[0, 2, 2], &[0, 1]), missing(1));
    assert_eq!(rejection(&[0, 2, 3], &[0, 1, 0]), missing(1));
}

#[test]
fn delassus_len_and_is_empty_count_contacts() {
    let none = Delassus::<f64>::dense(&[], &[], &[]).unwrap();
    assert_eq!((none.is_empty(), none.len()), (true, 0));
    let (w, q, mu) = ([2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], [Vector3::zeros()], [0.5]);
    let one = Delassus::dense(&w, &q, &mu).unwrap();
    assert!(!one.is_empty() && one.len() == 1);
    let error = Delassus::dense(&w[..8], &q, &mu).unwrap_err();
    assert_eq!(error.kind, ErrorKind::WrongLength { length: 8, expected: 9 });
}

#[test]
fn a_pipeline_starts_warm_from_a_set_cache_and_cold_from_a_cleared_one() {
    let mut boxes = stack::<f64, 8, 64>(1);
    for _ in 0..5 {
        boxes.step().unwrap();
    }
    let cache = boxes.pipeline.cache().clone();
    let mut bytes = vec![0; 1000];
    let length = cache.save(&mut bytes).unwrap();
    assert_eq!(cache.len(), 4);
    boxes.pipeline.clear_cache();
    assert!(boxes.pipeline.cache().is_empty());
    assert_eq!(boxes.step().unwrap().warm_started, 0);
    boxes.pipeline.clear_cache();
    boxes.pipeline.set_cache(cache.clone());
    assert_eq!(boxes.step().unwrap().warm_started, 4);
    boxes.pipeline.clear_cache();
    boxes.pipeline.restore_cache(&bytes[..length]).unwrap();
    assert!(*boxes.pipeline.cache() == cache);
    assert_eq!(boxes.pipeline.restore_cache(&bytes[..length - 1]), Err(CacheError::WrongLength));
    assert!(*boxes.pipeline.cache() == cache);
    assert_eq!(boxes.step().unwrap().warm_started, 4);
}

#[test]
fn a_contact_bounces_above_the_restitution_threshold_and_not_at_it() {
    let rebound = |speed: f64, threshold: f64| {
        let settings = Settings { restitution_threshold: threshold, ..Settings::default() };
        let ball = thrown_sphere(0.0, speed, 0.0, 0.5);
        ball.solve::<f64>(&settings).unwrap().velocities[1].0.z
    };
    assert_eq!(rebound(0.5, 0.5), 0.0);
    assert!((rebound(0.5 + 1e-12, 0.5) - 0.25).abs() < 1e-9);
    assert_eq!((rebound(2.0, 2.0), rebound(2.0, 1.0)), (0.0, 1.0));
}

fn check_real_operations<T: Real>() {
    let floor = |value: f64| T::lit(value).floor_to_i32();
    assert_eq!([floor(1.5), floor(1.0), floor(0.0), floor(-0.5), floor(-1.0), floor(-1.5)], [1, 1, 0, -1, -1, -2]);
    assert_eq!([floor(1e30), floor(-1e30), floor(f64::NAN)], [i32::MAX, i32::MIN, 0]);
    let root = |value: f64| T::lit(value).sqrt_or_zero().to_f64();
    assert_eq!([root(9.0), root(0.25), root(0.0), root(-4.0), root(f64::NAN)], [3.0, 0.5, 0.0, 0.0, 0.0]);
    let below = |value: f64| T::lit(value).power_of_two_below().to_f64();
    assert_eq!([below(1.0), below(1.9), below(5.0), below(0.3)], [1.0, 1.0, 4.0, 0.25]);
    assert_eq!([T::integer(-7).to_f64(), T::HALF.to_f64(), T::ONE.to_f64() + T::ZERO.to_f64()], [-7.0, 0.5, 1.0]);
    assert!(T::MAX.is_finite() && !(T::MAX + T::MAX).is_finite() && !T::lit(f64::NAN).is_finite());
    for value in [1.5, -0.0, 1e-30, -3e20].map(T::lit) {
        let bytes = value.to_le_padded();
        assert!(bytes[T::BYTES..].iter().all(|byte| *byte == 0));
        assert_eq!(T::from_le_padded(bytes).to_le_padded(), bytes);
    }
    assert_eq!(T::ONE.to_le_padded()[..T::BYTES].last(), Some(&0x3f));
}

#[test]
fn real_operations_match_their_documentation() {
    check_real_operations::<f32>();
    check_real_operations::<f64>();
}

#[test]
fn an_error_names_the_invalid_field_not_a_valid_negative_one() {
    let valid = Contact { depth: -0.01, pre_impact_normal_velocity: Some(-2.0), ..touching() };
    let warm = WarmStart { normal_impulse: f64::INFINITY, tangent_impulse: Vector3::zeros() };
    assert_eq!(contact_rejection(valid), None);
    let rejection = contact_rejection(Contact { warm, ..valid });
    assert_eq!(rejection, Some((InputField::Contact(0, "warm.normal_impulse"), ErrorKind::NotFinite)));
}

#[test]
fn the_collector_counts_contacts_as_manifolds_are_pushed() {
    let mut world = World::<f64, 8>::new();
    world.push(RigidBody::fixed()).unwrap();
    world.push(RigidBody::from_inverse(1.0, cube_inverse_inertia(1.0))).unwrap();
    let mut manifold = Manifold::new(0, 1, Vector3::z());
    for x in [-0.5, 0.5] {
        let at = Vector3::new(x, 0.0, -0.5);
        manifold.points.push(ManifoldPoint { on_a: at, on_b: at, depth: 0.0, id: PointId::Proximity });
    }
    let mut pipeline = Pipeline::<f64, 8, 64>::new(StepSettings::default());
    let push_manifold = |_: &World<f64, 8>, collector: &mut ContactCollector<'_, f64, 8, 64>| {
        assert_eq!((collector.is_empty(), collector.len()), (true, 0));
        collector.push(&manifold)?;
        assert!(!collector.is_empty() && collector.len() == 2);
        Ok(())
    };
    assert_eq!(pipeline.step(&mut world, push_manifold, 1.0 / 60.0).unwrap().contacts, 2);
}

#[test]
fn cached_points_match_only_the_same_pair_and_kind_of_id() {
    // The first cell on every axis has the number 0, and so has the feature.
    let first = Contact { r_b: Vector3::repeat(0.5 * CELL), ..sliding_cube(1.0, 0.4, 0.5).contacts[0] };
    let (by_proximity, by_feature) = (remembered(&[first], &[]), remembered(&[first], &[PointId::Feature(0)]));
    assert!(by_proximity.find(&first, PointId::Proximity).is_some());
    assert!(by_proximity.find(&Contact { b: 2, ..first }, PointId::Proximity).is_none());
    assert!(by_proximity.find(&first, PointId::Feature(0)).is_none());
    assert!(by_feature.find(&first, PointId::Feature(0)).is_some());
    assert!(by_feature.find(&Contact { b: 2, ..first }, PointId::Feature(0)).is_none());
    assert!(by_feature.find(&first, PointId::Proximity).is_none());
}

#[test]
fn a_full_cache_keeps_the_deepest_points_and_the_first_of_equals() {
    let mut cube = sliding_cube(1.0, 0.4, 0.5);
    for (depths, kept) in [([0.0; 4], [0, 1]), ([0.0, 0.003, 0.0, 0.001], [1, 3]), ([0.001, 0.0, 0.001, 0.001], [0, 2])]
    {
        cube.contacts.iter_mut().zip(depths).for_each(|(contact, depth)| contact.depth = depth);
        let (mut bodies, contacts) = cube.columns::<f64, 8, 64>();
        let mut solver = Solver::<f64, 8, 64>::new();
        solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0).unwrap();
        let mut cache = ContactCache::<f64, 2>::new();
        assert_eq!(cache.remember(&contacts, &[], &solver), 2);
        for i in 0..4 {
            let found = cache.find(&contacts.get(i).unwrap(), PointId::Proximity).is_some();
            assert_eq!(found, kept.contains(&i), "{depths:?}: {i}");
        }
    }
}
