//! One time step as plain figures in double precision. Conversion from single precision is exact.

use nalgebra::Vector3;
use stiction::{ContactState, JointWork, KeptJoint, Ledger, Method, Real, Status, StepReport, Surface, World};

use super::history::Stopped;
use super::joint_state::JointState;
use super::world::BodyState;
use crate::words::METHOD_COUNT;

/// A step's summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Its number, from 1.
    pub number: u64,
    /// Time at its end, s.
    pub time: f64,
    /// Its report.
    pub report: StepReport<f64>,
    /// The bodies at its end.
    pub bodies: Vec<BodyState>,
    /// Islands solved, by method.
    pub methods: [u64; METHOD_COUNT],
    /// The step in full; empty unless requested.
    pub solves: Vec<Solve>,
    /// The joints at its end.
    pub joints: Vec<JointState>,
    /// Work of joints in it.
    pub joint_work: JointWork<f64>,
}

/// What a step begins with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Began {
    /// Its settings in words, without the number of substeps, which depends on its length.
    pub settings: String,
    /// Masses, inertias, loads and surfaces of all bodies, as bits.
    pub constants: Vec<u8>,
    /// Positions, orientations and velocities of all bodies, as bits.
    pub states: Vec<u8>,
    /// Its length, s.
    pub dt: f64,
    /// Length of its substeps, s.
    pub substep: f64,
    /// All joints, as bits.
    pub joints: Vec<u8>,
    /// What it takes over from the joints of the step before.
    pub kept_joints: Vec<KeptJoint<f64>>,
}

/// A step or an imported solve in full.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Solve {
    /// Input and outcome as blocks of a flight recorder.
    pub blocks: Vec<u8>,
    /// What a step begins with; empty for a solve, and when read from a file.
    pub began: Began,
    /// What it ended with, as bits, little-endian: position, orientation and velocities of each body after a step (13
    /// scalars), velocities after a solve (6).
    pub states: Vec<u8>,
    /// Contacts after it.
    pub contacts: Vec<ContactRow>,
    /// Friction beyond sliding, of contacts that have some.
    pub surfaces: Vec<SurfaceRow>,
    /// Joints after it.
    pub joints: Vec<JointRow>,
    /// What the next step takes over from joints; empty when read from a file.
    pub kept_joints: Vec<KeptJoint<f64>>,
    /// Reports, island by island.
    pub reports: Vec<ReportRow>,
    /// How its islands converged; empty unless requested.
    pub history: Vec<Stopped>,
}

impl Solve {
    /// Friction of a contact over what its normal impulse allows, also where friction depends on the direction; none
    /// without friction or pressure.
    pub fn friction_used(&self, contact: usize) -> Option<f64> {
        let ContactRow { vectors: [up, _, _, e1, e2], numbers: [_, _, mu, normal, _, t1, t2], .. } =
            *self.contacts.get(contact)?;
        let surface = self.surfaces.iter().find(|row| row.contact == contact).map(|row| row.surface);
        let (along, across, mu_along, mu_across) = match surface.and_then(|surface| surface.tread) {
            None => (t1, t2, mu, mu),
            Some(tread) => match across(&tread.direction.normalize(), &up) {
                Some(flat) => {
                    let friction = e1 * t1 + e2 * t2;
                    (friction.dot(&flat), friction.dot(&up.cross(&flat)), mu, tread.mu_across)
                }
                None => {
                    let mean = (mu * tread.mu_across).sqrt();
                    (t1, t2, mean, mean)
                }
            },
        };
        let used = (along / (mu_along * normal)).hypot(across / (mu_across * normal));
        (normal > 0.0 && used.is_finite()).then_some(used)
    }
}

/// The part of a unit direction across a normal, with length 1; none if there is hardly any.
fn across(direction: &Vector3<f64>, normal: &Vector3<f64>) -> Option<Vector3<f64>> {
    (direction - normal * normal.dot(direction)).try_normalize(1e-3)
}

/// An island's report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportRow {
    /// Why it ended.
    pub status: Status,
    /// How it was solved.
    pub method: Method,
    /// Sweeps of the contact phase and of the bounce, Newton steps, interior-point steps, replaced blocks.
    pub counts: [u32; 5],
    /// Relative residual, the speed that it is relative to (m/s), approach speed (m/s), cone excess (N s), missing
    /// bounce speed (m/s), energy before and after (J), work of bounce, contact, friction and bias (J).
    pub numbers: [f64; 11],
    /// The contact with the largest share of the residual.
    pub worst_contact: Option<usize>,
    /// Whether the bounce was dropped, direct methods had too little memory, the passivity guard acted.
    pub flags: [bool; 3],
}

/// A contact after a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRow {
    /// Island.
    pub island: usize,
    /// Feature id, if it has one.
    pub feature: Option<u32>,
    /// Bodies.
    pub bodies: [usize; 2],
    /// Normal, arms from A and from B, tangents.
    pub vectors: [Vector3<f64>; 5],
    /// Depth, restitution, friction, impulses (normal with the bounce, the bounce alone, t1, t2).
    pub numbers: [f64; 7],
    /// Normal velocity before impact.
    pub pre_impact: Option<f64>,
    /// Its state.
    pub state: ContactState,
    /// What else is known of it.
    pub diagnosis: Diagnosis,
}

/// Friction beyond sliding of a contact, and its moment after a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceRow {
    /// The contact.
    pub contact: usize,
    /// Its friction, with the moment that the solve began with.
    pub surface: Surface<f64>,
    /// Its moment on B, N m s.
    pub moment: Vector3<f64>,
    /// Which bounds it has reached: of sliding, spinning and rolling.
    pub reached: [bool; 3],
}

/// A joint after a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRow {
    /// The name of its kind.
    pub kind: &'static str,
    /// Bodies A and B. The immovable world comes after the bodies of a scene.
    pub bodies: [usize; 2],
    /// Where it is.
    pub state: JointState,
    /// Whether a limit or a rope held at the end.
    pub is_at_limit: bool,
    /// Impulse (N s) and angular impulse about the anchor (N m s) of the last substep on B, in A's axes.
    pub impulses: [Vector3<f64>; 2],
    /// Length of that substep, s.
    pub seconds: f64,
}

/// Diagnostics of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Diagnosis {
    /// Of its 3×3 block: `‖K_nt‖/K_nn`, the condition number, and whether it was replaced by a safe one.
    pub block: Option<(f64, f64, bool)>,
    /// The direction in which B slides over A, and for how many steps in a row. None for a single solve.
    pub sliding: Option<(Vector3<f64>, u8)>,
}

/// The level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Figures of the frame.
    Figures,
    /// The step as well.
    Full,
}

/// A ledger in double precision.
pub fn widened_ledger<T: Real>(ledger: &Ledger<T>) -> Ledger<f64> {
    Ledger {
        kinetic_before: ledger.kinetic_before.to_f64(),
        kinetic_after: ledger.kinetic_after.to_f64(),
        potential_before: ledger.potential_before.to_f64(),
        potential_after: ledger.potential_after.to_f64(),
        load: ledger.load.to_f64(),
        integration: ledger.integration.to_f64(),
        bounce: ledger.bounce.to_f64(),
        normal: ledger.normal.to_f64(),
        friction: ledger.friction.to_f64(),
        position_correction: ledger.position_correction.to_f64(),
    }
}

/// An empty report.
pub(super) fn empty_report<T: Real>() -> StepReport<T> {
    StepReport::open(&World::<T, 1>::new(), &Vector3::zeros())
}

/// A report in double precision.
fn widened<T: Real>(report: &StepReport<T>) -> StepReport<f64> {
    let mut wide = empty_report();
    wide.status = report.status;
    wide.ledger = widened_ledger(&report.ledger);
    wide.contacts = report.contacts;
    wide.contacts_left_out = report.contacts_left_out;
    wide.warm_started = report.warm_started;
    wide.kept = report.kept;
    wide.islands = report.islands;
    wide.sweeps = report.sweeps;
    wide.residual = report.residual.to_f64();
    wide.closing_speed = report.closing_speed.to_f64();
    wide.depth = report.depth.to_f64();
    wide.direct = report.direct;
    wide.factor = report.factor;
    wide.passivity_guard = report.passivity_guard;
    wide.bounce_dropped = report.bounce_dropped;
    wide.safe_blocks = report.safe_blocks;
    wide
}

impl Frame {
    pub(super) fn new<T: Real>(number: u64, time: f64, report: &StepReport<T>, bodies: Vec<BodyState>) -> Self {
        Self::of_parts(number, time, widened(report), bodies)
    }

    /// A frame without solves and joints.
    pub(super) fn of_parts(number: u64, time: f64, report: StepReport<f64>, bodies: Vec<BodyState>) -> Self {
        Frame {
            number,
            time,
            report,
            bodies,
            methods: [0; METHOD_COUNT],
            solves: Vec::new(),
            joints: Vec::new(),
            joint_work: JointWork::default(),
        }
    }

    /// Takes what can be known of the report from its solves: a dump has nothing else.
    pub(super) fn summarise_solves(&mut self) {
        let report = &mut self.report;
        for solve in &self.solves {
            report.contacts = solve.contacts.len();
            report.islands = solve.reports.len();
            for contact in &solve.contacts {
                report.depth = report.depth.max(contact.numbers[0]);
            }
            for island in &solve.reports {
                report.status = if island.status > report.status { island.status } else { report.status };
                report.sweeps = report.sweeps.max(island.counts[0]);
                report.residual = report.residual.max(island.numbers[0]);
                report.closing_speed = report.closing_speed.max(island.numbers[2]);
                report.ledger.kinetic_after += island.numbers[6];
            }
        }
    }

    /// Kinetic and potential energy at its end, J.
    pub fn energy(&self) -> f64 {
        self.report.ledger.kinetic_after + self.report.ledger.potential_after
    }
}
