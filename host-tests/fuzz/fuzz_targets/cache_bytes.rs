//! Restoring a cache from bytes: any bytes, and genuine ones damaged, with and without a correct checksum. They are
//! rejected and change nothing, or accepted and saved again as the same bytes; the next step works in either case.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stiction::{Real, StepSettings};
use stiction_fuzz::dumps::{damage, seal};
use stiction_fuzz::steps::{self, Small};
use stiction_fuzz::{Bytes, Mood};

fuzz_target!(|data: &[u8]| {
    let mut bytes = Bytes(data);
    if bytes.coin() { restore::<f32>(&mut bytes) } else { restore::<f64>(&mut bytes) }
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
