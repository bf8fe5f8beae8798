//! The whole program, used as people use it: at a shell, on real directories, on
//! devices of its own, and by somebody who means it no good.
//!
//! What needs root or a loop device says `SKIPPED` where it cannot run.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells loudly what it skips"
)]

mod answers;
mod assess;
mod bad_input;
mod bonnie;
mod burn_in;
mod capacity;
mod check;
mod compare;
mod conditions;
mod consent;
mod diskspd_door;
mod early;
mod events;
mod explain;
mod faults;
mod faulty_file;
mod figures;
mod fill;
mod fio_door;
mod fio_safety;
mod fit;
mod formats;
mod hdparm;
mod help;
mod history;
mod import;
mod info;
mod interruption;
mod japanese;
mod judge_again;
mod keeper;
mod labels;
mod language;
mod limits;
mod load;
mod long;
mod loop_device;
mod matrix;
#[path = "../../../sokudo-peers/tests/launched/hosts.rs"]
mod network_hosts;
mod page;
mod page_client;
mod peak;
mod pictures;
mod pivot;
mod precision;
mod prepare;
mod quick;
mod report;
mod require;
mod rows;
mod safety;
mod scan;
mod scripts;
mod sokudo;
mod steady;
mod stop_when;
mod store;
mod sweep;
mod terminal;
mod together;
mod trend;
mod truth;
mod unprinted;
mod users;
mod write_cache;
