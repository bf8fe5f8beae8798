//! A program to be started by an MPI launcher, which does what peers do and prints it: to try out
//! a cluster, and for the tests with real launchers.

#![allow(
    clippy::print_stdout,
    reason = "it prints what it sees, a line for everything"
)]

#[path = "peer/part.rs"]
mod part;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let part = arguments.next().unwrap_or_else(|| "calls".to_owned());
    std::process::exit(part::play(&part));
}
