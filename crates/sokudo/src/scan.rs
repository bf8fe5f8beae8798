//! `sokudo scan`.

use crate::cli::ScanArguments;
use crate::exit::Exit;

/// Does what the arguments say.
pub(crate) fn run(arguments: &ScanArguments) -> Result<(), Exit> {
    Err(Exit::usage(anyhow::anyhow!(
        "{:?} is not measured yet",
        arguments.target
    )))
}
