//! Tests of the command line, of scenes with collision detection, and of figures that documents repeat from them.

mod command;
mod convergence;
mod figures;
mod page;
mod rig;
mod scenes;
