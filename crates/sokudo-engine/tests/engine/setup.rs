//! What the tests run on: workloads, files and simulated devices.

#![allow(
    dead_code,
    unused_imports,
    reason = "each program of tests uses its part"
)]

use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::process::Command;

use super::builders::stage;
pub(crate) use super::builders::{BLOCK, for_ios, for_ms, random_reads, writes};
use sokudo_engine::{
    Control, SimulatedTarget, StageError, StageOptions, Target, TestFile, lay_out, run_stage, sim,
};
use sokudo_model::{BackendKind, Bytes, DataContent, Event, Outcome, Stage, Workload};
use tempfile::TempDir;

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
pub(crate) fn run_reported<const COUNT: usize>(
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

/// Whether a command could be run and succeeded.
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .output()
        .is_ok_and(|output| output.status.success())
}
