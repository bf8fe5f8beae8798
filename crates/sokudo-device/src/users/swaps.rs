//! What the kernel swaps to.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

use super::FileIdentity;
use crate::block::{self, number_text};
use crate::mounts::unescaped;
use crate::system::{self, System};

/// The devices that the kernel swaps to, as directories in sysfs.
pub(crate) fn devices(system: &System) -> Vec<PathBuf> {
    let spaces = spaces(system).into_iter().filter(|space| !space.is_file);
    spaces
        .filter_map(|space| {
            let path = system.path(&space.path);
            let by_node = || {
                let node = path.metadata().ok()?;
                let number = number_text(node.rdev());
                node.file_type()
                    .is_block_device()
                    .then(|| block::directory_of_number(system, &number))?
            };
            by_node().or_else(|| block::directory_of_source(system, space.path.to_str()?))
        })
        .collect()
}

/// The files that the kernel swaps to.
pub(super) fn files(system: &System) -> Vec<FileIdentity> {
    let spaces = spaces(system).into_iter().filter(|space| space.is_file);
    spaces
        .filter_map(|space| system.path(space.path).metadata().ok())
        .map(|metadata| FileIdentity::of(&metadata))
        .collect()
}

#[derive(Debug, PartialEq, Eq)]
struct Space {
    path: PathBuf,
    is_file: bool,
}

fn spaces(system: &System) -> Vec<Space> {
    let table = system::bytes(system.path("proc/swaps"));
    parsed(&table.unwrap_or_default())
}

/// The table that proc lists, which writes the blanks of names as octal numbers behind a
/// backslash.
fn parsed(table: &[u8]) -> Vec<Space> {
    table
        .split(|byte| *byte == b'\n')
        .skip(1)
        .filter_map(|line| {
            let mut words = line
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty());
            let (path, kind) = (words.next()?, words.next()?);
            Some(Space {
                path: PathBuf::from(OsString::from_vec(unescaped(path))),
                is_file: kind == b"file",
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_from_partitions_and_their_blanks_are_read() {
        let table =
            b"Filename\t\t\tType\t\tSize\n/dev/sda2  partition\t1\n/my\\040swap\\134x file 2\n";
        let space = |path: &str, is_file| Space {
            path: PathBuf::from(path),
            is_file,
        };
        assert_eq!(
            parsed(table),
            [space("/dev/sda2", false), space("/my swap\\x", true)]
        );
        assert!(parsed(b"").is_empty());
        assert_eq!(unescaped(b"a\\04"), b"a\\04");
    }
}
