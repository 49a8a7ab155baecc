//! Checks of the repository: what the source promises about itself, and documents that are true.

mod documents;
mod numbers;
mod rustdoc;
mod speed;
mod structure;
