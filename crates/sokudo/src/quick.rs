//! `sokudo quick`.

use crate::cli::QuickArguments;
use crate::exit::Exit;

/// Does what the arguments say.
pub(crate) fn run(arguments: &QuickArguments) -> Result<(), Exit> {
    Err(Exit::usage(anyhow::anyhow!(
        "{:?} is not measured yet",
        arguments.target
    )))
}
