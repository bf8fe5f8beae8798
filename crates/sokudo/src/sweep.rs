//! `sokudo sweep`.

use crate::cli::SweepArguments;
use crate::exit::Exit;

/// Does what the arguments say.
pub(crate) fn run(arguments: &SweepArguments) -> Result<(), Exit> {
    Err(Exit::usage(anyhow::anyhow!(
        "{:?} is not measured yet",
        arguments.target
    )))
}
