//! A run that other languages can repeat: settings, bodies, joints, and for every step its length, its manifolds and a
//! digest of the world and of its joints after it. The same input to the same kernel gives the same bits.
//!
//! All numbers are little-endian, scalars `f32` or `f64`:
//!
//! | part | numbers |
//! |---|---|
//! | head | `FILM`, bytes of a scalar, bodies, joints, number of contacts that the memory for direct methods can hold |
//! | settings | 9 words: method, local rule, bounce, order, position correction, and four limits |
//! | | 7 scalars; gravity, margin, cell; substeps |
//! | a body | 31 scalars: inverse mass, inertia (9), position, orientation (4), velocities (6), load (6), μ, e |
//! | a joint, as it was given | a, b, kind and motor as numbers of C, flags: 1 collide, 2 limits, 4 a spring |
//! | | 25 scalars: anchors (6), axis, rest orientation (4), limits (2), motor: speed, position, stiffness, damping, max |
//! | | friction, spring: rest, stiffness, damping; length |
//! | another joint in its place | word 2, index, joint |
//! | a step | word 1, length, substeps, number of manifolds, manifolds, 64-bit digest |
//! | a manifold | a, b, number of points, whether it has a material; normal, μ, restitution; points |
//! | a point | kind, feature; on a, on b, depth |
//! | the end | word 0 |

use stiction::Manifold;
use stiction::PointId;
use stiction::{
    ContactRows, Joint, JointAxis, JointKind, JointWork, KeptJoint, Motor, Pipeline, Real, RigidBody, Spring,
    StepSettings, World,
};
use stiction_scenes::digest::Digest;

/// Bytes of an unfinished film.
#[derive(Debug, Clone, Default)]
pub struct Film {
    bytes: Vec<u8>,
}

impl Film {
    /// Head, settings, bodies, and joints as they were given to the world.
    pub fn begin<T: Real, const NB: usize, R: ContactRows>(
        settings: &StepSettings<T>,
        world: &World<T, NB, R>,
        joints: &[Joint<T>],
        direct_contacts: u32,
    ) -> Self {
        let mut film = Film::default();
        film.words(&[u32::from_le_bytes(*b"FILM"), T::BYTES as u32]);
        film.words(&[world.len() as u32, joints.len() as u32, direct_contacts]);
        let solver = &settings.solver;
        film.words(&[solver.method as u32, solver.local as u32, solver.bounce as u32, solver.order as u32]);
        film.words(&[solver.position_correction as u32, solver.sweeps, solver.factorisations]);
        film.words(&[solver.min_sweeps, solver.normal_sweeps]);
        film.scalars(&[solver.relaxation, solver.accelerated_relaxation, solver.tolerance]);
        film.scalars(&[solver.restitution_threshold, solver.error_reduction, solver.slop, solver.max_correction_speed]);
        film.scalars(settings.gravity.as_slice());
        film.scalars(&[settings.contact_margin, settings.cache_cell]);
        film.words(&[settings.substeps]);
        (0..world.len()).filter_map(|index| world.get(index)).for_each(|body| film.body(&body));
        joints.iter().for_each(|joint| film.joint(joint));
        film
    }

    fn body<T: Real>(&mut self, body: &RigidBody<T>) {
        self.scalars(&[body.inverse_mass]);
        self.scalars(body.inverse_inertia_body.as_slice());
        self.scalars(body.position.as_slice());
        self.scalars(body.orientation.quaternion().coords.as_slice());
        for vector in [&body.linear_velocity, &body.angular_velocity, &body.load.force, &body.load.torque] {
            self.scalars(vector.as_slice());
        }
        self.scalars(&[body.material.mu, body.material.restitution]);
    }

    /// A joint that was given to the world in place of another.
    pub fn set_joint<T: Real>(&mut self, index: usize, joint: &Joint<T>) {
        self.words(&[2, index as u32]);
        self.joint(joint);
    }

    /// All numbers of a joint, as bits.
    pub(super) fn bits_of<T: Real>(joint: &Joint<T>) -> Vec<u8> {
        let mut film = Film::default();
        film.joint(joint);
        film.bytes
    }

    fn joint<T: Real>(&mut self, joint: &Joint<T>) {
        let kinds: [&str; 7] = ["ball", "hinge", "slider", "fixed", "distance", "rope", "spring"];
        let kind = kinds.iter().position(|name| *name == joint.kind.name()).unwrap_or(kinds.len());
        let JointAxis { limits, motor, friction, spring } = joint.kind.axis().copied().unwrap_or(JointAxis::FREE);
        let (length, spring) = match joint.kind {
            JointKind::Distance { length } | JointKind::Rope { length } => (length, None),
            JointKind::Spring(spring) => (T::ZERO, Some(spring)),
            _ => (T::ZERO, spring),
        };
        let zero = T::ZERO;
        let (motor, numbers) = match motor {
            None => (0, [zero; 5]),
            Some(Motor::Speed { speed, max }) => (1, [speed, zero, zero, zero, max]),
            Some(Motor::Position { position, stiffness, damping, max }) => {
                (2, [zero, position, stiffness, damping, max])
            }
        };
        let flags = [joint.collide, limits.is_some(), spring.is_some()];
        let flags = flags.iter().enumerate().map(|(bit, is_set)| u32::from(*is_set) << bit).sum();
        self.words(&[joint.a as u32, joint.b as u32, kind as u32, motor, flags]);
        for vector in [&joint.anchor_a, &joint.anchor_b, &joint.axis] {
            self.scalars(vector.as_slice());
        }
        self.scalars(joint.rest.quaternion().coords.as_slice());
        self.scalars(&limits.unwrap_or([zero; 2]));
        self.scalars(&numbers);
        let Spring { rest, stiffness, damping } =
            spring.unwrap_or(Spring { rest: zero, stiffness: zero, damping: zero });
        self.scalars(&[friction, rest, stiffness, damping, length]);
    }

    /// A step that was taken.
    pub fn step<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows>(
        &mut self,
        dt: T,
        manifolds: &[Manifold<T>],
        (world, pipeline): (&World<T, NB, R>, &Pipeline<T, NB, NC, NF, R>),
    ) {
        self.words(&[1]);
        self.scalars(&[dt]);
        self.words(&[pipeline.settings.substeps, manifolds.len() as u32]);
        manifolds.iter().for_each(|manifold| self.manifold(manifold));
        let mut digest = Digest::default();
        digest.add_world(world);
        for joint in (0..world.joints().count()).filter_map(|index| pipeline.joint(index)) {
            let KeptJoint { linear, angular, position, is_at_limit } = joint;
            linear.iter().chain(angular).for_each(|value| digest.add(*value));
            digest.add(*position);
            digest.add(if *is_at_limit { T::ONE } else { T::ZERO });
        }
        if R::JOINTS > 0 {
            let JointWork { motor, spring, friction, stored_before, stored_after } = pipeline.joint_work();
            [motor, spring, friction, stored_before, stored_after].into_iter().for_each(|value| digest.add(value));
        }
        self.bytes.extend(digest.0.to_le_bytes());
    }

    fn manifold<T: Real>(&mut self, manifold: &Manifold<T>) {
        let has_material = u32::from(manifold.material.is_some());
        self.words(&[manifold.a as u32, manifold.b as u32, manifold.points.len() as u32, has_material]);
        self.scalars(manifold.normal.as_slice());
        let material = manifold.material.unwrap_or(stiction::Material::SMOOTH);
        self.scalars(&[material.mu, material.restitution]);
        for point in &manifold.points {
            let (kind, feature) = match point.id {
                PointId::Feature(feature) => (0, feature),
                PointId::Proximity => (1, 0),
            };
            self.words(&[kind, feature]);
            self.scalars(point.on_a.as_slice());
            self.scalars(point.on_b.as_slice());
            self.scalars(&[point.depth]);
        }
    }

    /// The whole film.
    pub fn end(mut self) -> Vec<u8> {
        self.words(&[0]);
        self.bytes
    }

    fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|word| self.bytes.extend(word.to_le_bytes()));
    }

    fn scalars<T: Real>(&mut self, values: &[T]) {
        values.iter().for_each(|value| self.bytes.extend(&value.to_le_padded()[..T::BYTES]));
    }
}
