//! What a graphics processor runs: the kernel as it is, one problem a thread, in the layout of `stiction-batch`.
//!
//! ```text
//! entries (PTX only) ─index of the thread→ body_contact, delassus ─slices→ the kernel ─Part→ answers
//!                                          worlds ─state→ ticks of a scene ─state, words→ memory, for the next launch
//! ```
//!
//! A problem is read, solved and stored by the functions that processors use, so there is nothing here that could give
//! other bits: [`entries`] names capacities, [`arguments`] turns addresses into slices, [`body_contact`] and [`delassus`] put the
//! functions in order. Worlds that are stepped are those of `stiction-scenes` ([`worlds`]); [`columns`] reads arrays of callers that
//! are on the graphics processor already. All but `entries` compiles for a host as well and is tested there.
//!
//! # Bits
//!
//! A driver contracts a product and a sum into one operation where they have no rounding mode. The compiler gives each of them
//! `.rn`, and `cargo ptx` rejects a text in which anything that rounds has none, or that says `fma`, `.ftz` or `.approx`.
//!
//! # Panics
//!
//! None is reachable: a panic would be a trap, and `cargo ptx` rejects a text that has one.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, stdarch_nvptx))]
#![deny(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]

pub mod arguments;
pub mod body_contact;
pub mod columns;
pub mod delassus;
#[cfg(target_arch = "nvptx64")]
pub mod entries;
pub mod places;
pub mod worlds;
