//! A flight recorder: the inputs of the last solves or steps, in a ring of bytes.
//!
//! It is an [`Observer`]: pass it in [`Hooks`](crate::Hooks). Only whole blocks are removed to make space for new ones,
//! so the ring is always a dump in the format of [`crate::record::format`]. A solve whose input and outcome do not fit
//! at all is counted and not kept. So is one whose contacts have friction beyond sliding, unless the recorder is one of
//! [`SixRows`](crate::SixRows).
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::body::Body;
use crate::problem::conditions::SolveConditions;
use crate::problem::contact::Contact;
use crate::problem::contact_rows::{ContactRows, ThreeRows};
use crate::problem::joint_record::JointRecord;
use crate::problem::kept::{KeptManifold, KeptPoint};
use crate::problem::observer::{BodyRecord, Observer, StepInput, SurfaceRecord};
use crate::problem::rigid_body::RigidBody;
use crate::problem::settings::Settings;
use crate::record::encode::{BlockOutput, Encoder};
use crate::record::encode_to::encode_to;
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
pub struct FlightRecorder<const BYTES: usize, R: ContactRows = ThreeRows> {
    ring: Ring<BYTES>,
    encoder: Encoder<R>,
}

/// Words of blocks; the oldest blocks are removed first. The last bytes of a ring whose size is no multiple of four are
/// not used, so no word is split.
struct Ring<const BYTES: usize> {
    bytes: [u8; BYTES],
    /// Where the oldest word is, and how many bytes follow from there.
    start: usize,
    used: usize,
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
        Self::empty()
    }
}

impl<const BYTES: usize, R: ContactRows> FlightRecorder<BYTES, R> {
    /// An empty recorder, for contacts of either kind of rows.
    ///
    /// ```
    /// use stiction::{FlightRecorder, SixRows};
    /// let recorder = FlightRecorder::<2048, SixRows>::empty();
    /// assert!(recorder.pieces().0.is_empty());
    /// ```
    pub const fn empty() -> Self {
        let ring = Ring { bytes: [0; BYTES], start: 0, used: 0, written: 0 };
        FlightRecorder { ring, encoder: Encoder::new() }
    }

    /// The dump, in two pieces that follow each other: to be sent one after the other.
    pub fn pieces(&self) -> (&[u8], &[u8]) {
        self.ring.pieces()
    }

    /// The dump in one piece, copied into `out`; none if it does not fit.
    pub fn copy_to<'a>(&self, out: &'a mut [u8]) -> Option<&'a [u8]> {
        let (first, second) = self.pieces();
        let out = out.get_mut(..first.len() + second.len())?;
        out.iter_mut().zip(first.iter().chain(second)).for_each(|(to, from)| *to = *from);
        Some(out)
    }

    /// Solves and steps that were not kept: too large for the ring, or with friction or joints that this recorder does not
    /// write.
    pub fn dropped(&self) -> u32 {
        self.encoder.dropped
    }

    /// Removes all blocks; the numbering of solves continues.
    pub fn clear(&mut self) {
        self.ring.used = 0;
        self.encoder.clear();
    }
}

impl<const BYTES: usize> Ring<BYTES> {
    /// Bytes that are used at the most.
    const CAPACITY: usize = BYTES / 4 * 4;

    /// Where a byte is that comes so many after the oldest.
    #[inline(always)]
    fn at(&self, offset: usize) -> usize {
        let at = self.start + offset;
        if at >= Self::CAPACITY { at - Self::CAPACITY } else { at }
    }

    fn pieces(&self) -> (&[u8], &[u8]) {
        let end = self.start + self.used;
        let first = self.bytes.get(self.start..if end < Self::CAPACITY { end } else { Self::CAPACITY });
        let second = self.bytes.get(..end.saturating_sub(Self::CAPACITY));
        (first.unwrap_or(&[]), second.unwrap_or(&[]))
    }

    fn drop_oldest(&mut self) {
        let at = self.at(8);
        let length =
            self.bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word));
        let length = if length as usize > HEADER { length as usize } else { self.used };
        let length = if length < self.used { length } else { self.used };
        self.start = self.at(length);
        self.used -= length;
    }
}

impl<const BYTES: usize> BlockOutput for Ring<BYTES> {
    fn holds(&self, length: usize) -> bool {
        length <= Self::CAPACITY
    }

    fn begin(&mut self, length: usize) {
        for _ in 0..BYTES {
            if Self::CAPACITY - self.used >= length {
                break;
            }
            self.drop_oldest();
        }
        self.written = 0;
    }

    #[inline(always)]
    fn put(&mut self, word: u32) {
        let at = self.at(self.used);
        if let Some(slot) = self.bytes.get_mut(at..).and_then(|bytes| bytes.first_chunk_mut()) {
            *slot = word.to_le_bytes();
            self.used += 4;
            self.written += 4;
        }
    }

    fn end(&mut self) {}

    fn cancel(&mut self) {
        self.used -= self.written;
        self.written = 0;
    }
}

impl<T: Real, const BYTES: usize, R: ContactRows> Observer<T> for FlightRecorder<BYTES, R> {
    encode_to!(encoder, ring);
}
