//! A running scene in single precision, and the data that the page displays.

use nalgebra::{UnitQuaternion, Vector3};
use stiction::DirectMemory;
use stiction::Hooks;
use stiction::Material;
use stiction::Observer;
use stiction::record::ContactRecord;
use stiction::{
    ContactState, InputError, RigidBody, Settings, SixRows, Status, StepReport, StepSettings, Surface, Wrench,
};
use stiction_lanes::Lanes;
use stiction_motion::detector::Part;
use stiction_motion::moving::{FrameHooks, Moving};
use stiction_motion::pairs;
use stiction_motion::solid::{Solid, rounded};

/// Largest number of bodies in a scene.
pub const BODIES: usize = 64;
/// Largest number of contacts in a step.
pub const CONTACTS: usize = 512;
/// Groups of contacts that can be swept side by side: all of three contacts or more.
const GROUPS: usize = CONTACTS / 3 + 1;
/// Capacity of the direct methods in blocks; the same as in the `stiction` command for this number of contacts.
const BLOCKS: usize = 8192;

/// Numbers of a body's pose: position, then x, y, z, w of its orientation.
pub const POSE: usize = 7;
/// Numbers of a contact: point, normal, impulse (N s), friction coefficient, normal impulse (N s), state.
pub const CONTACT: usize = 12;
/// Numbers of a step, in the order of [`Stage::figures`].
pub const FIGURES: usize = 16;

/// Natural frequency, rad/s, and damping ratio of the spring that pulls a body.
const PULL: (f32, f32) = (10.0, 0.8);
/// The strongest pull, as an acceleration of the pulled body, m/s².
const STRONGEST_PULL: f32 = 120.0;

/// A scene that is being built.
pub struct Draft {
    /// Settings of its steps.
    pub settings: StepSettings<f32>,
    /// Time step, s.
    pub dt: f64,
    /// Smallest extent of a movable body, m; at most one metre.
    length: f64,
    bodies: Vec<(RigidBody<f32>, Part)>,
    surfaces: Vec<Surface<f32>>,
}

/// A body as in a scene's file.
pub struct Piece {
    /// Its shape.
    pub solid: Solid,
    /// Whether its shape is infinite.
    pub endless: bool,
    /// kg; none for an immovable body.
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
    /// Its friction beyond sliding.
    pub surface: Surface<f32>,
}

impl Draft {
    /// An empty scene with a time step of `dt` seconds.
    pub fn new(dt: f64) -> Self {
        let mut settings = StepSettings::default();
        // As the `stiction` command: there is memory for direct methods, so contacts are solved in every substep.
        settings.solver.sweeps = Settings::<f32>::default().sweeps;
        Draft { settings, length: 1.0, dt, bodies: Vec::new(), surfaces: Vec::new() }
    }

    /// Adds a body; none if its mass or inertia is invalid.
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
        self.surfaces.push(piece.surface);
        Some(())
    }

    /// Updates the smallest extent, m, and the settings that depend on it.
    fn follow_length(&mut self, extent: f64) {
        self.length = self.length.min(extent);
        let follows = StepSettings::<f32>::for_length(self.length.max(1e-6) as f32);
        self.settings.contact_margin = follows.contact_margin;
        self.settings.cache_cell = follows.cache_cell;
        self.settings.solver.slop = follows.solver.slop;
    }
}

/// Records the contacts of a solve; the last solve of a step is displayed.
#[derive(Default)]
struct ContactLog(Vec<ContactRecord<f32>>);

impl Observer<f32> for ContactLog {
    fn solving(&mut self) {
        self.0.clear();
    }

    fn contact(&mut self, contact: &ContactRecord<f32>) {
        self.0.push(*contact);
    }
}

/// A body that is pulled at one of its points.
struct Pull {
    body: usize,
    /// In body axes, from the centre of mass.
    arm: Vector3<f32>,
    /// In world coordinates.
    towards: Vector3<f32>,
}

/// A running scene.
pub struct Stage {
    moving: Moving<f32, BODIES, CONTACTS, SixRows>,
    lanes: Box<Lanes<f32, BODIES, CONTACTS, GROUPS>>,
    direct: Box<DirectMemory<f32, CONTACTS, BLOCKS>>,
    contact_log: ContactLog,
    pull: Option<Pull>,
    time: f64,
    dt: f64,
    start: f64,
    /// Work since the start of loads, integration error, bounces, contact, friction and position correction, J.
    sums: [f64; 6],
    /// Of every body, [`POSE`] numbers each.
    pub poses: Vec<f32>,
    /// Of every contact, [`CONTACT`] numbers each.
    pub contacts: Vec<f32>,
    /// Time (s); kinetic and potential energy at the end of the last step, their sum at the start (J); work since the
    /// start of loads, integration error, bounces, contact, friction and position correction (J); residual; sweeps;
    /// contacts; status (0 converged, 1 sweep limit, 2 deadline); whether the passivity guard acted; deepest
    /// penetration (m).
    pub figures: [f64; FIGURES],
}

impl Stage {
    /// Starts a scene.
    pub fn new(draft: Draft) -> Result<Self, InputError<f32>> {
        let mut moving = Moving::new(draft.bodies, draft.settings, draft.dt, pairs::simple)?;
        for (index, surface) in draft.surfaces.into_iter().enumerate() {
            moving.world.set_surface(index, surface)?;
        }
        let mut stage = Stage {
            start: moving.energy(),
            moving,
            lanes: Box::new(Lanes::new()),
            direct: Box::new(DirectMemory::new()),
            contact_log: ContactLog::default(),
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
        let hooks = Hooks {
            should_stop: None,
            direct: Some(self.direct.view()),
            observer: Some(&mut self.contact_log),
            lanes: Some(&mut *self.lanes),
        };
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

    /// Sets the material of every surface.
    pub fn set_material(&mut self, material: Material<f32>) -> Result<(), InputError<f32>> {
        let world = &mut self.moving.world;
        (0..world.len()).try_for_each(|index| match world.get(index) {
            Some(body) => world.set(index, RigidBody { material, ..body }),
            None => Ok(()),
        })
    }

    /// Grabs a body at a point in world coordinates, unless it cannot move.
    pub fn grab(&mut self, body: usize, at: Vector3<f32>) {
        let Some(held) = self.moving.world.get(body).filter(|held| held.inverse_mass > 0.0) else { return };
        let arm = held.orientation.inverse() * (at - held.position);
        self.pull = Some(Pull { body, arm, towards: at });
    }

    /// Pulls the grabbed body towards a point in world coordinates.
    pub fn pull(&mut self, towards: Vector3<f32>) {
        if let Some(pull) = &mut self.pull {
            pull.towards = towards;
        }
    }

    /// Releases the grabbed body.
    pub fn release(&mut self) -> Result<(), InputError<f32>> {
        self.pull.take().map_or(Ok(()), |pull| self.moving.world.set_load(pull.body, Wrench::NONE))
    }

    /// A damped spring between the grabbed point and its target. It is a load, so its work is in the ledger.
    fn apply_pull(&mut self) -> Result<(), InputError<f32>> {
        let Some(pull) = &self.pull else { return Ok(()) };
        let Some(body) = self.moving.world.get(pull.body) else { return Ok(()) };
        let arm = body.orientation * pull.arm;
        let velocity = body.linear_velocity + body.angular_velocity.cross(&arm);
        let (rate, damping) = PULL;
        let acceleration = (pull.towards - body.position - arm) * (rate * rate) - velocity * (2.0 * damping * rate);
        let size = acceleration.norm();
        let within = if size > STRONGEST_PULL { STRONGEST_PULL / size } else { 1.0 };
        let force = acceleration * (within / body.inverse_mass);
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
        for contact in &self.contact_log.0 {
            let moves = masses.get(contact.b).is_some_and(|body| body.inverse_mass > 0.0);
            let (body, arm) = if moves { (contact.b, contact.r_b) } else { (contact.a, contact.r_a) };
            let Some(center) = positions.get(body) else { continue };
            let tangent = contact.t1 * contact.t1_impulse + contact.t2 * contact.t2_impulse;
            let normal_impulse = contact.bounce_impulse + contact.normal_impulse;
            let impulse = contact.normal * normal_impulse + tangent;
            self.contacts.extend((center + arm).iter().chain(contact.normal.iter()).chain(impulse.iter()));
            let state = match contact.state {
                ContactState::Open => 0.0,
                ContactState::Stick => 1.0,
                ContactState::Slide => 2.0,
            };
            self.contacts.extend([contact.mu, normal_impulse, state]);
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
        let [load, integration, bounce, normal, friction, correction] = self.sums;
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
            correction,
            f64::from(report.residual),
            f64::from(report.sweeps),
            report.contacts as f64,
            status,
            f64::from(u8::from(report.passivity_guard)),
            f64::from(report.depth),
        ];
    }
}
