//! A dump that is passed on while it is written, to a file, a socket or a log.
//!
//! Bytes come in pieces of at most [`PIECE`]; concatenated they are a dump in the format of [`crate::record::format`].
//! Unlike the [`crate::FlightRecorder`] a stream cannot withdraw bytes that it has sent.
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

/// Largest number of bytes that are passed on at once.
pub const PIECE: usize = 256;

/// Passes every solve that it observes to `write`, in pieces.
///
/// ```
/// use stiction::IslandMode;
/// use stiction::record::blocks;
/// use stiction::record::DumpStream;
/// use stiction::{Bodies, Body, Contacts, Settings, Solver};
///
/// let mut dump = Vec::new();
/// let mut write = |bytes: &[u8]| dump.extend_from_slice(bytes);
/// let mut stream = DumpStream::new(&mut write, 0);
/// let mut bodies = Bodies::<f32, 1>::new();
/// bodies.push(Body::fixed())?;
/// let (contacts, settings) = (Contacts::<f32, 1>::new(), Settings::default());
/// let mut solver = Solver::<f32, 1, 1>::new();
/// solver.solve_with(&mut bodies, &contacts, &settings, 1.0 / 60.0, stiction::Hooks::with_observer(&mut stream))?;
/// assert_eq!(stream.solves(), 1);
/// assert_eq!(blocks(&dump).count(), 2);
/// # Ok::<(), stiction::InputError<f32>>(())
/// ```
pub struct DumpStream<'a, R: ContactRows = ThreeRows> {
    pieces: Pieces<'a>,
    encoder: Encoder<R>,
}

struct Pieces<'a> {
    write: &'a mut dyn FnMut(&[u8]),
    buffer: heapless::Vec<u8, PIECE>,
}

impl<'a> DumpStream<'a> {
    /// A stream that continues after `solves` solves.
    pub fn new(write: &'a mut dyn FnMut(&[u8]), solves: u32) -> Self {
        Self::with_rows(write, solves)
    }
}

impl<'a, R: ContactRows> DumpStream<'a, R> {
    /// The same, for contacts of either kind of rows.
    ///
    /// ```
    /// use stiction::SixRows;
    /// use stiction::record::DumpStream;
    /// let mut write = |_: &[u8]| ();
    /// assert_eq!(DumpStream::<SixRows>::with_rows(&mut write, 3).solves(), 3);
    /// ```
    pub fn with_rows(write: &'a mut dyn FnMut(&[u8]), solves: u32) -> Self {
        let mut encoder = Encoder::new();
        encoder.number = solves;
        DumpStream { pieces: Pieces { write, buffer: heapless::Vec::new() }, encoder }
    }

    /// Number of solves observed so far, earlier ones included.
    pub fn solves(&self) -> u32 {
        self.encoder.number
    }
}

impl Pieces<'_> {
    fn flush(&mut self) {
        (self.write)(&self.buffer);
        self.buffer.clear();
    }
}

impl BlockOutput for Pieces<'_> {
    fn holds(&self, _length: usize) -> bool {
        true
    }

    fn begin(&mut self, _length: usize) {}

    fn put(&mut self, word: u32) {
        if self.buffer.is_full() {
            self.flush();
        }
        // A piece holds whole words, so there is capacity now.
        let _ = self.buffer.extend_from_slice(&word.to_le_bytes());
    }

    fn end(&mut self) {
        self.flush();
    }

    fn cancel(&mut self) {
        self.flush();
    }
}

impl<T: Real, R: ContactRows> Observer<T> for DumpStream<'_, R> {
    encode_to!(encoder, pieces);
}
