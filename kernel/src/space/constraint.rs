//! One contact as a constraint: its value, its Jacobian and when it acts. For inspection, tests and other solvers; the
//! solve itself keeps the same rows in the form that sweeps need (`jacobian`).
//!
//! On the velocities `(v_a, ω_a, v_b, ω_b)` the row of a direction `d` is `(−d, −r_a×d, d, r_b×d)`, for the normal and
//! for both tangents alike: relative velocity is always B minus A.
use nalgebra::{Matrix3, SMatrix, Vector3};

use crate::local::frame::Frame;
use crate::math::real::{Real, positive_part};
use crate::problem::contact::Contact;
use crate::problem::contact_rules::{normalised, validate_contact};
use crate::problem::contacts::Site;
use crate::problem::error::InputError;
use crate::space::jacobian::ContactJacobian;

/// Gap up to which a [`ContactConstraint`] is active, m, whatever the size of its bodies. A step has
/// [`StepSettings::contact_margin`](crate::StepSettings::contact_margin) instead.
pub const ACTIVATION_GAP: f64 = 0.01;

/// A contact with its frame.
///
/// ```
/// use nalgebra::Vector3;
/// use stiction::{Contact, ContactConstraint};
/// let contact = Contact { r_b: Vector3::new(0.0, 0.0, -0.5), mu: 0.3_f64, ..Contact::default() };
/// let constraint = ContactConstraint::new(&contact)?;
/// assert_eq!(constraint.dimension(), 3);
/// assert_eq!(constraint.jacobian()[(0, 8)], 1.0); // v_b along the normal
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactConstraint<T> {
    contact: Contact<T>,
    frame: Frame<T>,
}

impl<T: Real> ContactConstraint<T> {
    /// The constraint of a contact, which is validated as [`Contacts::push`](crate::Contacts::push) does; the error is
    /// that of contact 0.
    pub fn new(contact: &Contact<T>) -> Result<Self, InputError<T>> {
        validate_contact(0, contact)?;
        let contact = Contact { normal: normalised(&contact.normal), ..*contact };
        Ok(ContactConstraint { contact, frame: Frame::on(&contact.normal) })
    }

    /// The same constraint with its first tangent against a direction of sliding.
    pub fn opposing(contact: &Contact<T>, sliding: &Vector3<T>) -> Result<Self, InputError<T>> {
        Self::new(contact).map(|base| ContactConstraint { frame: base.frame.turned(sliding), ..base })
    }

    /// Rows: 1 without friction, 3 with.
    pub fn dimension(&self) -> usize {
        if self.has_friction() { 3 } else { 1 }
    }

    /// Whether the friction coefficient is positive.
    pub fn has_friction(&self) -> bool {
        self.contact.mu > T::ZERO
    }

    /// The contact frame.
    pub fn frame(&self) -> &Frame<T> {
        &self.frame
    }

    /// Signed gap `(x_b + r_b − x_a − r_a)·n` in m, for centres of mass `x_a` and `x_b`; negative when penetrating.
    pub fn gap(&self, x_a: &Vector3<T>, x_b: &Vector3<T>) -> T {
        (x_b + self.contact.r_b - x_a - self.contact.r_a).dot(&self.frame.n)
    }

    /// Whether the gap is small enough to act: up to [`ACTIVATION_GAP`].
    pub fn is_active(&self, x_a: &Vector3<T>, x_b: &Vector3<T>) -> bool {
        self.gap(x_a, x_b) <= T::lit(ACTIVATION_GAP)
    }

    /// Whether friction acts under a normal impulse.
    pub fn friction_is_active(&self, normal_impulse: T) -> bool {
        self.has_friction() && normal_impulse > T::ZERO
    }

    /// Bound on each tangential impulse for box friction, `μ x_n/√2`: the square inside the cone's circle.
    pub fn box_bound(&self, normal_impulse: T) -> T {
        self.contact.mu * positive_part(normal_impulse) * T::lit(core::f64::consts::FRAC_1_SQRT_2)
    }

    /// `(−d, −r_a×d, d, r_b×d)`.
    fn row(&self, d: &Vector3<T>) -> [T; 12] {
        let (a, b) = (self.contact.r_a.cross(d), self.contact.r_b.cross(d));
        [-d.x, -d.y, -d.z, -a.x, -a.y, -a.z, d.x, d.y, d.z, b.x, b.y, b.z]
    }

    /// Rows for `n, t1, t2`.
    pub fn jacobian(&self) -> SMatrix<T, 3, 12> {
        let rows = [self.row(&self.frame.n), self.row(&self.frame.t1), self.row(&self.frame.t2)];
        SMatrix::from_fn(|i, j| rows.get(i).and_then(|row| row.get(j)).copied().unwrap_or(T::ZERO))
    }

    /// The row for `n`, the only one without friction.
    pub fn normal_jacobian(&self) -> SMatrix<T, 1, 12> {
        let row = self.row(&self.frame.n);
        SMatrix::from_fn(|_, j| row.get(j).copied().unwrap_or(T::ZERO))
    }

    /// `K = J M⁻¹ Jᵀ` for bodies of the given inverse mass and inverse inertia, before regularisation.
    pub fn effective_mass(&self, body_a: (T, &Matrix3<T>), body_b: (T, &Matrix3<T>)) -> Matrix3<T> {
        let Contact { normal, r_a, r_b, .. } = &self.contact;
        let mut jacobian = ContactJacobian::<T>::EMPTY;
        jacobian.pack(&Site { pair: (0, 0), normal, r_a, r_b }, body_a, body_b).0
    }
}
