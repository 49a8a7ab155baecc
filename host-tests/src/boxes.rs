//! Boxes and balls over planes and on top of each other: the little geometry that tests of the step need.
//!
//! Faces are flat and boxes lie squarely on one another: enough for stacks and slopes, and exact there.

use nalgebra::Vector3;
use stiction::cache::PointId;
use stiction::manifold::{Manifold, ManifoldPoint, Material};
use stiction::{Pipeline, Real, Refusal, RigidBody, StepReport, StepSettings, Touching, World};

/// What is looked at for contact.
#[derive(Debug, Clone, Copy)]
pub enum Pair<T> {
    /// A box over the plane through a body's position with a unit normal.
    BoxOnPlane {
        /// The body that the plane belongs to.
        ground: usize,
        /// The box.
        body: usize,
        /// Unit normal of the plane, world axes.
        normal: Vector3<T>,
    },
    /// A box lying on the upper face of another.
    BoxOnBox {
        /// The lower box.
        lower: usize,
        /// The upper box.
        upper: usize,
    },
    /// A ball over a level plane at a body's height.
    BallOnPlane {
        /// The body that the plane belongs to.
        ground: usize,
        /// The ball; its radius is the first of its half extents.
        body: usize,
    },
}

/// A world with its pipeline and geometry.
pub struct Boxes<T: Real, const NB: usize, const NC: usize> {
    /// The bodies.
    pub world: World<T, NB>,
    /// The stepper.
    pub pipeline: Pipeline<T, NB, NC>,
    /// Half extents of each body, m.
    pub halves: Vec<Vector3<T>>,
    /// What may touch.
    pub pairs: Vec<Pair<T>>,
    /// Time step, s.
    pub dt: T,
}

/// A point with a place, rounded to the scalar type.
pub fn vector<T: Real>(x: f64, y: f64, z: f64) -> Vector3<T> {
    Vector3::new(T::lit(x), T::lit(y), T::lit(z))
}

/// A solid box of a mass.
pub fn solid_box<T: Real>(mass: f64, half: [f64; 3], material: Material<T>) -> RigidBody<T> {
    let [x, y, z] = half.map(|h| h * h);
    let inertia = [y + z, x + z, x + y].map(|sum| 3.0 / (mass * sum));
    let inverse_inertia = nalgebra::Matrix3::from_diagonal(&vector(inertia[0], inertia[1], inertia[2]));
    RigidBody { material, ..RigidBody::at_rest(T::lit(1.0 / mass), inverse_inertia) }
}

/// A surface.
pub fn material<T: Real>(mu: f64, restitution: f64) -> Material<T> {
    Material { mu: T::lit(mu), restitution: T::lit(restitution) }
}

impl<T: Real, const NB: usize, const NC: usize> Boxes<T, NB, NC> {
    /// Nothing but level ground of a material, body 0.
    pub fn new(ground: Material<T>, dt: f64) -> Self {
        let mut boxes = Boxes {
            world: World::new(),
            pipeline: Pipeline::new(StepSettings::default()),
            halves: Vec::new(),
            pairs: Vec::new(),
            dt: T::lit(dt),
        };
        boxes.add(RigidBody { material: ground, ..RigidBody::fixed() }, [0.0; 3]);
        boxes
    }

    /// Adds a body.
    pub fn add(&mut self, body: RigidBody<T>, half: [f64; 3]) -> usize {
        self.halves.push(vector(half[0], half[1], half[2]));
        self.world.push(body).expect("room and a sound body")
    }

    /// Moves on by one time step.
    pub fn step(&mut self) -> Result<StepReport<T>, Refusal<T>> {
        self.step_recorded(&mut ())
    }

    /// Moves on by one time step and tells a sink.
    pub fn step_recorded(&mut self, sink: &mut dyn stiction::record::Sink<T>) -> Result<StepReport<T>, Refusal<T>> {
        let (halves, pairs, margin) = (&self.halves, &self.pairs, self.pipeline.settings.contact_margin);
        let manifolds = |world: &World<T, NB>, touching: &mut Touching<'_, T, NB, NC>| {
            pairs.iter().try_for_each(|pair| match manifold(world, halves, pair, margin) {
                Some(manifold) => touching.push(&manifold),
                None => Ok(()),
            })
        };
        let report = self.pipeline.step_until(&mut self.world, manifolds, self.dt, || false, sink)?;
        // In every scene of every test. Slender bodies lose digits when their inertia is turned into world axes.
        let closure = report.ledger.closure().to_f64();
        assert!(closure <= if T::BYTES == 4 { 1e-4 } else { 1e-12 }, "the ledger is off by {closure:e}: {report:?}");
        Ok(report)
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> f64 {
        let gravity = self.pipeline.settings.gravity;
        (self.world.kinetic_energy() + self.world.potential_energy(&gravity)).to_f64()
    }
}

/// Boxes of unit side and 1 kg on each other, the first on the ground, all just touching.
pub fn stack<T: Real, const NB: usize, const NC: usize>(count: usize) -> Boxes<T, NB, NC> {
    let rough = material(0.5, 0.0);
    let mut boxes = Boxes::new(rough, 1.0 / 60.0);
    for i in 1..=count {
        let position = vector(0.0, 0.0, i as f64 - 0.5);
        boxes.add(RigidBody { position, ..solid_box(1.0, [0.5; 3], rough) }, [0.5; 3]);
        boxes.pairs.push(if i == 1 {
            Pair::BoxOnPlane { ground: 0, body: 1, normal: Vector3::z() }
        } else {
            Pair::BoxOnBox { lower: i - 1, upper: i }
        });
    }
    boxes
}

/// Corners of a box from its centre, in body axes: bit 0 is +x, bit 1 is +y, bit 2 is +z.
fn corner<T: Real>(half: &Vector3<T>, index: u32) -> Vector3<T> {
    let side = |bit: u32, h: T| if index & bit == 0 { -h } else { h };
    Vector3::new(side(1, half.x), side(2, half.y), side(4, half.z))
}

/// The four points of corners that are deepest below a plane.
fn deepest_corners<T: Real, const NB: usize>(
    world: &World<T, NB>,
    half: &Vector3<T>,
    body: usize,
    plane: (&Vector3<T>, &Vector3<T>),
    margin: T,
) -> Vec<ManifoldPoint<T>> {
    let (through, normal) = plane;
    let (center, turn) = (world.positions()[body], world.orientations()[body]);
    let mut points: Vec<_> = (0..8)
        .map(|index| {
            let on_b = center + turn * corner(half, index);
            let depth = -normal.dot(&(on_b - through));
            ManifoldPoint { on_a: on_b + normal * depth, on_b, depth, id: PointId::Feature(index) }
        })
        .filter(|point| point.depth >= -margin)
        .collect();
    points.sort_by(|a, b| b.depth.partial_cmp(&a.depth).expect("finite depths"));
    points.truncate(4);
    points.sort_by_key(|point| match point.id {
        PointId::Feature(index) => index,
        PointId::Proximity => 0,
    });
    points
}

/// The manifold of a pair, if it touches within the margin.
pub fn manifold<T: Real, const NB: usize>(
    world: &World<T, NB>,
    halves: &[Vector3<T>],
    pair: &Pair<T>,
    margin: T,
) -> Option<Manifold<T>> {
    let (a, b, normal, points) = match *pair {
        Pair::BoxOnPlane { ground, body, normal } => {
            let through = world.positions()[ground];
            (ground, body, normal, deepest_corners(world, &halves[body], body, (&through, &normal), margin))
        }
        Pair::BoxOnBox { lower, upper } => {
            let normal = world.orientations()[lower] * Vector3::z();
            let through = world.positions()[lower] + normal * halves[lower].z;
            (lower, upper, normal, deepest_corners(world, &halves[upper], upper, (&through, &normal), margin))
        }
        Pair::BallOnPlane { ground, body } => {
            let (center, radius) = (world.positions()[body], halves[body].x);
            let height = world.positions()[ground].z;
            let on_a = Vector3::new(center.x, center.y, height);
            let on_b = center - Vector3::z() * radius;
            let point = ManifoldPoint { on_a, on_b, depth: height - on_b.z, id: PointId::Feature(0) };
            (ground, body, Vector3::z(), vec![point])
        }
    };
    let mut manifold = Manifold::new(a, b, normal);
    manifold.points.extend(points);
    (!manifold.points.is_empty()).then_some(manifold)
}
