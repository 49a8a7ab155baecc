//! The contact cache for contacts that resist twisting and rolling.

use nalgebra::{Matrix3, Vector3};
use stiction::{Bodies, Body, CacheError, Contact, ContactCache, ContactRows, Contacts, PointId, Real, Report};
use stiction::{Settings, SixRows, Solver, Status, Surface, ThreeRows, Tread, WarmStart};
use stiction_scenes::moments::{BODIES, CONTACTS, PLACES, SLIDING, rods, surface};

const DT: f64 = 1.0 / 60.0;

type Cache<T = f64> = ContactCache<T, CONTACTS, SixRows>;
type Pushed<T = f64> = Contacts<T, PLACES, SixRows>;
type Solved<T = f64> = Solver<T, BODIES, PLACES, SixRows>;

fn features() -> Vec<PointId> {
    (0..CONTACTS as u32).map(PointId::Feature).collect()
}

/// Rods that begin to slide and to spin, on contacts with this surface.
fn problem<T: Real>(surface: Surface<T>) -> (Bodies<T, BODIES>, Pushed<T>) {
    let (mut bodies, mut contacts) = (Bodies::new(), Contacts::empty());
    rods(&mut bodies, &mut contacts, T::lit(0.05), surface).unwrap();
    (bodies, contacts)
}

/// The same contacts with A and B exchanged.
fn swapped(contacts: &Pushed) -> Pushed {
    let mut swapped = Contacts::empty();
    for i in 0..contacts.len() {
        let Contact { a, b, normal, r_a, r_b, .. } = contacts.get(i).unwrap();
        let contact = Contact { a: b, b: a, normal: -normal, r_a: r_b, r_b: r_a, ..contacts.get(i).unwrap() };
        swapped.push_on(contact, *contacts.surface(i).unwrap()).unwrap();
    }
    swapped
}

fn solve<T: Real>(bodies: &mut Bodies<T, BODIES>, contacts: &Pushed<T>) -> (Report<T>, Box<Solved<T>>) {
    let mut solver = Box::new(Solver::empty());
    let settings = Settings { sweeps: 1000, ..Settings::default() };
    let report = solver.solve(bodies, contacts, &settings, T::lit(DT)).unwrap();
    assert_eq!(report.status, Status::Converged);
    (report, solver)
}

/// What a contact starts from.
fn start<T: Real>(contacts: &Pushed<T>, i: usize) -> (WarmStart<T>, Vector3<T>) {
    (contacts.get(i).unwrap().warm, contacts.surface(i).unwrap().warm_moment)
}

fn answer<T: Real>(solver: &Solved<T>, i: usize) -> (WarmStart<T>, Vector3<T>) {
    (solver.warm(i).unwrap(), solver.moment(i).unwrap())
}

/// A cache after a frame, and the solver of that frame.
fn remembered<T: Real>(surface: Surface<T>, ids: &[PointId]) -> (Cache<T>, Box<Solved<T>>) {
    let (mut bodies, contacts) = problem(surface);
    let (report, solver) = solve(&mut bodies, &contacts);
    assert!(report.sweeps > 3, "{}", report.sweeps);
    let mut cache = Cache::empty();
    assert_eq!(cache.remember(&contacts, ids, &solver), 0);
    (cache, solver)
}

fn saved<T: Real, R: ContactRows>(cache: &ContactCache<T, CONTACTS, R>) -> Vec<u8> {
    let mut bytes = vec![0; ContactCache::<T, CONTACTS, R>::bytes_for(cache.len())];
    assert_eq!(cache.save(&mut bytes), Some(bytes.len()));
    bytes
}

/// Recomputes the checksum.
fn seal(bytes: &mut [u8]) {
    let end = bytes.len() - 4;
    let fnv = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    let checksum = bytes[..end].iter().fold(0x811c_9dc5, fnv);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
}

#[test]
fn a_moment_adds_a_vector_to_a_point_and_contacts_with_three_rows_pay_nothing() {
    const { assert!(ContactCache::<f32, 1>::POINT_BYTES == 32 && ContactCache::<f64, 1>::POINT_BYTES == 48) };
    fn bytes<T: Real>() -> (usize, usize) {
        (size_of::<ContactCache<T, 64>>(), size_of::<ContactCache<T, 64, SixRows>>())
    }
    assert_eq!(bytes::<f32>().0, 64 * 32 + 4 + size_of::<usize>() + 4, "with padding");
    assert_eq!(bytes::<f32>().1, bytes::<f32>().0 + 64 * 12);
    assert_eq!(bytes::<f64>().0, 64 * 48 + 8 + size_of::<usize>());
    assert_eq!(bytes::<f64>().1, bytes::<f64>().0 + 64 * 24);
}

#[test]
fn the_next_frame_starts_from_the_moments_of_the_last_to_the_bit() {
    let treaded = Surface {
        tread: Some(Tread { direction: Vector3::new(1.0, 0.5, 0.0), mu_across: 0.2 }),
        ..surface(6, SLIDING)
    };
    let joined = Surface { is_joined: true, ..surface(6, SLIDING) };
    for surface in [surface(4, SLIDING), surface(5, SLIDING), surface(6, SLIDING), treaded, joined] {
        for ids in [features(), vec![PointId::Proximity; CONTACTS]] {
            let (mut cache, solver) = remembered(surface, &ids);
            let (mut bodies, mut contacts) = problem(surface);
            assert_eq!(cache.warm_start(&mut contacts, &ids), CONTACTS);
            for (i, id) in ids.iter().enumerate() {
                assert_eq!(start(&contacts, i), answer(&solver, i));
                assert_eq!(cache.find_moment(&contacts.get(i).unwrap(), *id), solver.moment(i));
            }
            assert!((0..CONTACTS).any(|i| solver.moment(i).unwrap().norm() > 1e-4));
            assert_eq!(solve(&mut bodies, &contacts).0.sweeps, 0, "{surface:?}");
        }
    }
}

#[test]
fn moments_match_a_pair_in_either_body_order() {
    for ids in [features(), vec![PointId::Proximity; CONTACTS]] {
        let (mut cache, solver) = remembered(surface(6, SLIDING), &ids);
        let (mut bodies, contacts) = problem(surface(6, SLIDING));
        let mut other = swapped(&contacts);
        assert_eq!(cache.warm_start(&mut other, &ids), CONTACTS);
        for (i, id) in ids.iter().enumerate() {
            let ((forces, moment), (expected, expected_moment)) = (start(&other, i), answer(&solver, i));
            assert_eq!(
                (forces.normal_impulse, forces.tangent_impulse, moment),
                (expected.normal_impulse, -expected.tangent_impulse, -expected_moment)
            );
            assert_eq!(cache.find_moment(&other.get(i).unwrap(), *id), Some(-expected_moment));
        }
        let (report, solver) = solve(&mut bodies, &other);
        assert_eq!(report.sweeps, 0);
        // Remembered in this order, and found in the first.
        cache.remember(&other, &ids, &solver);
        let (_, mut contacts) = problem(surface(6, SLIDING));
        assert_eq!(cache.warm_start(&mut contacts, &ids), CONTACTS);
        for i in 0..CONTACTS {
            assert_eq!(start(&contacts, i).1, -solver.moment(i).unwrap());
        }
    }
}

/// How a frame of a study starts.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    Cold,
    WithoutMoments,
    Cached,
}

/// Sweeps of frames after the first. Rods stand, and torques that grow from frame to frame twist and roll them; friction
/// holds.
fn sweeps_of_held_rods(start: Start, growth: f64) -> u32 {
    let (mut cache, ids, mut sweeps) = (Cache::empty(), features(), 0);
    let (mut bodies, mut contacts) = problem(surface(6, SLIDING));
    for body in 1..BODIES {
        bodies.set_velocity(body, Vector3::zeros(), Vector3::zeros()).unwrap();
    }
    for frame in 0..20 {
        for body in 1..BODIES {
            let (linear, angular) = (bodies.linear_velocities()[body], bodies.angular_velocities()[body]);
            assert!(angular.norm() < 1e-6, "held: {angular}");
            let load = Vector3::new(0.02, 0.0, 0.05) * (1.0 + growth * f64::from(frame));
            bodies.set_velocity(body, linear - Vector3::z() * 9.81 * DT, angular + load).unwrap();
        }
        if start != Start::Cold {
            assert_eq!(cache.warm_start(&mut contacts, &ids), if frame == 0 { 0 } else { CONTACTS });
        }
        if start == Start::WithoutMoments {
            (0..CONTACTS).for_each(|i| contacts.set_warm_moment(i, Vector3::zeros()).unwrap());
        }
        let (report, solver) = solve(&mut bodies, &contacts);
        cache.remember(&contacts, &ids, &solver);
        if frame > 0 {
            sweeps += report.sweeps;
        }
    }
    sweeps
}

#[test]
fn held_rods_need_fewer_sweeps_with_cached_moments() {
    // A load that stays, and one that grows by a hundredth in every frame.
    for (growth, part) in [(0.0, 0.05), (0.01, 0.7)] {
        let starts = [Start::Cold, Start::WithoutMoments, Start::Cached];
        let [cold, without, cached] = starts.map(|start| sweeps_of_held_rods(start, growth));
        println!("sweeps of 19 frames: cold {cold}, impulses only {without}, impulses and moments {cached}");
        assert!(f64::from(cached) < part * f64::from(without) && without <= cold, "{cached} {without} {cold}");
    }
}

#[test]
fn a_moment_is_ignored_where_the_surface_has_none_any_more() {
    let (mut cache, solver) = remembered(surface(6, SLIDING), &features());
    // Some slide only, one of them over a tread; the others still have moments.
    let (_, all) = problem(surface(6, SLIDING));
    let mut contacts = Pushed::empty();
    let tread = Some(Tread { direction: Vector3::x(), mu_across: 0.2 });
    for i in 0..CONTACTS {
        let contact = all.get(i).unwrap();
        match i {
            0 => contacts.push(contact).unwrap(),
            1 => contacts.push_on(contact, Surface { tread, ..Surface::default() }).unwrap(),
            _ => contacts.push_on(contact, surface(6, SLIDING)).unwrap(),
        };
    }
    assert_eq!(cache.warm_start(&mut contacts, &features()), CONTACTS);
    for i in 0..CONTACTS {
        let moment = if i < 2 { Vector3::zeros() } else { solver.moment(i).unwrap() };
        assert_eq!(start(&contacts, i), (solver.warm(i).unwrap(), moment));
    }
    assert_eq!(contacts.surface(0), Some(&Surface::default()));
    // Contacts without moments leave none behind.
    let (mut bodies, _) = problem(surface(6, SLIDING));
    let (_, solver) = solve(&mut bodies, &contacts);
    cache.remember(&contacts, &features(), &solver);
    assert_eq!(cache.find_moment(&contacts.get(0).unwrap(), PointId::Feature(0)), Some(Vector3::zeros()));
}

#[test]
fn an_unknown_contact_starts_without_a_moment() {
    let (_, mut contacts) = problem(surface(6, SLIDING));
    for i in 0..CONTACTS {
        contacts.set_warm_moment(i, Vector3::new(1.0, 2.0, 3.0)).unwrap();
    }
    assert_eq!(Cache::empty().warm_start(&mut contacts, &features()), 0);
    for i in 0..CONTACTS {
        assert_eq!(start(&contacts, i), (WarmStart::cold(), Vector3::zeros()));
    }
    // Nor does one whose normal has rotated by more than 15°.
    let (mut cache, _) = remembered(surface(6, SLIDING), &features());
    let mut tilted = Pushed::empty();
    let normal = Vector3::new(20.0_f64.to_radians().sin(), 0.0, 20.0_f64.to_radians().cos());
    let warm_moment = Vector3::x();
    tilted
        .push_on(Contact { normal, ..contacts.get(0).unwrap() }, Surface { warm_moment, ..surface(6, SLIDING) })
        .unwrap();
    assert_eq!(cache.warm_start(&mut tilted, &features()), 0);
    assert_eq!(start(&tilted, 0).1, Vector3::zeros());
    assert_eq!(cache.find_moment(&tilted.get(0).unwrap(), PointId::Feature(0)), None);
}

#[test]
fn a_saved_cache_with_moments_restores_bit_exactly() {
    fn check<T: Real>() {
        let (cache, solver) = remembered::<T>(surface(6, SLIDING), &features());
        let bytes = saved(&cache);
        assert_eq!(bytes.len(), 12 + CONTACTS * (16 + 7 * T::BYTES) + 4);
        let mut restored = Cache::<T>::empty();
        restored.restore(&bytes).unwrap();
        assert_eq!(restored, cache);
        assert_eq!(saved(&restored), bytes);
        let (mut bodies, mut contacts) = problem(surface(6, SLIDING));
        restored.warm_start(&mut contacts, &features());
        for i in 0..CONTACTS {
            assert_eq!(start(&contacts, i), answer(&solver, i));
        }
        assert_eq!(solve(&mut bodies, &contacts).0.sweeps, 0, "the solve that it was saved from needs no sweep");
        assert_eq!(cache.save(&mut vec![0; bytes.len() - 1]), None);
    }
    check::<f32>();
    check::<f64>();
}

/// The bytes of one pressed and twisted contact as the format describes them, without the help of the kernel.
#[test]
fn bytes_are_those_of_the_documented_format() {
    fn bytes_of<R: ContactRows>(contacts: &Contacts<f64, 64, R>) -> (Vec<u8>, [f64; 4]) {
        let mut bodies = Bodies::<f64, 8>::new();
        bodies.push(Body::fixed()).unwrap();
        let (linear_velocity, angular_velocity) = (Vector3::new(5.0, 0.0, -0.25), Vector3::z() * 50.0);
        let body = Body { linear_velocity, angular_velocity, ..Body::from_mass(1.0, Matrix3::identity()) };
        bodies.push(body).unwrap();
        let mut solver = Solver::<f64, 8, 64, R>::empty();
        solver.solve(&mut bodies, contacts, &Settings::default(), DT).unwrap();
        let mut cache = ContactCache::<f64, CONTACTS, R>::empty();
        cache.remember(contacts, &[PointId::Feature(0x0102_0304)], &solver);
        let WarmStart { normal_impulse, tangent_impulse: friction } = solver.warm(0).unwrap();
        assert!((normal_impulse - 0.25).abs() < 1e-12 && (friction.x + 0.125).abs() < 1e-12);
        (saved(&cache), [normal_impulse, friction.x, friction.y, friction.z])
    }
    let expected = |version: u8, scalars: &[f64]| {
        let mut bytes = b"STCC".to_vec();
        bytes.extend([version, 8, 0, 0, 1, 0, 0, 0]);
        // Bodies 0 and 1, the feature, the normal z, one frame of sliding of a point by feature.
        bytes.extend([0, 0, 1, 0, 4, 3, 2, 1, 0, 0, 0, 0, 0xff, 0x7f, 1, 1]);
        scalars.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        bytes.extend([0; 4]);
        seal(&mut bytes);
        bytes
    };
    let contact = Contact { mu: 0.5, ..Contact::default() };
    let mut three = Contacts::<f64, 64, ThreeRows>::empty();
    three.push(contact).unwrap();
    let (bytes, impulses) = bytes_of(&three);
    assert_eq!(bytes, expected(1, &impulses));
    let mut six = Contacts::<f64, 64, SixRows>::empty();
    six.push_on(contact, Surface { torsion: 0.5, ..Surface::default() }).unwrap();
    let (bytes, impulses) = bytes_of(&six);
    let moment = [0, 8, 16].map(|at| f64::from_le_bytes(bytes[60 + at..68 + at].try_into().unwrap()));
    // Torsion times the normal impulse.
    assert!((Vector3::from(moment) + Vector3::z() * 0.125).norm() < 1e-12, "{moment:?}");
    assert_eq!(bytes, expected(2, &[impulses.as_slice(), moment.as_slice()].concat()));
}

#[test]
fn version_1_restores_into_a_cache_with_moments_that_has_none_then() {
    let (mut bodies, contacts) = problem(surface(6, SLIDING));
    let mut sliding = Contacts::<f64, PLACES>::new();
    (0..CONTACTS).for_each(|i| assert_eq!(sliding.push(contacts.get(i).unwrap()), Ok(i)));
    let mut solver = Box::new(Solver::<f64, BODIES, PLACES>::new());
    solver.solve(&mut bodies, &sliding, &Settings::default(), DT).unwrap();
    let mut three = ContactCache::<f64, CONTACTS>::new();
    three.remember(&sliding, &features(), &solver);
    let bytes = saved(&three);
    assert_eq!((bytes[4], bytes.len()), (1, ContactCache::<f64, CONTACTS>::saved_bytes(CONTACTS)));
    // Moments of before are gone.
    let (mut six, _) = remembered(surface(6, SLIDING), &features());
    six.restore(&bytes).unwrap();
    let (_, mut contacts) = problem(surface(6, SLIDING));
    assert_eq!(six.warm_start(&mut contacts, &features()), CONTACTS);
    for i in 0..CONTACTS {
        assert_eq!(start(&contacts, i), (solver.warm(i).unwrap(), Vector3::zeros()));
    }
    let again = saved(&six);
    assert_eq!((again[4], again.len()), (2, Cache::<f64>::bytes_for(CONTACTS)));
    // Every version 1 that is damaged is rejected here, too.
    rejects_damaged(&six, &bytes);
}

#[test]
fn a_cache_of_contacts_with_three_rows_rejects_moments() {
    let (cache, _) = remembered::<f64>(surface(6, SLIDING), &features());
    let mut bytes = saved(&cache);
    let mut three = ContactCache::<f64, CONTACTS>::new();
    assert_eq!(three.restore(&bytes), Err(CacheError::UnknownVersion(2)));
    assert_eq!(CacheError::UnknownVersion(2).to_string(), "version 2 cannot be restored here");
    assert!(three.is_empty());
    // Nor are they taken for points without moments if the version is changed.
    bytes[4] = 1;
    seal(&mut bytes);
    assert_eq!(three.restore(&bytes), Err(CacheError::WrongLength));
    assert_eq!(cache.clone().restore(&bytes), Err(CacheError::WrongLength));
}

/// Every flipped bit and every shorter or longer length is rejected, and nothing changes.
fn rejects_damaged(cache: &Cache, bytes: &[u8]) {
    let mut other = cache.clone();
    let mut reject = |bytes: &[u8]| {
        let error = other.restore(bytes).unwrap_err();
        assert_eq!(other, *cache, "{error}");
        error
    };
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        reject(&flipped);
    }
    for length in 0..bytes.len() {
        reject(&bytes[..length]);
    }
    let mut longer = bytes.to_vec();
    longer.push(0);
    assert_eq!(reject(&longer), CacheError::WrongLength);
    for version in (0..=u8::MAX).filter(|version| ![1, 2].contains(version)) {
        let mut changed = bytes.to_vec();
        changed[4] = version;
        seal(&mut changed);
        assert_eq!(reject(&changed), CacheError::UnknownVersion(version));
    }
}

#[test]
fn damaged_bytes_with_moments_are_rejected_and_change_nothing() {
    let (cache, _) = remembered::<f64>(surface(6, SLIDING), &features());
    rejects_damaged(&cache, &saved(&cache));
}

/// Bytes of a scalar of a point: normal impulse, friction, moment.
fn scalar_of(point: usize, scalar: usize) -> std::ops::Range<usize> {
    let at = 12 + point * (16 + 7 * 8) + 16 + scalar * 8;
    at..at + 8
}

#[test]
fn a_moment_that_is_not_finite_is_rejected_despite_a_valid_checksum() {
    let (cache, _) = remembered::<f64>(surface(6, SLIDING), &features());
    for (point, scalar, value) in [(0, 4, f64::NAN), (3, 5, f64::INFINITY), (7, 6, f64::NEG_INFINITY)] {
        let (mut bytes, mut other) = (saved(&cache), cache.clone());
        bytes[scalar_of(point, scalar)].copy_from_slice(&value.to_le_bytes());
        seal(&mut bytes);
        assert_eq!(other.restore(&bytes), Err(CacheError::BadPoint(point)));
        assert_eq!(other, cache);
    }
}

/// Any flipped bit of the moments, with a valid checksum: rejected, or the next solve is finite and passive.
#[test]
fn a_solve_from_moments_with_a_flipped_bit_is_finite_and_passive() {
    let (cache, _) = remembered::<f64>(surface(6, SLIDING), &features());
    let (genuine, mut solver) = (saved(&cache), Box::new(Solved::<f64>::empty()));
    let mut restored = 0;
    let moments = (0..CONTACTS).flat_map(|point| (4..7).flat_map(move |scalar| scalar_of(point, scalar)));
    for bit in moments.flat_map(|byte| 8 * byte..8 * byte + 8) {
        let (mut bytes, mut other) = (genuine.clone(), Cache::<f64>::empty());
        bytes[bit / 8] ^= 1 << (bit % 8);
        seal(&mut bytes);
        if other.restore(&bytes).is_err() {
            continue;
        }
        restored += 1;
        let (mut bodies, mut contacts) = problem(surface(6, SLIDING));
        assert_eq!(other.warm_start(&mut contacts, &features()), CONTACTS);
        for i in 0..CONTACTS {
            let (_, moment) = start(&contacts, i);
            contacts.set_warm_moment(i, moment).expect("only moments within the limits are taken");
        }
        let report = solver.solve(&mut bodies, &contacts, &Settings::default(), DT).unwrap();
        assert!(report.energy_after <= report.energy_before * (1.0 + 1e-14), "bit {bit}: {report:?}");
        assert!(bodies.angular_velocities().iter().all(|angular| angular.iter().all(|part| part.is_finite())));
    }
    assert!(restored > 1000, "{restored}");
}

#[test]
fn a_cache_that_is_too_small_keeps_the_moments_of_the_deepest() {
    let (mut bodies, flat) = problem(surface(6, SLIDING));
    let mut contacts = Pushed::empty();
    for i in 0..CONTACTS {
        let depth = if i == 5 { 0.002 } else { 0.001 };
        contacts.push_on(Contact { depth, ..flat.get(i).unwrap() }, surface(6, SLIDING)).unwrap();
    }
    let (_, solver) = solve(&mut bodies, &contacts);
    let mut small = ContactCache::<f64, 1, SixRows>::empty();
    assert_eq!(small.remember(&contacts, &features(), &solver), CONTACTS - 1);
    assert_eq!(small.warm_start(&mut contacts, &features()), 1);
    for i in 0..CONTACTS {
        let moment = if i == 5 { solver.moment(i).unwrap() } else { Vector3::zeros() };
        assert_eq!(start(&contacts, i).1, moment);
    }
}
