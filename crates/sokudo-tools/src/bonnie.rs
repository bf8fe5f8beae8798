//! Bonnie++: the CSV line that it ends with, written and read.

pub(crate) mod import;
mod output;
pub mod phase;

pub use output::render;
