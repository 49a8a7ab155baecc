//! Checks of the repository: rules for the source, and figures and links in documents.

mod diagrams;
mod documents;
mod numbers;
mod required;
mod rustdoc;
mod speed;
mod structure;
