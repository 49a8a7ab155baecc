//! Converts a flight recorder's bytes to a recording, so that the tools for recordings can read them.

use std::any::Any;
use std::path::Path;

use nalgebra::Vector3;
use stiction::record::{DumpError, InputBlock, LoadError, OutcomeBlock, RecordedBlock, StepBlock, blocks};
use stiction::{Bodies, Contacts, Pipeline, Real, Solver, StepReport, StepSettings, World};

use super::frame::{Collector, Detail, Frame, Solve};
use super::recording::Recorder;
use super::simulation::Precision;
use super::world::BodyState;
use stiction_testkit::capacity::direct_memory_for;

/// The input of a solve or of a step.
#[derive(Clone, Copy)]
pub(super) enum Input<'a> {
    /// Of a solve.
    Solve(InputBlock<'a>),
    /// Of a step.
    Step(StepBlock<'a>),
}

impl Input<'_> {
    pub(super) fn number(&self) -> u32 {
        match self {
            Input::Solve(block) => block.number,
            Input::Step(block) => block.number,
        }
    }

    pub(super) fn scalar_bytes(&self) -> usize {
        match self {
            Input::Solve(block) => usize::from(block.scalar_bytes),
            Input::Step(block) => usize::from(block.scalar_bytes),
        }
    }

    fn is_small(&self) -> bool {
        let (bodies, contacts) = match self {
            Input::Solve(block) => (block.bodies, block.contacts),
            Input::Step(block) => (block.bodies, block.points),
        };
        bodies <= 64 && contacts <= 512
    }

    fn direct_contacts(&self) -> usize {
        match self {
            Input::Solve(block) => block.conditions.direct.contacts as usize,
            Input::Step(block) => block.direct.contacts as usize,
        }
    }
}

/// The inputs and outcomes of a dump, and why it cannot be read further, if it cannot.
pub(super) fn read(dump: &[u8]) -> (Vec<Input<'_>>, Vec<OutcomeBlock>, Option<DumpError>) {
    let (mut inputs, mut outcomes, mut rest) = (Vec::new(), Vec::new(), None);
    for block in blocks(dump) {
        match block {
            Ok(RecordedBlock::Input(input)) => inputs.push(Input::Solve(input)),
            Ok(RecordedBlock::Step(step)) => inputs.push(Input::Step(step)),
            Ok(RecordedBlock::Outcome(outcome)) => outcomes.push(outcome),
            Err(error) => rest = Some(error),
        }
    }
    (inputs, outcomes, rest)
}

/// Writes the solves and steps of a dump into a new recording, one for each frame. Returns a line about them.
pub fn import(dump: &[u8], path: &Path) -> Result<String, String> {
    let (inputs, outcomes, rest) = read(dump);
    let Some(first) = inputs.first() else {
        return Err(format!("dump: {}", rest.map_or("no solve in it".into(), |error| error.to_string())));
    };
    let precision = if first.scalar_bytes() == 4 { Precision::Single } else { Precision::Double };
    let mut differing = 0;
    let mut solves = std::collections::BTreeMap::new();
    for input in &inputs {
        let number = input.number();
        let outcome = outcomes.iter().find(|outcome| outcome.number == number);
        let again = again(input, outcome).map_err(|reason| format!("solve {number}: {reason}"))?;
        differing += u32::from(outcome.is_some_and(|outcome| outcome.digest != again.digest));
        if solves.insert(number, as_recorded(again.solve, outcome)).is_some() {
            return Err(format!("dump: solve {number} is in it twice"));
        }
    }
    let mut recorder = Recorder::create_for_dump(path, precision)?;
    solves.iter().try_for_each(|(number, solve)| recorder.add_solve(u64::from(*number), solve))?;
    recorder.finish()?;
    let lost = rest.map_or(String::new(), |error| format!("; then the dump {error}"));
    let unended =
        inputs.iter().filter(|input| !outcomes.iter().any(|outcome| outcome.number == input.number())).count();
    Ok(format!("{} solves, {unended} that never ended, {differing} that end differently here{lost}", inputs.len()))
}

/// What computing an input again gave.
pub(super) struct Again {
    pub solve: Solve,
    pub digest: u64,
    /// The report of a step.
    pub report: Option<AnyReport>,
}

/// The reports of a frame's steps, added up in their own precision.
pub(super) enum AnyReport {
    Single(StepReport<f32>),
    Double(StepReport<f64>),
}

impl AnyReport {
    /// The sum of no reports.
    fn of_none(scalar_bytes: usize) -> Self {
        if scalar_bytes == 4 { AnyReport::Single(open()) } else { AnyReport::Double(open()) }
    }

    /// The report of one step.
    fn of<T: Real>(report: &StepReport<T>) -> Self {
        let mut any = Self::of_none(T::BYTES);
        let given: &dyn Any = report;
        match &mut any {
            AnyReport::Single(sum) => *sum = given.downcast_ref().copied().unwrap_or(*sum),
            AnyReport::Double(sum) => *sum = given.downcast_ref().copied().unwrap_or(*sum),
        }
        any
    }

    /// The sum of a frame's reports; none if there is no step, or if precisions differ.
    pub fn sum(reports: &[AnyReport]) -> Option<Self> {
        let mut sum = match reports.first()? {
            AnyReport::Single(_) => Self::of_none(4),
            AnyReport::Double(_) => Self::of_none(8),
        };
        for report in reports {
            match (&mut sum, report) {
                (AnyReport::Single(sum), AnyReport::Single(next)) => sum.append(next),
                (AnyReport::Double(sum), AnyReport::Double(next)) => sum.append(next),
                _ => return None,
            }
        }
        Some(sum)
    }

    /// As a frame with these bodies.
    pub fn frame(&self, number: u64, time: f64, bodies: Vec<BodyState>) -> Frame {
        match self {
            AnyReport::Single(report) => Frame::new(number, time, report, bodies),
            AnyReport::Double(report) => Frame::new(number, time, report, bodies),
        }
    }
}

fn open<T: Real>() -> StepReport<T> {
    StepReport::open(&World::<T, 1>::new(), &Vector3::zeros())
}

/// Solves an input or takes a step again.
pub(super) fn again(input: &Input<'_>, outcome: Option<&OutcomeBlock>) -> Result<Again, String> {
    match (input.scalar_bytes(), input.is_small()) {
        (4, true) => sized::<f32, 64, 512, { 256 << 10 }>(input, outcome),
        (4, false) => sized::<f32, 512, 4096, { 2 << 20 }>(input, outcome),
        (_, true) => sized::<f64, 64, 512, { 512 << 10 }>(input, outcome),
        (_, false) => sized::<f64, 512, 4096, { 4 << 20 }>(input, outcome),
    }
}

fn sized<T: Real, const NB: usize, const NC: usize, const NR: usize>(
    input: &Input<'_>,
    outcome: Option<&OutcomeBlock>,
) -> Result<Again, String> {
    let mut collector = Collector::<NR>::new();
    collector.begin(Detail::Full);
    let stopped_at = outcome.and_then(|outcome| outcome.stopped_at);
    let mut memory = direct_memory_for(NC.max(input.direct_contacts())).map_err(|error| format!("memory: {error}"))?;
    let direct = Some(memory.view());
    let mut report = None;
    let digest = match input {
        Input::Solve(block) => {
            let (mut bodies, mut contacts) = (Box::new(Bodies::<T, NB>::new()), Box::new(Contacts::<T, NC>::new()));
            let mut solver = Box::new(Solver::<T, NB, NC>::new());
            block.solve(stopped_at, &mut bodies, &mut contacts, &mut solver, direct, Some(&mut collector))
        }
        Input::Step(block) => {
            let mut world = Box::new(World::<T, NB>::new());
            let mut pipeline = Box::new(Pipeline::<T, NB, NC>::new(StepSettings::default()));
            let digest = block.step(stopped_at, &mut world, &mut pipeline, direct, Some(&mut collector));
            report = pipeline.report().map(AnyReport::of);
            digest
        }
    };
    let digest = digest.map_err(|error: LoadError<T>| error.to_string())?;
    Ok(Again { solve: collector.solves.pop().unwrap_or_default(), digest, report })
}

/// A solve with the recorded outcome, not the one computed here.
fn as_recorded(mut solve: Solve, outcome: Option<&OutcomeBlock>) -> Solve {
    solve.blocks = recorded_blocks(&solve.blocks, outcome);
    if outcome.is_some() {
        solve.states.clear();
    }
    solve
}

/// The input encoded again, which gives the same bytes except for its number, with the outcome's original digest.
fn recorded_blocks(here: &[u8], outcome: Option<&OutcomeBlock>) -> Vec<u8> {
    let mut bytes = here.to_vec();
    let Some(outcome) = outcome else { return bytes };
    let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap_or_default()) as usize;
    if let Some(second) = bytes.get_mut(length..) {
        second[20..28].copy_from_slice(&outcome.digest.to_le_bytes());
        let end = second.len() - 4;
        let words = second[..end].chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()));
        let hash = words.fold(0x811c_9dc5_u32, |h, word| (h ^ word).wrapping_mul(0x0100_0193).rotate_left(13));
        second[end..].copy_from_slice(&hash.to_le_bytes());
    }
    bytes
}
