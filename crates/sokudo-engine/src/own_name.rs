//! Names of ours, by which test files and directories of them are known where they have to have one.

use std::ffi::OsStr;

/// What a test file with a name is called, and a directory of test files, around the
/// process number and a counter.
pub(crate) const FILE_PREFIX: &str = "sokudo-test-file-";

pub(crate) const DIRECTORY_PREFIX: &str = "sokudo-files-";

pub(crate) const SUFFIX: &str = ".safe-to-delete";

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
