//! Records as blocks of the dump format, for the flight recorder and for streams.
//!
//! A block starts with its length, so that its words can be passed on immediately; its checksum is at the end.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::problem::body::Body;
use crate::problem::conditions::{DirectSize, IslandMode, SolveConditions};
use crate::problem::contact::Contact;
use crate::problem::contact_rows::ContactRows;
use crate::problem::joint_record::JointRecord;
use crate::problem::kept::{KeptManifold, KeptPoint};
use crate::problem::observer::{BodyRecord, StepInput, SurfaceRecord};
use crate::problem::rigid_body::RigidBody;
use crate::problem::settings::Settings;
use crate::record::announced::Announced;
use crate::record::bytes::{FNV32_START, FNV64_START, checksum, fnv64};
use crate::record::format::{
    CHECKSUM, INPUT, MAGIC, OUTCOME, OUTCOME_LENGTH, STEP, body_scalars, choices, contact_scalars, input_length,
    manifold_scalars, manifold_words, point_scalars, point_words, rigid_body_scalars, settings_scalars, step_length,
    step_scalars,
};
use crate::record::joints::{along_scalars, joint_words, kept_scalars, where_scalars};
use crate::record::surfaces::{surface_scalars, surface_word, with_moment};

/// Where blocks go.
pub(crate) trait BlockOutput {
    /// Whether a block of this length can be kept at all.
    fn holds(&self, length: usize) -> bool;
    /// Begins a block of this length, for which `holds` is true.
    fn begin(&mut self, length: usize);
    /// Appends a word to the block.
    fn put(&mut self, word: u32);
    /// Ends the block.
    fn end(&mut self);
    /// Discards the unfinished block.
    fn cancel(&mut self);
}

/// Turns the calls of an observer into blocks.
pub(crate) struct Encoder<R: ContactRows> {
    pub number: u32,
    pub dropped: u32,
    /// Remaining bytes of the block that is being written; `None` between blocks.
    open: Option<usize>,
    /// Whether the input of the present solve or step was kept.
    kept: bool,
    checksum: u32,
    digest: u64,
    announced: Announced<R>,
}

impl<R: ContactRows> Encoder<R> {
    pub const fn new() -> Self {
        // Checksum and digest are set when a block begins; a `static` of zeros takes no flash.
        Encoder { number: 0, dropped: 0, open: None, kept: false, checksum: 0, digest: 0, announced: Announced::new() }
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
        let kind = u32::from_le_bytes([self.announced.version(), kind, T::BYTES as u8, 0]);
        let number = self.number;
        self.put(out, &[u32::from_le_bytes(MAGIC), kind, length as u32, number]);
    }

    /// Takes so many bytes off what remains of the block; returns whether they are part of it.
    #[inline(always)]
    fn claim(&mut self, out: &mut impl BlockOutput, bytes: usize) -> bool {
        let Some(left) = self.open else { return false };
        let Some(left) = left.checked_sub(bytes) else {
            // More than announced: the calls do not describe a solve or a step.
            self.cancel(out);
            return false;
        };
        self.open = Some(left);
        true
    }

    fn put(&mut self, out: &mut impl BlockOutput, words: &[u32]) {
        if !self.claim(out, 4 * words.len()) {
            return;
        }
        for word in words {
            self.checksum = checksum(self.checksum, *word);
            out.put(*word);
        }
    }

    #[inline(never)]
    fn put_scalars<T: Real>(&mut self, out: &mut impl BlockOutput, values: &[T]) {
        if !self.claim(out, T::BYTES * values.len()) {
            return;
        }
        let mut sum = self.checksum;
        for value in values {
            for word in value.to_words().iter().take(T::BYTES / 4) {
                sum = checksum(sum, *word);
                out.put(*word);
            }
        }
        self.checksum = sum;
    }

    /// Ends a block. Returns whether it is complete; an incomplete block is removed.
    fn end(&mut self, out: &mut impl BlockOutput) -> bool {
        if self.open != Some(CHECKSUM) {
            self.cancel(out);
            return false;
        }
        let sum = self.checksum;
        self.put(out, &[sum]);
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

    /// Begins an input; returns whether it is kept. `length` is that without surfaces and joints.
    fn begin_input<T: Real>(&mut self, out: &mut impl BlockOutput, kind: u8, length: usize) -> bool {
        self.number = self.number.wrapping_add(1);
        self.digest = FNV64_START;
        self.announced.begin(kind == STEP);
        let length = length + self.announced.length::<T>();
        // Its outcome must fit as well.
        self.kept = out.holds(length + OUTCOME_LENGTH);
        if self.kept {
            self.begin::<T>(out, kind, length);
        } else {
            self.cancel(out);
            self.dropped = self.dropped.saturating_add(1);
        }
        self.kept
    }

    fn put_settings<T: Real>(
        &mut self,
        out: &mut impl BlockOutput,
        settings: &Settings<T>,
        dt: T,
        (islands, direct): (IslandMode, DirectSize),
    ) {
        let [islands, local, bounce, order, correction, method] = choices(islands, settings);
        let choices =
            [u32::from_le_bytes([islands, local, bounce, order]), u32::from_le_bytes([correction, method, 0, 0])];
        self.put(out, &[direct.contacts, direct.blocks]);
        self.put(out, &choices);
        self.put(out, &[settings.sweeps, settings.min_sweeps, settings.normal_sweeps, settings.factorisations]);
        self.put_scalars(out, &settings_scalars(settings, dt));
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
        if self.begin_input::<T>(out, INPUT, input_length::<T>(bodies, contacts)) {
            self.put(out, &[pair(bodies, contacts)]);
            self.put_counts(out);
            self.put_settings(out, settings, dt, (conditions.islands, conditions.direct));
        }
    }

    /// A body of its input.
    pub fn input_body<T: Real>(&mut self, out: &mut impl BlockOutput, body: &Body<T>) {
        self.put_scalars(out, &body_scalars(body));
    }

    /// A contact of its input.
    pub fn input_contact<T: Real>(&mut self, out: &mut impl BlockOutput, contact: &Contact<T>) {
        let recorded = u32::from(contact.pre_impact_normal_velocity.is_some());
        self.put(out, &[pair(contact.a, contact.b), recorded]);
        self.put_scalars(out, &contact_scalars(contact));
    }

    /// Friction beyond sliding of its contacts.
    pub fn surface<T: Real>(&mut self, out: &mut impl BlockOutput, record: &SurfaceRecord<'_, T>) {
        if !R::HAS_MOMENTS {
            return self.leave_out(out);
        }
        match record {
            SurfaceRecord::Count(count) => self.announced.announce_surfaces(*count),
            SurfaceRecord::Input { contact, surface } => {
                self.put(out, &[surface_word(*contact, surface)]);
                self.put_scalars(out, &surface_scalars(surface));
            }
            // The digest of a step is that of its world.
            SurfaceRecord::Outcome { moment, reached, .. } if !self.announced.is_step() => {
                self.digest = with_moment(self.digest, moment, *reached);
            }
            SurfaceRecord::Outcome { .. } => {}
        }
    }

    /// Joints of its input.
    pub fn joint<T: Real>(&mut self, out: &mut impl BlockOutput, record: &JointRecord<'_, T>) {
        if R::JOINTS == 0 {
            return self.leave_out(out);
        }
        match record {
            JointRecord::Count(count) => self.announced.announce_joints(*count),
            JointRecord::Input { joint, kept, .. } => {
                self.put(out, &joint_words(joint, kept));
                self.put_scalars(out, &where_scalars(joint));
                self.put_scalars(out, &along_scalars(joint));
                self.put_scalars(out, &kept_scalars(kept));
            }
            // The digest of a step is that of its world.
            JointRecord::Outcome { .. } => {}
        }
    }

    /// How many surfaces and joints follow, where there are some.
    fn put_counts(&mut self, out: &mut impl BlockOutput) {
        for count in [self.announced.surfaces(), self.announced.joints()] {
            if count > 0 {
                self.put(out, &[count as u32]);
            }
        }
    }

    /// Its input has what this encoder does not write: the block is left out, and counted.
    fn leave_out(&mut self, out: &mut impl BlockOutput) {
        if self.open.is_some() {
            self.cancel(out);
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    /// A step begins.
    pub fn step<T: Real>(&mut self, out: &mut impl BlockOutput, input: &StepInput<'_, T>) {
        let StepInput { settings, dt, direct, factor_blocks, bodies, manifolds, points, steps, found } = *input;
        if self.begin_input::<T>(out, STEP, step_length::<T>(bodies, manifolds, points)) {
            self.put(out, &[pair(bodies, manifolds), pair(points, usize::from(steps))]);
            self.put(out, &[found.left_out, pair(usize::from(found.warm_started), usize::from(found.kept))]);
            self.put_counts(out);
            self.put_settings(out, &settings.solver, dt, (IslandMode::Separate, direct));
            self.put(out, &[settings.substeps, factor_blocks]);
            self.put_scalars(out, &step_scalars(settings));
        }
    }

    /// A body of its input.
    pub fn step_body<T: Real>(&mut self, out: &mut impl BlockOutput, body: &RigidBody<T>) {
        let (own, pose) = rigid_body_scalars(body);
        self.put_scalars(out, &own);
        self.put_scalars(out, &pose);
    }

    /// A manifold of its input, with its points.
    pub fn step_manifold<T: Real>(
        &mut self,
        out: &mut impl BlockOutput,
        manifold: &KeptManifold<T>,
        points: &[KeptPoint<T>],
    ) {
        self.put(out, &manifold_words(manifold));
        self.put_scalars(out, &manifold_scalars(manifold));
        for point in points {
            self.put(out, &point_words(point));
            self.put_scalars(out, &point_scalars(point));
        }
    }

    /// The input is complete.
    pub fn solving(&mut self, out: &mut impl BlockOutput) {
        self.kept = self.end(out);
    }

    /// A body's velocities after a solve.
    pub fn velocity<T: Real>(&mut self, linear: &Vector3<T>, angular: &Vector3<T>) {
        self.digest = fnv64(fnv64(self.digest, linear.as_slice()), angular.as_slice());
    }

    /// A body after a step.
    pub fn body<T: Real>(&mut self, record: &BodyRecord<T>) {
        if self.kept {
            self.digest = fnv64(self.digest, &record.scalars());
        }
    }

    /// It is over.
    pub fn solved<T: Real>(&mut self, out: &mut impl BlockOutput, stopped_at: Option<u32>) {
        if self.kept && out.holds(OUTCOME_LENGTH) {
            self.begin::<T>(out, OUTCOME, OUTCOME_LENGTH);
            let digest = self.digest;
            self.put(out, &[stopped_at.unwrap_or(0), digest as u32, (digest >> 32) as u32]);
            self.end(out);
        }
        self.kept = false;
    }
}

/// Two numbers of 16 bits in a word, the first in its low half.
fn pair(low: usize, high: usize) -> u32 {
    u32::from(low as u16) | (u32::from(high as u16) << 16)
}
