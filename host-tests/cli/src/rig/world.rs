//! A running scene: the kernel's world and pipeline with a detector around them, at a sufficient capacity.

use nalgebra::{UnitQuaternion, Vector3};
use stiction::Hooks;
use stiction::Observer;
use stiction::RigidBody;
use stiction::sweep::lane_memory::LaneMemory;
use stiction::{
    ContactRows, InputError, Joint, JointWork, Jointed, MomentRows, SixRows, StepReport, StepSettings, ThreeRows,
};
use stiction_lanes::Level;
use stiction_lanes::scalar::LaneScalar;
use stiction_motion::detector::Part;
use stiction_motion::moving::{FrameHooks, Moving, TakenPart, Watch};
use stiction_motion::pairs;
use stiction_motion::solid::rounded;

use stiction_testkit::capacity::{AnyDirectMemory, BoxedLanes, direct_memory_for};

use super::collector;
use super::film::Film;
use super::frame::Diagnosis;
use super::joint_state::{JointState, Link, append_work, pose};
use super::joints::{bodies_of, joint_words};
use super::scene::Scene;
use crate::lanes::lanes_for;

/// A scene's bodies in motion.
pub struct Rig<T: LaneScalar, const NB: usize, const NC: usize, R: ContactRows = ThreeRows> {
    /// The kernel's bodies and stepper, and the collision detector.
    pub moving: Moving<T, NB, NC, R>,
    /// Memory for direct methods.
    direct_memory: Box<dyn AnyDirectMemory<T>>,
    /// Memory for sweeps over several contacts at once.
    lanes: Option<BoxedLanes<T>>,
    /// From centre of mass to the scene's origin of each body, in body axes.
    origins: Vec<Vector3<f64>>,
    /// The film of the steps, if one is made.
    pub film: Option<Film>,
    /// Joints as they were given to the world.
    given_joints: Vec<Joint<T>>,
    /// Work of joints in the last step, if there are joints.
    pub joint_work: Option<JointWork<f64>>,
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

/// A kernel's error in the scene's own names.
fn scene_words(line: &str) -> String {
    let names = [
        ("settings.gravity", "gravity"),
        ("settings.substeps", "substeps"),
        ("_velocity:", ":"),
        (".material.mu", ".mu"),
        (".material.restitution", ".restitution"),
        (".inverse_mass", ".mass: 1/mass"),
        (".inverse_inertia_body", ".inertia: its inverse"),
    ];
    names.iter().fold(line.to_string(), |line, (kernel, scene)| line.replace(kernel, scene))
}

fn without_joints(scene: &Scene) -> Result<(), String> {
    if scene.joints.is_empty() { Ok(()) } else { Err("joints: need a world that has some".into()) }
}

impl<T: LaneScalar, const NB: usize, const NC: usize> Rig<T, NB, NC> {
    /// Checks a scene and sets it up, for the instructions of a level; the error is one line that names the field.
    pub fn new(scene: &Scene, level: Option<Level>) -> Result<Self, String> {
        if scene.has_surfaces() {
            return Err("bodies: have friction beyond sliding".into());
        }
        without_joints(scene)?;
        Self::plain(scene, level)
    }
}

impl<T: LaneScalar, const NB: usize, const NC: usize> Rig<T, NB, NC, SixRows> {
    /// The same with the friction beyond sliding of its bodies. Such islands are not swept in lanes.
    pub fn with_surfaces(scene: &Scene) -> Result<Self, String> {
        without_joints(scene)?;
        let mut rig = Self::plain(scene, None)?;
        rig.set_surfaces(scene)?;
        Ok(rig)
    }
}

impl<T: LaneScalar, const NB: usize, const NC: usize, R: MomentRows> Rig<T, NB, NC, R> {
    fn set_surfaces(&mut self, scene: &Scene) -> Result<(), String> {
        for (i, body) in scene.bodies.iter().enumerate() {
            let surface = body.surface().map_err(|reason| format!("bodies[{i}].{reason}"))?;
            self.moving.world.set_surface(i, surface).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl<T: LaneScalar, const NB: usize, const NC: usize, const NJ: usize> Rig<T, NB, NC, Jointed<NJ, SixRows>> {
    /// A scene with joints.
    pub fn with_joints(scene: &Scene) -> Result<Self, String> {
        let mut rig = Self::plain(scene, None)?;
        rig.set_surfaces(scene)?;
        if scene.joints.len() > NJ {
            return Err(format!("joints: {}, at most {NJ} fit", scene.joints.len()));
        }
        let bodies = bodies_of(scene)?;
        let world = &mut rig.moving.world;
        if bodies.as_flattened().contains(&world.len()) {
            let full = |_| format!("bodies: {NB} and joints to the world, at most {} fit", NB - 1);
            world.push(RigidBody::fixed()).map_err(full)?;
        }
        for (i, (joint, [a, b])) in scene.joints.iter().zip(bodies).enumerate() {
            let given = joint.connection().map_err(|reason| match reason.starts_with("must") {
                true => format!("joints[{i}]: {reason}"),
                false => format!("joints[{i}].{reason}"),
            })?;
            let joint =
                Joint { collide: joint.collide, ..world.joint_between(a, b, given.kind, given.anchors, given.axis) };
            world.push_joint(joint).map_err(|error| joint_words(&given.kind, &error))?;
            rig.given_joints.push(joint);
        }
        Ok(rig)
    }
}

impl<T: LaneScalar, const NB: usize, const NC: usize, R: ContactRows> Rig<T, NB, NC, R> {
    /// A scene with sliding friction only.
    fn plain(scene: &Scene, level: Option<Level>) -> Result<Self, String> {
        scene.frames()?;
        let settings: StepSettings<T> = scene.step_settings()?;
        let (mut bodies, mut origins) = (Vec::new(), Vec::new());
        for (i, body) in scene.bodies.iter().enumerate() {
            let named = |reason: String| format!("bodies[{i}].{reason}");
            let solid = body.solid().map_err(named)?;
            let rigid = rounded(&body.rigid(&solid).map_err(named)?);
            if !body.fixed && rigid.inverse_mass == T::ZERO {
                return Err(named("mass: too large for this precision".into()));
            }
            origins.push(-solid.center);
            bodies.push((rigid, Part { solid, movable: !body.fixed, endless: body.shape.is_endless() }));
        }
        let moving = Moving::new(bodies, settings, scene.dt, pairs::any);
        let moving = moving.map_err(|error| scene_words(&error.to_string()))?;
        let direct_memory = direct_memory_for(NC).map_err(|error| format!("memory: {error}"))?;
        let lanes =
            level.map(|level| lanes_for(NB.max(NC), level)).transpose().map_err(|error| format!("memory: {error}"))?;
        Ok(Rig { moving, direct_memory, lanes, origins, film: None, given_joints: Vec::new(), joint_work: None })
    }

    /// One time step, in as many parts as bounces begin in it. `diagnoses` receives those of every part.
    pub fn step(
        &mut self,
        sink: &mut dyn Observer<T>,
        mut diagnoses: Option<&mut Vec<Vec<Diagnosis>>>,
    ) -> Result<StepReport<T>, InputError<T>> {
        let film = &mut self.film;
        let joint_work = &mut self.joint_work;
        *joint_work = None;
        let is_watched = film.is_some() || diagnoses.is_some() || R::JOINTS > 0;
        let mut write_down = |part: &TakenPart<'_, T, NB, NC, R>| {
            if let Some(film) = film {
                film.step(part.length, part.manifolds, (part.world, part.pipeline));
            }
            if R::JOINTS > 0 {
                append_work(joint_work, &part.pipeline.joint_work());
            }
            if let Some(diagnoses) = &mut diagnoses {
                diagnoses.push(collector::diagnoses(part.pipeline));
            }
        };
        let watch: Option<Watch<'_, T, NB, NC, R>> = if is_watched { Some(&mut write_down) } else { None };
        let lanes = self.lanes.as_deref_mut().map(|lanes| lanes as &mut dyn LaneMemory<T>);
        let hooks = Hooks { should_stop: None, direct: Some(self.direct_memory.view()), observer: Some(sink), lanes };
        self.moving.step(FrameHooks { hooks, watch })
    }

    /// Whether the last island that was planned is swept in lanes: for tests.
    #[doc(hidden)]
    pub fn uses_lanes(&self) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| (0..lanes.runs()).any(|run| lanes.is_in_lanes(run)))
    }

    /// Begins a film. Films have no friction beyond sliding: such a run would not be repeated.
    pub fn start_film(&mut self) -> Result<(), String> {
        if R::HAS_MOMENTS && R::JOINTS == 0 {
            return Err("film: friction beyond sliding is not filmed".into());
        }
        self.film = Some(Film::begin(
            &self.moving.pipeline.settings,
            &self.moving.world,
            &self.given_joints,
            self.direct_memory.view().size().contacts,
        ));
        Ok(())
    }

    /// Every joint of the world.
    pub fn joints(&self) -> Vec<JointState> {
        let Moving { world, pipeline, .. } = &self.moving;
        let poses = |body: usize| pose(&world.positions()[body], &world.orientations()[body]);
        let state = |(index, joint): (usize, &Joint<T>)| {
            let link = Link::new(joint);
            let kept = pipeline.joint(index).map_or(0.0, |kept| kept.position.to_f64());
            let [a, b] = link.bodies.map(poses);
            JointState::new(&link, [&a, &b], kept)
        };
        world.joints().enumerate().map(state).collect()
    }

    /// Every body as the scene sees it.
    pub fn bodies(&self) -> Vec<BodyState> {
        let bodies = self.moving.world.bodies();
        let velocities = bodies.linear_velocities().iter().zip(bodies.angular_velocities());
        let poses = self.moving.world.positions().iter().zip(self.moving.world.orientations());
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
}
