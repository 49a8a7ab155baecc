//! Boxes and balls over planes and on top of each other: simple geometry for tests of the step.
//!
//! Faces are flat and boxes lie squarely on one another: enough for stacks and slopes, and exact there.

use arrayvec::ArrayVec;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use stiction::Hooks;
use stiction::PointId;
use stiction::{
    ContactCollector, ContactRows, InputError, Pipeline, Real, RigidBody, StepReport, StepSettings, ThreeRows, World,
};
use stiction::{Manifold, ManifoldPoint, Material};

/// A pair that is checked for contact.
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
pub struct Boxes<T: Real, const NB: usize, const NC: usize, const NF: usize = NC, R: ContactRows = ThreeRows> {
    /// The bodies.
    pub world: World<T, NB, R>,
    /// The stepper.
    pub pipeline: Pipeline<T, NB, NC, NF, R>,
    /// Half extents of each body, m.
    pub halves: ArrayVec<Vector3<T>, NB>,
    /// Pairs that may touch.
    pub pairs: ArrayVec<Pair<T>, NB>,
    /// Time step, s.
    pub dt: T,
}

/// A point at a position, rounded to the scalar type.
#[inline(always)]
pub fn vector<T: Real>(x: f64, y: f64, z: f64) -> Vector3<T> {
    Vector3::new(T::lit(x), T::lit(y), T::lit(z))
}

/// A solid box of a mass, from literals.
pub fn solid_box<T: Real>(mass: f64, half: [f64; 3], material: Material<T>) -> RigidBody<T> {
    solid(T::lit(mass), &vector(half[0], half[1], half[2]), material)
}

/// A solid box of a mass.
pub fn solid<T: Real>(mass: T, half: &Vector3<T>, material: Material<T>) -> RigidBody<T> {
    let square = half.component_mul(half);
    let about = |sum: T| T::lit(3.0) / (mass * sum);
    let inverse = Vector3::new(about(square.y + square.z), about(square.x + square.z), about(square.x + square.y));
    RigidBody { material, ..RigidBody::from_inverse(T::ONE / mass, Matrix3::from_diagonal(&inverse)) }
}

/// A surface.
#[inline(always)]
pub fn material<T: Real>(mu: f64, restitution: f64) -> Material<T> {
    Material { mu: T::lit(mu), restitution: T::lit(restitution) }
}

impl<T: Real, const NB: usize, const NC: usize> Boxes<T, NB, NC> {
    /// Only level ground of a material, body 0.
    #[inline(always)]
    pub fn new(ground: Material<T>, dt: f64) -> Self {
        Self::on_ground(ground, dt)
    }
}

impl<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows> Boxes<T, NB, NC, NF, R> {
    /// The same with memory for a kept factor of `NF` blocks.
    #[inline(always)]
    pub fn on_ground(ground: Material<T>, dt: f64) -> Self {
        let mut boxes = Boxes {
            world: World::empty(),
            pipeline: Pipeline::with_factor_memory(StepSettings::default()),
            halves: ArrayVec::new(),
            pairs: ArrayVec::new(),
            dt: T::lit(dt),
        };
        let _ = boxes.try_add(RigidBody { material: ground, ..RigidBody::fixed() }, Vector3::zeros());
        boxes
    }

    /// Adds a body of half extents.
    pub fn try_add(&mut self, body: RigidBody<T>, half: Vector3<T>) -> Result<usize, InputError<T>> {
        let index = self.world.push(body)?;
        // As many slots as the world has.
        let _ = self.halves.try_push(half);
        Ok(index)
    }

    /// Adds a body that is known to be valid and to fit.
    ///
    /// # Panics
    ///
    /// If it is not valid, or does not fit.
    pub fn add(&mut self, body: RigidBody<T>, half: [f64; 3]) -> usize {
        match self.try_add(body, vector(half[0], half[1], half[2])) {
            Ok(index) => index,
            Err(error) => panic!("{error}"),
        }
    }

    /// Moves on by one time step.
    pub fn step(&mut self) -> Result<StepReport<T>, InputError<T>> {
        self.step_with(Hooks::default())
    }

    /// Moves on by one time step, with hooks.
    pub fn step_with(&mut self, hooks: Hooks<'_, T>) -> Result<StepReport<T>, InputError<T>> {
        let (halves, pairs, margin) = (&self.halves, &self.pairs, self.pipeline.search_margin(&self.world, self.dt));
        let manifolds = |world: &World<T, NB, R>, collector: &mut ContactCollector<'_, T, NB, NC, R>| {
            pairs.iter().try_for_each(|pair| match manifold(world, halves, pair, margin) {
                Some(manifold) => collector.push(&manifold),
                None => Ok(()),
            })
        };
        let report = self.pipeline.step_with(&mut self.world, manifolds, self.dt, hooks)?;
        // Slender bodies lose digits when their inertia is rotated into world axes.
        debug_assert!(
            report.ledger.closure().to_f64() <= if T::BYTES == 4 { 1e-4 } else { 1e-12 },
            "the ledger does not close: {report:?}"
        );
        Ok(report)
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&self) -> f64 {
        let gravity = self.pipeline.settings.gravity;
        (self.world.kinetic_energy() + self.world.potential_energy(&gravity)).to_f64()
    }
}

/// Time step of the scenes with boxes, s.
pub const FRAME: f64 = 1.0 / 60.0;
/// Half the side of a box of the scenes, m.
pub const HALF_SIDE: f64 = 0.5;
/// Mass of a box of the scenes, kg.
pub const MASS: f64 = 1.0;
/// Friction coefficient of the scenes.
pub const FRICTION: f64 = 0.5;

/// Boxes of unit side and 1 kg on each other, the first on the ground, all just touching.
#[inline(always)]
pub fn stack<T: Real, const NB: usize, const NC: usize>(count: usize) -> Boxes<T, NB, NC> {
    stack_with_factor(count)
}

/// The same with memory for a kept factor of `NF` blocks.
pub fn stack_with_factor<T: Real, const NB: usize, const NC: usize, const NF: usize>(
    count: usize,
) -> Boxes<T, NB, NC, NF> {
    stack_with_top(count, MASS)
}

/// The same with a top box of another mass, kg.
pub fn stack_with_top<T: Real, const NB: usize, const NC: usize, const NF: usize, R: ContactRows>(
    count: usize,
    top: f64,
) -> Boxes<T, NB, NC, NF, R> {
    let rough = material(FRICTION, 0.0);
    let mut boxes = Boxes::on_ground(rough, FRAME);
    let half = vector(HALF_SIDE, HALF_SIDE, HALF_SIDE);
    for i in 1..=count {
        let position = Vector3::z() * (T::lit(HALF_SIDE) * T::integer(2 * i as i16 - 1));
        let mass = T::lit(if i == count { top } else { MASS });
        let _ = boxes.try_add(RigidBody { position, ..solid(mass, &half, rough) }, half);
        let _ = boxes.pairs.try_push(if i == 1 {
            Pair::BoxOnPlane { ground: 0, body: 1, normal: Vector3::z() }
        } else {
            Pair::BoxOnBox { lower: i - 1, upper: i }
        });
    }
    boxes
}

/// Height from which the boxes of the cluster fall, and the gaps between them, m.
pub const CLUSTER_DROP: f64 = 0.05;

/// Eight columns of four boxes of unit side and 1 kg, with gaps in between, that fall while they move sideways.
pub fn cluster<T: Real, const NB: usize, const NC: usize>() -> Boxes<T, NB, NC> {
    let rough = material(FRICTION, 0.0);
    let mut boxes = Boxes::new(rough, FRAME);
    let half = vector(HALF_SIDE, HALF_SIDE, HALF_SIDE);
    for i in 0..32_i16 {
        let (column, level) = (T::integer(i / 4), T::integer(i % 4));
        let z = T::HALF + level + T::lit(CLUSTER_DROP) * (level + T::ONE);
        let position = Vector3::new(column * T::lit(3.0), T::ZERO, z);
        let linear_velocity = Vector3::new(T::ZERO, column * T::lit(0.1), T::ZERO);
        let cube = RigidBody { position, linear_velocity, ..solid(T::lit(MASS), &half, rough) };
        let Ok(body) = boxes.try_add(cube, half) else { break };
        let _ = boxes.pairs.try_push(match i % 4 {
            0 => Pair::BoxOnPlane { ground: 0, body, normal: Vector3::z() },
            _ => Pair::BoxOnBox { lower: body - 1, upper: body },
        });
    }
    boxes
}

/// Speed of the sliding cube along each of two axes, m/s: 6 m/s along its diagonal.
pub const SLIDE_SPEED: f64 = 6.0 * core::f64::consts::FRAC_1_SQRT_2;

/// A cube of unit side and 1 kg that slides along its diagonal.
#[inline(always)]
pub fn sliding_cube<T: Real, const NB: usize, const NC: usize>() -> Boxes<T, NB, NC> {
    sliding_cube_with_factor()
}

/// The same with memory for a kept factor of `NF` blocks.
pub fn sliding_cube_with_factor<T: Real, const NB: usize, const NC: usize, const NF: usize>() -> Boxes<T, NB, NC, NF> {
    let mut boxes = stack_with_factor::<T, NB, NC, NF>(1);
    slide(&mut boxes);
    boxes
}

/// Lets the first cube slide along its diagonal.
pub fn slide<T: Real, const NB: usize, const NC: usize, const NF: usize>(boxes: &mut Boxes<T, NB, NC, NF>) {
    let start =
        boxes.world.get(1).map(|cube| RigidBody { linear_velocity: vector(SLIDE_SPEED, SLIDE_SPEED, 0.0), ..cube });
    if let Some(cube) = start {
        let _ = boxes.world.set(1, cube);
    }
}

/// A vector of body axes in world axes. Not inlined, so that its code is not repeated.
#[inline(never)]
pub fn rotated<T: Real>(orientation: &UnitQuaternion<T>, v: &Vector3<T>) -> Vector3<T> {
    orientation * v
}

/// Corners of a box from its centre, in body axes: bit 0 is +x, bit 1 is +y, bit 2 is +z.
fn corner<T: Real>(half: &Vector3<T>, index: u32) -> Vector3<T> {
    let side = |bit: u32, h: T| if index & bit == 0 { -h } else { h };
    Vector3::new(side(1, half.x), side(2, half.y), side(4, half.z))
}

/// The four corners that are deepest below a plane.
fn deepest_corners<T: Real, const NB: usize, R: ContactRows>(
    world: &World<T, NB, R>,
    half: &Vector3<T>,
    body: usize,
    plane: (&Vector3<T>, &Vector3<T>),
    margin: T,
) -> ArrayVec<ManifoldPoint<T>, 8> {
    let (through, normal) = plane;
    let mut points = ArrayVec::new();
    let (Some(center), Some(orientation)) = (world.positions().get(body), world.orientations().get(body)) else {
        return points;
    };
    for index in 0..8 {
        let point = below(center + rotated(orientation, &corner(half, index)), (through, normal), index);
        if point.depth >= -margin {
            let _ = points.try_push(point);
        }
    }
    for _ in 4..8 {
        leave_out_shallowest(&mut points);
    }
    points
}

/// A corner and its position over a plane. Not inlined, so that its code is not repeated for every corner.
#[inline(never)]
fn below<T: Real>(on_b: Vector3<T>, (through, normal): (&Vector3<T>, &Vector3<T>), index: u32) -> ManifoldPoint<T> {
    let depth = -normal.dot(&(on_b - through));
    ManifoldPoint { on_a: on_b + normal * depth, on_b, depth, id: PointId::Feature(index) }
}

/// Removes the last of the shallowest points if there are more than four.
#[inline(never)]
fn leave_out_shallowest<T: Real>(points: &mut ArrayVec<ManifoldPoint<T>, 8>) {
    if points.len() <= 4 {
        return;
    }
    let mut shallowest: Option<ManifoldPoint<T>> = None;
    for point in points.iter() {
        if shallowest.is_none_or(|other| point.depth <= other.depth) {
            shallowest = Some(*point);
        }
    }
    // Every corner has an id of its own.
    points.retain(|point| shallowest.is_none_or(|other| point.id != other.id));
}

/// A ball's lowest point over level ground at a height.
fn lowest_point<T: Real>(center: &Vector3<T>, radius: T, height: T) -> ManifoldPoint<T> {
    let on_b = center - Vector3::z() * radius;
    let on_a = Vector3::new(center.x, center.y, height);
    ManifoldPoint { on_a, on_b, depth: height - on_b.z, id: PointId::Feature(0) }
}

/// The manifold of a pair, if it touches within the margin.
pub fn manifold<T: Real, const NB: usize, R: ContactRows>(
    world: &World<T, NB, R>,
    halves: &[Vector3<T>],
    pair: &Pair<T>,
    margin: T,
) -> Option<Manifold<T>> {
    let (a, b, normal, points) = match *pair {
        Pair::BoxOnPlane { ground, body, normal } => {
            let through = world.positions().get(ground)?;
            (ground, body, normal, deepest_corners(world, halves.get(body)?, body, (through, &normal), margin))
        }
        Pair::BoxOnBox { lower, upper } => {
            let normal = rotated(world.orientations().get(lower)?, &Vector3::z());
            let through = world.positions().get(lower)? + normal * halves.get(lower)?.z;
            (lower, upper, normal, deepest_corners(world, halves.get(upper)?, upper, (&through, &normal), margin))
        }
        Pair::BallOnPlane { ground, body } => {
            let (center, height) = (world.positions().get(body)?, world.positions().get(ground)?.z);
            let mut points = ArrayVec::new();
            let _ = points.try_push(lowest_point(center, halves.get(body)?.x, height));
            (ground, body, Vector3::z(), points)
        }
    };
    let mut manifold = Manifold::new(a, b, normal);
    for point in points {
        let _ = manifold.points.try_push(point);
    }
    (!manifold.points.is_empty()).then_some(manifold)
}
