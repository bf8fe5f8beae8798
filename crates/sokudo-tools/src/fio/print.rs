//! A plan as a job file that fio runs unchanged, and as command lines.
//!
//! What fio will do otherwise than sokudo stands above a job file in sentences, beside
//! the nearest that fio can do in the jobs. Stages without workloads are left out, for
//! fio's language has no words for them.

mod words;

use std::fmt::Write as _;

use sokudo_model::{BackendKind, DirectMode, Operation, Order, Plan, SequentialOffset, Workload};
use words::{one_line, options, takes_whole_percentages};

use crate::language::{quoted, size_text};

use super::target::JobFileTarget;

/// `randseed` is a signed number to fio 3.33.
const SEED_MAX: u64 = i64::MAX as u64;

/// The job that removes the test file when the last stage cannot.
const REMOVE_FILE: [&str; 5] = ["rw=read", "bs=512", "size=512", "ioengine=null", UNLINK];
const UNLINK: &str = "unlink=1";

/// Prints `plan` as a job file for `place`. Times are rounded up to fio's microsecond.
///
/// Jobs that would write are left out, with a comment, if the place is read-only.
pub fn render(plan: &Plan, target: &JobFileTarget) -> String {
    let jobs = PrintedPlan::new(plan, target);
    let mut text = header(plan, target);
    for name in &jobs.left_out {
        let _ = writeln!(text, "; {name} is left out: it would write.");
    }
    text += "\n[global]\n";
    add_lines(&mut text, &jobs.global);
    for (index, stage) in jobs.stages.iter().enumerate() {
        for (number, job) in stage.iter().enumerate() {
            let _ = write!(text, "\n[{}]\n", job.section);
            if index > 0 && number == 0 {
                text += "stonewall\n";
            }
            add_lines(&mut text, &job.options);
        }
    }
    text
}

/// Command lines for a shell that run `plan` on `place`, one per stage, to be run one
/// after the other: what [`render`] prints as a job file.
pub fn command_lines(plan: &Plan, target: &JobFileTarget) -> Vec<String> {
    let jobs = PrintedPlan::new(plan, target);
    let mut common = "fio".to_owned();
    if target.read_only {
        common += " --readonly";
    }
    add_words(&mut common, &jobs.global);
    let line = |stage: &Vec<PrintedJob>| {
        let mut line = common.clone();
        for job in stage {
            let _ = write!(line, " --name={}", job.section);
            add_words(&mut line, &job.options);
        }
        line
    };
    jobs.stages.iter().map(line).collect()
}

fn add_lines(text: &mut String, options: &[String]) {
    for option in options {
        text.push_str(option);
        text.push('\n');
    }
}

fn add_words(line: &mut String, options: &[String]) {
    for option in options {
        line.push(' ');
        line.push_str(&quoted(&format!("--{option}")));
    }
}

/// A plan as fio's jobs, with options such as `bs=4k`.
struct PrintedPlan {
    /// What holds for all.
    global: Vec<String>,
    /// Jobs that run together, stage by stage.
    stages: Vec<Vec<PrintedJob>>,
    /// Jobs that would write where nothing may be written.
    left_out: Vec<String>,
}

struct PrintedJob {
    section: String,
    options: Vec<String>,
    threads: u32,
}

impl PrintedPlan {
    fn new(plan: &Plan, target: &JobFileTarget) -> Self {
        let is_left_out = |w: &&Workload| target.read_only && w.operations.changes_data();
        let job = |workload: &Workload| PrintedJob {
            section: section_name(workload),
            options: options(workload),
            threads: workload.threads,
        };
        let stages = plan.stages.iter().map(|stage| {
            let kept = stage.workloads.iter().filter(|w| !is_left_out(w));
            kept.map(job).collect::<Vec<_>>()
        });
        let mut stages: Vec<_> = stages.filter(|stage| !stage.is_empty()).collect();
        if target.is_own_file() {
            remove_file_at_end(&mut stages);
        }
        let common = take_common(&mut stages);
        let seed = plan.seed.min(SEED_MAX);
        let mut global = target.options();
        global.extend(target.size.map(|size| format!("size={}", size_text(size))));
        global.push(format!("randseed={seed}"));
        let fixed = [
            "randrepeat=0",
            "invalidate=1",
            "thread=1",
            "group_reporting=1",
        ];
        global.extend(fixed.map(str::to_owned));
        global.extend(common);
        let left_out = workloads(plan).filter(is_left_out).map(section_name);
        Self {
            left_out: left_out.collect(),
            global,
            stages,
        }
    }
}

fn workloads(plan: &Plan) -> impl Iterator<Item = &Workload> {
    plan.stages.iter().flat_map(|stage| &stage.workloads)
}

/// Has the last job remove the test file. fio removes it when the first thread of
/// a stage ends, and a thread that starts late then fails with "No such file"
/// (fio 3.33, in 1 of 15 runs): where several run together, one more job does it.
fn remove_file_at_end(stages: &mut Vec<Vec<PrintedJob>>) {
    match stages.last_mut().map(Vec::as_mut_slice) {
        None => {}
        Some([job]) if job.threads == 1 => job.options.push(UNLINK.to_owned()),
        Some(_) => stages.push(vec![PrintedJob {
            section: "REMOVE_TEST_FILE".to_owned(),
            options: REMOVE_FILE.map(str::to_owned).to_vec(),
            threads: 1,
        }]),
    }
}

/// Takes out what all jobs say alike, and `[global]` can say once.
fn take_common(stages: &mut [Vec<PrintedJob>]) -> Vec<String> {
    let jobs: Vec<&PrintedJob> = stages.iter().flatten().collect();
    let [first, others @ ..] = &jobs[..] else {
        return Vec::new();
    };
    if others.is_empty() {
        return Vec::new();
    }
    let everywhere = |option: &&String| others.iter().all(|job| job.options.contains(option));
    let common: Vec<String> = first.options.iter().filter(everywhere).cloned().collect();
    for job in stages.iter_mut().flatten() {
        job.options.retain(|option| !common.contains(option));
    }
    common
}

fn header(plan: &Plan, target: &JobFileTarget) -> String {
    let mut text = String::new();
    let method = one_line(&plan.method.to_string());
    let _ = writeln!(
        text,
        "; What sokudo measures as {method}, for fio: fio THIS-FILE"
    );
    text += "; sokudo repeats every job in several short trials, the jobs in turn, and\n";
    text += "; reports their median; fio runs each job once.\n";
    for difference in differences(plan) {
        let _ = writeln!(text, "; {difference}");
    }
    if plan.seed > SEED_MAX {
        let seed = plan.seed;
        let _ = writeln!(
            text,
            "; sokudo's seed is {seed}, too large for fio's randseed."
        );
    }
    if target.read_only {
        text += "; The target is not to be written: run it as fio --readonly THIS-FILE\n";
    }
    text
}

/// Where fio will do something else than sokudo, in whole sentences.
fn differences(plan: &Plan) -> Vec<&'static str> {
    let any = |test: fn(&Workload) -> bool| workloads(plan).any(test);
    let mut found = Vec::new();
    if any(|w| w.threads > 1 && is_interlocked(w)) {
        found
            .push("fio has no position that threads share: each of them walks the file by itself.");
    }
    if any(|w| w.backend == BackendKind::Auto) {
        found.push("sokudo falls back to libaio where io_uring is not allowed; fio does not.");
    }
    if any(|w| w.direct == DirectMode::Auto) {
        found.push("sokudo reads through the cache, and says so, where direct=1 is not possible.");
    }
    if any(|w| w.backend == BackendKind::Sim) {
        found.push("fio has no simulated device: null stands in its place.");
    }
    if any(|w| !takes_whole_percentages(&w.blocks)) {
        found.push("fio mixes block sizes by whole percentages: they are rounded.");
    }
    if any(|w| w.limits.time.is_none() && w.limits.bytes.is_none()) {
        found.push("fio stops after a day where sokudo runs until it is stopped.");
    }
    if any(|w| w.operations.percent(Operation::Flush) > 0) {
        found.push("fio has no job that only flushes: it reads instead.");
    }
    found
}

/// `SEQ1M_Q8T1_READ`: the workload's name in letters that any tool takes.
fn section_name(workload: &Workload) -> String {
    let letter = |c: char| match c {
        'A'..='Z' | 'a'..='z' | '0'..='9' | '-' | '.' => c,
        _ => '_',
    };
    // `fsync=16` is read as well without its sign.
    let name = workload.name.trim().chars().filter(|c| *c != '=');
    let name: String = name.map(letter).collect();
    format!("{name}_{}", workload.operations.direction().to_uppercase())
}

fn is_interlocked(workload: &Workload) -> bool {
    let offset = SequentialOffset::Interlocked;
    workload.order == Order::Sequential { offset }
}
