//! Tests of the command line, of scenes with collision detection, and of figures that documents repeat from them.

mod columns;
mod command;
mod convergence;
mod coupling;
mod evidence;
mod figures;
mod joint_recordings;
mod joint_scenes;
mod joints;
mod lanes;
mod moments;
mod page;
mod recordings;
mod rig;
mod robots;
mod scenes;
mod surfaces;
mod tool;
