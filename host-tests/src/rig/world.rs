//! A scene brought to life: the kernel's world and pipeline with a detector around them, at a capacity that fits.

use nalgebra::{UnitQuaternion, Vector3};
use stiction::direct::Room;
use stiction::manifold::Manifold;
use stiction::record::Sink;
use stiction::{Pipeline, Real, Refusal, RigidBody, StepReport, StepSettings, World};

use crate::capacity::room_for;

use super::detector::{Ahead, Detector, Part};
use super::film::Film;
use super::scene::Scene;
use super::touch::{MOST_PARTS, Outlook, Rules};

/// A scene's bodies in motion.
pub struct Rig<T: Real, const NB: usize, const NC: usize> {
    /// The kernel's bodies: positions are centres of mass.
    pub world: Box<World<T, NB>>,
    /// The kernel's stepper.
    pub pipeline: Box<Pipeline<T, NB, NC>>,
    /// Where direct methods work.
    room: Box<dyn Room<T> + Send>,
    /// From centre of mass to the scene's origin of each body, in body axes.
    origins: Vec<Vector3<f64>>,
    detector: Detector,
    dt: T,
    substeps: u32,
    /// Where steps are written down for others to repeat, if they are.
    pub film: Option<Film>,
}

/// A body as the scene sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Of the body's origin, m.
    pub position: Vector3<f64>,
    /// From body axes to world axes.
    pub orientation: UnitQuaternion<f64>,
    /// Velocity of the centre of mass, m/s.
    pub linear: Vector3<f64>,
    /// rad/s.
    pub angular: Vector3<f64>,
}

/// The kernel's body in another precision.
pub fn rounded<T: Real>(body: &RigidBody<f64>) -> RigidBody<T> {
    let q = body.orientation.quaternion().coords.map(T::lit);
    RigidBody {
        inverse_mass: T::lit(body.inverse_mass),
        inverse_inertia: body.inverse_inertia.map(T::lit),
        position: body.position.map(T::lit),
        orientation: UnitQuaternion::new_unchecked(nalgebra::Quaternion::from_vector(q)),
        linear: body.linear.map(T::lit),
        angular: body.angular.map(T::lit),
        load: stiction::Wrench::NONE,
        material: stiction::manifold::Material {
            mu: T::lit(body.material.mu),
            restitution: T::lit(body.material.restitution),
        },
    }
}

/// A kernel's refusal in the scene's own names.
fn scene_words(line: &str) -> String {
    let names = [
        ("settings.gravity", "gravity"),
        ("settings.substeps", "substeps"),
        (".material.mu", ".mu"),
        (".material.restitution", ".restitution"),
        (".inverse_mass", ".mass: 1/mass"),
        (".inverse_inertia", ".inertia: its inverse"),
    ];
    names.iter().fold(line.to_string(), |line, (kernel, scene)| line.replace(kernel, scene))
}

/// A manifold without the points that are about to bounce, but not yet.
fn without_later_bounces<T: Real>(manifold: &Manifold<T>, outlook: &Outlook) -> Manifold<T> {
    let wide = |v: &Vector3<T>| v.map(T::to_f64);
    let mut now = manifold.clone();
    now.points.retain(|point| {
        let (pair, normal) = ((manifold.a, manifold.b), wide(&manifold.normal));
        let gap = -point.depth.to_f64();
        gap <= 0.0
            || !outlook.bounces_later(&Ahead { pair, normal, on_a: wide(&point.on_a), on_b: wide(&point.on_b), gap })
    });
    now
}

impl<T: Real, const NB: usize, const NC: usize> Rig<T, NB, NC> {
    /// Checks a scene and sets it up; the error is one line that names the field.
    pub fn new(scene: &Scene) -> Result<Self, String> {
        scene.frames()?;
        let settings: StepSettings<T> = scene.step_settings()?;
        let mut world = Box::new(World::new());
        let (mut parts, mut origins) = (Vec::new(), Vec::new());
        for (i, body) in scene.bodies.iter().enumerate() {
            let named = |reason: String| format!("bodies[{i}].{reason}");
            let solid = body.shape.solid().map_err(|reason| named(format!("shape.{reason}")))?;
            let rigid = rounded(&body.rigid(&solid).map_err(named)?);
            if !body.fixed && rigid.inverse_mass == T::ZERO {
                return Err(named("mass: too large for this precision".into()));
            }
            world.push(rigid).map_err(|refusal| scene_words(&refusal.to_string()))?;
            origins.push(-solid.center);
            parts.push(Part { solid, movable: !body.fixed, endless: body.shape.is_endless() });
        }
        let pipeline = Box::new(Pipeline::new(settings));
        let (detector, dt) = (Detector::new(parts), T::lit(scene.dt));
        let room = room_for(NC).map_err(|error| format!("memory: {error}"))?;
        let mut rig = Rig { world, pipeline, room, origins, detector, dt, substeps: settings.substeps, film: None };
        rig.check()?;
        // They are taken one by one.
        rig.pipeline.settings.substeps = 1;
        Ok(rig)
    }

    /// Refuses settings that the kernel would refuse, by taking a step with a copy of nothing.
    fn check(&mut self) -> Result<(), String> {
        let mut nothing = Box::new(World::<T, NB>::new());
        self.pipeline
            .step_manifolds(&mut nothing, &[], self.dt)
            .map(|_| ())
            .map_err(|refusal| scene_words(&refusal.to_string()))
    }

    /// One time step, in as many parts as bounces begin in it.
    pub fn step(&mut self, sink: &mut dyn Sink<T>) -> Result<StepReport<T>, Refusal<T>> {
        let substep = self.dt.to_f64() / f64::from(self.substeps);
        let mut report = StepReport::open(&self.world, &self.pipeline.settings.gravity);
        for _ in 0..self.substeps {
            let mut left = substep;
            for number in 1..=MOST_PARTS {
                let outlook = Outlook::new(&self.world, self.rules(), left);
                let last = number == MOST_PARTS;
                let touch = if last { None } else { outlook.first_touch(&self.world, &self.detector) };
                let length = touch.unwrap_or(left);
                report.append(&self.part(length, (!last).then_some(&outlook), sink)?);
                left -= length;
                if touch.is_none() {
                    break;
                }
            }
        }
        Ok(report)
    }

    fn rules(&self) -> Rules {
        let settings = &self.pipeline.settings;
        Rules {
            gravity: settings.gravity.map(T::to_f64),
            threshold: settings.solver.restitution_threshold.to_f64(),
            margin: settings.contact_margin.to_f64(),
        }
    }

    /// `length` seconds at once. With an outlook, points that are about to bounce later are not contacts yet.
    fn part(
        &mut self,
        length: f64,
        outlook: Option<&Outlook>,
        sink: &mut dyn Sink<T>,
    ) -> Result<StepReport<T>, Refusal<T>> {
        let (detector, margin) = (&mut self.detector, self.pipeline.settings.contact_margin.to_f64());
        let (mut filmed, filming) = (Vec::new(), self.film.is_some());
        let report = self.pipeline.step_with(
            &mut self.world,
            |world, touching| {
                let found = |manifold: &Manifold<T>| {
                    let sooner = outlook.map(|outlook| without_later_bounces(manifold, outlook));
                    let manifold = sooner.as_ref().unwrap_or(manifold);
                    if filming {
                        filmed.push(manifold.clone());
                    }
                    touching.push(manifold)
                };
                detector.manifolds(world.positions(), world.orientations(), margin, found)
            },
            T::lit(length),
            || false,
            sink,
            Some(&mut *self.room),
        )?;
        if let Some(film) = &mut self.film {
            film.step(T::lit(length), &filmed, &self.world);
        }
        Ok(report)
    }

    /// Begins to write steps down.
    pub fn start_film(&mut self) {
        self.film = Some(Film::begin(&self.pipeline.settings, &self.world, self.room.size().contacts));
    }

    /// Every body as the scene sees it.
    pub fn bodies(&self) -> Vec<BodyState> {
        let bodies = self.world.bodies();
        let velocities = bodies.linear().iter().zip(bodies.angular());
        let poses = self.world.positions().iter().zip(self.world.orientations());
        (poses.zip(velocities).zip(&self.origins))
            .map(|(((center, orientation), (linear, angular)), origin)| {
                let q = orientation.quaternion().coords.map(T::to_f64);
                let orientation = UnitQuaternion::new_unchecked(nalgebra::Quaternion::from_vector(q));
                BodyState {
                    position: center.map(T::to_f64) + orientation * origin,
                    orientation,
                    linear: linear.map(T::to_f64),
                    angular: angular.map(T::to_f64),
                }
            })
            .collect()
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> f64 {
        let gravity = self.pipeline.settings.gravity;
        (self.world.kinetic_energy() + self.world.potential_energy(&gravity)).to_f64()
    }
}
