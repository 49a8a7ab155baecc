//! Worlds of which there are many: each begins from a few numbers of its own, takes steps, and keeps account of them in a few
//! words. The same functions on processors and on graphics processors, so that every word can be compared.

use stiction::{Hooks, InputError, RigidBody, Status, StepReport};

use crate::digest::Digest;
use crate::leg::{self, Leg};
use crate::robot::{self, Robot};
use crate::start::START;

/// Numbers of a trunk: position, orientation (i, j, k, real part), linear and angular velocity.
pub const TRUNK: usize = 13;
/// Words of a [`Course`].
pub const WORDS: usize = 7 + TRUNK;

/// Names of the words of a course before those of the trunk, in their order: whether the world was begun; ticks; status of the last
/// tick; the worst one; passes over contacts in all ticks; digest of all ticks, its lower and its upper half.
pub const COUNTS: [&str; 7] = ["begun", "ticks", "status", "worst", "sweeps", "digest_low", "digest_high"];

/// A world with a script.
pub trait StartedWorld: Sized + Send + 'static {
    /// The world as its script begins.
    fn of_script() -> Result<Self, InputError<f32>>;

    /// Moves it by the numbers of a start, before its first tick.
    fn perturb(&mut self, start: &[f32; START]) -> Result<(), InputError<f32>>;

    /// One tick; adds its results to the digest.
    fn tick(&mut self, digest: &mut Digest) -> Result<StepReport<f32>, InputError<f32>>;

    /// The trunk, if there is one.
    fn trunk(&self) -> Option<RigidBody<f32>>;
}

impl StartedWorld for Robot<f32> {
    fn of_script() -> Result<Self, InputError<f32>> {
        Robot::new()
    }

    fn perturb(&mut self, start: &[f32; START]) -> Result<(), InputError<f32>> {
        Robot::perturb(self, start)
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
    fn of_script() -> Result<Self, InputError<f32>> {
        Leg::new(false)
    }

    fn perturb(&mut self, start: &[f32; START]) -> Result<(), InputError<f32>> {
        Leg::perturb(self, start)
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
                    if self.status > self.worst {
                        self.worst = self.status;
                    }
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
    let begun = W::of_script().and_then(|mut world| world.perturb(start).map(|()| world));
    let Ok(mut world) = begun else { return Course::rejected().words(None, word) };
    let mut course = Course::default();
    course.run(&mut world, ticks);
    course.words(world.trunk(), word)
}
