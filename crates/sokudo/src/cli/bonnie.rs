//! Arguments of `sokudo bonnie`.

use clap::Args;

/// Arguments of `sokudo bonnie`, as given.
#[derive(Debug, Args)]
pub(crate) struct BonnieArguments {
    /// Directory
    #[arg(default_value = ".")]
    pub(crate) directory: std::path::PathBuf,
}
