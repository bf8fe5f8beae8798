//! From what is asked for to a plan: one stage per time span, one workload per thread and
//! target.

use sokudo_model::{Bytes, JobTargetKind, Method, Nanos, Plan, Span, Stage, Workload, narrow};

use crate::diskspd::session::{
    DiskspdRow, DiskspdSession, DiskspdSpan, DiskspdTarget, DiskspdTargetState,
};
use crate::language::host::{Host, HostPathKind};

use super::error::{DiskspdError, DiskspdProblem};
use super::read::DiskspdInvocation;
use super::workload::{DiskspdThread, workload};

pub static METHOD: sokudo_model::MethodKind = sokudo_model::MethodKind {
    name: "diskspd",
    command: "diskspd",
    is_named: false,
    traits: &[],
};

/// A command line that is ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskspdPlan {
    pub plan: Plan,
    /// What is to be printed of it.
    pub session: DiskspdSession,
    /// What it is done to; stages refer to these by index.
    pub targets: Vec<DiskspdTargetSpec>,
}

impl DiskspdPlan {
    /// Whether the user wants another seed each time (a bare `-z`).
    pub fn wants_random_seed(&self) -> bool {
        self.session
            .profile
            .spans
            .iter()
            .any(|span| span.random_seed)
    }

    /// Starts all chance from this seed.
    pub fn set_seed(&mut self, seed: u64) {
        self.plan.seed = seed;
        for span in &mut self.session.profile.spans {
            span.seed = seed;
        }
    }
}

/// A file or device that a plan is carried out on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskspdTargetSpec {
    pub path: String,
    /// What it is, or is to be.
    pub kind: JobTargetKind,
    /// How much of it there is, or is to be.
    pub bytes: Bytes,
    /// It is to be made with `bytes`, unless a file of that size or more is there (`-c`).
    pub create: bool,
    pub written: bool,
    pub read: bool,
}

impl DiskspdInvocation {
    /// The plan of this command line on this system.
    ///
    /// # Errors
    /// Names the target or option, what is wrong with it and the way out.
    pub fn plan(&self, host: &dyn Host) -> Result<DiskspdPlan, DiskspdError> {
        let mut session = self.session.clone();
        let mut targets = Vec::new();
        let mut stages = Vec::new();
        for (number, span) in self.session.profile.spans.iter().enumerate() {
            let uses = uses(span, &mut targets, host)?;
            let threads = threads(span, number);
            let mut workloads = Vec::new();
            for row in &threads {
                let processors = processors(span, row, host);
                let thread = DiskspdThread {
                    row,
                    uses: &uses,
                    processors,
                    layout: session.layout,
                };
                workloads.push(workload(span, &thread, host)?);
            }
            let cooldown = (span.cooldown_s > 0).then(|| cooldown(span, &workloads));
            stages.push(Stage { workloads });
            session.rows.extend(threads.iter().cloned());
            if let Some(stage) = cooldown {
                stages.push(stage);
                session
                    .rows
                    .extend(threads.into_iter().map(|row| DiskspdRow {
                        cooldown: true,
                        ..row
                    }));
            }
        }
        session.target_states = targets.iter().map(target_state).collect();
        let seed = session.profile.spans.first().map_or(0, |span| span.seed);
        let seeds = session.profile.spans.iter().map(|span| span.seed);
        if seeds.clone().any(|other| other != seed) {
            session.notes.push(format!(
                "The time spans have different seeds; all of them start from {seed}."
            ));
        }
        let plan = Plan {
            method: Method::new(&METHOD),
            seed,
            stages,
        };
        Ok(DiskspdPlan {
            plan,
            session,
            targets,
        })
    }
}

/// The load after the measurement.
fn cooldown(span: &DiskspdSpan, workloads: &[Workload]) -> Stage {
    let longer = |workload: &Workload| {
        let mut workload = workload.clone();
        workload.timing.ramp = Nanos(0);
        workload.limits.time = Some(Nanos::from_secs(u64::from(span.cooldown_s)));
        workload
    };
    Stage {
        workloads: workloads.iter().map(longer).collect(),
    }
}

fn target_state(target: &DiskspdTargetSpec) -> DiskspdTargetState {
    DiskspdTargetState {
        path: target.path.clone(),
        bytes: target.bytes,
        device: None,
        scheduler: None,
    }
}

/// What each target of a time span is: its index in the plan's targets and the part used.
fn uses(
    span: &DiskspdSpan,
    targets: &mut Vec<DiskspdTargetSpec>,
    host: &dyn Host,
) -> Result<Vec<(u32, Span)>, DiskspdError> {
    let mut uses = Vec::new();
    for target in &span.targets {
        let spec = spec(target, host)?;
        let used = used(target, spec.bytes, span.threads_on(target))?;
        let index = match targets.iter().position(|known| known.path == spec.path) {
            Some(index) => {
                let known = &mut targets[index];
                known.bytes = known.bytes.max(spec.bytes);
                known.create |= spec.create;
                known.written |= spec.written;
                known.read |= spec.read;
                index
            }
            None => {
                targets.push(spec);
                targets.len() - 1
            }
        };
        uses.push((narrow(index), used));
    }
    Ok(uses)
}

fn spec(target: &DiskspdTarget, host: &dyn Host) -> Result<DiskspdTargetSpec, DiskspdError> {
    let path = &target.path;
    let refuse = |problem| Err(DiskspdError::new(path, problem));
    let found = host.found(path);
    let is_file = found.is_none_or(|found| found.kind == HostPathKind::File);
    let (kind, bytes) = match (virtual_kind(path), found, target.create) {
        (Some(kind), _, Some(bytes)) => (kind, bytes),
        (None, None, _) | (None, _, Some(_)) if is_file && is_of_windows(path) => {
            return refuse(DiskspdProblem::WindowsTarget);
        }
        (None, _, Some(bytes)) if is_file => (JobTargetKind::File, bytes),
        (_, None, _) | (Some(_), ..) => return refuse(DiskspdProblem::NoFile),
        (None, Some(found), create) => match (found.kind, create) {
            (HostPathKind::File, _) => (JobTargetKind::File, found.bytes),
            (HostPathKind::BlockDevice, None) => (JobTargetKind::BlockDevice, found.bytes),
            (HostPathKind::BlockDevice, _) => return refuse(DiskspdProblem::CreateDevice),
            _ => return refuse(DiskspdProblem::NotMeasurable),
        },
    };
    Ok(DiskspdTargetSpec {
        path: path.clone(),
        kind,
        bytes,
        create: target.create.is_some(),
        written: target.write_percent > 0,
        read: target.write_percent < 100,
    })
}

/// What is no file but one of sokudo's own targets.
fn virtual_kind(path: &str) -> Option<JobTargetKind> {
    if path.starts_with("null:") {
        Some(JobTargetKind::Null)
    } else if path.starts_with("sim:") {
        Some(JobTargetKind::Simulated)
    } else {
        None
    }
}

/// `#1`, `c:` and `C:\file` name disks and files of Windows.
fn is_of_windows(path: &str) -> bool {
    let mut letters = path.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some('#'), Some(digit), None) => digit.is_ascii_digit(),
        (Some(drive), Some(':'), None | Some('\\')) => drive.is_ascii_alphabetic(),
        _ => path.starts_with("\\\\"),
    }
}

/// The part of a target from `-B` to `-f`.
fn used(target: &DiskspdTarget, bytes: Bytes, threads: u32) -> Result<Span, DiskspdError> {
    let end = target.max.unwrap_or(bytes);
    let refuse = |problem| Err(DiskspdError::new(&target.path, problem));
    if end > bytes {
        return refuse(DiskspdProblem::BeyondEnd { end, bytes });
    }
    let length = end.0.saturating_sub(target.base.0);
    let last = u64::from(threads.saturating_sub(1));
    let start = target.thread_stride.0.saturating_mul(last);
    if length.saturating_sub(start) < target.block.0 {
        return refuse(DiskspdProblem::TooSmall {
            bytes: Bytes(length),
            start: Bytes(start),
            block: target.block,
        });
    }
    Ok(Span {
        offset: target.base,
        length: Bytes(length),
    })
}

/// The threads of a time span, each with its target or targets.
fn threads(span: &DiskspdSpan, number: usize) -> Vec<DiskspdRow> {
    let all = 0..narrow(span.targets.len());
    let row = |first: u32, own: u32, threads: u32, targets: Vec<u32>| DiskspdRow {
        span: narrow(number),
        thread: first + own,
        thread_of_target: own,
        threads,
        targets,
        cooldown: false,
    };
    // Threads with one position for all of them are one workload.
    let shared = |target: u32| {
        let target = &span.targets[target as usize];
        target.interlocked && target.random_percent == 0
    };
    let mut rows = Vec::new();
    if span.thread_count == 0 {
        let mut first = 0;
        for target in all {
            let count = span.targets[target as usize].threads;
            match shared(target) {
                true => rows.push(row(first, 0, count, vec![target])),
                false => rows.extend((0..count).map(|own| row(first, own, 1, vec![target]))),
            }
            first += count;
        }
        return rows;
    }
    let count = span.thread_count;
    if span.request_count > 0 && all.len() > 1 {
        let targets: Vec<u32> = all.collect();
        return (0..count)
            .map(|own| row(0, own, 1, targets.clone()))
            .collect();
    }
    let (together, apart): (Vec<u32>, Vec<u32>) = all.partition(|target| shared(*target));
    rows.extend(
        together
            .into_iter()
            .map(|target| row(0, 0, count, vec![target])),
    );
    for own in 0..count {
        rows.extend(apart.iter().map(|target| row(0, own, 1, vec![*target])));
    }
    rows
}

/// The processors of a row's threads: one each, in turn.
fn processors(span: &DiskspdSpan, row: &DiskspdRow, host: &dyn Host) -> Vec<u32> {
    if span.disable_affinity {
        return Vec::new();
    }
    let all = match span.affinity.is_empty() {
        true => host.processor_numbers(),
        false => span.affinity.clone(),
    };
    if all.is_empty() {
        return Vec::new();
    }
    let of = |thread: u32| all[thread as usize % all.len()];
    (row.thread..row.thread + row.threads).map(of).collect()
}
