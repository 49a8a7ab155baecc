//! Records of joints in a step, passed one at a time to an [`Observer`](crate::Observer).
use crate::math::real::Real;
use crate::problem::joint::Joint;
use crate::problem::kept_joint::KeptJoint;

/// Joints of a step.
///
/// One method of [`Observer`](crate::Observer) receives all of it, so that programs without joints carry nothing more.
///
/// ```
/// # use nalgebra::{Matrix3, Vector3};
/// # use stiction::{Joint, Jointed, Pipeline, RigidBody, StepSettings, World};
/// # let mut world = World::<f64, 2, Jointed<1>>::empty();
/// # world.push(RigidBody::fixed())?;
/// # world.push(RigidBody { position: -Vector3::z(), ..RigidBody::from_mass(2.0, Matrix3::identity()) })?;
/// # world.push_joint(Joint { anchor_b: Vector3::z(), ..Joint::ball(0, 1) })?;
/// # let mut pipeline = Pipeline::<f64, 2, 1, 0, Jointed<1>>::with_factor_memory(StepSettings::default());
/// use stiction::record::JointRecord;
/// use stiction::{Hooks, Observer};
/// /// The largest impulse of a joint in a substep, N s.
/// struct Largest(f64);
/// impl Observer<f64> for Largest {
///     fn joint(&mut self, record: &JointRecord<'_, f64>) {
///         if let JointRecord::Outcome { kept, .. } = record {
///             self.0 = self.0.max(kept.linear.norm());
///         }
///     }
/// }
/// let mut largest = Largest(0.0);
/// pipeline.step_with(&mut world, |_, _| Ok(()), 0.01, Hooks::with_observer(&mut largest))?;
/// // The joint carries the weight of 2 kg.
/// let substep = 0.01 / f64::from(StepSettings::<f64>::default().substeps);
/// assert!((largest.0 - 2.0 * 9.81 * substep).abs() < 1e-12);
/// # Ok::<(), stiction::InputError<f64>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointRecord<'a, T: Real> {
    /// Before the input: how many joints the step has.
    Count(usize),
    /// After the contacts of the input: a joint, and what it begins with.
    Input {
        /// Its index.
        index: usize,
        /// The joint.
        joint: &'a Joint<T>,
        /// What the step takes over from the step before.
        kept: &'a KeptJoint<T>,
    },
    /// After the contacts of the answer: what the next step takes over.
    Outcome {
        /// Its index.
        index: usize,
        /// Its impulse and its position.
        kept: &'a KeptJoint<T>,
    },
}
