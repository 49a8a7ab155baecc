//! A shape made solid: its data for collision detection and mechanics.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use parry3d_f64::bounding_volume::{Aabb, BoundingSphere};
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::shape::{Ball, Capsule, Cuboid, HalfSpace, Shape, SharedShape};
use stiction::Material;
use stiction::{Real, RigidBody, Wrench};

/// A shape for collision detection, in body axes. Simple shapes have their own variants: behind a pointer to any shape,
/// each links everything that parry can do with it, three times the code that is used here.
#[derive(Clone)]
pub enum Form {
    /// Everything below a plane through the origin.
    HalfSpace(HalfSpace),
    /// A box.
    Box(Cuboid),
    /// A ball.
    Ball(Ball),
    /// All points near a segment of the z axis.
    Capsule(Capsule),
    /// Any other convex shape.
    Other(SharedShape),
}

impl Form {
    /// As a parry shape.
    pub fn shape(&self) -> &dyn Shape {
        match self {
            Form::HalfSpace(plane) => plane,
            Form::Box(cuboid) => cuboid,
            Form::Ball(ball) => ball,
            Form::Capsule(capsule) => capsule,
            Form::Other(shape) => &**shape,
        }
    }

    /// Its bounding box at a pose.
    pub fn bounding_box(&self, pose: &Pose) -> Aabb {
        match self {
            Form::HalfSpace(plane) => plane.aabb(pose),
            Form::Box(cuboid) => cuboid.aabb(pose),
            Form::Ball(ball) => ball.aabb(pose),
            Form::Capsule(capsule) => capsule.aabb(pose),
            Form::Other(shape) => shape.compute_aabb(pose),
        }
    }

    /// The smallest extent along its own axes, m; none for a half-space.
    pub fn smallest_extent(&self) -> Option<f64> {
        let extents = self.bounding_box(&Pose::identity()).extents();
        (!matches!(self, Form::HalfSpace(_))).then(|| extents.x.min(extents.y).min(extents.z))
    }

    /// Its bounding box in body axes.
    pub fn bounding_sphere(&self) -> BoundingSphere {
        match self {
            Form::HalfSpace(plane) => plane.local_bounding_sphere(),
            Form::Box(cuboid) => cuboid.local_bounding_sphere(),
            Form::Ball(ball) => ball.local_bounding_sphere(),
            Form::Capsule(capsule) => capsule.local_bounding_sphere(),
            Form::Other(shape) => shape.compute_local_bounding_sphere(),
        }
    }
}

/// A shape for collision detection, and its mass distribution.
#[derive(Clone)]
pub struct Solid {
    /// For collision detection.
    pub form: Form,
    /// Centre of mass in body axes, m; the origin for all but convex hulls.
    pub center: Vector3<f64>,
    /// Inertia about the centre of mass of 1 kg, kg m²; zero for a half-space.
    pub inertia: Matrix3<f64>,
}

impl Solid {
    fn centred(form: Form, inertia: Matrix3<f64>) -> Self {
        Solid { form, center: Vector3::zeros(), inertia }
    }

    /// Everything below a plane through the origin with a unit normal.
    pub fn half_space(normal: &Vector3<f64>) -> Self {
        Solid::centred(Form::HalfSpace(HalfSpace::new(to_parry(normal))), Matrix3::zeros())
    }

    /// A box of half extents, m.
    pub fn cuboid([x, y, z]: [f64; 3]) -> Self {
        let third = Vector3::new(y * y + z * z, x * x + z * z, x * x + y * y) / 3.0;
        Solid::centred(Form::Box(Cuboid::new(Vector::new(x, y, z))), Matrix3::from_diagonal(&third))
    }

    /// A ball of a radius, m.
    pub fn ball(radius: f64) -> Self {
        Solid::centred(Form::Ball(Ball::new(radius)), Matrix3::identity() * (0.4 * radius * radius))
    }

    /// A capsule along z: half of its straight part and its radius, m.
    pub fn capsule(half_height: f64, radius: f64) -> Self {
        let (h, r) = (half_height, radius);
        // Of a capsule of 1 kg: its straight part and both its ends.
        let ends = 2.0 * r / (3.0 * h + 2.0 * r);
        let straight = 1.0 - ends;
        let along = r * r * (0.5 * straight + 0.4 * ends);
        let across = straight * (0.25 * r * r + h * h / 3.0) + ends * (0.4 * r * r + h * h + 0.75 * h * r);
        let inertia = Matrix3::from_diagonal(&Vector3::new(across, across, along));
        Solid::centred(Form::Capsule(Capsule::new_z(h, r)), inertia)
    }

    /// 1/kg and 1/(kg m²) of this shape with a mass in kg, or of an immovable body; none if there is no inverse.
    pub fn inverse_mass_and_inertia(&self, mass: Option<f64>) -> Option<(f64, Matrix3<f64>)> {
        mass.map_or(Some((0.0, Matrix3::zeros())), |mass| {
            Some((1.0 / mass, symmetric_inverse(&(self.inertia * mass))?))
        })
    }
}

/// The inverse of an inertia; `None` if it is singular.
pub fn symmetric_inverse(inertia: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    inertia.try_inverse().map(|inverse| (inverse + inverse.transpose()) * 0.5)
}

/// The kernel's body in another precision.
pub fn rounded<T: Real>(body: &RigidBody<f64>) -> RigidBody<T> {
    let q = body.orientation.quaternion().coords.map(T::lit);
    RigidBody {
        inverse_mass: T::lit(body.inverse_mass),
        inverse_inertia_body: body.inverse_inertia_body.map(T::lit),
        position: body.position.map(T::lit),
        orientation: UnitQuaternion::new_unchecked(Quaternion::from_vector(q)),
        linear_velocity: body.linear_velocity.map(T::lit),
        angular_velocity: body.angular_velocity.map(T::lit),
        load: Wrench::NONE,
        material: Material { mu: T::lit(body.material.mu), restitution: T::lit(body.material.restitution) },
    }
}

/// Between nalgebra's vectors and the detector's.
pub fn to_parry(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

/// Between the detector's vectors and nalgebra's.
pub fn from_parry(v: Vector) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}
