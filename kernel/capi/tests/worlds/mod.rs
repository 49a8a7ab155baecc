//! Worlds with friction beyond sliding, and the kernel's steps of them: a ball rolls out, a disc slides and spins down, a
//! box slides across its tread, and many bodies at once. For `tests/step_moments.rs`, and for `examples/moments.rs`, which
//! writes them for the programs in C and C++.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use stiction::nalgebra;
use stiction::{
    ContactCollector, Manifold, ManifoldPoint, Material, Pipeline, PointId, Real, RigidBody, SixRows, StepSettings,
    Surface, Tread, World,
};

/// Length of a step, s.
pub const DT: f64 = 1.0 / 60.0;
/// After every so many steps the contacts are saved and restored.
pub const SAVED_EVERY: usize = 7;
/// Gap up to which points are found, m.
const MARGIN: f64 = 0.02;

/// A body and its surface.
#[derive(Clone, Copy)]
pub struct Start<T: Real> {
    pub body: RigidBody<T>,
    pub surface: Surface<T>,
}

/// A manifold, and its surface if it has one of its own.
pub struct Touch<T: Real> {
    pub manifold: Manifold<T>,
    pub own: Option<Surface<T>>,
}

/// A step, and what the kernel makes of it.
pub struct Step<T: Real> {
    pub touches: Vec<Touch<T>>,
    /// Position, orientation and velocities of every body.
    pub states: Vec<[T; 13]>,
    /// Moment and reached bounds of every contact.
    pub contacts: Vec<([T; 3], u32)>,
    /// Of sliding, spinning and rolling.
    pub friction_work: [T; 3],
}

/// A world and its steps.
pub struct Story<T: Real> {
    pub starts: Vec<Start<T>>,
    pub steps: Vec<Step<T>>,
}

/// A body with a shape: a ball, or feet that stand on the ground.
struct Thing<T: Real> {
    start: Start<T>,
    /// Radius of a ball; 0 for feet.
    radius: f64,
    /// In body axes.
    feet: Vec<Vector3<f64>>,
    /// Its manifolds with the ground have this surface.
    own: Option<Surface<T>>,
    /// Its manifolds with the ground have their own material.
    has_material: bool,
}

type SomeWorld<T> = World<T, 16, SixRows>;
type SomePipeline<T> = Pipeline<T, 16, 64, 64, SixRows>;

fn lit<T: Real>(vector: Vector3<f64>) -> Vector3<T> {
    vector.map(T::lit)
}

fn surface<T: Real>(torsion: f64, rolling: f64) -> Surface<T> {
    Surface { torsion: T::lit(torsion), rolling: T::lit(rolling), ..Surface::default() }
}

fn tread<T: Real>(direction: Vector3<f64>, mu_across: f64) -> Option<Tread<T>> {
    Some(Tread { direction: lit(direction), mu_across: T::lit(mu_across) })
}

fn thing<T: Real>(inertia: Vector3<f64>, height: f64, mu: f64) -> Thing<T> {
    let body = RigidBody {
        position: Vector3::z() * T::lit(height),
        material: Material { mu: T::lit(mu), restitution: T::ZERO },
        ..RigidBody::from_mass(T::ONE, Matrix3::from_diagonal(&lit(inertia)))
    };
    let start = Start { body, surface: Surface::default() };
    Thing { start, radius: 0.0, feet: Vec::new(), own: None, has_material: false }
}

fn ground<T: Real>(surface: Surface<T>) -> Thing<T> {
    let still = thing(Vector3::repeat(1.0), 0.0, 0.0);
    let body = RigidBody { material: Material { mu: T::lit(0.5), restitution: T::HALF }, ..RigidBody::fixed() };
    Thing { start: Start { body, surface }, ..still }
}

fn ball<T: Real>(radius: f64) -> Thing<T> {
    Thing { radius, ..thing(Vector3::repeat(0.4 * radius * radius), radius, 0.5) }
}

fn disc<T: Real>(radius: f64, height: f64) -> Thing<T> {
    let feet = [(radius, 0.0), (0.0, radius), (-radius, 0.0), (0.0, -radius)];
    let across = 0.25 * radius * radius + height * height / 3.0;
    let body = thing(Vector3::new(across, across, 0.5 * radius * radius), height, 0.3);
    Thing { feet: feet.iter().map(|(x, y)| Vector3::new(*x, *y, -height)).collect(), ..body }
}

fn slab<T: Real>(half: [f64; 3], mu: f64) -> Thing<T> {
    let [x, y, z] = half;
    let squares = [x * x, y * y, z * z].map(|square| square / 3.0);
    let inertia = Vector3::new(squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1]);
    let feet = [(x, y), (-x, y), (-x, -y), (x, -y)];
    Thing { feet: feet.iter().map(|(x, y)| Vector3::new(*x, *y, -z)).collect(), ..thing(inertia, z, mu) }
}

impl<T: Real> Thing<T> {
    fn on(mut self, surface: Surface<T>) -> Self {
        self.start.surface = surface;
        self
    }

    fn moved(mut self, by: [f64; 3], turn: f64) -> Self {
        let body = &mut self.start.body;
        body.position += lit::<T>(by.into());
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn).coords.map(T::lit);
        body.orientation = UnitQuaternion::new_unchecked(Quaternion::from_vector(turn));
        self
    }

    fn thrown(mut self, linear: [f64; 3], angular: [f64; 3]) -> Self {
        self.start.body.linear_velocity = lit(linear.into());
        self.start.body.angular_velocity = lit(angular.into());
        self
    }

    /// Its manifold with the ground, body 0.
    fn on_ground(&self, index: usize, world: &SomeWorld<T>) -> Option<Touch<T>> {
        let body = world.get(index)?;
        let center = body.position.map(T::to_f64);
        let turn = UnitQuaternion::new_normalize(Quaternion::from_vector(body.orientation.coords.map(T::to_f64)));
        let under = [-Vector3::z() * self.radius];
        let feet: Vec<_> = self.feet.iter().map(|foot| turn * foot).collect();
        let mut manifold = Manifold::new(0, index, Vector3::z());
        for (feature, arm) in if self.radius > 0.0 { &under[..] } else { &feet[..] }.iter().enumerate() {
            let on_b = center + arm;
            let (on_a, depth, id) = (Vector3::new(on_b.x, on_b.y, 0.0), -on_b.z, PointId::Feature(feature as u32));
            if depth > -MARGIN {
                manifold.points.push(ManifoldPoint { on_a: lit(on_a), on_b: lit(on_b), depth: T::lit(depth), id });
            }
        }
        manifold.material = self.has_material.then(|| Material { mu: T::lit(0.4), restitution: T::ZERO });
        (!manifold.points.is_empty()).then_some(Touch { manifold, own: self.own })
    }
}

/// The manifold of two balls.
fn between<T: Real>(things: &[Thing<T>], (a, b): (usize, usize), world: &SomeWorld<T>) -> Option<Touch<T>> {
    let [(of_a, radius_a), (of_b, radius_b)] =
        [a, b].map(|index| (world.positions()[index].map(T::to_f64), things[index].radius));
    let (apart, reach) = (of_b - of_a, radius_a + radius_b);
    if radius_a == 0.0 || radius_b == 0.0 || apart.norm() > reach + MARGIN {
        return None;
    }
    let normal = apart.normalize();
    let (on_a, on_b) = (lit(of_a + normal * radius_a), lit(of_b - normal * radius_b));
    let mut manifold = Manifold::new(a, b, lit(normal));
    let depth = T::lit(reach - apart.norm());
    manifold.points.push(ManifoldPoint { on_a, on_b, depth, id: PointId::Feature(0) });
    Some(Touch { manifold, own: None })
}

fn touches<T: Real>(things: &[Thing<T>], world: &SomeWorld<T>) -> Vec<Touch<T>> {
    let movable = 1..things.len();
    let mut found: Vec<_> = movable.clone().filter_map(|index| things[index].on_ground(index, world)).collect();
    for a in movable {
        found.extend((a + 1..things.len()).filter_map(|b| between(things, (a, b), world)));
    }
    found
}

/// Position, orientation and velocities.
pub fn state_of<T: Real>(body: &RigidBody<T>) -> [T; 13] {
    let (x, q) = (body.position, body.orientation.coords);
    let (v, w) = (body.linear_velocity, body.angular_velocity);
    [x.x, x.y, x.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z]
}

fn step<T: Real>(world: &mut SomeWorld<T>, pipeline: &mut SomePipeline<T>, touches: Vec<Touch<T>>) -> Step<T> {
    let collect = |_: &SomeWorld<T>, collector: &mut ContactCollector<'_, T, 16, 64, SixRows>| {
        touches.iter().try_for_each(|touch| match &touch.own {
            Some(surface) => collector.push_on(&touch.manifold, surface),
            None => collector.push(&touch.manifold),
        })
    };
    pipeline.step(world, collect, T::lit(DT)).unwrap();
    let contact = |index| {
        let (moment, reached) = (pipeline.moment(index).unwrap(), pipeline.reached(index).unwrap());
        let [slides, spins, rolls] = reached.map(u32::from);
        (moment.into(), slides + 2 * spins + 4 * rolls)
    };
    let work = pipeline.friction_work();
    Step {
        states: (0..world.len()).map(|index| state_of(&world.get(index).unwrap())).collect(),
        contacts: (0..pipeline.contact_count()).map(contact).collect(),
        friction_work: [work.sliding, work.spinning, work.rolling],
        touches,
    }
}

fn story<T: Real>(things: &[Thing<T>], steps: usize) -> Story<T> {
    let mut world = Box::new(SomeWorld::<T>::empty());
    let mut pipeline = Box::new(SomePipeline::<T>::with_factor_memory(StepSettings::default()));
    for thing in things {
        let index = world.push(thing.start.body).unwrap();
        world.set_surface(index, thing.start.surface).unwrap();
    }
    let mut told = Vec::new();
    for index in 1..=steps {
        let found = touches(things, &world);
        told.push(step(&mut world, &mut pipeline, found));
        if index % SAVED_EVERY == 0 {
            let mut bytes = vec![0; pipeline.cache().saved_bytes()];
            pipeline.cache().save(&mut bytes).unwrap();
            pipeline.restore_cache(&bytes).unwrap();
        }
    }
    Story { starts: things.iter().map(|thing| thing.start).collect(), steps: told }
}

/// All worlds.
pub fn stories<T: Real>() -> Vec<Story<T>> {
    let plain = Surface::default();
    let rolls_out = || ball(0.1).on(surface(0.0, 0.01)).thrown([0.5, 0.0, 0.0], [0.0, 5.0, 0.0]);
    let joined = Surface { is_joined: true, ..surface(0.05, 0.0) };
    let spins_down = || Thing { own: Some(joined), ..disc(0.1, 0.02).thrown([0.6, 0.0, 0.0], [0.0, 0.0, 15.0]) };
    let on_tread = Surface { tread: tread(Vector3::x(), 0.9), ..plain };
    let across = || slab([0.2, 0.2, 0.05], 0.1).on(on_tread).moved([0.0; 3], 0.4).thrown([1.5, 0.5, 0.0], [0.0; 3]);
    let mut bounces = ball(0.12).on(surface(0.004, 0.002)).moved([-1.0, 0.0, 0.3], 0.0);
    bounces.start.body.angular_velocity = lit(Vector3::new(3.0, 0.0, 20.0));
    bounces.start.body.material.restitution = T::HALF;
    let own = Surface { tread: tread(Vector3::new(1.0, 2.0, 0.5), 0.6), ..surface(0.02, 0.01) };
    let many = [
        ground(Surface { tread: tread(Vector3::y(), 0.3), ..surface(0.01, 0.01) }),
        rolls_out(),
        // In its way.
        ball(0.08)
            .on(Surface { tread: tread(Vector3::z(), 0.1), ..surface(0.002, 0.001) })
            .moved([0.25, 0.01, 0.0], 0.0),
        spins_down().moved([0.0, 1.0, 0.0], 0.1),
        across().moved([0.0, -1.0, 0.0], 1.0),
        Thing { own: Some(own), ..slab([0.1, 0.2, 0.1], 0.4) }
            .moved([1.5, 0.0, 0.01], 0.2)
            .thrown([1.0, -1.0, 0.0], [1.0, 0.0, 4.0]),
        Thing { has_material: true, ..disc(0.15, 0.05) }.moved([1.5, 1.0, 0.0], 0.0).thrown([0.5; 3], [0.0, 0.0, 9.0]),
        bounces,
    ];
    let still = || ground(surface(0.0, 0.01));
    vec![
        story(&[still(), rolls_out()], 90),
        story(&[still(), spins_down()], 60),
        story(&[still(), across()], 60),
        story(&many, 60),
    ]
}
