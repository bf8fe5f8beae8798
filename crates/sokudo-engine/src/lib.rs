//! Carries out plans: worker loop, offsets, buffers, rate, clock, the backends
//! that issue I/O and the simulator.
//!
//! [`run_stage`] is the way in: a [`sokudo_model::Stage`] and a [`Target`] go in,
//! one [`sokudo_model::Outcome`] per workload comes out, [`sokudo_model::Event`]s
//! are told on the way. Nothing is printed and nothing is judged here.

#![warn(missing_docs)]
#![cfg_attr(test, allow(clippy::cast_possible_truncation))]

#[cfg(test)]
#[macro_use]
mod builders;

mod backend;
mod batched;
mod blocking_work;
mod buffers;
mod capacity;
mod check;
mod checking;
mod clock;
mod collector;
mod consent;
mod control;
mod data;
mod drive;
mod durable;
mod ending;
mod flushing;
mod job_file;
mod kernel_files;
mod kernel_settings;
mod least;
mod left_behind;
mod mark;
mod offsets;
mod opening;
mod outbox;
mod outcome;
mod own_name;
mod pace;
mod passthrough;
mod pattern;
mod polling;
mod progress;
mod record;
mod removal;
mod rewriting;
mod sealed_answer;
pub mod sim;
mod simulated_contents;
mod simulation;
mod stage;
mod stage_error;
mod stage_options;
mod stage_threads;
mod steady;
mod stuck;
mod survey;
mod tally;
mod target;
mod target_use;
mod test_file;
mod threads;
mod tree;
mod usage;
mod verify;
mod walked;
mod window;
mod worker;
mod write_back;

pub use backend::OpenError;
pub use buffers::buffer_bytes;
pub use check::{CheckError, WorkloadError};
pub use consent::{Consent, ConsentError, DevicePermit, Front, InUse, Look, RewritePermit};
pub use control::Control;
pub use ending::ends_plan;
pub use job_file::{JobDataFile, JobFileError, JobFileRequest};
pub use kernel_files::unfit_for_files;
pub use left_behind::{LeftBehind, Search, left_behind, remove_for_dead};
pub use mark::NotOurs;
pub use removal::{RemovalEntry, RemovalNews, remove_held, tell_removals, vanish};
pub use sokudo_sys::{NamedEntry, create_in};
pub use stage::run_stage;
pub use stage_error::StageError;
pub use stage_options::{MakeDurable, StageOptions};
pub use survey::SurveyError;
pub use target::{FileTarget, SimulatedTarget, Target, TargetError};
pub use test_file::{
    TEST_FILE_SIZE_MIN, TestFile, TestFileError, check_room, free_space_needed, lay_out,
    may_make_in,
};
pub use tree::{OwnDirectory, TreeError, TreeRun, run_tree};
pub use verify::VerifyError;
pub use walked::Walked;
