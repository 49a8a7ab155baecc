//! The kernel's tests, in one program: `cargo test` in `kernel` runs them, `cargo test -p stiction NAME` those whose name has a word.
//!
//! Studies of many cases run a quick number of them; `STICTION_TESTS=all` runs all.

mod analytic;
mod cache;
mod constraint;
mod corners;
mod dispatch;
mod doors;
mod edges;
mod exact_step;
mod factory;
mod faults;
mod flight;
mod honesty;
mod laws;
mod limits;
mod motion;
mod oracles;
mod passivity;
mod pinned;
mod published_problems;
mod records;
mod soak;
mod solver;
mod stacks;
mod step;
