//! The part of `stiction-batch` that also runs where there is no operating system and no heap, such as on a graphics
//! processor: where the numbers of a problem are, how they are read and how answers are stored. There is no second
//! implementation of it, so processors and graphics processors cannot disagree.
//!
//! * [`layout`]: the place of every number
//! * [`given`]: problems are read; [`columns`]: problems in arrays of a caller's own, and how they get into the layout
//! * [`problem`]: one problem, read
//! * [`words`]: statuses, methods and states as words
//! * [`part`], `store`: answers are stored
//! * [`delassus`]: problems in Delassus form
//! * [`settings`]: settings of a solve as numbers
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod columns;
pub mod delassus;
pub mod given;
pub mod layout;
pub mod part;
pub mod problem;
pub mod settings;
mod store;
pub mod words;

pub use given::Given;
pub use layout::Layout;
pub use part::{Part, Slots};
pub use problem::Problem;
pub use settings::SettingsNumbers;
