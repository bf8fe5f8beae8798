//! The whole program without root, loop devices, network, browser, MPI or waiting: as people use it,
//! in this process where words, options, formats and exit codes are looked at, and started where
//! signals, terminals, limits and kills are. Its targets are simulated devices, `null:` and files in
//! a temporary folder.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod asking;
mod bad_input;
mod bonnie;
mod burn_in;
mod check;
mod checkup;
mod compare;
mod conditions;
mod consent;
mod diskspd_door;
mod events;
mod explain;
mod fill;
mod fio_door;
mod fio_field;
mod fio_safety;
mod fit;
mod formats;
mod goldens;
mod hdparm;
mod help;
mod history;
mod import;
mod info;
mod interruption;
mod japanese;
mod judge_again;
mod kept;
mod labels;
mod language;
mod layers;
mod limits;
mod load;
mod long;
mod matrix;
mod notify;
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
mod steady;
mod stop_when;
mod store;
mod stored;
mod sweep;
mod trend;
mod write_cache;

#[path = "../../../../tests/support/program.rs"]
mod program;
#[path = "../../../../tests/support/run_json.rs"]
mod run_json;
#[path = "../../../../tests/support/signals.rs"]
mod signals;
#[path = "../../../../tests/support/sokudo.rs"]
mod sokudo;
#[path = "../../../../tests/support/store_file.rs"]
mod store_file;
#[path = "../../../../tests/support/written.rs"]
mod written;
