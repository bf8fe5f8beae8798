//! Several processes that measure as one, started by real launchers: Open MPI's and MPICH's.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells loudly what it skips"
)]

mod together;

#[path = "../support/faulty_file.rs"]
mod faulty_file;
#[path = "../support/fuse.rs"]
mod fuse;
#[path = "../support/keeper.rs"]
mod keeper;
#[path = "../support/loop_device.rs"]
mod loop_device;
#[path = "../support/network_hosts.rs"]
mod network_hosts;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/run_json.rs"]
mod run_json;
#[path = "../support/sokudo.rs"]
mod sokudo;
#[path = "../support/written.rs"]
mod written;
