//! Worlds and their manifolds, from bytes: a few bodies, up to three manifolds a frame.

use nalgebra::{UnitQuaternion, Vector3};
use stiction::Hooks;
use stiction::PointId;
use stiction::{ContactCollector, Pipeline, Real, RigidBody, StepReport, StepSettings, World, Wrench};
use stiction::{Manifold, ManifoldPoint, Material};

use crate::scene::{self, WILD};
use crate::{Bytes, Mood, NB, NC};

/// A pipeline with few bodies and contacts.
pub type Small<T> = Pipeline<T, NB, NC>;

fn body<T: Real>(bytes: &mut Bytes<'_>, mood: Mood) -> RigidBody<T> {
    let own = scene::body::<T>(bytes, mood, &WILD);
    let quaternion = bytes.orientation().quaternion().coords.map(T::lit);
    let load = if bytes.below(4) == 3 {
        let force = bytes.vector(mood, 20.0, T::IMPULSE_LIMIT);
        Wrench { force, torque: bytes.vector(mood, 5.0, T::IMPULSE_LIMIT) }
    } else {
        Wrench::NONE
    };
    RigidBody {
        inverse_mass: own.inverse_mass,
        inverse_inertia_body: own.inverse_inertia_world,
        position: bytes.vector(mood, 2.0, T::POSITION_LIMIT),
        orientation: UnitQuaternion::new_unchecked(quaternion.into()),
        linear_velocity: own.linear_velocity,
        angular_velocity: own.angular_velocity,
        load,
        material: Material {
            mu: bytes.magnitude(mood, 2.0, T::FRICTION_LIMIT),
            restitution: bytes.magnitude(mood, 1.0, T::ONE),
        },
    }
}

/// The bodies that pass validation.
pub fn world<T: Real>(bytes: &mut Bytes<'_>, mood: Mood) -> World<T, NB> {
    let mut world = World::new();
    for _ in 0..1 + bytes.below(NB) {
        let before = world.clone();
        if world.push(body(bytes, mood)).is_err() {
            assert_eq!(world, before, "a rejected body changed the world");
        }
    }
    world
}

/// Settings of steps: those of solves, gravity, a few substeps.
pub fn settings<T: Real>(bytes: &mut Bytes<'_>, mood: Mood) -> StepSettings<T> {
    let plain = StepSettings::<T>::default();
    StepSettings {
        gravity: if bytes.coin() { bytes.vector(mood, 20.0, T::LINEAR_SPEED_LIMIT) } else { plain.gravity },
        substeps: if bytes.below(4) == 3 { u32::from(bytes.byte() % 5) } else { 1 },
        solver: scene::settings(bytes, mood).0,
        ..plain
    }
}

fn manifold<T: Real>(bytes: &mut Bytes<'_>, mood: Mood, world: &World<T, NB>) -> Manifold<T> {
    let there = world.len().max(1);
    let a = bytes.below(there);
    let b = (a + 1 + bytes.below((there - 1).max(1))) % there;
    let mut manifold = Manifold::new(a, b, bytes.direction().map(T::lit));
    let center = |index: usize| world.positions().get(index).copied().unwrap_or(Vector3::zeros());
    for _ in 0..1 + bytes.below(4) {
        let on_a = center(a) + bytes.vector::<T>(mood, 1.0, T::LENGTH_LIMIT);
        let on_b = center(b) + bytes.vector::<T>(mood, 1.0, T::LENGTH_LIMIT);
        let depth = bytes.number(mood, 0.02, T::LENGTH_LIMIT);
        let id = if bytes.coin() { PointId::Feature(u32::from(bytes.byte())) } else { PointId::Proximity };
        manifold.points.push(ManifoldPoint { on_a, on_b, depth, id });
    }
    if bytes.below(8) == 7 {
        manifold.material = Some(Material { mu: bytes.raw(), restitution: bytes.raw() });
    }
    manifold
}

/// Where bodies touch in a frame. Usual ones always touch something that moves.
pub fn manifolds<T: Real>(bytes: &mut Bytes<'_>, mood: Mood, world: &World<T, NB>) -> Vec<Manifold<T>> {
    let movable = |index: usize| world.get(index).is_some_and(|body| body.inverse_mass > T::ZERO);
    let found: Vec<_> = (0..bytes.below(4)).map(|_| manifold(bytes, mood, world)).collect();
    found.into_iter().filter(|m| mood != Mood::Usual || (m.a != m.b && (movable(m.a) || movable(m.b)))).collect()
}

/// A step. If rejected, it changes neither world nor cache; otherwise everything is finite.
pub fn step<T: Real>(
    pipeline: &mut Small<T>,
    world: &mut World<T, NB>,
    manifolds: &[Manifold<T>],
    dt: T,
) -> Option<StepReport<T>> {
    step_with(pipeline, world, manifolds, dt, Hooks::default())
}

/// The same, with hooks.
pub fn step_with<T: Real>(
    pipeline: &mut Small<T>,
    world: &mut World<T, NB>,
    manifolds: &[Manifold<T>],
    dt: T,
    hooks: Hooks<'_, T>,
) -> Option<StepReport<T>> {
    let (before, cache) = (world.clone(), pipeline.cache().clone());
    let find = |_: &World<T, NB>, collector: &mut ContactCollector<'_, T, NB, NC>| {
        manifolds.iter().try_for_each(|manifold| collector.push(manifold))
    };
    let Ok(report) = pipeline.step_with(world, find, dt, hooks) else {
        assert_eq!(*world, before, "a rejected step moved the world");
        assert_eq!(*pipeline.cache(), cache, "a rejected step changed the cache");
        assert_eq!(pipeline.contact_count(), 0, "a rejected step left contacts");
        return None;
    };
    for i in 0..world.len() {
        let body = world.get(i).expect("a body");
        let quaternion = body.orientation.quaternion().coords;
        let numbers = body
            .position
            .iter()
            .chain(body.linear_velocity.iter())
            .chain(body.angular_velocity.iter())
            .chain(quaternion.iter());
        assert!(numbers.into_iter().all(|x| x.is_finite()), "a body that is not finite: {body:?}");
        let length = quaternion.map(T::to_f64).norm();
        assert!((length - 1.0).abs() <= 16.0 * T::EPSILON.to_f64(), "an orientation of length {length}");
    }
    for contact in pipeline.contacts() {
        let numbers = [contact.bounce_impulse, contact.normal_impulse, contact.t1_impulse, contact.t2_impulse];
        assert!(numbers.iter().all(|x| x.is_finite()), "an impulse that is not finite: {contact:?}");
    }
    Some(report)
}

/// The bytes of a pipeline's cache.
pub fn saved<T: Real>(pipeline: &Small<T>) -> Vec<u8> {
    let mut bytes = vec![0; pipeline.cache().saved_bytes()];
    assert_eq!(pipeline.cache().save(&mut bytes), Some(bytes.len()));
    bytes
}
