//! Loop devices, and the tools that put something on them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: what one has open is in the hands of what another starts, until that
/// has become another program.
pub(crate) fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// What a program prints; None where it is not installed or fails.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

/// Runs a tool on a path; None, said loudly, where it is not installed or fails.
pub(crate) fn made_by(program: &str, arguments: &[&str], path: &Path) -> Option<()> {
    let arguments = [arguments, &[path.to_str().unwrap()]].concat();
    if run(program, &arguments).is_none() {
        skipped(&format!("{program} cannot be run"));
        return None;
    }
    Some(())
}

/// A file of this size that nobody has open.
pub(crate) fn image(bytes: u64) -> tempfile::TempPath {
    let image = tempfile::NamedTempFile::new().unwrap();
    image.as_file().set_len(bytes).unwrap();
    image.into_temp_path()
}

/// A loop device, detached when dropped.
pub(crate) struct LoopDevice {
    pub(crate) path: PathBuf,
}

impl LoopDevice {
    /// None, said loudly, where there can be none.
    pub(crate) fn on(path: &Path, options: &[&str]) -> Option<Self> {
        let fixed = ["--show", "--find"];
        let arguments = [&fixed, options, &[path.to_str().unwrap()]].concat();
        Self::told(run("losetup", &arguments))
    }

    /// The device that losetup has printed.
    pub(crate) fn told(printed: Option<String>) -> Option<Self> {
        let Some(path) = printed.filter(|path| !path.is_empty()) else {
            skipped("losetup attaches no loop device here");
            return None;
        };
        Some(Self { path: path.into() })
    }

    pub(crate) fn name(&self) -> &str {
        self.path.file_name().unwrap().to_str().unwrap()
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        run("losetup", &["--detach", self.path.to_str().unwrap()]);
    }
}
