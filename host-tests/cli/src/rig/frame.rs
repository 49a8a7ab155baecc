//! One time step as plain figures in double precision, and the observer that collects them. Conversion from single
//! precision is exact.

use nalgebra::Vector3;
use stiction::Observer;
use stiction::PointId;
use stiction::SolveConditions;
use stiction::record::{BodyRecord, ContactRecord, KeptManifold, KeptPoint, StepInput};
use stiction::{
    Body, Contact, ContactState, FlightRecorder, Ledger, Method, Real, Report, RigidBody, Settings, Status, StepReport,
};

use super::world::BodyState;

/// A step's summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Its number, from 1.
    pub number: u64,
    /// Time at its end, s.
    pub time: f64,
    /// Its energy ledger, J.
    pub ledger: Ledger<f64>,
    /// The worst status of its solves.
    pub status: Status,
    /// Contacts.
    pub contacts: usize,
    /// Contacts that did not fit.
    pub left_out: usize,
    /// Passes over contacts of the island that took most.
    pub sweeps: u32,
    /// Worst relative residual.
    pub residual: f64,
    /// Worst approach speed left, m/s.
    pub approach: f64,
    /// Deepest penetration it started from, m.
    pub depth: f64,
    /// The bodies at its end.
    pub bodies: Vec<BodyState>,
    /// Islands solved, by method.
    pub methods: [u64; METHOD_COUNT],
    /// The step in full; empty unless requested.
    pub solves: Vec<Solve>,
}

/// A step or an imported solve in full.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Solve {
    /// Input and outcome as blocks of a flight recorder.
    pub blocks: Vec<u8>,
    /// What it ended with, as bits, little-endian: position, orientation and velocities of each body after a step (13
    /// scalars), velocities after a solve (6).
    pub states: Vec<u8>,
    /// Contacts after it.
    pub contacts: Vec<ContactRow>,
    /// Reports, island by island.
    pub reports: Vec<ReportRow>,
}

/// An island's report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportRow {
    /// Why it ended.
    pub status: Status,
    /// How it was solved.
    pub method: Method,
    /// Sweeps of the contact phase and of the bounce.
    pub sweeps: [u32; 2],
    /// Relative residual, approach speed (m/s), cone excess (N s), energy before and after (J), work of bounce, contact
    /// and friction (J).
    pub numbers: [f64; 8],
    /// Whether the passivity guard acted.
    pub guard: bool,
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
}

/// How many methods there are.
pub const METHOD_COUNT: usize = 6;

/// The methods in the order of `Frame::methods`.
pub const METHODS: [(Method, &str); METHOD_COUNT] = [
    (Method::ActiveSet, "active_set"),
    (Method::ScalarPgs, "scalar_pgs"),
    (Method::BlockPgs, "block_pgs"),
    (Method::Accelerated, "accelerated"),
    (Method::Newton, "newton"),
    (Method::InteriorPoint, "interior_point"),
];

/// A method's name.
pub fn method_name(method: Method) -> &'static str {
    METHODS.iter().find(|(known, _)| *known == method).map_or("unknown", |(_, name)| name)
}

/// A status's name.
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Converged => "converged",
        Status::Deadline => "deadline",
        // The format has one word for every other status; other fields give the reason.
        _ => "sweep_limit",
    }
}

/// A contact state's name.
pub fn state_name(state: ContactState) -> &'static str {
    match state {
        ContactState::Open => "open",
        ContactState::Stick => "stick",
        ContactState::Slide => "slide",
    }
}

/// The level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Figures of the frame.
    Figures,
    /// The step as well.
    Full,
}

/// Collects the records of a step. `NR` bytes must hold its input and outcome.
pub(super) struct Collector<const NR: usize> {
    detail: Detail,
    recorder: Box<FlightRecorder<NR>>,
    pub methods: [u64; METHOD_COUNT],
    pub solves: Vec<Solve>,
    solve: Solve,
}

impl<const NR: usize> Collector<NR> {
    pub fn new() -> Self {
        Collector {
            detail: Detail::Figures,
            recorder: Box::new(FlightRecorder::new()),
            methods: [0; METHOD_COUNT],
            solves: Vec::new(),
            solve: Solve::default(),
        }
    }

    pub fn begin(&mut self, detail: Detail) {
        self.detail = detail;
        self.methods = [0; METHOD_COUNT];
        self.solves.clear();
    }

    fn full(&self) -> bool {
        self.detail == Detail::Full
    }
}

impl<T: Real, const NR: usize> Observer<T> for Collector<NR> {
    fn input(&mut self, settings: &Settings<T>, dt: T, conditions: &SolveConditions, bodies: usize, contacts: usize) {
        if self.full() {
            self.recorder.input(settings, dt, conditions, bodies, contacts);
        }
    }

    fn input_body(&mut self, body: &Body<T>) {
        if self.full() {
            self.recorder.input_body(body);
        }
    }

    fn input_contact(&mut self, contact: &Contact<T>) {
        if self.full() {
            self.recorder.input_contact(contact);
        }
    }

    fn solving(&mut self) {
        if self.full() {
            Observer::<T>::solving(&mut *self.recorder);
        }
    }

    fn report(&mut self, _island: usize, report: &Report<T>) {
        if let Some(at) = METHODS.iter().position(|(method, _)| *method == report.method) {
            self.methods[at] += 1;
        }
        if self.full() {
            self.solve.reports.push(report_row(report));
        }
    }

    fn velocity(&mut self, body: usize, linear: &Vector3<T>, angular: &Vector3<T>) {
        if self.full() {
            self.recorder.velocity(body, linear, angular);
            for value in linear.iter().chain(angular.iter()) {
                self.solve.states.extend(&value.to_le_padded()[..T::BYTES]);
            }
        }
    }

    fn step(&mut self, input: &StepInput<'_, T>) {
        if self.full() {
            self.recorder.step(input);
        }
    }

    fn step_body(&mut self, body: &RigidBody<T>) {
        if self.full() {
            self.recorder.step_body(body);
        }
    }

    fn step_manifold(&mut self, manifold: &KeptManifold<T>, points: &[KeptPoint<T>]) {
        if self.full() {
            self.recorder.step_manifold(manifold, points);
        }
    }

    fn body(&mut self, record: &BodyRecord<T>) {
        if self.full() {
            self.recorder.body(record);
            let BodyRecord { position, orientation, linear, angular, .. } = record;
            let pose = position.iter().chain(orientation.quaternion().coords.iter());
            for value in pose.chain(linear.iter()).chain(angular.iter()) {
                self.solve.states.extend(&value.to_le_padded()[..T::BYTES]);
            }
        }
    }

    fn contact(&mut self, record: &ContactRecord<T>) {
        if self.full() {
            self.solve.contacts.push(contact_row(record));
        }
    }

    fn solved(&mut self, stopped_at: Option<u32>) {
        if self.full() {
            Observer::<T>::solved(&mut *self.recorder, stopped_at);
            let (first, second) = self.recorder.pieces();
            self.solve.blocks = [first, second].concat();
            self.recorder.clear();
            self.solves.push(std::mem::take(&mut self.solve));
        }
    }
}

fn report_row<T: Real>(report: &Report<T>) -> ReportRow {
    ReportRow {
        status: report.status,
        method: report.method,
        sweeps: [report.sweeps, report.bounce_sweeps],
        numbers: [
            report.residual.natural,
            report.residual.closing_speed,
            report.residual.cone,
            report.energy_before,
            report.energy_after,
            report.bounce_work,
            report.contact_work,
            report.friction_work,
        ]
        .map(T::to_f64),
        guard: report.passivity_guard,
    }
}

fn contact_row<T: Real>(record: &ContactRecord<T>) -> ContactRow {
    let wide = |v: &Vector3<T>| v.map(T::to_f64);
    ContactRow {
        island: record.island,
        feature: match record.id {
            PointId::Feature(feature) => Some(feature),
            PointId::Proximity => None,
        },
        bodies: [record.a, record.b],
        vectors: [&record.normal, &record.r_a, &record.r_b, &record.t1, &record.t2].map(wide),
        numbers: [
            record.depth,
            record.restitution,
            record.mu,
            record.bounce_impulse + record.normal_impulse,
            record.bounce_impulse,
            record.t1_impulse,
            record.t2_impulse,
        ]
        .map(T::to_f64),
        pre_impact: record.pre_impact_normal_velocity.map(T::to_f64),
        state: record.state,
    }
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

impl Frame {
    pub(super) fn new<T: Real>(number: u64, time: f64, report: &StepReport<T>, bodies: Vec<BodyState>) -> Self {
        Frame {
            number,
            time,
            ledger: widened_ledger(&report.ledger),
            status: report.status,
            contacts: report.contacts,
            left_out: report.contacts_left_out,
            sweeps: report.sweeps,
            residual: report.residual.to_f64(),
            approach: report.closing_speed.to_f64(),
            depth: report.depth.to_f64(),
            bodies,
            methods: [0; METHOD_COUNT],
            solves: Vec::new(),
        }
    }

    /// Kinetic and potential energy at its end, J.
    pub fn energy(&self) -> f64 {
        self.ledger.kinetic_after + self.ledger.potential_after
    }
}
