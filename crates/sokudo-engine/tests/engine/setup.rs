//! What the tests run on: workloads, files, simulated and loop devices.

#![allow(
    dead_code,
    unused_imports,
    reason = "each program of tests uses its part"
)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use super::builders::stage;
pub(crate) use super::builders::{BLOCK, for_ios, for_ms, random_reads, writes};
use sokudo_engine::{
    Control, SimulatedTarget, StageError, StageOptions, Target, TestFile, lay_out, run_stage, sim,
};
use sokudo_model::{BackendKind, Bytes, DataContent, Event, Outcome, Stage, Workload};
use tempfile::{NamedTempFile, TempDir};

/// The backends that reach the kernel.
pub(crate) const KERNEL_BACKENDS: [BackendKind; 3] = [
    BackendKind::IoUring,
    BackendKind::Libaio,
    BackendKind::Psync,
];

/// Runs workloads together.
pub(crate) fn try_run(
    workloads: Vec<Workload>,
    target: &mut Target,
    seed: u64,
) -> Result<Vec<Outcome>, StageError> {
    let options = with!(StageOptions::default(), seed = seed);
    let stage = Stage { workloads };
    run_on(&stage, options, std::slice::from_mut(target))
}

pub(crate) fn run_on(
    stage: &Stage,
    options: StageOptions,
    targets: &mut [Target],
) -> Result<Vec<Outcome>, StageError> {
    run_stage(stage, options, targets, &Control::new(), &mut |_| {})
}

/// Runs workloads together, as long as `control` lets them, and tells what happens.
pub(crate) fn run_told<const COUNT: usize>(
    workloads: [Workload; COUNT],
    target: &mut Target,
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Vec<Outcome> {
    let (stage, options) = (stage(workloads), StageOptions::default());
    run_stage(
        &stage,
        options,
        std::slice::from_mut(target),
        control,
        listener,
    )
    .unwrap()
}

pub(crate) fn run(workloads: Vec<Workload>, target: &mut Target) -> Vec<Outcome> {
    try_run(workloads, target, 1).unwrap()
}

pub(crate) fn run_one(workload: Workload, target: &mut Target) -> Outcome {
    run(vec![workload], target).remove(0)
}

pub(crate) fn simulated(spec: &str) -> Target {
    let device = sim::SimulatedDevice::parse(spec).unwrap();
    Target::Simulated(SimulatedTarget::new(device))
}

/// A test file in a directory of its own.
pub(crate) struct OwnFile {
    pub(crate) file: TestFile,
    _directory: TempDir,
}

impl OwnFile {
    /// Nothing is written yet: reads would see zeros.
    pub(crate) fn empty(size: Bytes) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = TestFile::create(directory.path(), size).unwrap();
        file.handle().set_len(size.0).unwrap();
        Self {
            file,
            _directory: directory,
        }
    }

    pub(crate) fn laid_out(size: Bytes, content: DataContent) -> Self {
        let own = Self::empty(size);
        lay_out(&own.file, content, 7, &Control::new(), &mut |_| {}).unwrap();
        own
    }

    pub(crate) fn target(&self) -> Target {
        self.file.target().unwrap()
    }

    pub(crate) fn contents(&self) -> Vec<u8> {
        let size = self.file.handle().metadata().unwrap().len();
        let mut contents = vec![0; usize::try_from(size).unwrap()];
        self.file.handle().read_exact_at(&mut contents, 0).unwrap();
        contents
    }
}

/// Says loudly, past the capture of the test's output, that something was not
/// tested.
pub(crate) fn skip(reason: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whether a command could be run and succeeded.
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .output()
        .is_ok_and(|output| output.status.success())
}

/// A file presented as a disk, bypassing the page cache below. Needs root.
pub(crate) struct LoopDevice {
    pub(crate) path: PathBuf,
    _backing: NamedTempFile,
}

/// `losetup --find` looks first and takes afterwards.
static ATTACHING: Mutex<()> = Mutex::new(());

impl LoopDevice {
    /// `None`, with a word about it, where there is none.
    pub(crate) fn attach(size: Bytes) -> Option<Self> {
        if !is_root() {
            skip("loop devices need root");
            return None;
        }
        let backing = NamedTempFile::new().unwrap();
        backing.as_file().set_len(size.0).unwrap();
        let _guard = ATTACHING.lock().unwrap_or_else(PoisonError::into_inner);
        let output = Command::new("losetup")
            .args(["--find", "--show", "--direct-io=on"])
            .arg(backing.path())
            .output();
        let attached = output.ok().filter(|output| output.status.success());
        let Some(output) = attached else {
            skip("there is no loop device here");
            return None;
        };
        let path = String::from_utf8(output.stdout).unwrap();
        Some(Self {
            path: PathBuf::from(path.trim()),
            _backing: backing,
        })
    }

    /// What the kernel has counted: bytes read, bytes written, flushes.
    pub(crate) fn counters(&self) -> Counters {
        let name = self.path.file_name().unwrap().to_str().unwrap();
        let text = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        let fields: Vec<u64> = text
            .split_whitespace()
            .map(|field| field.parse().unwrap())
            .collect();
        Counters {
            read_bytes: fields[2] * 512,
            written_bytes: fields[6] * 512,
            flushes: fields[15],
        }
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        succeeds("losetup", &["-d", self.path.to_str().unwrap_or_default()]);
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters {
    pub(crate) read_bytes: u64,
    pub(crate) written_bytes: u64,
    pub(crate) flushes: u64,
}

/// A file system that is unmounted in the end. Needs root.
pub(crate) struct Mount(TempDir);

impl Mount {
    /// `None`, with a word about it, where nothing can be mounted.
    pub(crate) fn new(kind: &str, source: &str, options: &str) -> Option<Self> {
        if !is_root() {
            skip("mounting needs root");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let at = directory.path().to_str().unwrap();
        if succeeds("mount", &["-t", kind, "-o", options, source, at]) {
            return Some(Self(directory));
        }
        skip(&format!("{kind} cannot be mounted here"));
        None
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        succeeds(
            "umount",
            &["--lazy", self.path().to_str().unwrap_or_default()],
        );
    }
}
