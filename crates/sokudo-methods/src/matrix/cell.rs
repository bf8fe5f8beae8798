//! A cell in words: what its volume is called, and the command that measures it.

use std::path::Path;

use sokudo_terminal::command_line;
use sokudo_terminal::exit::Exit;
use sokudo_volume::VolumeNames;
use sokudo_words::text;

use crate::arguments::Ability;
use crate::commands;
use crate::matrix::request::Matrix;
use crate::stored_command::StoredCommand;

/// Where volumes are mounted, in this process's own mount namespace.
const MOUNT_FOLDER: &str = "/run/sokudo";

/// What a volume is called, and where it is mounted.
pub(super) fn volume_names(id: &str, number: usize) -> Result<VolumeNames, Exit> {
    let at = Path::new(MOUNT_FOLDER).join(format!("{id}-{number}"));
    VolumeNames::new(id, number, at).map_err(Exit::failed)
}

/// The command that measures a cell.
pub(super) fn method(
    matrix: &Matrix,
    cell: usize,
    mount_point: &Path,
) -> Result<StoredCommand, Exit> {
    let mut words = words(matrix, cell);
    let target = mount_point.to_string_lossy().into_owned();
    words.push(target.clone());
    let mut method = StoredCommand::of_words(words)?;
    if method.target() != Some(&*target) {
        return Err(Exit::usage(text!(
            "--method names no command that measures a directory; use {}, without a target",
            commands::names(Ability::Directory)
        )));
    }
    let printing = method.printing_mut();
    let draws = !printing.plotting.pictures.is_empty();
    match draws || printing.rendering.output().is_some() {
        true => Err(Exit::usage(text!(
            "--method writes files, and each cell would overwrite those of the last one; give --output and --plot to sokudo matrix itself"
        ))),
        false => Ok(method),
    }
}

fn words(matrix: &Matrix, cell: usize) -> Vec<String> {
    let words = command_line::words(&matrix.plan.method).unwrap_or_default();
    let own = matrix.plan.cells[cell].method.iter().cloned();
    words.into_iter().chain(own).collect()
}

/// The same in one line, for people.
pub(super) fn command(matrix: &Matrix, cell: usize, mount_point: &Path) -> String {
    let words = words(matrix, cell);
    let quoted: Vec<String> = words.iter().map(|it| command_line::quoted(it)).collect();
    format!("sokudo {} {}", quoted.join(" "), mount_point.display())
}
