//! Worlds that stay: their digests are the pinned ones of every target, every word is that of processors, and faults are errors.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use stiction::Status;
use stiction_batch::Control;
use stiction_batch_layout::words::REJECTED;
use stiction_scenes::digest::{PINNED_JOINTS, PINNED_ROBOT};
use stiction_scenes::many::{COUNTS, WORDS};
use stiction_scenes::robot::Robot;
use stiction_scenes::start::{START, start_of};

use super::driver::{LOCAL_BYTES, alone, fail, fault, open};
use crate::device::places::Word;
use crate::device::worlds;
use crate::worlds::LAUNCH_TICKS;
use crate::{GpuError, WorldKind, worlds_on_processors};

const TICKS: u32 = 2000;

/// Starts of more than one block of worlds.
fn starts(count: u64) -> Vec<[f32; START]> {
    (0..count).map(start_of).collect()
}

#[test]
fn the_robot_in_several_launches_has_the_digest_that_the_board_prints() {
    let log = include_str!("../../../../embedded-example/golden/robot.txt");
    assert!(
        log.contains(&format!("robot: {TICKS} steps, 0 cut short, 0 over a millisecond, digest {PINNED_ROBOT:016x}"))
    );
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        let mut robots = gpu.worlds(WorldKind::Robot, &[[0.0; START]]).unwrap();
        for ticks in [1, 0, 7, 92, 1000, 900] {
            robots.step(ticks, &Control::default()).unwrap();
        }
        let course = robots.read().unwrap().course(0).unwrap();
        assert_eq!((course.ticks, course.digest.0), (TICKS, PINNED_ROBOT));
        assert_eq!((robots.len(), robots.state_bytes()), (1, size_of::<Robot<f32>>()));
        assert_eq!(robots.local_bytes().unwrap(), LOCAL_BYTES.unsigned_abs());
    });
}

#[test]
fn the_leg_has_the_digest_of_every_target() {
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        let mut legs = gpu.worlds(WorldKind::Leg, &starts(2)).unwrap();
        legs.step(TICKS, &Control::default()).unwrap();
        let answers = legs.read().unwrap();
        let course = answers.course(0).unwrap();
        assert_eq!((course.ticks, course.digest.0), (TICKS, PINNED_JOINTS[0]));
        assert_ne!(answers.course(1).unwrap().digest, course.digest);
    });
}

#[test]
fn every_word_of_other_starts_is_that_of_processors() {
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        for (kind, count, ticks) in [(WorldKind::Robot, 70, 400), (WorldKind::Leg, 33, 300)] {
            let starts = starts(count);
            let expected = worlds_on_processors(kind, &starts, ticks, &Control::default()).unwrap();
            let mut worlds = gpu.worlds(kind, &starts).unwrap();
            worlds.step(ticks, &Control::default()).unwrap();
            let found = worlds.read().unwrap();
            assert!(found == expected, "{kind:?}");
            // All are different, all were solved, and none left where it could be.
            let mut digests: Vec<u64> = (0..found.len()).map(|world| found.course(world).unwrap().digest.0).collect();
            digests.sort_unstable();
            digests.dedup();
            assert_eq!(digests.len() as u64, count);
            for world in 0..found.len() {
                let (course, trunk) = (found.course(world).unwrap(), found.trunk(world).unwrap());
                assert!(course.ticks == ticks && course.worst <= Some(Status::SweepLimit), "{course:?}");
                assert!(trunk[2] > 0.0 && trunk[2] < 1.0, "{trunk:?}");
            }
        }
    });
}

#[test]
fn a_world_that_is_rejected_stops_and_costs_the_others_nothing() {
    let mut starts = starts(40);
    // No number; one that is too large; one with which numbers overflow after some ticks.
    starts[3][1] = f32::NAN;
    starts[5][3] = f32::INFINITY;
    starts[35][4] = 1e18;
    alone(fault::NONE, || {
        let expected = worlds_on_processors(WorldKind::Robot, &starts, 60, &Control::on(1)).unwrap();
        let gpu = open().unwrap();
        let mut robots = gpu.worlds(WorldKind::Robot, &starts).unwrap();
        for _ in 0..6 {
            robots.step(10, &Control::default()).unwrap();
        }
        let found = robots.read().unwrap();
        assert!(found == expected);
        let stopped: Vec<usize> = (0..40).filter(|world| found.course(*world).unwrap().status.is_none()).collect();
        assert_eq!(stopped, [3, 5, 35]);
        assert_eq!(
            [3, 5].map(|world| (found.course(world).unwrap().ticks, found.trunk(world).unwrap()[2])),
            [(0, 0.0); 2]
        );
        assert_eq!(found.words()[3][..4], [1, 0, REJECTED, REJECTED]);
        assert_eq!(found.course(36).unwrap().ticks, 60);
        assert_eq!((found.course(40), found.trunk(40)), (None, None));
    });
}

#[test]
fn a_call_tells_its_progress_and_stops_when_it_is_cancelled() {
    let (stop, told) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let progress = |ticks: usize| {
        told.lock().unwrap_or_else(PoisonError::into_inner).push(ticks);
        stop.store(ticks > LAUNCH_TICKS as usize, Ordering::Relaxed);
    };
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        let mut legs = gpu.worlds(WorldKind::Leg, &starts(1)).unwrap();
        assert_eq!(legs.read().unwrap().course(0), None);
        let control = Control { progress: Some(&progress), cancel: Some(&stop), ..Control::default() };
        let time = legs.step(10 * LAUNCH_TICKS, &control).unwrap();
        // The driver's clock says 2 ms for each launch.
        assert_eq!(time.as_micros(), 4000);
        assert_eq!(legs.read().unwrap().course(0).unwrap().ticks, 2 * LAUNCH_TICKS);
        let none = worlds_on_processors(WorldKind::Leg, &starts(2), 5, &control).unwrap();
        assert_eq!((none.len(), none.course(1)), (2, None));
    });
    assert_eq!(*told.lock().unwrap_or_else(PoisonError::into_inner), [50, 100]);
}

#[test]
fn no_worlds_and_no_ticks_are_no_error() {
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        let mut legs = gpu.worlds(WorldKind::Leg, &starts(3)).unwrap();
        legs.step(0, &Control::default()).unwrap();
        let begun = worlds_on_processors(WorldKind::Leg, &starts(3), 0, &Control::default()).unwrap();
        assert_eq!(legs.read().unwrap(), begun);
        assert_eq!(begun.course(2).unwrap().ticks, 0);
        let mut none = gpu.worlds(WorldKind::Robot, &[]).unwrap();
        none.step(3, &Control::default()).unwrap();
        assert!(none.is_empty() && none.read().unwrap().is_empty());
    });
}

#[test]
fn worlds_that_fail_say_why_and_keep_nothing() {
    for (fault, line) in [
        (fault::MODULE, "the driver does not compile the code: CUDA_ERROR_LAUNCH_FAILED: line 7"),
        (fault::MEMORY, "the graphics processor has no "),
        (fault::LAUNCH, "the graphics processor failed: CUDA_ERROR_LAUNCH_FAILED"),
        (fault::COPY, "cuMemcpyDtoH_v2: CUDA_ERROR_LAUNCH_FAILED"),
    ] {
        alone(fault, || {
            let gpu = open().unwrap();
            let said = gpu.worlds(WorldKind::Robot, &starts(1)).unwrap_err().to_string();
            assert!(said.starts_with(line), "{said}");
        });
    }
}

#[test]
fn worlds_that_fail_later_keep_nothing_either() {
    alone(fault::NONE, || {
        let gpu = open().unwrap();
        let mut robots = gpu.worlds(WorldKind::Robot, &starts(2)).unwrap();
        robots.step(3, &Control::default()).unwrap();
        fail(fault::LAUNCH);
        let code = || "CUDA_ERROR_LAUNCH_FAILED".to_string();
        assert_eq!(robots.step(1, &Control::default()), Err(GpuError::Launch { code: code() }));
        fail(fault::COPY);
        assert_eq!(robots.read(), Err(GpuError::Call { function: "cuMemcpyDtoH_v2", code: code() }));
        // This driver's launches fail before they begin.
        fail(fault::NONE);
        assert_eq!(robots.read().unwrap().course(1).unwrap().ticks, 3);
    });
}

#[test]
fn a_state_that_is_smaller_than_the_world_is_rejected() {
    let (starts, mut state) = ([0.0; 32 * START], vec![Word::uninit(); 32 * 8]);
    let mut courses = vec![0; 32 * WORDS];
    let arguments = worlds::Arguments {
        count: 1,
        ticks: 1,
        state_words: 8,
        starts: starts.as_ptr(),
        states: state.as_mut_ptr(),
        courses: courses.as_mut_ptr(),
    };
    for thread in 0..3 {
        // SAFETY: arrays of the lengths that are documented; one thread after another.
        unsafe { worlds::run::<Robot<f32>>(thread, &arguments) }
    }
    let words: Vec<u32> = (0..COUNTS.len()).map(|k| courses[32 * k]).collect();
    assert_eq!(words[..4], [1, 0, REJECTED, REJECTED]);
    assert!((0..WORDS).all(|k| courses[32 * k + 1] == 0));
}
