//! Where the energy of joints went in a step.
use crate::math::real::Real;
use crate::problem::contact_rows::Element;

/// Work of joints in a step, J, by what it comes from. The ledger has the sums: motors and springs in `load`, dry
/// friction in `friction`, the rest in `normal`.
///
/// ```
/// let nothing = stiction::JointWork::<f64>::default();
/// assert_eq!(nothing.motor + nothing.spring, 0.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointWork<T> {
    /// Of motors.
    pub motor: T,
    /// Of springs and dampers.
    pub spring: T,
    /// Of dry friction; negative where it takes energy out.
    pub friction: T,
    /// Energy stored in springs where the step began.
    pub stored_before: T,
    /// Energy stored in springs where it ended.
    pub stored_after: T,
}

impl<T: Real> Element for JointWork<T> {
    const PLAIN: Self =
        JointWork { motor: T::ZERO, spring: T::ZERO, friction: T::ZERO, stored_before: T::ZERO, stored_after: T::ZERO };
}

impl<T: Real> Default for JointWork<T> {
    fn default() -> Self {
        Self::PLAIN
    }
}
