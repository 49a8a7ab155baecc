//! A scene before it starts: bodies and joints as the script gives them.

use nalgebra::{UnitQuaternion, Vector3};
use stiction::{JointKind, Jointed, Material, RigidBody, Settings, SixRows, StepSettings, Surface, Wrench};
use stiction_motion::detector::Part;
use stiction_motion::solid::{Solid, rounded};

/// Largest number of bodies in a scene, with the one that joints to the world have.
pub const BODIES: usize = 64;
/// Largest number of joints.
pub const JOINTS: usize = 64;

/// One kind of world for all scenes: a second one would double the module.
pub(crate) type Rows = Jointed<JOINTS, SixRows>;

/// A scene that is being built.
pub struct Draft {
    /// Settings of its steps.
    pub settings: StepSettings<f32>,
    /// Time step, s.
    pub dt: f64,
    /// Smallest extent of a movable body, m; at most one metre.
    length: f64,
    pub(crate) bodies: Vec<(RigidBody<f32>, Part)>,
    pub(crate) surfaces: Vec<Surface<f32>>,
    pub(crate) links: Vec<Link>,
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

/// A joint as in a scene's file: anchors and axis in world coordinates where the scene begins.
pub struct Link {
    /// A and B, by their place in the scene; the place after the last body is the world.
    pub bodies: [usize; 2],
    /// What it holds.
    pub kind: JointKind<f32>,
    /// On A and on B, m.
    pub anchors: [Vector3<f32>; 2],
    /// Of a hinge or a slider; a unit vector.
    pub axis: Vector3<f32>,
    /// Whether the two bodies may touch.
    pub collide: bool,
}

impl Draft {
    /// An empty scene with a time step of `dt` seconds.
    pub fn new(dt: f64) -> Self {
        let mut settings = StepSettings::default();
        // As the `stiction` command: there is memory for direct methods, so contacts are solved in every substep.
        settings.solver.sweeps = Settings::<f32>::default().sweeps;
        Draft { settings, length: 1.0, dt, bodies: Vec::new(), surfaces: Vec::new(), links: Vec::new() }
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

    /// Adds a joint; it is checked where the scene starts.
    pub fn connect(&mut self, link: Link) {
        self.links.push(link);
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
