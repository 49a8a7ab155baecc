//! Manifolds of a collision detector, up to four points between two bodies, and their contacts.
//!
//! ```text
//! e = √(e_a e_b),   μ = √(μ_a μ_b),   u_n⁻ = ((v_b + ω_b×r_b) − (v_a + ω_a×r_a))·n
//! ```
//!
//! Restitution is set to 0 if the closing speed is not above the rest threshold, so that a resting contact has none.
use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::VectorOps;
use crate::problem::body::Body;
use crate::problem::contact::{Contact, WarmStart};
use crate::problem::contact_rules::normalised;
use crate::problem::material::Material;
use crate::problem::point_id::PointId;

/// Points of one manifold.
pub const MAX_POINTS: usize = 4;

/// One point of a manifold.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::PointId;
/// use stiction::ManifoldPoint;
/// // A corner of a box has sunk 2 mm into a table whose top is at 0.75 m.
/// let normal = Vector3::z();
/// let on_table = Vector3::new(0.3, 0.2, 0.75);
/// let corner = Vector3::new(0.3, 0.2, 0.748);
/// let depth = (on_table - corner).dot(&normal);
/// let point = ManifoldPoint { on_a: on_table, on_b: corner, depth, id: PointId::Feature(5) };
/// assert!((point.depth - 0.002_f64).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ManifoldPoint<T> {
    /// The point on A's surface, world coordinates in m.
    pub on_a: Vector3<T>,
    /// The point on B's surface, world coordinates in m.
    pub on_b: Vector3<T>,
    /// Penetration depth, m; negative for a gap.
    pub depth: T,
    /// How the point is recognised in the next frame.
    pub id: PointId,
}

/// Up to four points where two bodies touch.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::PointId;
/// use stiction::{Manifold, ManifoldPoint};
/// let mut manifold = Manifold::new(0, 1, Vector3::z());
/// let at = Vector3::new(0.5, 0.5, 0.0);
/// manifold.points.push(ManifoldPoint { on_a: at, on_b: at, depth: 0.0, id: PointId::Feature(3) });
/// assert_eq!(manifold.points.len(), 1);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Manifold<T> {
    /// Index of body A.
    pub a: usize,
    /// Index of body B.
    pub b: usize,
    /// Unit normal from A to B.
    pub normal: Vector3<T>,
    /// Where they touch.
    pub points: ArrayVec<ManifoldPoint<T>, MAX_POINTS>,
    /// The pair's material; `None` for the mean of the two bodies'.
    pub material: Option<Material<T>>,
}

impl<T: Real> Manifold<T> {
    /// No points yet.
    pub fn new(a: usize, b: usize, normal: Vector3<T>) -> Self {
        Manifold { a, b, normal, points: ArrayVec::new(), material: None }
    }
}

/// A side of a manifold: how the body moves, where it is, and its surface.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::Body;
/// use stiction::PointId;
/// use stiction::{Manifold, ManifoldPoint, Material};
/// use stiction::step::manifold::{Side, contacts_of};
/// let rough = Material { mu: 0.5_f64, restitution: 0.2 };
/// let table = Body::fixed();
/// let falling = Body { linear_velocity: -Vector3::z(), ..Body::from_mass(1.0, Matrix3::identity()) };
/// let a = Side { body: &table, centre: Vector3::zeros(), material: rough };
/// let b = Side { body: &falling, centre: Vector3::new(0.0, 0.0, 0.3), material: rough };
/// # let mut manifold = Manifold::new(0, 1, Vector3::z());
/// # let at = Vector3::zeros();
/// # manifold.points.push(ManifoldPoint { on_a: at, on_b: at, depth: 0.0, id: PointId::Proximity });
/// let (contact, _) = contacts_of(&manifold, &a, &b, 0.5)[0];
/// assert_eq!(contact.r_b, Vector3::new(0.0, 0.0, -0.3)); // from the centre to the point
/// assert_eq!(contact.pre_impact_normal_velocity, Some(-1.0));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Side<'a, T> {
    /// The body.
    pub body: &'a Body<T>,
    /// Its centre of mass in world coordinates, m.
    pub centre: Vector3<T>,
    /// Its surface.
    pub material: Material<T>,
}

/// Velocity of B's contact point less that of A's, along the normal, m/s.
pub fn relative_normal_velocity<T: Real>(
    a: &Body<T>,
    b: &Body<T>,
    r_a: &Vector3<T>,
    r_b: &Vector3<T>,
    normal: &Vector3<T>,
) -> T {
    let at_b = b.linear_velocity.plus(&b.angular_velocity.cross(r_b));
    at_b.minus(&a.linear_velocity).minus(&a.angular_velocity.cross(r_a)).dot(normal)
}

/// The contacts of a manifold, each with its id.
pub fn contacts_of<T: Real>(
    manifold: &Manifold<T>,
    a: &Side<'_, T>,
    b: &Side<'_, T>,
    rest_threshold: T,
) -> ArrayVec<(Contact<T>, PointId), MAX_POINTS> {
    let mut contacts = ArrayVec::new();
    for point in &manifold.points {
        let _ = contacts.try_push((contact_at(manifold, point, a, b, rest_threshold), point.id));
    }
    contacts
}

/// The contact at a point of a manifold.
fn contact_at<T: Real>(
    manifold: &Manifold<T>,
    point: &ManifoldPoint<T>,
    a: &Side<'_, T>,
    b: &Side<'_, T>,
    rest_threshold: T,
) -> Contact<T> {
    let material = manifold.material.unwrap_or(a.material.combined(&b.material));
    let normal = normalised(&manifold.normal);
    let (r_a, r_b) = (point.on_a.minus(&a.centre), point.on_b.minus(&b.centre));
    let before = relative_normal_velocity(a.body, b.body, &r_a, &r_b, &normal);
    let bounces = before < -rest_threshold;
    Contact {
        a: manifold.a,
        b: manifold.b,
        normal,
        r_a,
        r_b,
        mu: material.mu,
        restitution: if bounces { material.restitution } else { T::ZERO },
        depth: point.depth,
        pre_impact_normal_velocity: Some(before),
        warm: WarmStart::cold(),
    }
}
