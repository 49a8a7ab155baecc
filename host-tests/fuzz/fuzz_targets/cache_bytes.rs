//! Restoring a cache from bytes: any bytes, and genuine ones damaged, with and without a correct checksum. They are
//! rejected and change nothing, or accepted and saved again as the same bytes; the next step works in either case. So for
//! the contacts of a pipeline, and for the cache of bare solves, with and without moments.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction::step::cache_bytes::VERSION_WITH_MOMENTS;
use stiction::{Bodies, CacheError, ContactCache, ContactRows, Contacts, PointId, Settings, SixRows, Solver, Surface};
use stiction::{Real, StepSettings};
use stiction_fuzz::dumps::{damage, seal, seal_by_bytes};
use stiction_fuzz::scene::{self, Scene, TAME};
use stiction_fuzz::steps::{self, Small};
use stiction_fuzz::{Bytes, Mood, NB, NC};

/// Every contact may have moments and take two places.
const PLACES: usize = 2 * NC;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    if bytes.coin() {
        restore::<f32>(&mut bytes);
        restore_with_moments::<f32>(&mut bytes);
    } else {
        restore::<f64>(&mut bytes);
        restore_with_moments::<f64>(&mut bytes);
    }
});

fn restore<T: Real>(bytes: &mut Bytes<'_>) {
    let (foreign, sealed) = (bytes.below(4) == 3, bytes.coin());
    let mut pipeline = Small::<T>::new(StepSettings::default());
    let mut world = steps::world::<T>(bytes, Mood::Usual);
    let manifolds = steps::manifolds(bytes, Mood::Usual, &world);
    let dt = T::lit(1.0 / 60.0);
    steps::step(&mut pipeline, &mut world, &manifolds, dt);
    let genuine = steps::saved(&pipeline);
    let mut offered = if foreign { bytes.0.to_vec() } else { genuine.clone() };
    if !foreign {
        damage(bytes, &mut offered);
    }
    if sealed {
        let length = offered.len();
        seal(&mut offered, length);
    }
    let before = pipeline.cache().clone();
    match pipeline.restore_cache(&offered) {
        Err(_) => {
            assert_eq!(*pipeline.cache(), before, "rejected bytes changed the cache");
            assert_eq!(steps::saved(&pipeline), genuine);
            assert_ne!(offered, genuine, "its own bytes are rejected");
        }
        Ok(()) => assert_eq!(steps::saved(&pipeline), offered, "saved again as other bytes"),
    }
    steps::step(&mut pipeline, &mut world, &manifolds, dt);
}

/// The same for the cache of bare solves.
fn restore_with_moments<T: Real>(bytes: &mut Bytes<'_>) {
    let (sealed, proximity) = (bytes.coin(), bytes.coin());
    let Scene { bodies, contacts: sliding } = scene::scene::<T>(bytes, Mood::Usual, &TAME);
    let mut contacts = Contacts::<T, PLACES, SixRows>::empty();
    for contact in (0..sliding.len()).filter_map(|i| sliding.get(i)) {
        let (torsion, rolling) = (T::lit(0.1 * bytes.unit()), T::lit(0.1 * bytes.unit()));
        let surface =
            if bytes.coin() { Surface { torsion, rolling, ..Surface::default() } } else { Surface::default() };
        contacts.push_on(contact, surface).expect("it is valid, and there are two places for each");
    }
    let id = |i: u32| if proximity { PointId::Proximity } else { PointId::Feature(i) };
    let ids: Vec<PointId> = (0..NC as u32).map(id).collect();
    let mut solver = Solver::<T, NB, PLACES, SixRows>::empty();
    if solver.solve(&mut bodies.clone(), &contacts, &Settings::default(), T::lit(1.0 / 60.0)).is_err() {
        return;
    }
    let mut cache = ContactCache::<T, NC, SixRows>::empty();
    assert_eq!(cache.remember(&contacts, &ids, &solver), 0);
    let genuine = saved(&cache);
    let mut offered = genuine.clone();
    damage(bytes, &mut offered);
    if sealed {
        seal_by_bytes(&mut offered);
    }
    check_offered(&mut cache, &genuine, &offered);
    let mut three = ContactCache::<T, NC>::new();
    let of_three = three.restore(&offered);
    if offered.starts_with(b"STCC") && offered.get(4) == Some(&VERSION_WITH_MOMENTS) && offered.len() >= 8 {
        assert_eq!(of_three, Err(CacheError::UnknownVersion(VERSION_WITH_MOMENTS)));
    }
    assert_eq!(three.is_empty(), of_three.is_err() || offered[8] == 0);
    cache.warm_start(&mut contacts, &ids);
    check_passive(bodies, &contacts, &mut solver);
}

/// Offers bytes to a cache.
fn check_offered<T: Real>(cache: &mut ContactCache<T, NC, SixRows>, genuine: &[u8], offered: &[u8]) {
    let before = cache.clone();
    match cache.restore(offered) {
        Err(_) => {
            assert_eq!(*cache, before, "rejected bytes changed the cache");
            assert_ne!(offered, genuine, "its own bytes are rejected");
        }
        Ok(()) if offered[4] == VERSION_WITH_MOMENTS => {
            assert_eq!(saved(cache), offered, "saved again as other bytes");
        }
        // Without moments.
        Ok(()) => assert_eq!(saved(cache)[4], VERSION_WITH_MOMENTS),
    }
}

fn saved<T: Real, R: ContactRows>(cache: &ContactCache<T, NC, R>) -> Vec<u8> {
    let mut bytes = vec![0; ContactCache::<T, NC, R>::bytes_for(cache.len())];
    assert_eq!(cache.save(&mut bytes), Some(bytes.len()));
    bytes
}

/// Solves from any warm start: finite, and no energy is added.
fn check_passive<T: Real>(
    mut bodies: Bodies<T, NB>,
    contacts: &Contacts<T, PLACES, SixRows>,
    solver: &mut Solver<T, NB, PLACES, SixRows>,
) {
    let report = solver
        .solve(&mut bodies, contacts, &Settings::default(), T::lit(1.0 / 60.0))
        .expect("a warm start from a cache is valid");
    let limit = report.energy_before * (T::ONE + T::lit(64.0) * T::EPSILON);
    assert!(report.energy_after <= limit, "{report:?}");
    let velocities = bodies.linear_velocities().iter().chain(bodies.angular_velocities());
    assert!(velocities.flat_map(|velocity| velocity.iter()).all(|part| part.is_finite()));
}
