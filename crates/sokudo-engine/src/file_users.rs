//! Who uses a regular file as storage of his own: a loop device that shows it as a disk,
//! or the kernel, which swaps to it.
//!
//! Whoever mounts that loop device relies on what the file holds, and nothing stands
//! between him and somebody who writes the file by its name. So such a file is refused
//! whatever the user allows, as the device itself would be.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What uses this file, and how that is ended; `None` if nothing is seen to.
pub(crate) fn user_of(file: &File) -> Option<String> {
    let metadata = file.metadata().ok()?;
    let loops = std::fs::read_dir("/sys/block").ok().into_iter().flatten();
    let shown = loops
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .find(|name| {
            let backing = format!("/sys/block/{name}/loop/backing_file");
            std::fs::read_to_string(backing)
                .is_ok_and(|path| is_same(&metadata, Path::new(path.trim_end_matches('\n'))))
        })
        .map(|name| format!("the loop device {name} shows it (losetup -d /dev/{name} ends that)"));
    shown.or_else(|| {
        swap_files(&std::fs::read("/proc/swaps").unwrap_or_default())
            .iter()
            .any(|path| is_same(&metadata, path))
            .then(|| "the kernel swaps to it (swapoff ends that)".to_owned())
    })
}

/// Whether the path leads to this very file.
fn is_same(file: &Metadata, path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|other| (other.dev(), other.ino()) == (file.dev(), file.ino()))
}

/// The files among the swap space that proc lists, whose blanks it writes as octal
/// numbers behind a backslash.
fn swap_files(table: &[u8]) -> Vec<PathBuf> {
    table
        .split(|byte| *byte == b'\n')
        .skip(1)
        .filter_map(|line| {
            let mut words = line
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty());
            let (path, kind) = (words.next()?, words.next()?);
            (kind == b"file").then(|| PathBuf::from(OsString::from_vec(unescaped(path))))
        })
        .collect()
}

fn unescaped(word: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let [first, after @ ..] = rest {
        let number = after
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(number.unwrap_or(*first));
        rest = if number.is_some() { &after[3..] } else { after };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swap_files_are_told_from_partitions_and_their_blanks_are_read() {
        let table =
            b"Filename\t\t\tType\t\tSize\n/dev/sda2  partition\t1\n/my\\040swap\\134x file 2\n";
        assert_eq!(swap_files(table), [PathBuf::from("/my swap\\x")]);
        assert!(swap_files(b"").is_empty());
        assert_eq!(unescaped(b"a\\04"), b"a\\04");
    }

    #[test]
    fn a_file_that_nothing_shows_has_no_user() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(user_of(&file), None);
    }
}
