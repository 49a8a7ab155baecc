//! Jointed mechanisms in reduced coordinates: joints cannot come apart here, because no coordinate describes that.
//!
//! Nothing is shared with the kernel: no constraint, no impulse, no time step of a simulation. The equations of motion
//! are Lagrange's or Euler's, and [`integrate`] follows them to rounding.
//!
//! | file | mechanism |
//! |---|---|
//! | [`pendulum`] | one pendulum in closed form: its period and its angle at any time |
//! | [`chain`] | rigid rods in a plane, joined by hinges, hung at the origin |
//! | [`top`] | a rigid body in space with any inertia, hung by a ball joint |
//!
//! All units are SI: m, kg, s, rad, J.

pub mod chain;
pub mod integrate;
pub mod pendulum;
pub mod top;

pub use chain::{Chain, ChainState, Rod};
pub use pendulum::{pendulum_angle, pendulum_period, physical_pendulum_period};
pub use top::{Top, TopState};
