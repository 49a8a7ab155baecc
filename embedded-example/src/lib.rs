//! Common parts of the firmwares: boards behind one interface, and a measurement of stack use.

#![no_std]

pub mod board;
pub mod stack;
