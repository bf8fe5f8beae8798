//! What only real disks show: run by `lab/run` in a virtual machine that has them
//! (lab/README.md). Elsewhere every test says `SKIPPED`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells loudly what it skips"
)]

mod assess;
mod burn_in;
mod caching;
mod clock;
mod conditions;
mod defects;
mod fill;
mod guest;
mod info;
#[path = "../support/keeper.rs"]
mod keeper;
mod limits;
mod mapped;
mod matrix;
#[path = "../support/network_hosts.rs"]
mod network_hosts;
mod page;
#[path = "../support/page_client.rs"]
mod page_client;
mod passthrough;
mod polling;
mod quota;
mod refusals;
#[path = "../support/run_json.rs"]
mod run_json;
mod self_test;
mod several;
mod stacks;
mod swap;
mod together;
mod turns;
mod unplug;
mod write_cache;
#[path = "../support/written.rs"]
mod written;
