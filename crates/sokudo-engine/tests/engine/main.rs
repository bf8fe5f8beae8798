//! The engine through its public face: what must hold for every run, on simulated
//! devices, on nothing and on real files.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot be set up has failed; a skipped one says so"
)]

#[macro_use]
#[path = "../../src/builders.rs"]
mod builders;

mod accuracy;
mod backends;
mod checks;
mod contents;
mod durability;
mod failures;
mod identities;
mod limits;
mod order;
mod pace;
mod passes;
mod recording;
mod setup;
mod simulated;
mod stopping;
mod stuck;
mod survey;
mod survey_failures;
mod survey_pace;
mod survey_resumed;
mod survey_sealed;
mod surveys;
mod trees;
mod verifying;
mod window;
mod write_back;
