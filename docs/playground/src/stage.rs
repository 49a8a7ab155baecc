//! A scene that runs in single precision, and what there is to see of it.

use nalgebra::{UnitQuaternion, Vector3};
use stiction::DirectMemory;
use stiction::Hooks;
use stiction::Material;
use stiction::Observer;
use stiction::record::ContactRecord;
use stiction::{ContactState, InputError, RigidBody, Status, StepReport, StepSettings, Wrench};
use stiction_motion::detector::Part;
use stiction_motion::moving::{FrameHooks, Moving};
use stiction_motion::pairs;
use stiction_motion::solid::{Solid, rounded};

/// Most bodies of a scene.
pub const BODIES: usize = 64;
/// Most contacts of a step.
pub const CONTACTS: usize = 512;
/// Blocks that direct methods may keep; as many as the `stiction` command lends for as many contacts.
const SLOTS: usize = 8192;

/// Numbers of a body's pose: place, then x, y, z, w of its orientation.
pub const POSE: usize = 7;
/// Numbers of a contact: place, normal, impulse (N s), friction coefficient, normal impulse (N s), state.
pub const CONTACT: usize = 12;
/// Numbers of a step, in the order of [`Stage::figures`].
pub const FIGURES: usize = 16;

/// How fast a pulled point swings to where it is pulled, rad/s, and how much of that is damped.
const PULL: (f32, f32) = (10.0, 0.8);
/// The strongest pull, as an acceleration of the pulled body, m/s².
const STRONGEST_PULL: f32 = 120.0;

/// A scene in the making.
pub struct Draft {
    /// Settings of its steps.
    pub settings: StepSettings<f32>,
    /// Time step, s.
    pub dt: f64,
    /// Smallest extent of a body that moves, m, and at most a metre.
    length: f64,
    bodies: Vec<(RigidBody<f32>, Part)>,
}

/// What a body is made of, as a scene's file has it.
pub struct Piece {
    /// Its shape.
    pub solid: Solid,
    /// Whether its shape has no end.
    pub endless: bool,
    /// kg; none of an immovable body.
    pub mass: Option<f64>,
    /// m.
    pub position: Vector3<f64>,
    /// From body axes to world axes.
    pub orientation: UnitQuaternion<f64>,
    /// m/s.
    pub linear: Vector3<f64>,
    /// rad/s.
    pub angular: Vector3<f64>,
    /// Of its surface.
    pub material: Material<f64>,
}

impl Draft {
    /// Nothing yet, in steps of `dt` seconds.
    pub fn new(dt: f64) -> Self {
        Draft { settings: StepSettings::default(), length: 1.0, dt, bodies: Vec::new() }
    }

    /// Adds a body; none if it has no mass to speak of.
    pub fn add(&mut self, piece: Piece) -> Option<()> {
        let movable = piece.mass.is_some();
        let (inverse_mass, inverse_inertia) = piece.solid.inverse_mass_and_inertia(piece.mass)?;
        let body = RigidBody {
            inverse_mass,
            inverse_inertia_body: inverse_inertia,
            position: piece.position + piece.orientation * piece.solid.center,
            orientation: piece.orientation,
            linear_velocity: piece.linear,
            angular_velocity: piece.angular,
            load: Wrench::NONE,
            material: piece.material,
        };
        if movable {
            self.follow_length(piece.solid.form.smallest_extent().unwrap_or(1.0));
        }
        self.bodies.push((rounded(&body), Part { solid: piece.solid, movable, endless: piece.endless }));
        Some(())
    }

    /// Takes in a body's extent, m, and lets lengths follow.
    fn follow_length(&mut self, extent: f64) {
        self.length = self.length.min(extent);
        let follows = StepSettings::<f32>::for_length(self.length.max(1e-6) as f32);
        self.settings.contact_margin = follows.contact_margin;
        self.settings.cache_cell = follows.cache_cell;
        self.settings.solver.slop = follows.solver.slop;
    }
}

/// Hears of contacts; the last solve of a step is the one that is shown.
#[derive(Default)]
struct Ear(Vec<ContactRecord<f32>>);

impl Observer<f32> for Ear {
    fn solving(&mut self) {
        self.0.clear();
    }

    fn contact(&mut self, contact: &ContactRecord<f32>) {
        self.0.push(*contact);
    }
}

/// A body that is pulled by a point of it.
struct Pull {
    body: usize,
    /// In body axes, from the centre of mass.
    arm: Vector3<f32>,
    /// In the world.
    towards: Vector3<f32>,
}

/// A running scene.
pub struct Stage {
    moving: Moving<f32, BODIES, CONTACTS>,
    room: Box<DirectMemory<f32, CONTACTS, SLOTS>>,
    ear: Ear,
    pull: Option<Pull>,
    time: f64,
    dt: f64,
    start: f64,
    /// Given since the start by loads, the integrator, bounces, contact, friction and repair, J.
    sums: [f64; 6],
    /// Of every body, [`POSE`] numbers each.
    pub poses: Vec<f32>,
    /// Of every contact, [`CONTACT`] numbers each.
    pub contacts: Vec<f32>,
    /// Time (s); kinetic and potential energy at the end of the last step, their sum at the start (J); since then what loads, the
    /// integrator, bounces, contact, friction and repair gave (J); residual; sweeps; contacts; status (0 converged, 1 cap,
    /// 2 deadline); whether the guard acted; deepest penetration (m).
    pub figures: [f64; FIGURES],
}

impl Stage {
    /// Sets a scene up.
    pub fn new(draft: Draft) -> Result<Self, InputError<f32>> {
        let moving = Moving::new(draft.bodies, draft.settings, draft.dt, pairs::simple)?;
        let mut stage = Stage {
            start: moving.energy(),
            moving,
            room: Box::new(DirectMemory::new()),
            ear: Ear::default(),
            pull: None,
            time: 0.0,
            dt: draft.dt,
            sums: [0.0; 6],
            poses: Vec::new(),
            contacts: Vec::new(),
            figures: [0.0; FIGURES],
        };
        stage.show_bodies();
        let kinetic = f64::from(stage.moving.world.kinetic_energy());
        stage.figures[..4].copy_from_slice(&[0.0, kinetic, stage.start - kinetic, stage.start]);
        Ok(stage)
    }

    /// Settings that may change while it runs.
    pub fn settings(&mut self) -> &mut StepSettings<f32> {
        &mut self.moving.pipeline.settings
    }

    /// One time step.
    pub fn step(&mut self) -> Result<(), InputError<f32>> {
        self.apply_pull()?;
        let hooks = Hooks { should_stop: None, direct: Some(self.room.view()), observer: Some(&mut self.ear) };
        let report = self.moving.step(FrameHooks { hooks, watch: None })?;
        self.time += self.dt;
        self.show_bodies();
        self.show_contacts();
        self.show_figures(&report);
        Ok(())
    }

    /// Digest of every bit of every body.
    pub fn digest(&self) -> u64 {
        self.moving.digest()
    }

    /// Gives every surface the same material.
    pub fn set_material(&mut self, material: Material<f32>) -> Result<(), InputError<f32>> {
        let world = &mut self.moving.world;
        (0..world.len()).try_for_each(|index| match world.get(index) {
            Some(body) => world.set(index, RigidBody { material, ..body }),
            None => Ok(()),
        })
    }

    /// Takes hold of a body at a point of the world; of none, if it cannot move.
    pub fn grab(&mut self, body: usize, at: Vector3<f32>) {
        let Some(held) = self.moving.world.get(body).filter(|held| held.inverse_mass > 0.0) else { return };
        let arm = held.orientation.inverse() * (at - held.position);
        self.pull = Some(Pull { body, arm, towards: at });
    }

    /// Pulls what is held towards a point of the world.
    pub fn pull(&mut self, towards: Vector3<f32>) {
        if let Some(pull) = &mut self.pull {
            pull.towards = towards;
        }
    }

    /// Lets go.
    pub fn release(&mut self) -> Result<(), InputError<f32>> {
        self.pull.take().map_or(Ok(()), |pull| self.moving.world.set_load(pull.body, Wrench::NONE))
    }

    /// A damped spring between the held point and where it is pulled; a load, so the ledger has its work.
    fn apply_pull(&mut self) -> Result<(), InputError<f32>> {
        let Some(pull) = &self.pull else { return Ok(()) };
        let Some(body) = self.moving.world.get(pull.body) else { return Ok(()) };
        let arm = body.orientation * pull.arm;
        let velocity = body.linear_velocity + body.angular_velocity.cross(&arm);
        let (rate, damping) = PULL;
        let wish = (pull.towards - body.position - arm) * (rate * rate) - velocity * (2.0 * damping * rate);
        let size = wish.norm();
        let within = if size > STRONGEST_PULL { STRONGEST_PULL / size } else { 1.0 };
        let force = wish * (within / body.inverse_mass);
        self.moving.world.set_load(pull.body, Wrench { force, torque: arm.cross(&force) })
    }

    fn show_bodies(&mut self) {
        self.poses.clear();
        let world = &self.moving.world;
        for (position, orientation) in world.positions().iter().zip(world.orientations()) {
            self.poses.extend(position.iter().chain(orientation.coords.iter()));
        }
    }

    fn show_contacts(&mut self) {
        self.contacts.clear();
        let (positions, masses) = (self.moving.world.positions(), &self.moving.world);
        for contact in &self.ear.0 {
            let moves = masses.get(contact.b).is_some_and(|body| body.inverse_mass > 0.0);
            let (body, arm) = if moves { (contact.b, contact.r_b) } else { (contact.a, contact.r_a) };
            let Some(center) = positions.get(body) else { continue };
            let tangent = contact.t1 * contact.t1_impulse + contact.t2 * contact.t2_impulse;
            let impulse = contact.normal * contact.normal_impulse + tangent;
            self.contacts.extend((center + arm).iter().chain(contact.normal.iter()).chain(impulse.iter()));
            let state = match contact.state {
                ContactState::Open => 0.0,
                ContactState::Stick => 1.0,
                ContactState::Slide => 2.0,
            };
            self.contacts.extend([contact.mu, contact.normal_impulse, state]);
        }
    }

    fn show_figures(&mut self, report: &StepReport<f32>) {
        let ledger = &report.ledger;
        let given = [
            ledger.load,
            ledger.integration,
            ledger.bounce,
            ledger.normal,
            ledger.friction,
            ledger.position_correction,
        ];
        for (sum, part) in self.sums.iter_mut().zip(given) {
            *sum += f64::from(part);
        }
        let [load, integration, bounce, normal, friction, repair] = self.sums;
        let status = match report.status {
            Status::Converged => 0.0,
            Status::Deadline => 2.0,
            _ => 1.0,
        };
        self.figures = [
            self.time,
            f64::from(ledger.kinetic_after),
            f64::from(ledger.potential_after),
            self.start,
            load,
            integration,
            bounce,
            normal,
            friction,
            repair,
            f64::from(report.residual),
            f64::from(report.sweeps),
            report.contacts as f64,
            status,
            f64::from(u8::from(report.passivity_guard)),
            f64::from(report.depth),
        ];
    }
}
