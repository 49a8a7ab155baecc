//! SVG pictures of motion and measurements, written as text: charts, lines over an axis, histograms, bodies seen from
//! the side, and flowcharts.

pub mod chart;
mod curves;
pub mod flowchart;
pub mod histogram;
mod lines;
pub mod strip;
pub mod strobe;
pub mod svg;
mod versus;

pub use chart::Scale;
pub use curves::curves;
pub use lines::{Axis, lines};
pub use versus::{Played, versus};
