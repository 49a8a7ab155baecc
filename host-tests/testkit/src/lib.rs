//! Everything that a property test of a contact solver is made of: random islands, problems with known answers, oracles
//! that share no code with the kernel, merit functions, and tolerances with their reasons.
//!
//! | module | what it has |
//! |---|---|
//! | [`island`] | a contact problem of any size as plain vectors, solved by the kernel in either precision |
//! | `strategies` | proptest strategies that draw and shrink such problems (feature `proptest`) |
//! | [`random_islands`] | families of random problems from one seed, for studies without shrinking |
//! | [`small_problems`] | problems of one size by number, for batches |
//! | [`known_answers`], [`walls`] | problems with closed forms; large walls and pyramids |
//! | [`oracle`] | slow and independent solutions: scans, enumeration, a global Newton method |
//! | [`reduced`] | jointed mechanisms in reduced coordinates: a pendulum, chains of rods, a body on a ball joint |
//! | [`merit`], [`tolerance`] | how far an answer is from Coulomb's law, and how far it may be |
//! | [`fc3d`], [`rfc3d`] | reading the `.fc3d` files of published problems, and `.rfc3d` files with rolling friction |
//! | [`capacity`], [`large_stack`] | the kernel's capacities chosen at run time; threads with a large stack |
//! | [`rng`] | a small deterministic generator |
//! | [`effort`] | how many cases a study runs: a quick number, or all |
//!
//! ```
//! # #[cfg(feature = "proptest")] {
//! use stiction_testkit::strategies::{Shape, check, island};
//! // Your solver in place of ours:
//! check(20, island(Shape::default()), |problem| {
//!     let solved = problem.solve::<f64>(&Default::default()).expect("strategies draw valid problems");
//!     proptest::prop_assert!(solved.report.energy_after <= solved.report.energy_before * (1.0 + 1e-12));
//!     Ok(())
//! });
//! # }
//! ```

pub mod capacity;
pub mod effort;
pub mod fc3d;
pub mod island;
pub mod known_answers;
pub mod large_stack;
pub mod merit;
pub mod oracle;
pub mod random_islands;
pub mod random_structures;
pub mod reduced;
pub mod reports;
pub mod rfc3d;
pub mod rng;
pub mod small_problems;
#[cfg(feature = "proptest")]
pub mod strategies;
pub mod tolerance;
pub mod walls;
