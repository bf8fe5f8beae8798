//! Values that are words: access patterns, engines, paths.

use sokudo_model::{BackendKind, Operation};

use super::settings::Access;
use super::values::{self, Expected};

pub(super) fn access(text: &str) -> Result<Access, Expected> {
    const WORDS: [(&str, bool, Option<Operation>); 9] = [
        ("read", false, Some(Operation::Read)),
        ("write", false, Some(Operation::Write)),
        ("trim", false, Some(Operation::Trim)),
        ("randread", true, Some(Operation::Read)),
        ("randwrite", true, Some(Operation::Write)),
        ("randtrim", true, Some(Operation::Trim)),
        ("rw", false, None),
        ("readwrite", false, None),
        ("randrw", true, None),
    ];
    values::choice(text, &WORDS.map(|(word, ..)| word))?;
    WORDS
        .into_iter()
        .find(|(word, ..)| *word == text)
        .map(|(_, random, only)| Access { random, only })
        .ok_or_else(|| "an access pattern".into())
}

pub(super) fn engine(text: &str) -> Result<BackendKind, Expected> {
    match text {
        "io_uring" => Ok(BackendKind::IoUring),
        "libaio" => Ok(BackendKind::Libaio),
        "psync" => Ok(BackendKind::Psync),
        "null" => Ok(BackendKind::Null),
        _ => Err("one of io_uring, libaio, psync, null".into()),
    }
}

pub(super) fn sync(text: &str) -> Result<bool, Expected> {
    match text {
        "none" | "0" => Ok(false),
        "dsync" => Ok(true),
        _ => {
            Err("none or dsync; sync, which also waits for the file's times, is not offered".into())
        }
    }
}

pub(super) fn text(text: &str) -> Result<String, Expected> {
    if text.is_empty() {
        return Err("a text".into());
    }
    Ok(text.to_owned())
}

/// One path; fio separates several by colons and escapes those in names.
pub(super) fn path(text: &str) -> Result<String, Expected> {
    let several = text.replace("\\:", "").contains(':');
    if several || text.is_empty() {
        return Err("one path, with a colon in a name written as \\:".into());
    }
    Ok(text.to_owned())
}
