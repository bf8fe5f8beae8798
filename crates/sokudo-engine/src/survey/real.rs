//! A survey of a file, a block device or nothing, in real time: in a thread of its own,
//! so that those who watch are told meanwhile.

use std::fs::File;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use rustix::fs::{SeekFrom, major, minor};
use sokudo_model::{
    BackendKind, BackendUse, Event, FileUse, Moved, Nanos, Outcome, Phase, Stage, StopReason,
    Survey, Workload, narrow,
};
use sokudo_stats::Random;
use sokudo_sys::{ThreadCounts, thread_counts};

use super::route::Route;
use super::surveyor::{Means, Surroundings, Surveyor};
use super::{chunk_bytes, chunks, circumstances, outcome_of, write_action, writes_new};
use crate::backend::{Backend, TICK, Wanted, depth_used, open};
use crate::clock::{Clock, RealClock};
use crate::collector::progress_event;
use crate::control::Control;
use crate::data::Data;
use crate::progress::{Glance, Progress};
use crate::read_back::ReadBack;
use crate::stage_error::StageError;
use crate::stage_options::StageOptions;
use crate::target::{FileTarget, Target, logical_bytes};
use crate::target_use::{stretch_of, uses};
use crate::threads::bind_to_cpus;

/// What the survey's thread knows of the rest.
struct Around<'a> {
    control: &'a Control,
    progress: &'a Progress,
    file: Option<&'a FileTarget>,
}

impl Surroundings for Around<'_> {
    fn stopped(&self) -> Option<StopReason> {
        stop_reason(self.control)
    }

    fn tell(&mut self, _now: u64, at: Nanos, each: [Moved; 3]) {
        self.progress.tell(&Glance {
            at: at.0,
            each,
            phase: Phase::Running,
        });
    }

    fn is_gone(&self) -> bool {
        self.file.is_some_and(|file| is_gone(file.handle()))
    }

    fn used(&self) -> Option<ThreadCounts> {
        Some(thread_counts())
    }
}

pub(super) fn stop_reason(control: &Control) -> Option<StopReason> {
    if control.is_cancelled() {
        Some(StopReason::Cancelled)
    } else {
        control.is_stopped().then_some(StopReason::Ended)
    }
}

/// Whether the system says so: a disk that was pulled has no size any more, or no
/// directory in sysfs, or is switched off there.
fn is_gone(handle: &File) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let Ok(metadata) = handle.metadata() else {
        return true;
    };
    if !metadata.file_type().is_block_device() {
        return false;
    }
    let number = metadata.rdev();
    let directory = format!("/sys/dev/block/{}:{}", major(number), minor(number));
    let states = ["device/state", "../device/state"];
    let is_off = states.iter().any(|state| {
        let state = std::fs::read_to_string(PathBuf::from(&directory).join(state));
        state.is_ok_and(|state| {
            matches!(
                state.trim(),
                "offline" | "transport-offline" | "deleted" | "dead"
            )
        })
    });
    let has_no_size = rustix::fs::seek(handle, SeekFrom::End(0)) == Ok(0);
    let sysfs_is_there = std::path::Path::new("/sys/dev/block").is_dir();
    is_off || has_no_size || (sysfs_is_there && !std::path::Path::new(&directory).exists())
}

/// Runs the survey of a stage that has been checked.
pub(crate) fn run(
    stage: &Stage,
    survey: Survey,
    options: StageOptions,
    targets: &[Target],
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Vec<Outcome>, StageError> {
    let progress = Progress::default();
    let workload = &stage.workloads[0];
    let started_at = options.start_at.unwrap_or_else(Instant::now);
    thread::scope(|scope| {
        let (told, telling) = mpsc::channel();
        let progress = &progress;
        thread::Builder::new()
            .name("sokudo-survey".to_owned())
            .spawn_scoped(scope, move || {
                thread::sleep(started_at.saturating_duration_since(Instant::now()));
                // The receiver waits for this word.
                let _ = told.send(carry_out(
                    workload, survey, options, targets, control, progress,
                ));
            })
            .map_err(|source| StageError::Thread { source })?;
        let mut tell = || {
            let at = Nanos(narrow(started_at.elapsed().as_nanos()));
            listener(progress_event(0, at, progress.look()));
        };
        loop {
            match telling.recv_timeout(TICK) {
                Ok(outcome) => {
                    tell();
                    return outcome.map(|outcome| vec![outcome]);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => tell(),
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let source = std::io::ErrorKind::BrokenPipe.into();
                    return Err(StageError::Thread { source });
                }
            }
        }
    })
}

fn carry_out(
    workload: &Workload,
    survey: Survey,
    options: StageOptions,
    targets: &[Target],
    control: &Control,
    progress: &Progress,
) -> Result<Outcome, StageError> {
    bind_to_cpus(workload, 0)?;
    let file_use = uses(workload).first().copied().unwrap_or(FileUse {
        target: 0,
        span: workload.span,
    });
    let target = &targets[file_use.target as usize];
    let file = match target {
        Target::File(file) if workload.backend != BackendKind::Null => Some(file),
        _ => None,
    };
    let (opened, direct) = opened(workload, survey, file)?;
    let logical_bytes = logical_bytes(target, direct);
    let wanted = Wanted {
        kind: workload.backend,
        depth: workload.depth,
        chunks: chunks(workload, &survey, workload.depth),
        chunk_bytes: narrow(chunk_bytes(workload, &survey, logical_bytes)),
        memory: workload.memory,
    };
    let around = Around {
        control,
        progress,
        file,
    };
    let stretch = stretch_of(&file_use, target);
    let scene = Scene {
        workload,
        survey,
        route: Route::new(workload, &survey, stretch, logical_bytes, options.seed),
        wanted,
        logical_bytes,
        seed: options.seed,
        direct,
    };
    match opened {
        Opened::Plain(files) => {
            let (backend, used) = open(wanted, files)?;
            Ok(scene.survey(backend, used, around))
        }
        Opened::Back(file) => {
            let (backend, used) = match file {
                Some(file) => file.backend(wanted)?,
                None => ReadBack::null(wanted)?,
            };
            Ok(scene.survey(backend, used, around))
        }
    }
}

enum Opened {
    Plain(Vec<std::os::fd::OwnedFd>),
    Back(Option<crate::read_back::WriteBackFile>),
}

/// Opens the target as the survey needs it, and says whether the page cache is bypassed.
fn opened(
    workload: &Workload,
    survey: Survey,
    file: Option<&FileTarget>,
) -> Result<(Opened, bool), StageError> {
    match file {
        Some(file) if survey.write_back => {
            let (file, direct) = file.open_to_write_back(workload.direct)?;
            Ok((Opened::Back(Some(file)), direct))
        }
        Some(file) => {
            let (file, direct) = file.open(writes_new(workload, &survey), workload.direct)?;
            Ok((Opened::Plain(vec![file.into()]), direct))
        }
        None if survey.write_back => Ok((Opened::Back(None), false)),
        None => Ok((Opened::Plain(Vec::new()), false)),
    }
}

/// All that is known before the survey starts.
struct Scene<'a> {
    workload: &'a Workload,
    survey: Survey,
    route: Route,
    wanted: Wanted,
    logical_bytes: u64,
    seed: u64,
    direct: bool,
}

impl Scene<'_> {
    fn survey<B: Backend>(self, mut backend: B, used: BackendUse, around: Around<'_>) -> Outcome {
        let clock = RealClock::new();
        let started_at = clock.now();
        let mut random = Random::stream(self.seed, 0);
        let data = writes_new(self.workload, &self.survey).then(|| {
            let mut data = Data::new(&self.workload.data, random.next_u64());
            (0..self.wanted.chunks).for_each(|chunk| data.fill(backend.chunk_mut(chunk)));
            data
        });
        let means = Means {
            backend,
            clock,
            surroundings: around,
            data,
            depth: depth_used(used.kind, self.workload),
            chunks: self.wanted.chunks,
            logical_bytes: self.logical_bytes,
            write_action: write_action(self.workload),
        };
        let surveyor = Surveyor::new(self.workload, self.survey, &self.route, means);
        let (surveyed, backend) = surveyor.survey();
        if surveyed.is_abandoned {
            // The kernel may still write to its buffers.
            std::mem::forget(backend);
        }
        outcome_of(surveyed, circumstances(started_at, used, self.direct))
    }
}
