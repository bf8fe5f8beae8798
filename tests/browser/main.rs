//! The page in a real browser, used as people use it: Debian's chromium, driven from here.
//!
//! Elements are found as a screen reader finds them, by role and name, in the language of the
//! page. Without chromium, its driver and axe-core (`npm ci` here) the tests say `SKIPPED`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells loudly what it skips"
)]

mod accessibility;
mod browser;
#[path = "../support/faulty_file.rs"]
mod faulty_file;
#[path = "../support/fuse.rs"]
mod fuse;
#[path = "../support/keeper.rs"]
mod keeper;
#[path = "../support/loop_device.rs"]
mod loop_device;
mod page;
#[path = "../support/page_client.rs"]
mod page_client;
mod person;
#[path = "../support/program.rs"]
mod program;
#[path = "../support/run_json.rs"]
mod run_json;
mod site;
#[path = "../support/sokudo.rs"]
mod sokudo;
mod story;

mod http;
mod kept;
mod keyboard;
mod looks;
mod measuring;
mod queue;
mod reports;
mod rights;
