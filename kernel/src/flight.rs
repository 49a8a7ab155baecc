//! A flight recorder: the inputs of the last solves, in a ring of bytes, whatever happens next.
//!
//! It is a [`Sink`]: hand it to a step, or tell it of a solve yourself. Old blocks leave whole to make room for new ones, so
//! what is in the ring is always a dump in the format of [`crate::dump`]. A solve whose input and outcome do not fit at all
//! is counted and not kept.

use heapless::Deque;
use nalgebra::Vector3;

use crate::body::Body;
use crate::contact::Contact;
use crate::dump::{
    CHECKSUM, FNV32_START, FNV64_START, HEADER, INPUT, MAGIC, Means, OUTCOME, OUTCOME_LENGTH, VERSION, body_scalars,
    choices, contact_scalars, fnv32, fnv64, input_length, settings_scalars,
};
use crate::real::Real;
use crate::record::Sink;
use crate::settings::Settings;

/// A ring of `BYTES` bytes.
///
/// ```
/// use stiction::dump::Extent;
/// use stiction::record::{tell_input, tell_outcome};
/// use stiction::replay::blocks;
/// use stiction::{Bodies, Body, Contacts, FlightRecorder, Settings, Solver};
///
/// let mut recorder = FlightRecorder::<2048>::new();
/// let mut bodies = Bodies::<f32, 1>::new();
/// bodies.push(Body::fixed())?;
/// let contacts = Contacts::<f32, 1>::new();
/// let settings = Settings::default();
/// let mut solver = Solver::<f32, 1, 1>::new();
/// tell_input(&bodies, &contacts, &settings, Extent::Whole.into(), &mut recorder);
/// solver.solve(&mut bodies, &contacts, &settings)?;
/// tell_outcome(&bodies, &contacts, &[], &solver, None, &mut recorder);
/// let mut buffer = [0; 2048];
/// assert_eq!(blocks(recorder.copy_to(&mut buffer).unwrap()).count(), 2);
/// # Ok::<(), stiction::Refusal<f32>>(())
/// ```
pub struct FlightRecorder<const BYTES: usize> {
    ring: Deque<u8, BYTES>,
    number: u32,
    dropped: u32,
    /// Bytes still to come of the block that is being written; none while none is.
    open: Option<usize>,
    /// Whether the present solve's input is in the ring.
    kept: bool,
    written: usize,
    checksum: u32,
    digest: u64,
}

impl<const BYTES: usize> Default for FlightRecorder<BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const BYTES: usize> FlightRecorder<BYTES> {
    /// Nothing recorded yet. `const`: it can live in a `static`.
    pub const fn new() -> Self {
        FlightRecorder {
            ring: Deque::new(),
            number: 0,
            dropped: 0,
            open: None,
            kept: false,
            written: 0,
            // Both are set when a block begins; a `static` of zeros takes no flash.
            checksum: 0,
            digest: 0,
        }
    }

    /// The dump, in two pieces that follow each other: to be sent one after the other.
    pub fn pieces(&self) -> (&[u8], &[u8]) {
        self.ring.as_slices()
    }

    /// The dump in one piece, copied into `out`; none if it does not fit.
    pub fn copy_to<'a>(&self, out: &'a mut [u8]) -> Option<&'a [u8]> {
        let out = out.get_mut(..self.ring.len())?;
        out.iter_mut().zip(self.ring.iter()).for_each(|(to, from)| *to = *from);
        Some(out)
    }

    /// Solves that were too large for the ring.
    pub fn dropped(&self) -> u32 {
        self.dropped
    }

    /// Forgets everything but the numbering.
    pub fn clear(&mut self) {
        self.ring.clear();
        self.open = None;
        self.kept = false;
    }

    /// Makes room for a block and writes its head. Tells whether there is room.
    fn begin(&mut self, kind: u8, scalar_bytes: usize, length: usize) -> bool {
        self.cancel();
        if length > BYTES {
            return false;
        }
        for _ in 0..BYTES {
            if BYTES - self.ring.len() >= length {
                break;
            }
            self.drop_oldest();
        }
        self.open = Some(length);
        self.written = 0;
        self.checksum = FNV32_START;
        self.put(&MAGIC);
        self.put(&[VERSION, kind, scalar_bytes as u8, 0]);
        self.put(&(length as u32).to_le_bytes());
        let number = self.number;
        self.put(&number.to_le_bytes());
        true
    }

    fn drop_oldest(&mut self) {
        let mut length = [0; 4];
        length.iter_mut().zip(self.ring.iter().skip(8)).for_each(|(to, from)| *to = *from);
        let length = u32::from_le_bytes(length) as usize;
        for _ in 0..if length > HEADER { length } else { BYTES } {
            if self.ring.pop_front().is_none() {
                break;
            }
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        let Some(left) = self.open else { return };
        let Some(left) = left.checked_sub(bytes.len()) else {
            // More than was announced: whoever tells this tells no solve.
            self.cancel();
            return;
        };
        self.open = Some(left);
        self.checksum = fnv32(self.checksum, bytes);
        for byte in bytes {
            if self.ring.push_back(*byte).is_ok() {
                self.written += 1;
            }
        }
    }

    fn put_scalars<T: Real>(&mut self, values: &[T]) {
        for value in values {
            if let Some(bytes) = value.to_le_padded().get(..T::BYTES) {
                self.put(bytes);
            }
        }
    }

    /// Ends a block. Tells whether it is complete; what is not is taken out again.
    fn end(&mut self) -> bool {
        if self.open != Some(CHECKSUM) {
            self.cancel();
            return false;
        }
        let checksum = self.checksum;
        self.put(&checksum.to_le_bytes());
        self.open = None;
        true
    }

    /// Takes back a block that was begun and not ended.
    fn cancel(&mut self) {
        if self.open.take().is_some() {
            for _ in 0..self.written {
                self.ring.pop_back();
            }
        }
    }
}

impl<T: Real, const BYTES: usize> Sink<T> for FlightRecorder<BYTES> {
    fn input(&mut self, settings: &Settings<T>, means: &Means, bodies: usize, contacts: usize) {
        self.number = self.number.wrapping_add(1);
        self.digest = FNV64_START;
        let length = input_length::<T>(bodies, contacts);
        // Its outcome must find room beside it.
        self.kept = length + OUTCOME_LENGTH <= BYTES && self.begin(INPUT, T::BYTES, length);
        if !self.kept {
            self.cancel();
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        self.put(&(bodies as u16).to_le_bytes());
        self.put(&(contacts as u16).to_le_bytes());
        self.put(&means.room.contacts.to_le_bytes());
        self.put(&means.room.slots.to_le_bytes());
        self.put(&choices(means.extent, settings));
        self.put(&[0; 2]);
        for count in [settings.sweeps, settings.least_sweeps, settings.normal_sweeps, settings.factorisations] {
            self.put(&count.to_le_bytes());
        }
        self.put_scalars(&settings_scalars(settings));
    }

    fn input_body(&mut self, body: &Body<T>) {
        self.put_scalars(&body_scalars(body));
    }

    fn input_contact(&mut self, contact: &Contact<T>) {
        self.put(&(contact.a as u16).to_le_bytes());
        self.put(&(contact.b as u16).to_le_bytes());
        self.put(&[u8::from(contact.pre_impact_normal_velocity.is_some()), 0, 0, 0]);
        self.put_scalars(&contact_scalars(contact));
    }

    fn solving(&mut self) {
        self.kept = self.end();
    }

    fn velocity(&mut self, _body: usize, linear: &Vector3<T>, angular: &Vector3<T>) {
        self.digest = fnv64(fnv64(self.digest, linear), angular);
    }

    fn solved(&mut self, cut_at: Option<u32>) {
        if self.kept && self.begin(OUTCOME, T::BYTES, OUTCOME_LENGTH) {
            self.put(&cut_at.unwrap_or(0).to_le_bytes());
            let digest = self.digest;
            self.put(&digest.to_le_bytes());
            self.end();
        }
    }
}
