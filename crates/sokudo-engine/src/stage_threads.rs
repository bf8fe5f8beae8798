//! The threads of a stage that runs in real time, and what all of them share.

use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, OnceLock};

use sokudo_model::{BackendUse, Nanos, Stage, Workload, narrow};

use crate::clock::RealClock;
use crate::control::Control;
use crate::offsets::SharedPosition;
use crate::progress::Progress;
use crate::stuck::SystemCall;
use crate::target::Target;
use crate::walked::Walked;
use crate::window::SharedWindow;

/// One thread of one workload.
pub(crate) struct WorkloadThread {
    pub(crate) workload: usize,
    /// Among all threads of the stage.
    pub(crate) number: usize,
    /// Among those of its workload.
    pub(crate) index: u64,
}

/// How a thread's files were opened.
pub(crate) struct OpenedFiles {
    pub(crate) used: BackendUse,
    pub(crate) direct: bool,
}

/// What all threads of a stage share.
pub(crate) struct StageContext<'a> {
    pub(crate) stage: &'a Stage,
    pub(crate) targets: &'a [Target],
    pub(crate) seed: u64,
    pub(crate) threads_before: u32,
    pub(crate) control: &'a Control,
    pub(crate) clock: RealClock,
    /// Holds every thread back until all are ready: when they start on the clock, or never.
    pub(crate) start: OnceLock<Option<u64>>,
    pub(crate) positions: Vec<Arc<SharedPosition>>,
    pub(crate) windows: Vec<Arc<SharedWindow>>,
    /// How long a load that lasts runs before it is measured; `None` where what was written is
    /// made durable behind it, which would be counted with what was not measured.
    pub(crate) settle: Option<Nanos>,
    pub(crate) walked: Option<Walked>,
    /// Counters of each thread, which its thread writes and others read.
    pub(crate) progress: Vec<Progress>,
    /// What each waits for in the kernel, where its backend waits there for each I/O.
    pub(crate) calls: Vec<Arc<SystemCall>>,
    /// One per workload: it is to end, because it is steady or another has ended.
    pub(crate) halts: Vec<AtomicBool>,
    /// How often snapshots have been asked for.
    pub(crate) snapshots_requested: AtomicU32,
}

impl StageContext<'_> {
    /// A thread's number among those of all stages.
    pub(crate) fn number(&self, thread: &WorkloadThread) -> u32 {
        self.threads_before.saturating_add(narrow(thread.number))
    }
}

pub(crate) fn threads_of(stage: &Stage) -> Vec<WorkloadThread> {
    let of_workload = |(workload, spec): (usize, &Workload)| {
        (0..u64::from(spec.threads)).map(move |index| (workload, index))
    };
    stage
        .workloads
        .iter()
        .enumerate()
        .flat_map(of_workload)
        .enumerate()
        .map(|(number, (workload, index))| WorkloadThread {
            workload,
            number,
            index,
        })
        .collect()
}
