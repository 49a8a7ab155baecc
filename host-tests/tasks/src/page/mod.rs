//! The page that runs the kernel in a browser: put together, served, and tried in a real one.

mod browser;
mod checks;
mod site;

pub use checks::check;
pub use site::command;
