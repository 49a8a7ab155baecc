//! The JSON form of a scene: SI units, z up, unknown fields rejected by name.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use stiction::Material;
use stiction::{Real, RigidBody, Settings, StepSettings, Surface, Tread, Wrench};

use stiction_motion::solid::{Solid, symmetric_inverse};

use super::joints::{self, SceneJoint};
use super::shape::Shape;
use crate::json::{entries, object};
use crate::problem::SettingsEntry;

/// A whole scene.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// m/s².
    #[serde(default = "down")]
    pub gravity: [f64; 3],
    /// Time step, s.
    #[serde(default = "sixtieth")]
    pub dt: f64,
    /// How long it runs, s.
    #[serde(default = "ten")]
    pub seconds: f64,
    /// Equal parts of a time step; by default what the kernel recommends for 60 Hz.
    #[serde(default = "recommended_substeps")]
    pub substeps: u32,
    /// Settings of the solver; absent ones take the kernel's defaults.
    #[serde(default)]
    pub settings: SceneSettings,
    /// The bodies.
    pub bodies: Vec<SceneBody>,
    /// What connects them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<SceneJoint>,
}

fn down() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

fn sixtieth() -> f64 {
    1.0 / 60.0
}

fn ten() -> f64 {
    10.0
}

pub(super) fn recommended_substeps() -> u32 {
    StepSettings::<f64>::default().substeps
}

fn upright() -> [f64; 4] {
    [1.0, 0.0, 0.0, 0.0]
}

fn half() -> f64 {
    0.5
}

pub(super) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// Settings of a problem, and settings that only a scene has.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "each field is the kernel's setting of the same name")]
pub struct SceneSettings {
    pub local: Option<crate::problem::LocalEntry>,
    pub bounce: Option<crate::problem::BounceEntry>,
    pub order: Option<crate::problem::OrderEntry>,
    pub relaxation: Option<f64>,
    pub accelerated_relaxation: Option<f64>,
    pub sweeps: Option<u32>,
    pub least_sweeps: Option<u32>,
    pub normal_sweeps: Option<u32>,
    pub factorisations: Option<u32>,
    pub tolerance: Option<f64>,
    pub restitution_threshold: Option<f64>,
    pub dt: Option<f64>,
    pub stabilisation: Option<crate::problem::StabilisationEntry>,
    pub error_reduction: Option<f64>,
    pub slop: Option<f64>,
    pub max_correction_speed: Option<f64>,
    pub contact_margin: Option<f64>,
    pub cache_cell: Option<f64>,
    pub method: Option<crate::problem::MethodEntry>,
}

/// A body.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SceneBody {
    /// Its name; `body N` by default.
    #[serde(default)]
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Whether impulses do not move it. It still moves with its own velocity.
    #[serde(default)]
    pub fixed: bool,
    /// kg; not for fixed bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Inertia about the centre of mass in body axes, kg m²; from shape and mass by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<[[f64; 3]; 3]>,
    /// Of the body's origin, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// w, x, y, z; a unit quaternion.
    #[serde(default = "upright")]
    pub orientation: [f64; 4],
    /// Velocity of the centre of mass, m/s.
    #[serde(default)]
    pub linear: [f64; 3],
    /// rad/s.
    #[serde(default)]
    pub angular: [f64; 3],
    /// Friction of its surface.
    #[serde(default = "half")]
    pub mu: f64,
    /// Restitution of its surface.
    #[serde(default)]
    pub restitution: f64,
    /// Largest moment about the normal over the normal force, m.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub torsion: f64,
    /// Largest moment against rolling over the normal force, m.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rolling: f64,
    /// Friction across `friction_direction`; `mu` is that along it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mu_across: Option<f64>,
    /// In body axes; its length does not matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction_direction: Option<[f64; 3]>,
    /// The centre of mass in body axes, where it is not that of the shape: of robots, not in JSON.
    #[serde(skip)]
    pub center: Option<[f64; 3]>,
}

impl Scene {
    /// Reads JSON; the error is one line that names the field.
    pub fn parse(json: &str) -> Result<Self, String> {
        crate::json::parse(json, "scene", check_objects)
    }

    /// How many time steps it runs.
    pub fn frames(&self) -> Result<u64, String> {
        if !(self.dt.is_finite() && (1e-6..=10.0).contains(&self.dt)) {
            return Err(format!("dt: {:e}, must be 1e-6 to 10", self.dt));
        }
        if !(self.seconds.is_finite() && (0.0..=1e6).contains(&self.seconds)) {
            return Err(format!("seconds: {:e}, must be 0 to 1e6", self.seconds));
        }
        // A run of 10 s at 1/60 s has 600 frames although 10 × 60 is not exactly 600 in binary.
        Ok((self.seconds / self.dt - 1e-6).ceil().max(0.0) as u64)
    }

    /// Whether a body has friction beyond sliding.
    pub fn has_surfaces(&self) -> bool {
        self.bodies.iter().any(SceneBody::has_surface)
    }

    /// Rejects a robot: a recording has its scene as JSON, which has no centres of mass and no cylinders.
    pub fn validate_recordable(&self) -> Result<(), String> {
        let is_robot = self.bodies.iter().any(|body| body.center.is_some());
        if is_robot { Err("--record: a robot cannot be recorded yet".into()) } else { Ok(()) }
    }

    /// The name of a body of its world. After its own bodies comes the immovable one that joints have.
    pub fn body_name(&self, body: usize) -> Option<String> {
        let is_world = body == self.bodies.len() && !self.joints.is_empty();
        self.bodies.get(body).map(|entry| entry.name(body)).or_else(|| is_world.then(|| joints::WORLD.to_string()))
    }

    /// The name of a joint; also of one that it does not have, as in a dump.
    pub fn joint_name(&self, joint: usize) -> String {
        self.joints.get(joint).map_or_else(|| format!("joint {joint}"), |entry| entry.name(joint))
    }

    /// The length from which the defaults of `slop`, `contact_margin` and the cells of the contact cache are computed:
    /// the smallest extent of a movable body, m, and at most a metre.
    fn length(&self) -> f64 {
        let moving = self.bodies.iter().filter(|body| !body.fixed);
        let smallest = moving.filter_map(|body| body.solid().ok()?.form.smallest_extent()).fold(1.0, f64::min);
        smallest.max(1e-6)
    }

    /// The kernel's settings of a step.
    pub fn step_settings<T: Real>(&self) -> Result<StepSettings<T>, String> {
        let given = &self.settings;
        if given.dt.is_some_and(|dt| dt != self.dt) {
            return Err("settings.dt: differs from dt".into());
        }
        let shared = SettingsEntry {
            local: given.local,
            bounce: given.bounce,
            order: given.order,
            relaxation: given.relaxation,
            accelerated_relaxation: given.accelerated_relaxation,
            sweeps: given.sweeps,
            least_sweeps: given.least_sweeps,
            normal_sweeps: given.normal_sweeps,
            factorisations: given.factorisations,
            tolerance: given.tolerance,
            restitution_threshold: given.restitution_threshold,
            dt: None,
            stabilisation: given.stabilisation,
            error_reduction: given.error_reduction,
            slop: given.slop,
            max_correction_speed: given.max_correction_speed,
            method: given.method,
        };
        let mut default = StepSettings::<T>::for_length(T::lit(self.length()));
        // The tool has memory for direct methods, and time: contacts are solved in every substep.
        default.solver.sweeps = Settings::<T>::default().sweeps;
        let number = |value: Option<f64>, default: T| value.map_or(default, T::lit);
        Ok(StepSettings {
            gravity: Vector3::from_column_slice(&self.gravity).map(T::lit),
            substeps: self.substeps,
            contact_margin: number(given.contact_margin, default.contact_margin),
            cache_cell: number(given.cache_cell, default.cache_cell),
            solver: shared.settings(default.solver),
        })
    }
}

/// Rejects arrays where the format has objects, and bodies with no shape or several.
fn check_objects(scene: &serde_json::Value) -> Result<(), String> {
    object("scene", scene)?;
    for (i, body) in entries(scene, "bodies").enumerate() {
        object(&format!("bodies[{i}]"), body)?;
        let Some(shape) = body.get("shape") else { continue };
        match shape.as_object() {
            Some(shape) if shape.len() == 1 => {
                shape.values().try_for_each(|shape| object(&format!("bodies[{i}].shape"), shape))?;
            }
            _ => {
                let kinds = "half_space, box, sphere, capsule, convex";
                return Err(format!("bodies[{i}].shape: must be an object with one of {kinds}"));
            }
        }
    }
    joints::check_objects(scene)?;
    scene.get("settings").map_or(Ok(()), |settings| object("settings", settings))
}

impl SceneBody {
    /// A movable body without a name, at rest at the origin, with sliding friction only.
    pub fn new(shape: Shape, mass: f64, mu: f64) -> Self {
        SceneBody {
            name: String::new(),
            shape,
            fixed: false,
            mass: Some(mass),
            inertia: None,
            position: [0.0; 3],
            orientation: upright(),
            linear: [0.0; 3],
            angular: [0.0; 3],
            mu,
            restitution: 0.0,
            torsion: 0.0,
            rolling: 0.0,
            mu_across: None,
            friction_direction: None,
            center: None,
        }
    }

    /// Its solid; the error begins with the field's name.
    pub fn solid(&self) -> Result<Solid, String> {
        let mut solid = self.shape.solid().map_err(|reason| format!("shape.{reason}"))?;
        if let Some(center) = self.center {
            solid.center = Vector3::from(center);
        }
        Ok(solid)
    }

    /// Its name, as the `index`-th body of its scene.
    pub fn name(&self, index: usize) -> String {
        if self.name.is_empty() { format!("body {index}") } else { self.name.clone() }
    }

    /// The kernel's body, in double precision; the error begins with the field's name.
    pub fn rigid(&self, solid: &Solid) -> Result<RigidBody<f64>, String> {
        let vector = |v: &[f64; 3]| Vector3::from_column_slice(v);
        let [w, x, y, z] = self.orientation;
        let q = Quaternion::new(w, x, y, z);
        if !q.norm().is_finite() || (q.norm() - 1.0).abs() > 1e-3 {
            return Err(format!("orientation: length {:e}, must be 1 within 1e-3", q.norm()));
        }
        let orientation = UnitQuaternion::from_quaternion(q);
        let (inverse_mass, inverse_inertia) = self.inverse_mass_and_inertia(solid)?;
        Ok(RigidBody {
            inverse_mass,
            inverse_inertia_body: inverse_inertia,
            position: vector(&self.position) + orientation * solid.center,
            orientation,
            linear_velocity: vector(&self.linear),
            angular_velocity: vector(&self.angular),
            load: Wrench::NONE,
            material: Material { mu: self.mu, restitution: self.restitution },
        })
    }

    fn has_surface(&self) -> bool {
        (self.torsion, self.rolling, self.mu_across, self.friction_direction) != (0.0, 0.0, None, None)
    }

    /// Its friction beyond sliding; the error begins with the field's name.
    pub fn surface<T: Real>(&self) -> Result<Surface<T>, String> {
        let tread = match (self.friction_direction, self.mu_across) {
            (None, None) => None,
            (Some(_), None) => return Err("mu_across: missing, and there is a friction_direction".into()),
            (None, Some(_)) => return Err("friction_direction: missing, and there is a mu_across".into()),
            (Some(direction), Some(mu_across)) => {
                let direction = Vector3::from(direction.map(T::lit));
                if direction == Vector3::zeros() {
                    return Err("friction_direction: must have a direction".into());
                }
                Some(Tread { direction, mu_across: T::lit(mu_across) })
            }
        };
        Ok(Surface { torsion: T::lit(self.torsion), rolling: T::lit(self.rolling), tread, ..Surface::default() })
    }

    fn inverse_mass_and_inertia(&self, solid: &Solid) -> Result<(f64, Matrix3<f64>), String> {
        if self.fixed {
            return match (self.mass, self.inertia) {
                (None, None) => Ok((0.0, Matrix3::zeros())),
                (Some(_), _) => Err("mass: a fixed body has none".into()),
                (_, Some(_)) => Err("inertia: a fixed body has none".into()),
            };
        }
        if self.shape.is_endless() {
            return Err("fixed: must be true for a half_space".into());
        }
        let mass = self.mass.ok_or("mass: missing, and the body is not fixed")?;
        if !(mass.is_finite() && mass > 0.0) {
            return Err(format!("mass: {mass:e}, must be above 0"));
        }
        let inertia = match self.inertia {
            Some(rows) => Matrix3::from_fn(|i, j| rows[i][j]),
            None => solid.inertia * mass,
        };
        let valid =
            inertia.iter().all(|x| x.is_finite()) && (inertia - inertia.transpose()).norm() <= 1e-6 * inertia.norm();
        let inverse = symmetric_inverse(&inertia).filter(|_| valid && inertia.cholesky().is_some());
        let inverse = inverse.ok_or("inertia: must be symmetric and positive definite")?;
        let moments = inertia.symmetric_eigenvalues();
        if 2.0 * moments.max() > moments.sum() * (1.0 + 1e-6) {
            return Err("inertia: no body has it, a principal moment is at most the sum of the others".into());
        }
        Ok((1.0 / mass, inverse))
    }
}
