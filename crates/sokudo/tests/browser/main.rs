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
#[path = "../program/keeper.rs"]
mod keeper;
mod person;
mod site;
mod story;

mod kept;
mod keyboard;
mod looks;
mod measuring;
mod queue;
mod rights;
