//! Real time: an OS thread per thread of a workload, all starting at the same instant.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, OnceLock};
use std::thread;

use rustix::thread::{CpuSet, sched_setaffinity};
use sokudo_model::{
    BackendKind, BackendUse, CpuPolicy, Event, Nanos, Outcome, Phase, Stage, StopReason, Workload,
};
use sokudo_stats::{Random, mix64};
use sokudo_words::text;

use crate::backend::{BackendRequirements, depth_used, each};
use crate::buffers::{HUNG_MAX, buffer_length, buffers_for};
use crate::checking::Checker;
use crate::clock::{Clock as _, RealClock};
use crate::collector::{Collector, ThreadReport};
use crate::control::Control;
use crate::data::Data;
use crate::drive::Driver;
use crate::durable;
use crate::ending::ends_stage;
use crate::opening::{ThreadBackend, open_files, survey_target};
use crate::outcome::outcome;
use crate::pace::pace_stream;
use crate::pattern::Pattern;
use crate::progress::Progress;
use crate::record::Submission;
use crate::stage_error::StageError;
use crate::stage_options::{MakeDurable, StageOptions};
use crate::stage_threads::{OpenedFiles, StageContext, WorkloadThread, threads_of};
use crate::stuck::show_calls;
use crate::survey::Surveying;
use crate::target::{Target, TargetError};
use crate::target_use::{stretches, uses};
use crate::verify::Verifier;
use crate::worker::{Setup, Worker};

/// Runs a stage on files, block devices or nothing.
pub(crate) fn run(
    stage: &Stage,
    options: StageOptions,
    targets: &[Target],
    control: &Control,
    listener: &mut dyn FnMut(Event),
) -> Result<Vec<Outcome>, StageError> {
    let threads = threads_of(stage);
    let shared = StageContext {
        stage,
        targets,
        seed: options.seed,
        threads_before: options.threads_before,
        control,
        clock: RealClock::new(),
        start: OnceLock::new(),
        positions: stage.workloads.iter().map(|_| Arc::default()).collect(),
        windows: stage.workloads.iter().map(|_| Arc::default()).collect(),
        settle: (options.make_durable != MakeDurable::All).then_some(options.settle),
        walked: options.walked,
        progress: threads.iter().map(|_| Progress::default()).collect(),
        calls: threads.iter().map(|_| Arc::default()).collect(),
        halts: stage
            .workloads
            .iter()
            .map(|_| AtomicBool::default())
            .collect(),
        snapshots_requested: AtomicU32::new(0),
    };
    thread::scope(|scope| {
        let (ready, readiness) = mpsc::channel();
        let (reports, tellings) = mpsc::channel();
        for workload_thread in &threads {
            let (shared, ready, reports) = (&shared, ready.clone(), reports.clone());
            thread::Builder::new()
                .name(format!("sokudo-{}", workload_thread.number))
                .spawn_scoped(scope, move || {
                    run_thread(shared, workload_thread, &ready, &reports)
                })
                .map_err(|source| {
                    let _ = shared.start.set(None);
                    StageError::Thread { source }
                })?;
        }
        drop((ready, reports));
        // One word from every thread; the first failure is enough.
        let prepared: Result<(), StageError> = readiness.iter().take(threads.len()).collect();
        if let Err(error) = prepared {
            let _ = shared.start.set(None);
            return Err(error);
        }
        // Whoever starts others at the same instant waits here for it.
        listener(Event::StageReady);
        let time = shared.clock.now();
        let _ = shared.start.set(Some(time));
        let collector = Collector::new(&shared, &threads, options.snapshot_every);
        let mut outcomes = collector.collect(&tellings, listener);
        durable::complete(
            &shared,
            targets,
            options.make_durable,
            time,
            &mut outcomes,
            listener,
        );
        Ok(outcomes)
    })
}

/// The life of one thread: prepare, wait for the others, run.
fn run_thread(
    shared: &StageContext<'_>,
    thread: &WorkloadThread,
    ready: &mpsc::Sender<Result<(), StageError>>,
    reports: &mpsc::Sender<ThreadReport>,
) {
    let workload = &shared.stage.workloads[thread.workload];
    show_calls(&shared.calls[thread.number]);
    // The receiver waits for every thread's word.
    let (worker, backend, opened) = match prepare(shared, workload, thread) {
        Ok(prepared) => {
            let _ = ready.send(Ok(()));
            prepared
        }
        Err(error) => {
            let _ = ready.send(Err(error));
            return;
        }
    };
    let Some(stage_started_at) = *shared.start.wait() else {
        return;
    };
    let driver = Driver {
        shared,
        thread,
        opened: &opened,
        reports,
        stage_started_at,
    };
    let outcome = match driver.wait_for_turn() {
        None => drive(&driver, worker, backend),
        Some(stopped) => never_began(&driver, stopped),
    };
    if ends_stage(workload, outcome.stopped) {
        for halt in &shared.halts {
            halt.store(true, Ordering::Relaxed);
        }
    }
    // The receiver lives until every thread has ended.
    let _ = reports.send(ThreadReport::Ended {
        thread: thread.number,
        outcome: Box::new(outcome),
    });
}

fn drive(driver: &Driver<'_>, mut worker: Worker, mut backend: ThreadBackend) -> Outcome {
    let (cpu, usage) = match &mut backend {
        ThreadBackend::Any(any) => each!(any, backend => driver.drive(&mut worker, backend)),
        ThreadBackend::WriteBack(backend) => driver.drive(&mut worker, backend),
    };
    if worker.has_in_flight() {
        // Given up: dropping would wait once more, and the kernel may still write
        // to the buffers.
        std::mem::forget(backend);
    }
    driver.tell(&worker, driver.shared.clock.now(), Phase::Ended);
    let mut conditions = driver.conditions(cpu, usage);
    let name = &driver.shared.stage.workloads[driver.thread.workload].name;
    let index = driver.shared.number(driver.thread);
    let not_saved = worker.save_state(name, index);
    conditions.backend.notes.extend(not_saved);
    outcome(worker.finish(driver.shared.clock.now()), conditions)
}

/// The outcome of a thread that was stopped before it began.
fn never_began(driver: &Driver<'_>, stopped: StopReason) -> Outcome {
    let waited = driver.shared.clock.now() - driver.stage_started_at;
    Outcome {
        started_after: Nanos(waited),
        direct: driver.opened.direct,
        ..Outcome::new(driver.opened.used.clone(), stopped)
    }
}

fn prepare(
    shared: &StageContext<'_>,
    workload: &Workload,
    thread: &WorkloadThread,
) -> Result<(Worker, ThreadBackend, OpenedFiles), StageError> {
    bind_to_cpus(workload, thread.index)?;
    let (files, direct) = open_files(workload, shared.targets)?;
    let surveyed = survey_target(workload, shared.targets, direct)?;
    let logical_bytes = surveyed.as_ref().map_or(1, |target| target.logical_bytes);
    let buffers = buffers_for(workload, workload.depth);
    let buffer_length = buffer_length(workload, logical_bytes);
    let wanted = BackendRequirements {
        kind: workload.backend,
        polled: workload.issuing.polled,
        // What hangs stays in the queue.
        depth: workload.depth
            + workload
                .survey()
                .and_then(|it| it.timeout)
                .map_or(0, |_| HUNG_MAX),
        buffers,
        buffer_length,
        memory: workload.issuing.memory,
    };
    let (mut backend, mut used) = files.backend(wanted)?;
    note_open_max(workload, &mut used);
    let submission = match used.kind {
        BackendKind::IoUring | BackendKind::IoUringCmd | BackendKind::Libaio => Submission::Step,
        BackendKind::Vsync => Submission::None,
        _ => Submission::Whole,
    };
    let mut random = Random::stream(shared.seed, thread.number as u64);
    let data = Data::new(&workload.data, random.next_u64());
    let stretches = stretches(workload, shared.targets);
    let position = &shared.positions[thread.workload];
    let setup = Setup {
        pattern: Pattern::new(workload, &stretches, position, random),
        data,
        pace: pace_stream(shared.seed, thread.number as u64),
        depth: depth_used(used.kind, workload),
        buffers,
        submission,
        checker: checker(shared, workload, thread, direct, buffers)?,
        survey: surveyed.and_then(|target| Surveying::new(workload, target, shared.seed, buffers)),
        window: Arc::clone(&shared.windows[thread.workload]),
        // What a page cache takes has no speed that lasts.
        settle: shared.settle.filter(|_| direct),
        walked: shared.walked.clone(),
    };
    let mut worker = Worker::new(workload, setup);
    if workload.operations.changes_data()
        && let ThreadBackend::Any(backend) = &mut backend
    {
        worker.fill_buffers(backend);
    }
    Ok((worker, backend, OpenedFiles { used, direct }))
}

/// What checks a thread's blocks, if that is asked for.
fn checker(
    shared: &StageContext<'_>,
    workload: &Workload,
    thread: &WorkloadThread,
    direct: bool,
    buffers: u32,
) -> Result<Option<Checker>, StageError> {
    let Some(verify) = workload.write_check() else {
        return Ok(None);
    };
    let (mut names, mut cached) = (Vec::new(), Vec::new());
    for file_use in uses(workload) {
        let Some(Target::File(file)) = shared.targets.get(file_use.target as usize) else {
            continue;
        };
        names.push(file.path().display().to_string());
        if !direct {
            let opened = TargetError::not_opened(file.path());
            cached.push(file.handle().try_clone().map_err(opened)?);
        }
    }
    // fio counts threads from 1.
    let number = shared.number(thread).saturating_add(1);
    let seed = pace_stream(mix64(shared.seed), thread.number as u64).next_u64();
    let verifier = Verifier::new(verify, number, names, seed);
    Ok(Some(Checker::new(workload, verifier, cached, buffers)))
}

/// Opening and closing files in turn is not done: the figures would be the same but
/// for what opening costs.
fn note_open_max(workload: &Workload, used: &mut BackendUse) {
    let count = workload.files.uses.len();
    if let Some(most) = workload.files.open_max
        && count > most as usize
    {
        used.notes.push(text!(
            "all {count} files are held open, not {most} at a time"
        ));
    }
}

/// Threads take the processors of the list in turn, or share all of them.
fn bind_to_cpus(workload: &Workload, index: u64) -> Result<(), StageError> {
    let count = workload.issuing.cpus.len() as u64;
    if count == 0 {
        return Ok(());
    }
    #[expect(clippy::cast_possible_truncation, reason = "below the list's length")]
    let own = (index % count) as usize;
    let cpus = match workload.issuing.cpu_policy {
        CpuPolicy::Split => &workload.issuing.cpus[own..=own],
        CpuPolicy::Shared => &workload.issuing.cpus[..],
    };
    let failed = |cpu: u32, source: std::io::Error| StageError::Cpu { cpu, source };
    let mut set = CpuSet::new();
    for cpu in cpus {
        if *cpu as usize >= CpuSet::MAX_CPU {
            return Err(failed(*cpu, std::io::ErrorKind::InvalidInput.into()));
        }
        set.set(*cpu as usize);
    }
    sched_setaffinity(None, &set).map_err(|errno| failed(cpus[0], errno.into()))
}
