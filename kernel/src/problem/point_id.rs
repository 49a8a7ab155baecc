//! How a contact point is recognised from one step to the next.

/// How a contact point is recognised in the next frame.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Bodies, Body, Contact, Contacts, Solver};
/// # let mut bodies = Bodies::<f64, 2>::new();
/// # bodies.push(Body::fixed())?;
/// # bodies.push(Body { linear_velocity: Vector3::new(0.0, 0.0, -0.1), ..Body::from_inverse(1.0, Matrix3::zeros()) })?;
/// # let mut contacts = Contacts::<f64, 1>::new();
/// # contacts.push(Contact::new(0, 1, Vector3::z(), Vector3::zeros(), Vector3::new(0.0, 0.0, -0.5), 0.5))?;
/// # let mut solver = Solver::<f64, 2, 1>::new();
/// use stiction::{ContactCache, PointId};
/// # let mut cache = ContactCache::<f64, 1>::new();
/// let corner = PointId::Feature(3);
/// cache.warm_start(&mut contacts, &[corner]);
/// solver.solve(&mut bodies, &contacts, &Default::default(), 1.0 / 60.0)?;
/// cache.remember(&contacts, &[corner], &solver);
/// // The same corner is found in the next frame wherever it is, another one is not.
/// let moved = Contact { r_b: Vector3::new(0.2, 0.0, -0.5), ..contacts.get(0).unwrap() };
/// assert!(cache.find(&moved, corner).is_some());
/// assert!(cache.find(&moved, PointId::Feature(4)).is_none());
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum PointId {
    /// The collision detector's own id, unique within a body pair.
    Feature(u32),
    /// By its position on the body.
    Proximity,
}
