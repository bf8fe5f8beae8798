//! Files that tests make and then start.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes a file that everybody may start.
///
/// A process of its own writes it: what another thread of this one starts meanwhile would hold it
/// open for writing until it has become its program, and the kernel starts no such file ("Text file
/// busy").
pub(crate) fn executable(path: &Path, mut contents: impl Read) {
    let mut writer = Command::new("sh")
        .args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    io::copy(&mut contents, &mut writer.stdin.take().unwrap()).unwrap();
    assert!(writer.wait().unwrap().success());
}
