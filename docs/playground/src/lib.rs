//! The kernel in a browser: the WebAssembly module of the page.
//!
//! ```text
//! script: open → body, body, … → joint, joint, … → start → (pull) step, step, … → reads poses, joints, contacts, figures, digest
//! ```
//!
//! [`stage`] is plain Rust and runs on a host as well: tests compare its bits with those of the `stiction` command.
//! [`api`] has the functions that the script calls. Input is passed as arguments; output is in arrays whose addresses
//! these functions return.

pub mod api;
pub mod draft;
mod pull;
pub mod stage;
