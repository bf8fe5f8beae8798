//! What only a disk shows: that bytes reach it, that consent holds, that files go; on files, loop
//! devices, FUSE files with faults, control groups and a server of PostgreSQL. `tests/run disk` runs
//! it as nobody, and what is in a module `root` as root.

#![expect(
    clippy::cast_possible_truncation,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, tells loudly what it skips, and its values are small"
)]

mod answers;
mod backends;
mod bad_input;
mod bonnie;
mod burn_in;
mod capacity;
mod check;
mod checkup;
mod compare;
mod conditions;
mod consent;
mod control_group;
mod device;
mod diskspd_door;
mod explain;
mod faults;
mod figures;
mod fill;
mod fio_door;
mod fio_runs;
mod fio_safety;
mod fio_says;
mod fit;
mod formats;
mod hdparm;
mod import;
mod info;
mod interruption;
mod limits;
mod load;
mod long;
mod matrix;
mod pictures;
mod prepare;
mod quick;
mod root;
mod rows;
mod safety;
mod scan;
mod scripts;
mod server;
mod steady;
mod stop_when;
mod sweep;
mod terminal;
mod truth;
mod unprinted;
mod users;

#[path = "../support/faulty_file.rs"]
mod faulty_file;
#[path = "../support/fio_said.rs"]
mod fio_said;
#[path = "../support/fuse.rs"]
mod fuse;
#[path = "../support/keeper.rs"]
mod keeper;
#[path = "../support/loop_device.rs"]
mod loop_device;
#[path = "../support/nobody.rs"]
mod nobody;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/run_json.rs"]
mod run_json;
#[path = "../support/signals.rs"]
mod signals;
#[path = "../support/sokudo.rs"]
mod sokudo;
#[path = "../support/store_file.rs"]
mod store_file;
#[path = "../support/written.rs"]
mod written;
