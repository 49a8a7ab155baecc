//! The kernel's tests, in one program: `cargo test` in `kernel` runs them, `cargo test -p stiction NAME` those whose
//! name has a word.
//!
//! Studies of many cases run a quick number of them; `STICTION_TESTS=all` runs all.

mod api_contract;
mod bit_flips;
mod delassus_published;
mod extreme_numbers;
mod golden_bits;
mod input_errors;
mod input_range;
mod local;
mod local_moments;
mod local_oracle;
mod properties;
mod properties_moments;
mod properties_passivity;
mod record;
mod record_joints;
mod record_moments;
mod soak;
mod solve;
mod solve_analytic;
mod solve_method_choice;
mod solve_moments;
mod solve_order;
mod solve_paused;
mod solve_report;
mod space_constraint;
mod step;
mod step_cache;
mod step_cache_moments;
mod step_contacts;
mod step_factor;
mod step_frames;
mod step_free_motion;
mod step_joints;
mod step_joints_changed;
mod step_joints_contacts;
mod step_joints_hard;
mod step_joints_laws;
mod step_joints_report;
mod step_manifold;
mod step_moments;
mod step_sliding;
mod step_stacks;
