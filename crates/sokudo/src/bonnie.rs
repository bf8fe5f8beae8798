//! `sokudo bonnie`.

use crate::cli::BonnieArguments;
use crate::exit::Exit;

/// Does what the arguments say.
pub(crate) fn run(arguments: &BonnieArguments) -> Result<(), Exit> {
    Err(Exit::usage(anyhow::anyhow!(
        "{:?} is not measured yet",
        arguments.directory
    )))
}
