//! Worlds of which there are many: each begins from a few numbers of its own, takes steps, and keeps account of them in a few
//! words. The same functions on processors and on graphics processors, so that every word can be compared.

use nalgebra::Vector3;
use stiction::{ContactRows, Hooks, InputError, Real, RigidBody, Status, StepReport, World};

use crate::digest::Digest;
use crate::leg::{self, Leg};
use crate::robot::{self, Robot};

/// Numbers that a world begins with: metres above where its script begins; linear velocity, m/s; angular velocity about the
/// centre of the trunk, rad/s. With zeros it is the world of its script.
pub const START: usize = 7;
/// Numbers of a trunk: position, orientation (i, j, k, real part), linear and angular velocity.
pub const TRUNK: usize = 13;
/// Words of a [`Course`].
pub const WORDS: usize = 7 + TRUNK;

/// Names of the words of a course before those of the trunk, in their order: whether the world was begun; ticks; status of the last
/// tick; the worst one; passes over contacts in all ticks; digest of all ticks, its lower and its upper half.
pub const COUNTS: [&str; 7] = ["begun", "ticks", "status", "worst", "sweeps", "digest_low", "digest_high"];

/// Where the world with a number begins: 0 is that of its script, others are up to 10 cm higher, with velocities up to 0.3 m/s and
/// 0.5 rad/s along each axis, as if at random.
pub fn start_of(number: u64) -> [f32; START] {
    let most = [0.1, 0.3, 0.3, 0.3, 0.5, 0.5, 0.5];
    core::array::from_fn(|k| {
        // 24 bits, which `f32` has.
        let fraction = (mixed(number * START as u64 + k as u64) >> 40) as f32 / (1 << 24) as f32;
        match (number, k) {
            (0, _) => 0.0,
            (_, 0) => most[0] * fraction,
            _ => most[k] * (fraction * 2.0 - 1.0),
        }
    })
}

/// Bits that look random: the finalizer of SplitMix64.
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A world with a script.
pub trait StartedWorld: Sized + Send + 'static {
    /// The world, moved by the numbers of a start.
    fn begin(start: &[f32; START]) -> Result<Self, InputError<f32>>;

    /// One tick; adds its results to the digest.
    fn tick(&mut self, digest: &mut Digest) -> Result<StepReport<f32>, InputError<f32>>;

    /// The trunk, if there is one.
    fn trunk(&self) -> Option<RigidBody<f32>>;
}

impl StartedWorld for Robot<f32> {
    fn begin(start: &[f32; START]) -> Result<Self, InputError<f32>> {
        Robot::perturbed(start)
    }

    fn tick(&mut self, digest: &mut Digest) -> Result<StepReport<f32>, InputError<f32>> {
        let report = self.step(Hooks::default())?;
        digest.add_step(&self.world, &self.pipeline, &report);
        Ok(report)
    }

    fn trunk(&self) -> Option<RigidBody<f32>> {
        self.world.get(robot::TRUNK)
    }
}

/// The jointed leg with a factor of all its joints.
pub type FactoredLeg = Leg<f32, { leg::BLOCKS }>;

impl StartedWorld for FactoredLeg {
    fn begin(start: &[f32; START]) -> Result<Self, InputError<f32>> {
        Leg::perturbed(start)
    }

    fn tick(&mut self, digest: &mut Digest) -> Result<StepReport<f32>, InputError<f32>> {
        let report = self.step()?;
        digest.add_leg(self, &report);
        Ok(report)
    }

    fn trunk(&self) -> Option<RigidBody<f32>> {
        self.world.get(leg::TRUNK)
    }
}

/// The ticks of a world so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Course {
    /// Of the results of all ticks.
    pub digest: Digest,
    /// Ticks taken.
    pub ticks: u32,
    /// Of the last tick; none once a start or a tick was rejected: the world then takes no more.
    pub status: Option<Status>,
    /// The worst of all ticks, likewise.
    pub worst: Option<Status>,
    /// Passes over contacts in all ticks.
    pub sweeps: u32,
}

impl Default for Course {
    fn default() -> Self {
        let none = Some(Status::Converged);
        Course { digest: Digest::default(), ticks: 0, status: none, worst: none, sweeps: 0 }
    }
}

impl Course {
    /// That of a world whose start was rejected.
    pub fn rejected() -> Self {
        Course { status: None, worst: None, ..Course::default() }
    }

    /// Takes so many ticks, or fewer if one is rejected. That one changes neither digest nor counts.
    pub fn run<W: StartedWorld>(&mut self, world: &mut W, ticks: u32) {
        for _ in 0..ticks {
            if self.status.is_none() {
                return;
            }
            let mut digest = self.digest;
            match world.tick(&mut digest) {
                Ok(report) => {
                    self.digest = digest;
                    self.ticks += 1;
                    self.status = Some(report.status);
                    self.worst = self.worst.max(self.status);
                    self.sweeps = self.sweeps.saturating_add(report.sweeps);
                }
                Err(_) => (self.status, self.worst) = (None, None),
            }
        }
    }

    /// Its words, and those of a trunk; zeros where there is none. `word` is the word of a status.
    pub fn words(&self, trunk: Option<RigidBody<f32>>, word: impl Fn(Option<Status>) -> u32) -> [u32; WORDS] {
        let (low, high) = (self.digest.0 as u32, (self.digest.0 >> 32) as u32);
        let counts = [1, self.ticks, word(self.status), word(self.worst), self.sweeps, low, high];
        let mut words = [0; WORDS];
        words.iter_mut().zip(counts).for_each(|(to, from)| *to = from);
        if let Some(trunk) = trunk {
            let RigidBody { position, orientation, linear_velocity, angular_velocity, .. } = trunk;
            let turn = orientation.coords;
            let numbers =
                position.iter().chain(turn.iter()).chain(linear_velocity.iter()).chain(angular_velocity.iter());
            words.iter_mut().skip(COUNTS.len()).zip(numbers).for_each(|(to, from)| *to = from.to_bits());
        }
        words
    }

    /// The course of these words; none if its world was not begun. `status` is the status of a word.
    pub fn of_words(words: &[u32; WORDS], status: impl Fn(u32) -> Option<Status>) -> Option<Self> {
        let [begun, ticks, last, worst, sweeps, low, high, ..] = *words;
        let digest = Digest(u64::from(high) << 32 | u64::from(low));
        let course = Course { digest, ticks, status: status(last), worst: status(worst), sweeps };
        (begun != 0).then_some(course)
    }
}

/// Begins a world and lets it take so many ticks; returns the words of its course. `word` is the word of a status.
pub fn words_after<W: StartedWorld>(
    start: &[f32; START],
    ticks: u32,
    word: impl Fn(Option<Status>) -> u32,
) -> [u32; WORDS] {
    let Ok(mut world) = W::begin(start) else { return Course::rejected().words(None, word) };
    let mut course = Course::default();
    course.run(&mut world, ticks);
    course.words(world.trunk(), word)
}

/// Moves a body of a world as a part of a rigid whole: up, and with its velocities about a centre. A point, whose inverse inertia
/// is 0, does not turn.
pub(crate) fn perturb<T: Real, const NB: usize, R: ContactRows>(
    world: &mut World<T, NB, R>,
    body: usize,
    center: &Vector3<T>,
    start: &[T; START],
) -> Result<(), InputError<T>> {
    let Some(mut state) = world.get(body) else { return Ok(()) };
    let [up, x, y, z, turn_x, turn_y, turn_z] = *start;
    let angular = Vector3::new(turn_x, turn_y, turn_z);
    state.linear_velocity += Vector3::new(x, y, z) + angular.cross(&(state.position - center));
    state.position.z += up;
    if state.inverse_inertia_body.iter().any(|number| *number != T::ZERO) {
        state.angular_velocity += angular;
    }
    world.set(body, state)
}
