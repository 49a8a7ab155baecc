//! Force and torque on a body: an input load, or the mean effect of contacts.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::zero3;

/// Force and torque about the centre of mass.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # let linear_velocity = Vector3::new(0.0, 0.0, -9.81 / 60.0);
/// # bodies.push(Body { linear_velocity, ..Body::from_inverse(0.5, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5))?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// use stiction::{Settings, Wrench};
/// // The reading of a load cell under a resting box of 2 kg: gravity acted for 1/60 s, then the contact was solved.
/// solver.solve(&mut bodies, &contacts, &Settings::default(), 1.0 / 60.0)?;
/// let Wrench { force, torque } = solver.wrench(1).unwrap();
/// assert!((force.z - 19.62).abs() < 1e-9); // N
/// assert_eq!(torque, Wrench::<f64>::NONE.torque);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wrench<T> {
    /// Force, N.
    pub force: Vector3<T>,
    /// Torque about the centre of mass, N m.
    pub torque: Vector3<T>,
}

impl<T: Real> Wrench<T> {
    /// Neither force nor torque.
    pub const NONE: Self = {
        let zero = zero3();
        Wrench { force: zero, torque: zero }
    };
}

/// Linear and angular velocity of a body.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, PositionCorrection, Settings, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body::from_mass(1.0, Matrix3::identity()))?;
/// # let mut contacts = Contacts::<f64, 1>::new();
/// # let touch = Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::zeros(), 0.5);
/// # contacts.push(Contact { depth: 0.03, ..touch })?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// use stiction::Twist;
/// let settings = Settings { position_correction: PositionCorrection::SplitImpulse, ..Settings::default() };
/// solver.solve(&mut bodies, &contacts, &settings, 1.0 / 60.0)?;
/// let Twist { linear, angular } = solver.position_correction(1).unwrap();
/// assert!(linear.z > 0.0 && angular.norm() == 0.0); // out of the ground, without rotation
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Twist<T> {
    /// Velocity of the centre of mass, m/s.
    pub linear: Vector3<T>,
    /// Angular velocity, rad/s.
    pub angular: Vector3<T>,
}

impl<T: Real> Twist<T> {
    /// At rest.
    pub const ZERO: Self = {
        let zero = zero3();
        Twist { linear: zero, angular: zero }
    };
}
