//! A flight recorder: the inputs of the last solves, in a ring of bytes.
//!
//! It is an [`Observer`]: pass it in [`Hooks`](crate::Hooks). Only whole blocks are removed to make space for new ones,
//! so the ring is always a dump in the format of [`crate::record::format`]. A solve whose input and outcome do not fit
//! at all is counted and not kept.
use heapless::Deque;
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::body::Body;
use crate::problem::conditions::SolveConditions;
use crate::problem::contact::Contact;
use crate::problem::observer::Observer;
use crate::problem::settings::Settings;
use crate::record::encode::{BlockOutput, Encoder, encode_to};
use crate::record::format::HEADER;

/// A ring of `BYTES` bytes.
///
/// ```
/// use stiction::IslandMode;
/// use stiction::record::blocks;
/// use stiction::{Bodies, Body, Contacts, FlightRecorder, Settings, Solver};
///
/// let mut recorder = FlightRecorder::<2048>::new();
/// let mut bodies = Bodies::<f32, 1>::new();
/// bodies.push(Body::fixed())?;
/// let contacts = Contacts::<f32, 1>::new();
/// let settings = Settings::default();
/// let mut solver = Solver::<f32, 1, 1>::new();
/// solver.solve_with(&mut bodies, &contacts, &settings, 1.0 / 60.0, stiction::Hooks::with_observer(&mut recorder))?;
/// let mut buffer = [0; 2048];
/// assert_eq!(blocks(recorder.copy_to(&mut buffer).unwrap()).count(), 2);
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
pub struct FlightRecorder<const BYTES: usize> {
    ring: Ring<BYTES>,
    encoder: Encoder,
}

/// Bytes of blocks; the oldest blocks are removed first.
struct Ring<const BYTES: usize> {
    bytes: Deque<u8, BYTES>,
    /// Bytes written of the present block.
    written: usize,
}

impl<const BYTES: usize> Default for FlightRecorder<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const BYTES: usize> FlightRecorder<BYTES> {
    /// An empty recorder. `const`: it can live in a `static`, and is all zero.
    pub const fn new() -> Self {
        FlightRecorder { ring: Ring { bytes: Deque::new(), written: 0 }, encoder: Encoder::new() }
    }

    /// The dump, in two pieces that follow each other: to be sent one after the other.
    pub fn pieces(&self) -> (&[u8], &[u8]) {
        self.ring.bytes.as_slices()
    }

    /// The dump in one piece, copied into `out`; none if it does not fit.
    pub fn copy_to<'a>(&self, out: &'a mut [u8]) -> Option<&'a [u8]> {
        let out = out.get_mut(..self.ring.bytes.len())?;
        out.iter_mut().zip(self.ring.bytes.iter()).for_each(|(to, from)| *to = *from);
        Some(out)
    }

    /// Solves that were too large for the ring.
    pub fn dropped(&self) -> u32 {
        self.encoder.dropped
    }

    /// Removes all blocks; the numbering of solves continues.
    pub fn clear(&mut self) {
        self.ring.bytes.clear();
        self.encoder.clear();
    }
}

impl<const BYTES: usize> Ring<BYTES> {
    fn drop_oldest(&mut self) {
        let mut length = [0; 4];
        length.iter_mut().zip(self.bytes.iter().skip(8)).for_each(|(to, from)| *to = *from);
        let length = u32::from_le_bytes(length) as usize;
        for _ in 0..if length > HEADER { length } else { BYTES } {
            if self.bytes.pop_front().is_none() {
                break;
            }
        }
    }
}

impl<const BYTES: usize> BlockOutput for Ring<BYTES> {
    fn holds(&self, length: usize) -> bool {
        length <= BYTES
    }

    fn begin(&mut self, length: usize) {
        for _ in 0..BYTES {
            if BYTES - self.bytes.len() >= length {
                break;
            }
            self.drop_oldest();
        }
        self.written = 0;
    }

    fn put(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.bytes.push_back(*byte).is_ok() {
                self.written += 1;
            }
        }
    }

    fn end(&mut self) {}

    fn cancel(&mut self) {
        for _ in 0..self.written {
            self.bytes.pop_back();
        }
    }
}

impl<T: Real, const BYTES: usize> Observer<T> for FlightRecorder<BYTES> {
    encode_to!(encoder, ring);
}
