//! Runs that are kept: while they are measured and when they are whole, found again by number,
//! label or file, listed, gone on with, followed over time, and read from other tools.
//!
//! It measures nothing.

pub mod arguments;
pub mod baselines_here;
pub mod find;
pub mod import;
pub mod keep;
pub mod keep_partial;
pub mod locate;
pub mod past_runs;
pub mod replay;
pub mod result_file;
pub mod resume;
pub mod runs;
pub mod trend;
