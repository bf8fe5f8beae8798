//! `sokudo clean`: removes test files that a killed sokudo has left behind.

use std::path::Path;

use anyhow::Context;
use sokudo_engine::left_behind;

use crate::exit::Exit;
use crate::{language, output};

/// Removes them and says so.
pub(crate) fn run(directory: &Path) -> Result<(), Exit> {
    std::fs::read_dir(directory)
        .with_context(|| format!("{} cannot be looked into", directory.display()))
        .map_err(Exit::Failed)?;
    let found = left_behind(directory);
    if found.is_empty() {
        let told = format!("{}: nothing was left behind", directory.display());
        return output::print(&format!("{}\n", language::say(&told)));
    }
    for file in found {
        file.remove()
            .with_context(|| format!("{} cannot be removed", file.path.display()))
            .map_err(Exit::Failed)?;
        let told = format!("removed {} ({})", file.path.display(), file.size);
        output::print(&format!("{}\n", language::say(&told)))?;
    }
    Ok(())
}
