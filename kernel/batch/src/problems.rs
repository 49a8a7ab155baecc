//! Problems as the caller has them.
use stiction::{ContactRows, InputError, Real};
pub use stiction_batch_layout::Problem;

/// Problems that threads load one at a time: arrays of any kind, or a generator.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use stiction::{Body, Contact, InputError, Settings, ThreeRows};
/// use stiction_batch::{Control, Problem, Problems, solve_all};
///
/// /// Balls that land at all speeds up to 1 m/s.
/// struct Balls(usize);
/// impl Problems<f64, 2, 1, ThreeRows> for Balls {
///     fn count(&self) -> usize {
///         self.0
///     }
///     fn load(&self, index: usize, problem: &mut Problem<f64, 2, 1>) -> Result<(), InputError<f64>> {
///         problem.bodies.push(Body::fixed())?;
///         let mut ball = Body::from_mass(1.0, Matrix3::identity() * 0.4);
///         ball.linear_velocity.z = -(index as f64) / self.0 as f64;
///         problem.bodies.push(ball)?;
///         problem.contacts.push(Contact { r_b: -Vector3::z(), mu: 0.5, ..Contact::default() })?;
///         Ok(())
///     }
/// }
/// let answers = solve_all::<f64, 2, 1>(&Balls(100), &Settings::default(), 0.01, &Control::default())?;
/// assert!(answers.linear_velocity(99, 1).unwrap().norm() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Problems<T: Real, const NB: usize, const NC: usize, R: ContactRows>: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// Bodies and contacts of a problem, at most: the size of its part of the answers.
    fn sizes(&self) -> (usize, usize) {
        (NB, NC)
    }

    /// Fills in a problem, which is empty before. An error is that problem's answer.
    fn load(&self, index: usize, problem: &mut Problem<T, NB, NC, R>) -> Result<(), InputError<T>>;
}
