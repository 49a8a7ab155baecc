//! Scenes that run anywhere: on the host, in firmware and in a browser, from the same numbers and to the same bits.
//!
//! No heap, no standard library, no panic (but in `Boxes::add`, which is for tests), and no double precision at run time unless it is asked for: literals are turned
//! into the scalar type while compiling.

#![no_std]
#![forbid(unsafe_code)]

pub mod boxes;
pub mod digest;
pub mod heavy;
pub mod robot;
