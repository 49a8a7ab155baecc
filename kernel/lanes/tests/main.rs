//! Tests of lanes: one program. `bits` is a program of its own, because it also runs on an emulated processor.

mod bit_flips;
mod capacity;
mod digests;
mod moments;
mod plan;
mod steps;
mod worlds;
