//! `sokudo info`.

use crate::cli::InfoArguments;
use crate::exit::Exit;

/// Does what the arguments say.
pub(crate) fn run(arguments: &InfoArguments) -> Result<(), Exit> {
    Err(Exit::usage(anyhow::anyhow!(
        "{:?} is not measured yet",
        arguments.target
    )))
}
