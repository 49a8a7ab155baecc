//! What a graphics processor runs: the kernel as it is, one problem a thread, in the layout of `stiction-batch`.
//!
//! ```text
//! entries (PTX only) ─index of the thread→ arguments ─slices→ body_contact ─Given→ Solver ─Part→ answers
//! ```
//!
//! A problem is read, solved and stored by the functions that processors use, so there is nothing here that could give
//! other bits: [`entries`] names capacities, [`arguments`] turns addresses into slices, [`body_contact`] puts the functions
//! in order. All but `entries` compiles for a host as well and is tested there.
//!
//! # Bits
//!
//! PTX divides and takes roots as IEEE 754 says where it is told `.rn`, and a driver contracts `mul` and `add` into `fma` only
//! where they have no rounding mode. The compiler gives every one of them `.rn`; `../build-ptx.sh` searches the text for
//! what it must not say.
//!
//! # Panics
//!
//! None is reachable by design; one that is becomes a trap, which ends the launch with an error.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, stdarch_nvptx))]
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod arguments;
pub mod body_contact;
#[cfg(target_arch = "nvptx64")]
pub mod entries;

pub use arguments::Arguments;
