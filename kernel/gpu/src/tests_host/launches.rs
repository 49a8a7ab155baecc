//! What a launch of the driver in [`super::driver`] does: the code of `kernel/gpu/device`, thread by thread.
use std::ffi::c_void;

use stiction::{SixRows, ThreeRows};
use stiction_batch_layout::given::ReadRows;
use stiction_scenes::many::{FactoredLeg, StartedWorld};
use stiction_scenes::robot::Robot;

use super::columns;
use crate::Scalar;
use crate::code::{self, CODES};
use crate::device::arguments::SettingsArguments;
use crate::device::{body_contact, delassus, worlds};

/// Runs so many threads of an entry.
pub fn run(code: usize, threads: usize, places: *mut *mut c_void) {
    let passed = Passed(places);
    match code {
        code::SOLVE_F32_5_8 => solve::<f32, 5, 8, ThreeRows>(threads, &passed),
        code::SOLVE_F32_8_16 => solve::<f32, 8, 16, ThreeRows>(threads, &passed),
        code::SOLVE_F64_5_8 => solve::<f64, 5, 8, ThreeRows>(threads, &passed),
        code::SURFACES_F32_5_16 => solve::<f32, 5, 16, SixRows>(threads, &passed),
        code::DELASSUS_F32_8 => solve_matrices::<f32, 8>(threads, &passed),
        code::DELASSUS_F64_8 => solve_matrices::<f64, 8>(threads, &passed),
        code::SURFACES_F64_5_16 => solve::<f64, 5, 16, SixRows>(threads, &passed),
        code::PACK_F32 => columns::pack::<f32>(threads, &passed),
        code::PACK_F64 => columns::pack::<f64>(threads, &passed),
        code::UNPACK_F32 => columns::unpack::<f32>(threads, &passed),
        code::UNPACK_F64 => columns::unpack::<f64>(threads, &passed),
        code::ROBOT_F32 => step::<Robot<f32>>(threads, &passed),
        code::ROBOT_F32_SIZE => tell_size::<Robot<f32>>(&passed),
        code::LEG_F32 => step::<FactoredLeg>(threads, &passed),
        code::LEG_F32_SIZE => tell_size::<FactoredLeg>(&passed),
        other => panic!("{} is not tested on the host", CODES[other].entry),
    }
}

/// What the crate passes to an entry.
pub struct Passed(*mut *mut c_void);

impl Passed {
    /// The parameter with a number.
    pub fn at<V: Copy>(&self, number: usize) -> V {
        // SAFETY: the crate passes a place for each parameter, of at least 8 bytes; tests ask for the types of the entry.
        unsafe { (*self.0.add(number)).cast::<V>().read() }
    }

    /// The settings from a parameter on.
    fn settings<T>(&self, first: usize) -> SettingsArguments<T> {
        SettingsArguments { scalars: self.at(first), words: self.at(first + 1) }
    }
}

/// Threads of an entry for bodies with contacts, one after another.
fn solve<T: Scalar, const NB: usize, const NC: usize, R: ReadRows>(threads: usize, passed: &Passed) {
    let arguments = body_contact::Arguments {
        count: passed.at(0),
        bodies: passed.at(1),
        contacts: passed.at(2),
        dt: passed.at(3),
        settings: passed.settings::<T>(4),
        scalars: passed.at(6),
        words: passed.at(7),
        answer_scalars: passed.at(8),
        answer_words: passed.at(9),
        pass: body_contact::Pass {
            number: passed.at(10),
            sweeps: passed.at(11),
            counters: passed.at(12),
            from: passed.at(13),
            to: passed.at(14),
        },
    };
    for thread in 0..threads {
        // SAFETY: addresses are the host's, of arrays that the crate made for these problems; one thread after another.
        unsafe { body_contact::run::<T, NB, NC, R>(thread, &arguments) }
    }
}

/// Threads of an entry for Delassus form, one after another.
fn solve_matrices<T: Scalar, const NC: usize>(threads: usize, passed: &Passed) {
    let arguments = delassus::Arguments {
        count: passed.at(0),
        contacts: passed.at(1),
        settings: passed.settings::<T>(2),
        w: passed.at(4),
        q: passed.at(5),
        mu: passed.at(6),
        warm: passed.at(7),
        impulses: passed.at(8),
        velocities: passed.at(9),
        figures: passed.at(10),
        counts: passed.at(11),
    };
    for thread in 0..threads {
        // SAFETY: as above.
        unsafe { delassus::run::<T, NC>(thread, &arguments) }
    }
}

/// Threads of an entry for worlds, one after another.
fn step<W: StartedWorld>(threads: usize, passed: &Passed) {
    let arguments = worlds::Arguments {
        count: passed.at(0),
        ticks: passed.at(1),
        state_words: passed.at(2),
        starts: passed.at(3),
        states: passed.at(4),
        courses: passed.at(5),
    };
    for thread in 0..threads {
        // SAFETY: as above; states are left by this function.
        unsafe { worlds::run::<W>(thread, &arguments) }
    }
}

/// The entry that tells the size of a state.
fn tell_size<W: StartedWorld>(passed: &Passed) {
    // SAFETY: the crate passes a word of its own.
    unsafe { worlds::tell_state_words::<W>(passed.at(0)) }
}
