//! A running scene in single precision, and the data that the page displays.

use nalgebra::Vector3;
use stiction::DirectMemory;
use stiction::Hooks;
use stiction::Material;
use stiction::Observer;
use stiction::record::ContactRecord;
use stiction::{
    ContactState, InputError, Joint, JointKind, RigidBody, Status, StepReport, StepSettings, World, Wrench,
};
use stiction_lanes::Lanes;
use stiction_motion::moving::{FrameHooks, Moving};
use stiction_motion::pairs;

use crate::draft::{BODIES, Draft, Link, Rows};
use crate::pull::Pull;

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
/// Numbers of a joint: its anchors on A and on B, its axis or 0, whether there is a line between the anchors.
pub const JOINT: usize = 10;
/// Numbers of a step, in the order of [`Stage::figures`].
pub const FIGURES: usize = 16;

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

/// A running scene.
pub struct Stage {
    moving: Moving<f32, BODIES, CONTACTS, Rows>,
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
    /// Of every joint, [`JOINT`] numbers each.
    pub joints: Vec<f32>,
    /// Time (s); kinetic and potential energy at the end of the last step, their sum at the start (J); work since the
    /// start of loads, integration error, bounces, contact, friction and position correction (J); residual; sweeps;
    /// contacts; status (0 converged, 1 sweep limit, 2 deadline); whether the passivity guard acted; deepest
    /// penetration (m).
    pub figures: [f64; FIGURES],
}

/// Adds joints. The body after the last one is the world, which is there if a joint has it.
fn connect(world: &mut World<f32, BODIES, Rows>, links: &[Link]) -> Result<(), InputError<f32>> {
    let ground = world.len();
    if links.iter().any(|link| link.bodies.contains(&ground)) {
        world.push(RigidBody::fixed())?;
    }
    for link in links {
        let [a, b] = link.bodies;
        let joint = world.joint_between(a, b, link.kind, link.anchors, link.axis);
        world.push_joint(Joint { collide: link.collide, ..joint })?;
    }
    Ok(())
}

impl Stage {
    /// Starts a scene.
    pub fn new(draft: Draft) -> Result<Self, InputError<f32>> {
        let mut moving = Moving::new(draft.bodies, draft.settings, draft.dt, pairs::simple)?;
        for (index, surface) in draft.surfaces.into_iter().enumerate() {
            moving.world.set_surface(index, surface)?;
        }
        connect(&mut moving.world, &draft.links)?;
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
            joints: Vec::new(),
            figures: [0.0; FIGURES],
        };
        stage.show_bodies();
        stage.show_joints();
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
        self.show_joints();
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
        self.pull = Pull::at(&self.moving.world, body, at).or(self.pull.take());
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

    fn apply_pull(&mut self) -> Result<(), InputError<f32>> {
        let Some(pull) = &self.pull else { return Ok(()) };
        let Some(load) = pull.load(&self.moving.world) else { return Ok(()) };
        self.moving.world.set_load(pull.body, load)
    }

    fn show_bodies(&mut self) {
        self.poses.clear();
        let world = &self.moving.world;
        for (position, orientation) in world.positions().iter().zip(world.orientations()) {
            self.poses.extend(position.iter().chain(orientation.coords.iter()));
        }
    }

    fn show_joints(&mut self) {
        self.joints.clear();
        let world = &self.moving.world;
        for joint in world.joints() {
            let turned = |body: usize, own: &Vector3<f32>| Some(world.orientations().get(body)? * own);
            let at = |body: usize, own| Some(world.positions().get(body)? + turned(body, own)?);
            let axis = joint.kind.axis().and_then(|_| turned(joint.a, &joint.axis));
            let shown = [at(joint.a, &joint.anchor_a), at(joint.b, &joint.anchor_b), axis];
            self.joints.extend(shown.iter().flat_map(|vector| vector.unwrap_or_else(Vector3::zeros).data.0[0]));
            let is_line =
                matches!(joint.kind, JointKind::Distance { .. } | JointKind::Rope { .. } | JointKind::Spring(_));
            self.joints.push(f32::from(u8::from(is_line)));
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
