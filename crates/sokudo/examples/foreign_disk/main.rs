//! Serves a modelled disk as a file, so that a loop device over it can be measured.
//!
//! `foreign_disk MODEL --seed N [--KEY VALUE…] DIRECTORY` mounts a file system with one file,
//! `disk`, on the directory, prints one line of JSON that says what the truth about the disk is,
//! and serves until its input ends or SIGTERM comes. `foreign_disk --list` names the models.
//! It uses nothing of sokudo: the models are a witness beside its simulator.

use std::process::ExitCode;

mod false_capacity;
mod flash;
mod model;
mod rotating;
mod served;
mod shingled;
mod whims;

use model::Kind;

const KINDS: [&[Kind]; 5] = [
    rotating::KINDS,
    shingled::KINDS,
    flash::KINDS,
    false_capacity::KINDS,
    whims::KINDS,
];

fn main() -> ExitCode {
    let _kinds = KINDS.iter().copied().flatten();
    ExitCode::SUCCESS
}
