//! Scenes that run on the host, in firmware and in a browser, from the same numbers and to the same bits.
//!
//! No heap, no standard library, no panic (except in `Boxes::add`, which is for tests), and no double precision at run
//! time unless it is requested: literals are converted to the scalar type at compile time.

#![no_std]
#![forbid(unsafe_code)]

pub mod boxes;
pub mod digest;
pub mod heavy;
pub mod leg;
#[cfg(feature = "many")]
pub mod many;
pub mod moments;
pub mod rest;
pub mod robot;
pub mod start;
