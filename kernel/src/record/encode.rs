//! Records as blocks of the dump format, for the flight recorder and for streams.
//!
//! A block starts with its length, so that its bytes can be passed on immediately; its checksum is at the end.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::body::Body;
use crate::problem::conditions::SolveConditions;
use crate::problem::contact::Contact;
use crate::problem::settings::Settings;
use crate::record::bytes::{FNV32_START, FNV64_START, fnv32, fnv64};
use crate::record::format::{
    CHECKSUM, INPUT, MAGIC, OUTCOME, OUTCOME_LENGTH, VERSION, body_scalars, choices, contact_scalars, input_length,
    settings_scalars,
};

/// Where blocks go.
pub(crate) trait BlockOutput {
    /// Whether a block of this length can be kept at all.
    fn holds(&self, length: usize) -> bool;
    /// Begins a block of this length, for which `holds` is true.
    fn begin(&mut self, length: usize);
    /// Appends bytes to the block.
    fn put(&mut self, bytes: &[u8]);
    /// Ends the block.
    fn end(&mut self);
    /// Discards the unfinished block.
    fn cancel(&mut self);
}

/// Turns the calls of an observer into blocks.
pub(crate) struct Encoder {
    pub number: u32,
    pub dropped: u32,
    /// Remaining bytes of the block that is being written; `None` between blocks.
    open: Option<usize>,
    /// Whether the present solve's input was kept.
    kept: bool,
    checksum: u32,
    digest: u64,
}

impl Encoder {
    pub const fn new() -> Self {
        // Checksum and digest are set when a block begins; a `static` of zeros takes no flash.
        Encoder { number: 0, dropped: 0, open: None, kept: false, checksum: 0, digest: 0 }
    }

    /// Forgets the block that is being written and its solve.
    pub fn clear(&mut self) {
        self.open = None;
        self.kept = false;
    }

    /// Writes a block's head.
    fn begin<T: Real>(&mut self, out: &mut impl BlockOutput, kind: u8, length: usize) {
        self.cancel(out);
        out.begin(length);
        self.open = Some(length);
        self.checksum = FNV32_START;
        self.put(out, &MAGIC);
        self.put(out, &[VERSION, kind, T::BYTES as u8, 0]);
        self.put(out, &(length as u32).to_le_bytes());
        let number = self.number;
        self.put(out, &number.to_le_bytes());
    }

    fn put(&mut self, out: &mut impl BlockOutput, bytes: &[u8]) {
        let Some(left) = self.open else { return };
        let Some(left) = left.checked_sub(bytes.len()) else {
            // More bytes than announced: the calls do not describe a solve.
            self.cancel(out);
            return;
        };
        self.open = Some(left);
        self.checksum = fnv32(self.checksum, bytes);
        out.put(bytes);
    }

    fn put_scalars<T: Real>(&mut self, out: &mut impl BlockOutput, values: &[T]) {
        for value in values {
            if let Some(bytes) = value.to_le_padded().get(..T::BYTES) {
                self.put(out, bytes);
            }
        }
    }

    /// Ends a block. Returns whether it is complete; an incomplete block is removed.
    fn end(&mut self, out: &mut impl BlockOutput) -> bool {
        if self.open != Some(CHECKSUM) {
            self.cancel(out);
            return false;
        }
        let checksum = self.checksum;
        self.put(out, &checksum.to_le_bytes());
        self.open = None;
        out.end();
        true
    }

    /// Discards an unfinished block.
    fn cancel(&mut self, out: &mut impl BlockOutput) {
        if self.open.take().is_some() {
            out.cancel();
        }
    }

    /// A solve begins.
    pub fn input<T: Real>(
        &mut self,
        out: &mut impl BlockOutput,
        settings: &Settings<T>,
        dt: T,
        conditions: &SolveConditions,
        (bodies, contacts): (usize, usize),
    ) {
        self.number = self.number.wrapping_add(1);
        self.digest = FNV64_START;
        let length = input_length::<T>(bodies, contacts);
        // Its outcome must fit as well.
        self.kept = out.holds(length + OUTCOME_LENGTH);
        if !self.kept {
            self.cancel(out);
            self.dropped = self.dropped.saturating_add(1);
            return;
        }
        self.begin::<T>(out, INPUT, length);
        self.put(out, &(bodies as u16).to_le_bytes());
        self.put(out, &(contacts as u16).to_le_bytes());
        self.put(out, &conditions.direct.contacts.to_le_bytes());
        self.put(out, &conditions.direct.blocks.to_le_bytes());
        self.put(out, &choices(conditions.islands, settings));
        self.put(out, &[0; 2]);
        for count in [settings.sweeps, settings.min_sweeps, settings.normal_sweeps, settings.factorisations] {
            self.put(out, &count.to_le_bytes());
        }
        self.put_scalars(out, &settings_scalars(settings, dt));
    }

    /// A body of its input.
    pub fn input_body<T: Real>(&mut self, out: &mut impl BlockOutput, body: &Body<T>) {
        self.put_scalars(out, &body_scalars(body));
    }

    /// A contact of its input.
    pub fn input_contact<T: Real>(&mut self, out: &mut impl BlockOutput, contact: &Contact<T>) {
        self.put(out, &(contact.a as u16).to_le_bytes());
        self.put(out, &(contact.b as u16).to_le_bytes());
        self.put(out, &[u8::from(contact.pre_impact_normal_velocity.is_some()), 0, 0, 0]);
        self.put_scalars(out, &contact_scalars(contact));
    }

    /// Its input is complete.
    pub fn solving(&mut self, out: &mut impl BlockOutput) {
        self.kept = self.end(out);
    }

    /// A body's velocities after it.
    pub fn velocity<T: Real>(&mut self, linear: &Vector3<T>, angular: &Vector3<T>) {
        self.digest = fnv64(fnv64(self.digest, linear), angular);
    }

    /// It is over.
    pub fn solved<T: Real>(&mut self, out: &mut impl BlockOutput, stopped_at: Option<u32>) {
        if self.kept && out.holds(OUTCOME_LENGTH) {
            self.begin::<T>(out, OUTCOME, OUTCOME_LENGTH);
            self.put(out, &stopped_at.unwrap_or(0).to_le_bytes());
            let digest = self.digest;
            self.put(out, &digest.to_le_bytes());
            self.end(out);
        }
    }
}

/// Passes the calls of an observer to an encoder and its output, both fields of `self`.
macro_rules! encode_to {
    ($encoder:ident, $out:ident) => {
        fn input(
            &mut self,
            settings: &Settings<T>,
            dt: T,
            conditions: &SolveConditions,
            bodies: usize,
            contacts: usize,
        ) {
            self.$encoder.input(&mut self.$out, settings, dt, conditions, (bodies, contacts));
        }

        fn input_body(&mut self, body: &Body<T>) {
            self.$encoder.input_body(&mut self.$out, body);
        }

        fn input_contact(&mut self, contact: &Contact<T>) {
            self.$encoder.input_contact(&mut self.$out, contact);
        }

        fn solving(&mut self) {
            self.$encoder.solving(&mut self.$out);
        }

        fn velocity(&mut self, _body: usize, linear: &Vector3<T>, angular: &Vector3<T>) {
            self.$encoder.velocity(linear, angular);
        }

        fn solved(&mut self, stopped_at: Option<u32>) {
            self.$encoder.solved::<T>(&mut self.$out, stopped_at);
        }
    };
}
pub(crate) use encode_to;
