//! The observer that collects a step in full, and the diagnostics of its contacts.

use nalgebra::Vector3;
use stiction::record::{BodyRecord, ContactRecord, JointRecord, KeptManifold, KeptPoint, StepInput, SurfaceRecord};
use stiction::{
    Body, Contact, ContactRows, Coupling, FlightRecorder, Jointed, KeptJoint, Observer, Pipeline, PointId, Real,
    Report, RigidBody, Settings, SixRows, SolveConditions, Solver, StepSettings, Surface, Tread,
};

use super::film::Film;
use super::frame::{Began, ContactRow, Detail, Diagnosis, JointRow, ReportRow, Solve, SurfaceRow};
use super::joint_state::{JointState, Link, Pose, pose, widened_joint};
use crate::words::{METHOD_COUNT, METHODS};

/// Collects the records of a step. `NR` bytes must hold its input and outcome.
pub(super) struct Collector<const NR: usize> {
    detail: Detail,
    /// For any number of joints.
    recorder: Box<FlightRecorder<NR, Jointed<1, SixRows>>>,
    pub methods: [u64; METHOD_COUNT],
    pub solves: Vec<Solve>,
    /// The check at which the last one was stopped.
    pub stopped_at: Option<u32>,
    solve: Solve,
    /// The joints of the step, and where its bodies are in the end.
    links: Vec<Link>,
    poses: Vec<Pose>,
}

impl<const NR: usize> Collector<NR> {
    pub fn new() -> Self {
        Collector {
            detail: Detail::Figures,
            recorder: Box::new(FlightRecorder::empty()),
            methods: [0; METHOD_COUNT],
            solves: Vec::new(),
            stopped_at: None,
            solve: Solve::default(),
            links: Vec::new(),
            poses: Vec::new(),
        }
    }

    pub fn begin(&mut self, detail: Detail) {
        self.detail = detail;
        self.methods = [0; METHOD_COUNT];
        self.solves.clear();
        self.stopped_at = None;
    }

    fn full(&self) -> bool {
        self.detail == Detail::Full
    }

    /// Adds the joints of the step that has been taken.
    fn add_joints(&mut self) {
        let (poses, kept, seconds) = (&self.poses, &self.solve.kept_joints, self.solve.began.substep);
        let row = |(link, kept): (&Link, &KeptJoint<f64>)| {
            let [a, b] = link.bodies.map(|body| poses.get(body));
            Some(JointRow {
                kind: link.kind.name(),
                bodies: link.bodies,
                state: JointState::new(link, [a?, b?], kept.position),
                is_at_limit: kept.is_at_limit,
                impulses: [kept.linear, kept.angular],
                seconds,
            })
        };
        self.solve.joints = self.links.iter().zip(kept).filter_map(row).collect();
        self.links.clear();
        self.poses.clear();
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

    fn surface(&mut self, record: &SurfaceRecord<'_, T>) {
        if self.full() {
            self.recorder.surface(record);
            self.solve.add_surface(record);
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
            let settings = StepSettings { substeps: 0, ..*input.settings };
            let substep = (input.dt / T::lit(f64::from(input.settings.substeps))).to_f64();
            let (settings, dt) = (format!("{settings:?}"), input.dt.to_f64());
            self.solve.began = Began { settings, dt, substep, ..Began::default() };
            self.recorder.step(input);
        }
    }

    fn step_body(&mut self, body: &RigidBody<T>) {
        if self.full() {
            self.solve.began.add(body);
            self.recorder.step_body(body);
        }
    }

    fn step_manifold(&mut self, manifold: &KeptManifold<T>, points: &[KeptPoint<T>]) {
        if self.full() {
            self.recorder.step_manifold(manifold, points);
        }
    }

    fn joint(&mut self, record: &JointRecord<'_, T>) {
        if self.full() {
            self.recorder.joint(record);
            match record {
                JointRecord::Count(_) => (),
                JointRecord::Input { joint, kept, .. } => {
                    self.links.push(Link::new(joint));
                    self.solve.began.joints.extend(Film::bits_of(joint));
                    self.solve.began.kept_joints.push(widened_joint(kept));
                }
                JointRecord::Outcome { kept, .. } => self.solve.kept_joints.push(widened_joint(kept)),
            }
        }
    }

    fn body(&mut self, record: &BodyRecord<T>) {
        if self.full() {
            self.recorder.body(record);
            let BodyRecord { position, orientation, linear, angular, .. } = record;
            if !self.links.is_empty() {
                self.poses.push(pose(position, orientation));
            }
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
        self.stopped_at = stopped_at;
        if self.full() {
            Observer::<T>::solved(&mut *self.recorder, stopped_at);
            let (first, second) = self.recorder.pieces();
            self.solve.blocks = [first, second].concat();
            self.recorder.clear();
            self.add_joints();
            self.solves.push(std::mem::take(&mut self.solve));
        }
    }
}

impl Began {
    fn add<T: Real>(&mut self, body: &RigidBody<T>) {
        let RigidBody { inverse_mass, inverse_inertia_body, load, material, .. } = body;
        let inertia = inverse_inertia_body.iter().chain(load.force.iter()).chain(load.torque.iter());
        for value in [inverse_mass, &material.mu, &material.restitution].into_iter().chain(inertia) {
            self.constants.extend(&value.to_le_padded()[..T::BYTES]);
        }
        let pose = body.position.iter().chain(body.orientation.quaternion().coords.iter());
        for value in pose.chain(body.linear_velocity.iter()).chain(body.angular_velocity.iter()) {
            self.states.extend(&value.to_le_padded()[..T::BYTES]);
        }
    }
}

impl Solve {
    fn add_surface<T: Real>(&mut self, record: &SurfaceRecord<'_, T>) {
        match record {
            SurfaceRecord::Count(_) => (),
            SurfaceRecord::Input { contact, surface } => self.surfaces.push(SurfaceRow {
                contact: *contact,
                surface: widened(surface),
                moment: Vector3::zeros(),
                reached: [false; 3],
            }),
            SurfaceRecord::Outcome { contact, moment, reached } => {
                if let Some(row) = self.surfaces.iter_mut().find(|row| row.contact == *contact) {
                    (row.moment, row.reached) = (moment.map(T::to_f64), *reached);
                }
            }
        }
    }
}

/// A surface in double precision.
fn widened<T: Real>(surface: &Surface<T>) -> Surface<f64> {
    let tread =
        |tread: Tread<T>| Tread { direction: tread.direction.map(T::to_f64), mu_across: tread.mu_across.to_f64() };
    Surface {
        torsion: surface.torsion.to_f64(),
        rolling: surface.rolling.to_f64(),
        tread: surface.tread.map(tread),
        is_joined: surface.is_joined,
        warm_moment: surface.warm_moment.map(T::to_f64),
    }
}

fn report_row<T: Real>(report: &Report<T>) -> ReportRow {
    let (residual, direct) = (&report.residual, &report.direct);
    ReportRow {
        status: report.status,
        method: report.method,
        counts: [report.sweeps, report.bounce_sweeps, direct.newton_steps, direct.interior_steps, report.safe_blocks],
        numbers: [
            residual.natural,
            residual.scale,
            residual.closing_speed,
            residual.cone,
            report.bounce_missing,
            report.energy_before,
            report.energy_after,
            report.bounce_work,
            report.contact_work,
            report.friction_work,
            report.bias_work,
        ]
        .map(T::to_f64),
        worst_contact: residual.worst_contact,
        flags: [report.bounce_dropped, direct.memory_too_small, report.passivity_guard],
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
        diagnosis: Diagnosis::default(),
    }
}

/// Diagnostics of the contacts of a step that has just been taken.
pub(super) fn diagnoses<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    pipeline: &Pipeline<T, NB, NC, NC, R>,
) -> Vec<Diagnosis> {
    let sliding = |i| pipeline.sliding(i).map(|now| (now.direction.map(T::to_f64), now.frames));
    (0..pipeline.contact_count())
        .map(|i| Diagnosis { block: pipeline.coupling(i).map(block), sliding: sliding(i) })
        .collect()
}

/// Diagnostics of the contacts of a single solve that has just been made.
pub(super) fn solve_diagnoses<T: Real, const NB: usize, const NC: usize, R: ContactRows>(
    solver: &Solver<T, NB, NC, R>,
    contacts: usize,
) -> Vec<Diagnosis> {
    (0..contacts).map(|i| Diagnosis { block: solver.coupling(i).map(block), sliding: None }).collect()
}

fn block<T: Real>(coupling: Coupling<T>) -> (f64, f64, bool) {
    (coupling.normal_tangent_ratio.to_f64(), coupling.condition.to_f64(), coupling.is_replaced)
}

impl Solve {
    /// Adds the diagnostics of its contacts.
    pub(super) fn diagnose(&mut self, diagnoses: Vec<Diagnosis>) {
        for (contact, diagnosis) in self.contacts.iter_mut().zip(diagnoses) {
            contact.diagnosis = diagnosis;
        }
    }
}
