//! A plan as a job file that fio runs unchanged.
//!
//! Names lose blanks at their ends, and stages without workloads are left out,
//! for the language has no words for them.

use std::fmt::Write as _;

use sokudo_model::{BackendKind, DirectMode, Operation, Order, Plan, SequentialOffset, Workload};

use super::options::SEED_MAX;
use super::phrase::{Setting, one_line, settings};
use super::place::Place;

/// The job that removes the test file when the last stage cannot.
const REMOVE_FILE: [&str; 6] = [
    "; sokudo: job=remove-file",
    "rw=read",
    "bs=512",
    "size=512",
    "ioengine=null",
    UNLINK,
];
const UNLINK: &str = "unlink=1";

/// Prints `plan` as a job file for `place`, which [`parse`](super::parse()) reads
/// back as an equal plan. What fio cannot express stands in pragmas, beside the
/// nearest that it can; times are rounded up to fio's microsecond.
///
/// Jobs that would write are left out, with a comment, if the place is read-only.
pub fn render(plan: &Plan, place: &Place) -> String {
    let mut stages = jobs(plan, place);
    if place.is_own_file() {
        remove_file_at_end(&mut stages);
    }
    let all: Vec<&Job> = stages.iter().flatten().collect();
    let common = common_settings(&all);
    let mut text = header(plan, place);
    text += "\n[global]\n";
    let seed = plan.seed.min(SEED_MAX);
    let fixed = [
        format!("randseed={seed}"),
        "randrepeat=0".to_owned(),
        "invalidate=1".to_owned(),
        "thread=1".to_owned(),
        "group_reporting=1".to_owned(),
    ];
    for line in place.lines().iter().chain(&fixed).chain(&common) {
        text += line;
        text.push('\n');
    }
    for (index, stage) in stages.iter().enumerate() {
        write_stage(&mut text, stage, index > 0, &common);
    }
    text
}

/// Has the last job remove the test file. fio removes it when the first clone of
/// a stage ends, and a clone that starts late then fails with "No such file"
/// (fio 3.33, in 1 of 15 runs): where several run together, one more job does it.
fn remove_file_at_end(stages: &mut Vec<Vec<Job>>) {
    match stages.last_mut().map(Vec::as_mut_slice) {
        None => {}
        Some([job]) if job.clones == 1 => job.settings.push(UNLINK.to_owned()),
        Some(_) => stages.push(vec![Job {
            section: "REMOVE_TEST_FILE".to_owned(),
            settings: REMOVE_FILE.map(str::to_owned).to_vec(),
            clones: 1,
            left_out: false,
        }]),
    }
}

/// A job of the file, or the reason why it is not one.
struct Job {
    section: String,
    settings: Vec<Setting>,
    clones: u32,
    left_out: bool,
}

fn jobs(plan: &Plan, place: &Place) -> Vec<Vec<Job>> {
    let workloads = || plan.stages.iter().flat_map(|stage| &stage.workloads);
    let has_spans = workloads().any(|workload| workload.span.is_some());
    let job = |workload: &Workload| Job {
        section: section_name(workload),
        settings: settings(workload, has_spans),
        clones: workload.clones,
        left_out: place.read_only && workload.operations.changes_data(),
    };
    let stages = plan.stages.iter();
    let stages = stages.map(|stage| stage.workloads.iter().map(job).collect::<Vec<_>>());
    stages.filter(|stage| !stage.is_empty()).collect()
}

/// What all jobs say alike, and `[global]` can say once.
fn common_settings(jobs: &[&Job]) -> Vec<Setting> {
    match jobs {
        [] | [_] => Vec::new(),
        [first, others @ ..] => {
            let everywhere =
                |setting: &&Setting| others.iter().all(|job| job.settings.contains(setting));
            first.settings.iter().filter(everywhere).cloned().collect()
        }
    }
}

fn write_stage(text: &mut String, stage: &[Job], wait: bool, common: &[Setting]) {
    let mut first = wait;
    for job in stage {
        if job.left_out {
            let _ = write!(text, "\n; {} is left out: it would write.\n", job.section);
            continue;
        }
        let _ = write!(text, "\n[{}]\n", job.section);
        if std::mem::take(&mut first) {
            text.push_str("stonewall\n");
        }
        for setting in job.settings.iter().filter(|s| !common.contains(s)) {
            text.push_str(setting);
            text.push('\n');
        }
    }
}

fn header(plan: &Plan, place: &Place) -> String {
    let mut text = String::new();
    let method = one_line(&plan.method);
    let _ = writeln!(
        text,
        "; What sokudo measures as {method}, for fio: fio THIS-FILE"
    );
    text += "; sokudo repeats every job in several short trials, the jobs in turn, and\n";
    text += "; reports their median; fio runs each job once.\n";
    for difference in differences(plan) {
        let _ = writeln!(text, "; {difference}");
    }
    if place.read_only {
        text += "; The target is not to be written: run it as fio --readonly THIS-FILE\n";
    }
    let _ = writeln!(text, "; sokudo: method={method}");
    if plan.seed > SEED_MAX {
        let _ = writeln!(text, "; sokudo: seed={}", plan.seed);
    }
    text
}

/// Where fio will do something else than sokudo, in whole sentences.
fn differences(plan: &Plan) -> Vec<&'static str> {
    let workloads: Vec<_> = plan
        .stages
        .iter()
        .flat_map(|stage| &stage.workloads)
        .collect();
    let any = |test: fn(&Workload) -> bool| workloads.iter().any(|workload| test(workload));
    let mut found = Vec::new();
    if any(|w| w.clones > 1 && is_interlocked(w)) {
        found.push("fio has no position that clones share: each of them walks the file by itself.");
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
    let name: String = workload.name.trim().chars().map(letter).collect();
    format!("{name}_{}", workload.operations.direction().to_uppercase())
}

fn is_interlocked(workload: &Workload) -> bool {
    let offset = SequentialOffset::Interlocked;
    workload.order == Order::Sequential { offset }
}
