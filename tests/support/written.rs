//! Files that tests make and then use in another way than for writing.
//!
//! A process of its own writes each: what another thread of this one starts meanwhile would hold it
//! open for writing until it has become its program. The kernel starts no such file ("Text file
//! busy"), and sokudo writes none.

#![allow(dead_code, reason = "each program of tests uses its part")]

use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes a file that everybody may start.
pub(crate) fn executable(path: &Path, contents: impl Read) {
    by("cat >\"$1\" && chmod 755 \"$1\"", path, contents);
}

/// Makes a file, or gives it other contents.
pub(crate) fn write(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) {
    by("cat >\"$1\"", path.as_ref(), contents.as_ref());
}

fn by(script: &str, path: &Path, mut contents: impl Read) {
    let mut writer = Command::new("sh")
        .args(["-c", script, "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    io::copy(&mut contents, &mut writer.stdin.take().unwrap()).unwrap();
    assert!(writer.wait().unwrap().success());
}
