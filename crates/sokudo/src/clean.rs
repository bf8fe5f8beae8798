//! `sokudo clean`: removes test files that a killed sokudo has left behind.

use std::path::Path;

use anyhow::Context;
use sokudo_engine::left_behind;

use crate::exit::Exit;
use crate::output;

/// Removes them and says so.
pub(crate) fn run(directory: &Path) -> Result<(), Exit> {
    std::fs::read_dir(directory)
        .with_context(|| format!("{} cannot be looked into", directory.display()))
        .map_err(Exit::Failed)?;
    let found = left_behind(directory);
    if found.is_empty() {
        return output::print(&format!(
            "{}: nothing was left behind\n",
            directory.display()
        ));
    }
    for file in found {
        file.remove()
            .with_context(|| format!("{} cannot be removed", file.path.display()))
            .map_err(Exit::Failed)?;
        output::print(&format!(
            "removed {} ({})\n",
            file.path.display(),
            file.size
        ))?;
    }
    Ok(())
}
