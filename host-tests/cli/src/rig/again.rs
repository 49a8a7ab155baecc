//! Computing recorded solves and steps again.

use std::any::Any;

use stiction::record::{DumpError, InputBlock, LoadError, OutcomeBlock, RecordedBlock, StepBlock, blocks};
use stiction::{
    Bodies, ContactRows, Contacts, JointWork, Jointed, Pipeline, Real, SixRows, Solver, StepReport, StepSettings, World,
};
use stiction_testkit::capacity::{AnyDirectMemory, direct_memory_for};

use super::collector::{Collector, diagnoses, solve_diagnoses};
use super::frame::{Detail, Frame, Solve, empty_report};
use super::joint_state::append_work;
use super::simulation::{LARGEST, MOST_JOINTS};
use super::world::BodyState;

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

    fn has_joints(&self) -> bool {
        matches!(self, Input::Step(block) if block.joints > 0)
    }

    fn is_small(&self) -> bool {
        let (bodies, places) = match self {
            // A contact with moments takes two places.
            Input::Solve(block) => (block.bodies, u32::from(block.contacts) + u32::from(block.surfaces)),
            Input::Step(block) => (block.bodies, u32::from(block.points) + u32::from(block.surfaces)),
        };
        bodies <= 64 && places <= 512
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

/// What computing an input again gave.
pub(super) struct Again {
    pub solve: Solve,
    pub digest: u64,
    /// The report of a step.
    pub report: Option<AnyReport>,
    /// Work of the joints of a step, if it has some.
    pub joint_work: Option<JointWork<f64>>,
    /// Whether it was stopped before its end.
    pub is_stopped: bool,
}

/// The reports of a frame's steps, added up in their own precision.
pub(super) enum AnyReport {
    Single(StepReport<f32>),
    Double(StepReport<f64>),
}

impl AnyReport {
    /// The sum of no reports.
    fn of_none(scalar_bytes: usize) -> Self {
        if scalar_bytes == 4 { AnyReport::Single(empty_report()) } else { AnyReport::Double(empty_report()) }
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

/// Computes inputs of a precision again, up to some capacity.
pub(super) trait Machine: Send {
    /// Computes an input again. From call `stopped_at` on, `should_stop` returns true.
    fn run(&mut self, input: &Input<'_>, stopped_at: Option<u32>) -> Result<Again, String>;
}

/// Machines that were used, by precision, and by capacity or joints.
#[derive(Default)]
pub(super) struct Machines([Option<Box<dyn Machine>>; 6]);

/// Rows of steps with joints, as in a simulation.
type JointedRows = Jointed<MOST_JOINTS, SixRows>;

impl Machines {
    /// Solves an input or takes a step again.
    pub fn run(&mut self, input: &Input<'_>, stopped_at: Option<u32>) -> Result<Again, String> {
        const BODIES: usize = LARGEST.0;
        const CONTACTS: usize = LARGEST.1;
        let (single, small, jointed) = (input.scalar_bytes() == 4, input.is_small(), input.has_joints());
        let machine = &mut self.0[usize::from(single) + if jointed { 4 } else { 2 * usize::from(small) }];
        let machine: &mut Box<dyn Machine> = match machine {
            Some(machine) => machine,
            None => machine.insert(match (single, small) {
                (true, _) if jointed => Box::new(Sized::<f32, BODIES, CONTACTS, { 2 << 20 }, JointedRows>::new()?),
                (false, _) if jointed => Box::new(Sized::<f64, BODIES, CONTACTS, { 4 << 20 }, JointedRows>::new()?),
                (true, true) => Box::new(Sized::<f32, 64, 512, { 256 << 10 }, SixRows>::new()?),
                (true, false) => Box::new(Sized::<f32, BODIES, CONTACTS, { 2 << 20 }, SixRows>::new()?),
                (false, true) => Box::new(Sized::<f64, 64, 512, { 512 << 10 }, SixRows>::new()?),
                (false, false) => Box::new(Sized::<f64, BODIES, CONTACTS, { 4 << 20 }, SixRows>::new()?),
            }),
        };
        machine.run(input, stopped_at)
    }
}

/// With six rows: contacts without friction beyond sliding have the bits that three rows give.
struct Sized<T: Real, const NB: usize, const NC: usize, const NR: usize, R: ContactRows> {
    collector: Collector<NR>,
    memory: Box<dyn AnyDirectMemory<T>>,
    memory_contacts: usize,
    bodies: Box<Bodies<T, NB>>,
    contacts: Box<Contacts<T, NC, R>>,
    solver: Box<Solver<T, NB, NC, R>>,
    world: Box<World<T, NB, R>>,
    pipeline: Box<Pipeline<T, NB, NC, NC, R>>,
}

impl<T: Real, const NB: usize, const NC: usize, const NR: usize, R: ContactRows> Sized<T, NB, NC, NR, R> {
    fn new() -> Result<Self, String> {
        Ok(Self {
            collector: Collector::new(),
            memory: direct_memory_for(NC).map_err(|error| format!("memory: {error}"))?,
            memory_contacts: NC,
            bodies: Box::new(Bodies::new()),
            contacts: Box::new(Contacts::empty()),
            solver: Box::new(Solver::empty()),
            world: Box::new(World::empty()),
            pipeline: Box::new(Pipeline::with_factor_memory(StepSettings::default())),
        })
    }
}

impl<T: Real, const NB: usize, const NC: usize, const NR: usize, R: ContactRows> Machine for Sized<T, NB, NC, NR, R>
where
    Self: Send,
{
    fn run(&mut self, input: &Input<'_>, stopped_at: Option<u32>) -> Result<Again, String> {
        if input.direct_contacts() > self.memory_contacts {
            self.memory_contacts = input.direct_contacts();
            self.memory = direct_memory_for(self.memory_contacts).map_err(|error| format!("memory: {error}"))?;
        }
        let direct = Some(self.memory.view());
        self.collector.begin(Detail::Full);
        let observer = Some(&mut self.collector as &mut dyn stiction::Observer<T>);
        let digest = match input {
            Input::Solve(block) => {
                let (bodies, contacts) = (&mut *self.bodies, &mut *self.contacts);
                block.solve(stopped_at, bodies, contacts, &mut self.solver, direct, observer)
            }
            Input::Step(block) => block.step(stopped_at, &mut self.world, &mut self.pipeline, direct, observer),
        };
        let digest = digest.map_err(|error: LoadError<T>| error.to_string())?;
        let mut solve = self.collector.solves.pop().unwrap_or_default();
        let (count, is_stopped) = (solve.contacts.len(), self.collector.stopped_at.is_some());
        let (mut report, mut joint_work) = (None, None);
        match input {
            Input::Solve(_) => solve.diagnose(solve_diagnoses(&self.solver, count)),
            Input::Step(_) => {
                solve.diagnose(diagnoses(&self.pipeline));
                report = self.pipeline.report().map(AnyReport::of);
                if input.has_joints() {
                    append_work(&mut joint_work, &self.pipeline.joint_work());
                }
            }
        }
        Ok(Again { solve, digest, report, joint_work, is_stopped })
    }
}
