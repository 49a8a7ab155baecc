//! What the firmwares share: boards behind one interface, and a look at the stack.

#![no_std]

pub mod board;
pub mod stack;
