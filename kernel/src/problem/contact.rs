//! One contact point, as the caller gives it.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::is_zero;

/// One contact point between two bodies. Vectors are in world axes.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(0.0, 0.0, -2.0), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// // A ball of radius 0.1 m (body 1) hits the ground (body 0) at 2 m/s; its restitution is 0.5.
/// let to_the_point = Vector3::new(0.0, 0.0, -0.1);
/// let contact = Contact {
///     a: 0,
///     b: 1,
///     normal: Vector3::z(),
///     r_b: to_the_point,
///     mu: 0.3,
///     restitution: 0.5,
///     ..Contact::default()
/// };
/// let mut contacts = Contacts::<f64, 1>::new();
/// contacts.push(contact)?;
/// solver.solve(&mut bodies, &contacts, &Default::default(), 1.0 / 60.0)?;
/// assert!((bodies.linear_velocities()[1].z - 1.0).abs() < 1e-9);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact<T> {
    /// Index of body A.
    pub a: usize,
    /// Index of body B.
    pub b: usize,
    /// Unit normal from A to B.
    pub normal: Vector3<T>,
    /// From A's centre of mass to the contact point, m.
    pub r_a: Vector3<T>,
    /// From B's centre of mass to the contact point, m.
    pub r_b: Vector3<T>,
    /// Coulomb friction coefficient of the pair.
    pub mu: T,
    /// Restitution of the pair, 0 to 1.
    pub restitution: T,
    /// Penetration depth, m; 0 when just touching, negative for a gap, which may close within the step but no further.
    pub depth: T,
    /// Normal velocity (B minus A) recorded before impact, m/s; measured by the solve when absent.
    pub pre_impact_normal_velocity: Option<T>,
    /// Contact-phase impulse of the last solve; this solve starts from it.
    pub warm: WarmStart<T>,
}

/// The impulse that a solve starts from, stored so that the tangents may change from frame to frame.
///
/// ```
/// # use nalgebra::Vector3;
/// use stiction::{Contact, WarmStart};
/// let contact = Contact { mu: 0.5, ..Contact::default() };
/// assert_eq!(contact.warm, WarmStart::cold());
/// // A box of 1 kg that rests on the ground needs 9.81 N for 1/60 s: known before anything is solved.
/// let weight = WarmStart { normal_impulse: 9.81 / 60.0, tangent_impulse: Vector3::zeros() };
/// let contact = Contact { warm: weight, ..contact };
/// assert!((contact.warm.normal_impulse - 0.1635_f64).abs() < 1e-12);
/// // The friction is a world vector: it is still right when the tangents of the next frame are others.
/// let dragged = WarmStart { tangent_impulse: Vector3::new(-0.05, 0.0, 0.0), ..weight };
/// assert!(dragged.tangent_impulse.norm() <= contact.mu * dragged.normal_impulse);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WarmStart<T> {
    /// Normal impulse, N s.
    pub normal_impulse: T,
    /// Friction impulse on B as a world vector, N s.
    pub tangent_impulse: Vector3<T>,
}

impl<T: Real> WarmStart<T> {
    /// Zero impulse.
    pub fn cold() -> Self {
        WarmStart { normal_impulse: T::ZERO, tangent_impulse: Vector3::zeros() }
    }

    /// Whether the impulse is zero.
    pub(crate) fn is_cold(&self) -> bool {
        self.normal_impulse == T::ZERO && is_zero(&self.tangent_impulse)
    }
}

impl<T: Real> Default for Contact<T> {
    /// Bodies 0 and 1, normal along z, at both centres, without friction and restitution, just touching, cold.
    fn default() -> Self {
        Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), T::ZERO)
    }
}

impl<T: Real> Contact<T> {
    /// A contact with friction `mu` that does not bounce, just touching, with a cold start.
    ///
    /// `normal` runs from body `a` to body `b`; `r_a` and `r_b` from each centre of mass to the point, in m.
    pub fn new(a: usize, b: usize, normal: Vector3<T>, r_a: Vector3<T>, r_b: Vector3<T>, mu: T) -> Self {
        Contact {
            a,
            b,
            normal,
            r_a,
            r_b,
            mu,
            restitution: T::ZERO,
            depth: T::ZERO,
            pre_impact_normal_velocity: None,
            warm: WarmStart::cold(),
        }
    }
}
