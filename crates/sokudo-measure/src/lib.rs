//! The one measuring pipeline: a target is recognised and prepared with the user's consent,
//! measured trial by trial with evidence before and after each, and what was measured is
//! judged. Everything that happens is told as an event.
//!
//! A program that measures a directory is `examples/directory.rs`:
//!
//! ```no_run
#![warn(missing_docs)]
#![doc = include_str!("../examples/directory.rs")]
//! ```
//!
//! One that switches drives' write caches asks [`drives_of`] before anything else, one that
//! measures together with others [`guarded_by`].
//!
//! It prints nothing, and it does not decide what is measured: that is in the plan that it
//! gets.

mod ageing;
mod agreement;
mod backends;
mod burn_in;
mod cache_guard;
mod cache_keeper;
mod campaign;
mod drive_health;
mod error;
mod evidence;
mod expectation;
mod guardian;
mod job_target;
mod job_targets;
mod jobs;
mod length;
mod measurement;
mod memory;
mod named;
mod open_as;
mod pages;
mod parts;
mod permission;
mod rest;
mod run_clock;
mod run_time;
mod session;
mod settling;
mod several;
mod shared_test_file;
mod slow;
mod steps;
mod stop_watch;
mod subject;
mod together;
mod turns;
mod volume_disks;

pub use ageing::age;
pub use agreement::{Agreement, Difference};
pub use cache_guard::{CacheGuard, everything_is_put_back};
pub use cache_keeper::{PutBack, drives_of, keep};
pub use error::MeasureError;
pub use expectation::Expectation;
pub use guardian::{guard, guarded_by, have_files_guarded};
pub use job_target::JobTarget;
pub use jobs::Jobs;
pub use measurement::{Measurement, OwnFiles, Prepared, TEST_FILE_SIZE, since_epoch};
pub use named::{Named, SIMULATION_SEED, random_u32};
pub use open_as::FileUser;
pub use parts::MeasuredParts;
pub use permission::{Permission, Unwritten, may_write};
pub use run_time::{duration, trials_at_most};
pub use session::{FinishedRun, Follower};
pub use several::OtherTarget;
pub use subject::DeviceBeside;
pub use together::{LeavingThread, Sharing, Together};
pub use volume_disks::{named_disk, volume_disks};
