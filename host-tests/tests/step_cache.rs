//! The contact cache over many frames.

use nalgebra::{Matrix3, Rotation3, Vector3};
use stiction::CacheError;
use stiction::step::cache::MAX_AGE;
use stiction::{ContactCache, PointId};
use stiction::{Contacts, Pipeline, RigidBody, Settings, Solver, Status, StepSettings, World};
use stiction::{Manifold, ManifoldPoint};
use stiction_testkit::island::Island;
use stiction_testkit::known_answers::*;

type Cache = ContactCache<f64, 8>;

fn features(count: usize) -> Vec<PointId> {
    (0..count as u32).map(PointId::Feature).collect()
}

/// One frame: warm start, solve, remember; returns the report's sweeps, the points found and the solver.
fn frame(island: &Island, cache: &mut Cache, ids: &[PointId]) -> (u32, usize, Solver<f64, 8, 64>) {
    let (mut bodies, mut contacts) = island.columns::<f64, 8, 64>();
    let warm = cache.warm_start(&mut contacts, ids);
    let mut solver = Solver::new();
    let report = solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0).unwrap();
    assert_eq!(report.status, Status::Converged);
    cache.remember(&contacts, ids, &solver);
    (report.sweeps, warm, solver)
}

fn resting() -> Island {
    cube_on_ground(1.0, Vector3::new(0.0, 0.0, -GRAVITY * DT), 0.5, 0.0)
}

#[test]
fn a_point_takes_at_most_32_bytes_in_single_precision() {
    println!("bytes a point: f32 {}, f64 {}", ContactCache::<f32, 1>::POINT_BYTES, ContactCache::<f64, 1>::POINT_BYTES);
    const { assert!(ContactCache::<f32, 1>::POINT_BYTES <= 32) };
}

#[test]
fn cached_impulses_are_bit_exact_by_feature_and_by_proximity() {
    for ids in [features(4), vec![PointId::Proximity; 4]] {
        let mut cache = Cache::new();
        let (cold, found, solver) = frame(&sliding_cube(1.0, 0.4, 0.5), &mut cache, &ids);
        assert!(found == 0 && cold > 5);
        let (_, contacts) = sliding_cube(1.0, 0.4, 0.5).columns::<f64, 8, 64>();
        for (i, id) in ids.iter().enumerate() {
            assert_eq!(cache.find(&contacts.get(i).unwrap(), *id), solver.warm(i));
        }
        let (warm, found, _) = frame(&sliding_cube(1.0, 0.4, 0.5), &mut cache, &ids);
        assert_eq!((warm, found), (0, 4));
    }
}

#[test]
fn points_match_by_proximity_after_small_moves_only() {
    let mut cache = Cache::new();
    frame(&resting(), &mut cache, &[]);
    let mut moved = resting();
    moved.contacts.iter_mut().for_each(|c| c.r_b.x += 0.006);
    assert_eq!(frame(&moved, &mut cache.clone(), &[]).1, 4);
    moved.contacts.iter_mut().for_each(|c| c.r_b.x += 0.1);
    assert_eq!(frame(&moved, &mut cache.clone(), &[]).1, 0);
}

#[test]
fn a_normal_rotated_by_14_degrees_keeps_its_impulse_and_by_16_does_not() {
    let mut cache = Cache::new();
    let ids = features(4);
    frame(&resting(), &mut cache, &ids);
    for (degrees, kept) in [(0.0_f64, 4), (14.0, 4), (16.0, 0)] {
        let tilt = Rotation3::from_axis_angle(&Vector3::y_axis(), degrees.to_radians());
        let (_, contacts) = resting().columns::<f64, 8, 64>();
        let mut rotated = Contacts::<f64, 64>::new();
        for i in 0..4 {
            let contact = contacts.get(i).unwrap();
            rotated.push(stiction::Contact { normal: tilt * contact.normal, ..contact }).unwrap();
        }
        assert_eq!(cache.clone().warm_start(&mut rotated, &ids), kept, "{degrees} degrees");
    }
}

#[test]
fn a_frame_that_flips_across_the_equator_changes_no_answer() {
    // A wall whose normal oscillates about n_z = 0, where the tangents jump.
    let answer = |tilt: f64| {
        let rotation = Rotation3::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2 + tilt);
        let island = sliding_cube(1.0, 0.4, 0.5).rotated(rotation.matrix());
        let mut cache = Cache::new();
        let other = Rotation3::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2 - tilt);
        let before = sliding_cube(1.0, 0.4, 0.5).rotated(other.matrix());
        let (mut bodies, contacts) = before.columns::<f64, 8, 64>();
        let mut solver = Solver::<f64, 8, 64>::new();
        let settings = Settings { tolerance: 1e-14, sweeps: 1000, ..Settings::default() };
        solver.solve(&mut bodies, &contacts, &settings, 1.0 / 60.0).unwrap();
        cache.remember(&contacts, &features(4), &solver);
        let (mut bodies, mut contacts) = island.columns::<f64, 8, 64>();
        cache.warm_start(&mut contacts, &features(4));
        // No sweep: the answer is the cached one.
        solver.solve(&mut bodies, &contacts, &Settings { sweeps: 0, ..settings }, 1.0 / 60.0).unwrap();
        rotation.inverse() * bodies.linear_velocities()[1]
    };
    // A nanoradian of tilt moves the answer by less than 1e-8; a reversed tangent would move it by 0.08.
    let tight = Settings { tolerance: 1e-14, sweeps: 1000, ..Settings::default() };
    let (mut bodies, contacts) = sliding_cube(1.0, 0.4, 0.5).columns::<f64, 8, 64>();
    Solver::<f64, 8, 64>::new().solve(&mut bodies, &contacts, &tight, 1.0 / 60.0).unwrap();
    for tilt in [1e-13, -1e-13] {
        assert!(
            (answer(tilt) - bodies.linear_velocities()[1]).norm() <= 1e-12,
            "{:e}",
            (answer(tilt) - bodies.linear_velocities()[1]).norm()
        );
    }
}

#[test]
fn the_cache_matches_a_pair_in_either_body_order() {
    for ids in [features(4), vec![PointId::Proximity; 4]] {
        let mut cache = Cache::new();
        let island = sliding_cube(1.0, 0.4, 0.5);
        let (_, found, solver) = frame(&island, &mut cache, &ids);
        assert_eq!(found, 0);
        let (sweeps, found, swapped) = frame(&island.swapped(), &mut cache, &ids);
        assert_eq!((sweeps, found), (0, 4));
        for i in 0..4 {
            let (there, here) = (solver.warm(i).unwrap(), swapped.warm(i).unwrap());
            assert!(
                (there.tangent_impulse + here.tangent_impulse).norm() <= 1e-15
                    && (there.normal_impulse - here.normal_impulse).abs() <= 1e-15
            );
        }
    }
}

#[test]
fn persistent_points_are_not_evicted_by_new_ones() {
    // Two slots; the new contact comes first in the list.
    let mut small = ContactCache::<f64, 2>::new();
    let island = resting();
    let solve = |chosen: &[usize]| {
        let (mut bodies, all) = island.columns::<f64, 8, 64>();
        let mut contacts = Contacts::<f64, 64>::new();
        for i in chosen {
            contacts.push(all.get(*i).unwrap()).unwrap();
        }
        let mut solver = Solver::<f64, 8, 64>::new();
        solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0).unwrap();
        (contacts, solver)
    };
    let ids = |chosen: &[usize]| chosen.iter().map(|i| PointId::Feature(*i as u32)).collect::<Vec<_>>();
    let (contacts, solver) = solve(&[0, 1]);
    small.remember(&contacts, &ids(&[0, 1]), &solver);
    let (contacts, solver) = solve(&[2, 1]);
    assert_eq!(small.remember(&contacts, &ids(&[2, 1]), &solver), 0);
    for (i, id) in ids(&[2, 1]).into_iter().enumerate() {
        assert_eq!(small.find(&contacts.get(i).unwrap(), id), solver.warm(i));
    }
}

#[test]
fn a_bounce_never_leaks_into_the_next_frame() {
    let mut cache = Cache::new();
    let bouncing = thrown_sphere(0.0, 3.0, 0.0, 0.5);
    frame(&bouncing, &mut cache, &features(1));
    let contact = bouncing.columns::<f64, 8, 64>().1.get(0).unwrap();
    assert_eq!(cache.find(&contact, PointId::Feature(0)).unwrap().normal_impulse, 0.0);
}

#[test]
fn a_cloned_cache_continues_bit_exactly() {
    let mut cache = Cache::new();
    let ids = features(4);
    frame(&sliding_cube(2.0, 0.4, 0.5), &mut cache, &ids);
    let saved = cache.clone();
    let first: Vec<_> =
        (0..3).map(|i| frame(&sliding_cube(1.9 - 0.1 * f64::from(i), 0.4, 0.5), &mut cache, &ids).0).collect();
    let end = cache.clone();
    cache = saved;
    let again: Vec<_> =
        (0..3).map(|i| frame(&sliding_cube(1.9 - 0.1 * f64::from(i), 0.4, 0.5), &mut cache, &ids).0).collect();
    assert_eq!((first, end), (again, cache));
}

#[test]
fn a_full_cache_keeps_the_deepest_and_reports_how_many_were_dropped() {
    let mut island = resting();
    for (contact, depth) in island.contacts.iter_mut().zip([0.001, 0.004, 0.002, 0.003]) {
        contact.depth = depth;
    }
    let (mut bodies, contacts) = island.columns::<f64, 8, 64>();
    let mut solver = Solver::<f64, 8, 64>::new();
    solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0).unwrap();
    let mut small = ContactCache::<f64, 2>::new();
    let ids = features(4);
    assert_eq!(small.remember(&contacts, &ids, &solver), 2);
    let kept: Vec<bool> = (0..4).map(|i| small.find(&contacts.get(i).unwrap(), ids[i]).is_some()).collect();
    assert_eq!(kept, [false, true, false, true]);
    let mut none = ContactCache::<f64, 0>::new();
    assert_eq!((none.remember(&contacts, &ids, &solver), none.len()), (4, 0));
}

#[test]
fn a_full_step_keeps_the_deepest_contacts_in_any_order() {
    for depths in [[0.003, 0.001, 0.002], [0.001, 0.003, 0.002], [0.002, 0.003, 0.001]] {
        let mut world = World::<f64, 2>::new();
        world.push(RigidBody::fixed()).unwrap();
        world.push(RigidBody::from_inverse(1.0, Matrix3::identity())).unwrap();
        let mut manifold = Manifold::new(0, 1, Vector3::z());
        for (depth, x) in depths.into_iter().zip([-1.0, 0.0, 1.0]) {
            let id = PointId::Feature((1e3 * depth) as u32);
            manifold.points.push(ManifoldPoint { on_a: Vector3::x() * x, on_b: Vector3::x() * x, depth, id });
        }
        let mut pipeline = Pipeline::<f64, 2, 2>::new(StepSettings::default());
        let report = pipeline.step(&mut world, stiction::manifolds(&[manifold]), 1.0 / 60.0).unwrap();
        assert_eq!((report.contacts, report.contacts_left_out), (2, 1));
        let kept = |feature| pipeline.contacts().any(|contact| contact.id == PointId::Feature(feature));
        assert_eq!([1, 2, 3].map(kept), [false, true, true], "{depths:?}");
    }
}

#[test]
fn unseen_points_expire_after_max_age_and_sliding_frames_are_counted() {
    let mut cache = Cache::new();
    let ids = features(4);
    for expected in 1..=3 {
        frame(&sliding_cube(2.0, 0.0, 0.5), &mut cache, &ids);
        let contact = sliding_cube(2.0, 0.0, 0.5).columns::<f64, 8, 64>().1.get(0).unwrap();
        let sliding = cache.sliding(&contact, ids[0]).unwrap();
        assert_eq!(sliding.frames, expected);
        assert!((sliding.direction - Vector3::x()).norm() <= 1e-6);
    }
    let empty = Island { bodies: resting().bodies, contacts: Vec::new() };
    for _ in 0..MAX_AGE {
        frame(&empty, &mut cache, &[]);
        assert_eq!(cache.len(), 4);
    }
    frame(&empty, &mut cache, &[]);
    assert!(cache.is_empty());
}

/// A cache with four points, and its bytes.
fn saved() -> (Cache, Vec<u8>) {
    let mut cache = Cache::new();
    frame(&sliding_cube(1.0, 0.4, 0.5), &mut cache, &features(4));
    let mut bytes = vec![0; Cache::saved_bytes(cache.len())];
    assert_eq!(cache.save(&mut bytes), Some(bytes.len()));
    (cache, bytes)
}

#[test]
fn a_saved_cache_restores_bit_exactly() {
    let (cache, bytes) = saved();
    assert_eq!(bytes.len(), 12 + 4 * (16 + 4 * 8) + 4);
    let mut restored = Cache::new();
    restored.restore(&bytes).unwrap();
    assert_eq!(restored, cache);
    let island = sliding_cube(1.0, 0.4, 0.5);
    assert_eq!(frame(&island, &mut restored, &features(4)).0, 0, "the solve that it was saved from needs no sweep");
    assert_eq!(cache.save(&mut vec![0; bytes.len() - 1]), None);
}

#[test]
fn invalid_cache_bytes_are_rejected_and_change_nothing() {
    let (cache, bytes) = saved();
    let rejection = |bytes: &[u8]| {
        let mut other = cache.clone();
        let error = other.restore(bytes).unwrap_err();
        assert_eq!(other, cache);
        error
    };
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        rejection(&flipped);
    }
    for length in 0..bytes.len() {
        rejection(&bytes[..length]);
    }
    let changed = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        rejection(&bytes)
    };
    assert_eq!(changed(0, b'X'), CacheError::NotACache);
    assert_eq!(changed(4, 9), CacheError::UnknownVersion(9));
    assert_eq!(changed(5, 4), CacheError::OtherScalar(4));
    assert_eq!(changed(8, 9), CacheError::TooMany { points: 9, capacity: 8 });
    assert_eq!(changed(8, 5), CacheError::WrongLength);
    assert_eq!(changed(30, bytes[30] ^ 1), CacheError::Checksum);
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(rejection(&longer), CacheError::WrongLength);
}

/// Recomputes the checksum.
fn seal(bytes: &mut [u8]) {
    let end = bytes.len() - 4;
    let fnv = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    let checksum = bytes[..end].iter().fold(0x811c_9dc5, fnv);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
}

/// Valid bytes, as another build would write them: rejected by version or scalar, not by checksum.
#[test]
fn a_cache_of_another_version_or_scalar_is_rejected() {
    let (cache, bytes) = saved();
    let rejection = |at: usize, byte: u8| {
        let (mut bytes, mut other) = (bytes.clone(), cache.clone());
        bytes[at] = byte;
        seal(&mut bytes);
        let error = other.restore(&bytes).unwrap_err();
        assert_eq!(other, cache, "a rejected cache changed the old one");
        error
    };
    for version in (0..=u8::MAX).filter(|version| *version != stiction::step::cache_bytes::VERSION) {
        assert_eq!(rejection(4, version), CacheError::UnknownVersion(version));
    }
    for scalar in (0..=u8::MAX).filter(|scalar| *scalar != 8) {
        assert_eq!(rejection(5, scalar), CacheError::OtherScalar(scalar));
    }
    // A genuine one of the other precision, either way.
    let mut boxes = stiction_scenes::boxes::stack::<f32, 8, 64>(2);
    boxes.step().unwrap();
    let mut single = ContactCache::<f32, 8>::new();
    let (mut of_single, mut bytes_of_single) = (single.clone(), vec![0; ContactCache::<f32, 8>::saved_bytes(0)]);
    single.save(&mut bytes_of_single).unwrap();
    assert_eq!(Cache::new().restore(&bytes_of_single), Err(CacheError::OtherScalar(4)));
    assert_eq!(of_single.restore(&bytes), Err(CacheError::OtherScalar(8)));
    assert_eq!(of_single, single);
    // Kept contacts of a pipeline are something else.
    single.clear();
    let before = boxes.pipeline.cache().clone();
    assert_eq!(boxes.pipeline.restore_cache(&bytes), Err(CacheError::NotACache));
    assert_eq!(*boxes.pipeline.cache(), before);
}

#[test]
fn impossible_cache_points_are_rejected_despite_a_valid_checksum() {
    let (_, bytes) = saved();
    let forged = |change: &dyn Fn(&mut [u8])| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        seal(&mut bytes);
        Cache::new().restore(&bytes)
    };
    assert_eq!(forged(&|_| ()), Ok(()));
    let second = 12 + 48;
    assert_eq!(
        forged(&|b| b[second + 16..second + 24].copy_from_slice(&f64::NAN.to_le_bytes())),
        Err(CacheError::BadPoint(1))
    );
    assert_eq!(forged(&|b| b[second..second + 2].copy_from_slice(&7u16.to_le_bytes())), Err(CacheError::BadPoint(1)));
    assert_eq!(forged(&|b| b[second + 15] |= 0xf0), Err(CacheError::BadPoint(1)));
    assert_eq!(forged(&|b| b[6] = 1), Err(CacheError::Checksum), "reserved bytes must be 0");
}
