//! Worlds that stay on the graphics processor, one a thread: a launch lets each take some ticks and leaves its state in memory, where
//! the next launch finds it.
//!
//! A state is a plain value ([`places`]). A host asks for its size ([`state_words`]) instead of assuming it. A thread copies it
//! into a local variable, lets the world take its ticks there, and copies it back.
use core::mem::MaybeUninit;

use stiction_batch_layout::words::{status_of, status_word};
use stiction_batch_layout::{Layout, Slots};
use stiction_scenes::many::{Course, StartedWorld, WORDS};
use stiction_scenes::start::START;

use super::arguments::{Written, slice};
use super::places::{self, Word};

/// What a launch passes to every thread. Arrays are in blocks of worlds side by side, with so many numbers a world.
#[derive(Debug, Clone, Copy)]
pub struct Arguments {
    /// How many worlds there are.
    pub count: u32,
    /// Ticks that each of them takes.
    pub ticks: u32,
    /// Words of a state: what [`state_words`] tells.
    pub state_words: u32,
    /// What worlds begin with: [`START`] numbers.
    pub starts: *const f32,
    /// The states. Those of worlds that are not begun need not be set to anything.
    pub states: *mut Word,
    /// The words of courses: [`WORDS`]. All are 0 before the first launch, and later what the launch before has left.
    pub courses: *mut u32,
}

/// Places in an array with some numbers of each world.
fn place(each: usize, world: usize, k: usize) -> usize {
    Layout::blocks(0, 0).at(each, world, k)
}

/// Words of a state.
pub const fn state_words<W: StartedWorld>() -> usize {
    places::words::<W>()
}

/// Writes how many words a state has.
///
/// # Safety
///
/// The address has a word, which nobody else uses.
pub unsafe fn tell_state_words<W: StartedWorld>(words: *mut u32) {
    // SAFETY: the caller's promise.
    unsafe { words.write(state_words::<W>() as u32) }
}

/// What the thread with a number does: lets the world with that number take its ticks, if there is one. A world that was not begun is
/// begun before.
///
/// # Safety
///
/// Arrays have the lengths that are documented, and states of worlds that were begun are those of this type, as the launch before
/// has left them. Nobody else uses states and courses, and no other thread has that number.
pub unsafe fn run<W: StartedWorld>(thread: usize, arguments: &Arguments) {
    let count = arguments.count as usize;
    if thread >= count {
        return;
    }
    let length = |each: usize| Layout::blocks(0, 0).length(each, count);
    // SAFETY: the caller's promise. Only the words of this world are read and written.
    let (starts, words, mut courses) = unsafe {
        let words: [u32; WORDS] =
            core::array::from_fn(|k| arguments.courses.cast_const().add(place(WORDS, thread, k)).read());
        (slice(arguments.starts, length(START)), words, Written::new(arguments.courses, length(WORDS)))
    };
    let start = core::array::from_fn(|k| starts.get(place(START, thread, k)).copied().unwrap_or(0.0));
    let course = Course::of_words(&words, status_of);
    let fits = arguments.state_words as usize == state_words::<W>();
    // SAFETY: the caller's promise; a course says that the state was left by a launch.
    let words = unsafe { fits.then(|| advance::<W>((arguments.states, thread), course, &start, arguments.ticks)) };
    if let Some(words) = words.unwrap_or_else(rejected) {
        words.into_iter().enumerate().for_each(|(k, word)| courses.put(place(WORDS, thread, k), word));
    }
}

/// Takes ticks; returns the words of the course if they have changed.
///
/// # Safety
///
/// The array of states has the state of this world, which nobody else uses. A launch has left it if there is a
/// course.
unsafe fn advance<W: StartedWorld>(
    (states, world): (*mut Word, usize),
    course: Option<Course>,
    start: &[f32; START],
    ticks: u32,
) -> Option<[u32; WORDS]> {
    let mut here = MaybeUninit::<W>::uninit();
    let mut course = match course {
        Some(course) if course.status.is_none() => return None,
        Some(course) => {
            // SAFETY: the caller's promise.
            unsafe { places::load(&mut here, states, world) };
            course
        }
        None if begin(&mut here, start) => Course::default(),
        None => return rejected(),
    };
    // SAFETY: just loaded or begun.
    let here = unsafe { here.assume_init_mut() };
    course.run(here, ticks);
    // SAFETY: the caller's promise.
    unsafe { places::store(here, states, world) };
    Some(course.words(here.trunk(), status_word))
}

/// The words of a world that was rejected.
fn rejected() -> Option<[u32; WORDS]> {
    Some(Course::rejected().words(None, status_word))
}

/// Makes a world at a place; false if it was rejected. Not inlined: the frame is needed in the first launch only.
#[inline(never)]
fn begin<W: StartedWorld>(at: &mut MaybeUninit<W>, start: &[f32; START]) -> bool {
    match W::of_script() {
        Ok(world) => at.write(world).perturb(start).is_ok(),
        Err(_) => false,
    }
}
