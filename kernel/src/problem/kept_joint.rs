//! A joint as it is kept from step to step.
use nalgebra::Vector3;

use crate::math::real::Real;
use crate::math::vector::zero3;
use crate::problem::contact_rows::Element;

/// What the next step takes over from a joint.
///
/// ```
/// let kept = stiction::KeptJoint::<f64>::default();
/// assert_eq!(kept.position, 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeptJoint<T> {
    /// Impulse of a substep on B, in A's axes, N s.
    pub linear: Vector3<T>,
    /// Angular impulse of a substep on B about the anchor, in A's axes, N m s.
    pub angular: Vector3<T>,
    /// Position along the free axis, rad or m. Whole revolutions count.
    pub position: T,
    /// Whether a limit or a rope held where the step ended.
    pub is_at_limit: bool,
}

impl<T: Real> Element for KeptJoint<T> {
    const PLAIN: Self = KeptJoint { linear: zero3(), angular: zero3(), position: T::ZERO, is_at_limit: false };
}

impl<T: Real> Default for KeptJoint<T> {
    fn default() -> Self {
        Self::PLAIN
    }
}
