//! Paths that are no text, on a command line that takes text.

use std::ffi::OsString;
use std::os::fd::IntoRawFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use sokudo_terminal::exit;
use sokudo_words::text;

/// Paths that are no text by names that are: those of descriptors, which stay open to the end.
pub(crate) fn as_text(words: Vec<OsString>) -> Vec<OsString> {
    let held = |word: &OsString| {
        let path = Path::new(word);
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let file = rustix::fs::open(path, flags, Mode::empty()).ok()?;
        let (process, number) = (std::process::id(), file.into_raw_fd());
        let name = format!("/proc/{process}/fd/{number}");
        exit::note(text!(
            "{} is not UTF-8, and is called {name} here",
            format!("{word:?}")
        ));
        Some(name.into())
    };
    let words = words.into_iter();
    let text = |word: OsString| match word.to_str() {
        Some(_) => word,
        None => held(&word).unwrap_or(word),
    };
    words.map(text).collect()
}
