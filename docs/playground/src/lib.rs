//! The kernel in a browser: what the page's script calls.
//!
//! ```text
//! script: open → body, body, … → start → (pull) step, step, … → reads poses, contacts, figures, digest
//! ```
//!
//! [`stage`] is plain Rust and runs on a host as well: tests compare its bits with those of the `stiction` command. [`door`] is
//! the page's way in. Numbers go in as arguments; what comes out lies in arrays whose places the script asks for.

pub mod door;
pub mod stage;
