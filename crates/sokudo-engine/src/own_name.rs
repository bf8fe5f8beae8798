//! Names of ours, by which test files and directories of them are known where they have to have one.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// What a test file with a name is called, and a directory of test files, around the
/// process number and a counter.
pub(crate) const FILE_PREFIX: &str = "sokudo-test-file-";

pub(crate) const DIRECTORY_PREFIX: &str = "sokudo-files-";

pub(crate) const SUFFIX: &str = ".safe-to-delete";

/// Names to try before giving up: others are taken only if a process number came
/// round again.
const NAMES_MAX: u32 = 100;

/// Makes something in a directory, under the first name that nothing has yet.
///
/// # Errors
/// What keeps it from being made under any name.
pub(crate) fn with_own_name<T>(
    directory: &Path,
    prefix: &str,
    make: impl Fn(PathBuf) -> io::Result<T>,
) -> io::Result<T> {
    let tried = |number| make(directory.join(own_name(prefix, number)));
    let is_taken = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
    (0..NAMES_MAX)
        .map(tried)
        .find(|made| !made.as_ref().is_err_and(is_taken))
        .unwrap_or_else(|| Err(io::ErrorKind::AlreadyExists.into()))
}

/// The name of this number that a file or directory of this process gets.
pub(crate) fn own_name(prefix: &str, number: u32) -> String {
    format!("{prefix}{}-{number}{SUFFIX}", std::process::id())
}

/// Whether a name is exactly such a one.
pub(crate) fn is_own_name(name: &OsStr, prefix: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    name.to_str()
        .and_then(|name| name.strip_prefix(prefix)?.strip_suffix(SUFFIX))
        .and_then(|numbers| numbers.split_once('-'))
        .is_some_and(|(process, number)| is_number(process) && is_number(number))
}
