//! Creates, looks up and deletes many files, in a directory of our own.
//!
//! Only what lies below that directory is touched, and it is gone afterwards whatever
//! happens. One file after the other, by the thread that calls, as Bonnie++ does.

mod carry_out;
mod names;
mod own_directory;

pub use carry_out::{TreeRun, run_tree};
pub use own_directory::{OwnDirectory, TreeError};

pub(crate) use own_directory::{empty, enter, foreign, occupied};
