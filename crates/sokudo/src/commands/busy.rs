//! Whether a run is a good witness of its device: made on an idle machine, to its end, by
//! sokudo, and no lie. The evidence is in the run.

use sokudo_analysis::Code;
use sokudo_model::{Finding, Severity, TargetKind, Verdict};
use sokudo_report::RunDocument;
use sokudo_report::comparison::row_name;
use sokudo_words::{Text, text};

/// Findings that say that somebody else was there. Rows are measured by turns, so that who is
/// seen beside one of them was there beside the others, too, however little of it shows.
const OF_OTHERS: [&str; 2] = ["foreign-io", "processor-refused"];

/// Findings that say that something held the device back.
const OF_DEVICE: [&str; 3] = ["throttled-by-heat", "throttled-by-cgroup", "array-degraded"];

/// Processes that were ready to run before it, per processor, from which on they take
/// processor time that I/O needs; and so many at least, because one is what the shell or
/// the run before has left.
const LOAD_PER_PROCESSOR_MAX: f64 = 0.5;
const LOAD_MIN: f64 = 1.0;

/// The share of the run for which somebody waited for memory, or that the hypervisor gave
/// to others, from which on figures suffer.
const WAIT_SHARE_MAX: f64 = 0.05;

/// The share of the processors' time that other programs used, from which on I/O waits for a
/// processor now and then: what an idle machine is allowed, too ([`crate::commands::idle`]).
const OTHERS_SHARE_MAX: f64 = 0.2;

/// Why a run is no good measure of what its device can do, in sentences without a full
/// stop. `was_idle`: the machine has been seen to be idle just before, so that the load
/// average, which remembers minutes, tells nothing.
pub(crate) fn doubts(run: &RunDocument, was_idle: bool) -> Vec<Text> {
    let mut doubts = Vec::new();
    if run.interrupted {
        doubts.push(text!("it was interrupted"));
    }
    let is_meant_so = |finding: &Finding| finding.code == Code::CachedOnPurpose.name();
    let invalid = run
        .results
        .iter()
        .find(|row| row.verdict == Some(Verdict::Invalid) && !row.findings.iter().any(is_meant_so));
    if let Some(row) = invalid {
        let code = row
            .findings
            .first()
            .map_or("unknown", |it| it.code.as_str());
        doubts.push(text!("{} is INVALID ({code})", row.name));
    }
    if run.results.iter().all(|row| row.trials.is_empty()) {
        doubts.push(text!("nothing was measured"));
    }
    doubts.extend(disturbances(run, was_idle));
    doubts
}

/// What else used the machine or held the device back.
pub(crate) fn disturbances(run: &RunDocument, was_idle: bool) -> Vec<Text> {
    let of_rows = run.results.iter().flat_map(|row| &row.findings);
    let mut codes: Vec<&str> = Vec::new();
    let mut disturbances = Vec::new();
    for finding in run.findings.iter().chain(of_rows) {
        let code = finding.code.as_str();
        if is_disturbance(finding) && !codes.contains(&code) {
            codes.push(code);
            disturbances.push(text!("{} ({code})", finding.symptom));
        }
    }
    disturbances.extend(of_machine(run, was_idle));
    disturbances
}

/// The rows whose figures are what the processor could ask for, and not what the device could
/// give, by their names in a comparison, each with what says so. As a baseline such a row is
/// good: a device that has become slower than that shows.
pub(crate) fn limited_rows(run: &RunDocument) -> Vec<(String, &Text)> {
    let rows = run.results.iter();
    rows.filter_map(|row| {
        let mut findings = row.findings.iter();
        let limit = findings.find(|finding| finding.code == Code::TesterLimited.name())?;
        Some((row_name(row), &limit.symptom))
    })
    .collect()
}

/// The rows that something else has disturbed, by their names in a comparison: all of them
/// where it was somebody else, the machine, or a thing that is told of the run.
pub(crate) fn disturbed_rows(run: &RunDocument, was_idle: bool) -> Vec<String> {
    let rows = run.results.iter();
    let of_rows = rows.clone().flat_map(|row| &row.findings);
    let is_all = run.findings.iter().any(is_disturbance)
        || of_rows
            .into_iter()
            .any(|finding| is_one_of(&OF_OTHERS, finding))
        || !of_machine(run, was_idle).is_empty();
    rows.filter(|row| is_all || row.findings.iter().any(is_disturbance))
        .map(row_name)
        .collect()
}

fn is_disturbance(finding: &Finding) -> bool {
    is_one_of(&OF_OTHERS, finding) || is_one_of(&OF_DEVICE, finding)
}

fn is_one_of(codes: &[&str], finding: &Finding) -> bool {
    finding.severity > Severity::Info && codes.contains(&finding.code.as_str())
}

/// What the whole machine did, which nobody can tell by the device.
fn of_machine(run: &RunDocument, was_idle: bool) -> Vec<Text> {
    if matches!(run.target.kind, TargetKind::Simulated | TargetKind::Null) {
        return Vec::new();
    }
    let load = match was_idle {
        true => None,
        false => load(run.environment.load_average, run.environment.cpus),
    };
    load.into_iter()
        .chain(waits(run))
        .chain(others(run))
        .collect()
}

/// The load of the minute before, if it is one.
pub(crate) fn load(average: Option<f64>, cpus: u32) -> Option<Text> {
    let load = average?;
    let most = (f64::from(cpus) * LOAD_PER_PROCESSOR_MAX).max(LOAD_MIN);
    (load > most)
        .then(|| text!("{load:.1} processes were ready to run on {cpus} CPUs in the minute before"))
}

/// Programs that computed beside the run. What serves a file system of programs is one of
/// them, and belongs to what is measured.
fn others(run: &RunDocument) -> Option<Text> {
    let system = run.target.file_system.as_ref();
    if system.is_some_and(|system| system.kind.starts_with("fuse")) {
        return None;
    }
    let pressure = run.conditions.pressure?;
    let all = pressure.elapsed.as_secs_f64() * f64::from(run.environment.cpus.max(1));
    let share = pressure.others?.as_secs_f64() / all;
    (all > 0.0 && share > OTHERS_SHARE_MAX).then(|| {
        text!(
            "other programs used {:.0} % of the CPUs' time",
            share * 100.0
        )
    })
}

fn waits(run: &RunDocument) -> Vec<Text> {
    let Some(pressure) = run.conditions.pressure else {
        return Vec::new();
    };
    let elapsed = pressure.elapsed.as_secs_f64();
    let share = |time: Option<sokudo_model::Nanos>, of: f64| {
        let share = time?.as_secs_f64() / of;
        (of > 0.0 && share > WAIT_SHARE_MAX).then_some(share * 100.0)
    };
    let memory = share(pressure.memory, elapsed)
        .map(|share| text!("processes waited for memory during {share:.0} % of the run"));
    let of_processors = elapsed * f64::from(run.environment.cpus.max(1));
    let stolen = share(pressure.stolen, of_processors)
        .map(|share| text!("the hypervisor gave {share:.0} % of the CPU time to other machines"));
    memory.into_iter().chain(stolen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{
        Bytes, Finding, Nanos, Plan, Pressure, Row, Run, Schedule, TargetInfo, Workload,
    };

    fn document(change: impl FnOnce(&mut RunDocument)) -> RunDocument {
        let plan = Plan {
            method: "mark/default".into(),
            seed: 1,
            stages: Vec::new(),
        };
        let target = TargetInfo::new("/mnt/a", TargetKind::Directory);
        let run = Run::new(plan, Schedule::in_turn(6, Nanos(0)), target);
        let mut document = RunDocument::from_run(&run);
        document.environment.cpus = 4;
        change(&mut document);
        document
    }

    fn finding(code: &str, severity: Severity) -> Finding {
        Finding {
            code: code.to_owned(),
            severity,
            symptom: "others moved 12 MB".into(),
            cause: "".into(),
            remedy: "".into(),
        }
    }

    #[test]
    fn an_idle_machine_disturbs_nothing() {
        assert_eq!(disturbances(&document(|_| ()), false), [""; 0]);
        let light = |run: &mut RunDocument| run.environment.load_average = Some(1.9);
        assert_eq!(disturbances(&document(light), false), [""; 0]);
        let info = |run: &mut RunDocument| {
            run.findings = vec![finding("foreign-io", Severity::Info)];
        };
        assert_eq!(disturbances(&document(info), false), [""; 0]);
    }

    #[test]
    fn load_and_other_io_are_told_once_each() {
        let loaded = |run: &mut RunDocument| run.environment.load_average = Some(2.1);
        let sentences = disturbances(&document(loaded), false);
        assert!(
            sentences[0].english().contains("2.1 processes"),
            "{sentences:?}"
        );
        assert_eq!(disturbances(&document(loaded), true), [""; 0]);
        let simulated = |run: &mut RunDocument| {
            run.target.kind = TargetKind::Simulated;
            run.environment.load_average = Some(99.0);
        };
        assert_eq!(disturbances(&document(simulated), false), [""; 0]);
        let foreign = |run: &mut RunDocument| {
            run.findings = vec![finding("foreign-io", Severity::Warning); 2];
        };
        let sentences = disturbances(&document(foreign), false);
        assert_eq!(sentences, ["others moved 12 MB (foreign-io)"]);
    }

    /// Two rows, of which the first has this finding.
    fn rows_with(code: &str) -> RunDocument {
        let plan = Plan {
            method: "mark/default".into(),
            seed: 1,
            stages: Vec::new(),
        };
        let target = TargetInfo::new("/mnt/a", TargetKind::Directory);
        let mut run = Run::new(plan, Schedule::in_turn(6, Nanos(0)), target);
        run.rows = ["a", "b"]
            .map(|name| Row::new(Workload::new(name, Bytes::kib(4))))
            .into();
        let mut document = RunDocument::from_run(&run);
        document.results[0].findings = vec![finding(code, Severity::Warning)];
        document
    }

    #[test]
    fn who_is_seen_beside_one_row_was_there_beside_the_others() {
        for code in ["foreign-io", "processor-refused"] {
            let rows = disturbed_rows(&rows_with(code), true);
            assert_eq!(rows.len(), 2, "{code}");
        }
        let rows = disturbed_rows(&rows_with("throttled-by-cgroup"), true);
        assert_eq!(rows.len(), 1);
        assert_eq!(disturbed_rows(&rows_with("unsteady"), true), [""; 0]);
    }

    #[test]
    fn a_row_that_the_processor_limits_is_a_baseline_and_no_judgement() {
        let run = rows_with("tester-limited");
        assert_eq!(disturbances(&run, true), [""; 0]);
        let limited = limited_rows(&run);
        assert_eq!(limited.len(), 1);
        assert!(limited[0].0.starts_with('a'), "{limited:?}");
    }

    #[test]
    fn time_that_others_got_is_told_as_a_share() {
        let waiting = |run: &mut RunDocument| {
            run.conditions.pressure = Some(Pressure {
                elapsed: Nanos::from_secs(10),
                memory: Some(Nanos::from_secs(1)),
                stolen: Some(Nanos::from_secs(4)),
                ..Pressure::default()
            });
        };
        let sentences = disturbances(&document(waiting), true);
        assert_eq!(sentences.len(), 2, "{sentences:?}");
        assert!(
            sentences.iter().all(|it| it.english().contains("10 %")),
            "{sentences:?}"
        );
    }

    fn with_others(run: &mut RunDocument, millis: u64) {
        run.conditions.pressure = Some(Pressure {
            elapsed: Nanos::from_secs(10),
            others: Some(Nanos::from_millis(millis)),
            ..Pressure::default()
        });
    }

    #[test]
    fn what_other_programs_computed_meanwhile_is_told_and_disturbs_every_row() {
        let busy = document(|run| with_others(run, 10_000));
        let sentences = disturbances(&busy, true);
        assert_eq!(
            sentences,
            ["other programs used 25 % of the CPUs' time"],
            "four processors in 10 s have 40 s"
        );
        assert_eq!(
            disturbances(&document(|run| with_others(run, 7_000)), true),
            [""; 0]
        );
        let served = document(|run| {
            with_others(run, 10_000);
            run.target.file_system = Some(sokudo_model::FileSystem {
                kind: "fuseblk".to_owned(),
                mount_point: "/mnt".to_owned(),
                mount_options: Vec::new(),
                source: "/dev/sda1".to_owned(),
                total_bytes: None,
                available_bytes: None,
                uuid: None,
                level: None,
                memory_below: None,
            });
        });
        assert_eq!(disturbances(&served, true), [""; 0]);
    }

    #[test]
    fn what_was_not_measured_to_its_end_is_no_witness() {
        let cut = |run: &mut RunDocument| run.interrupted = true;
        let sentences = doubts(&document(cut), false);
        assert_eq!(sentences, ["it was interrupted", "nothing was measured"]);
    }
}
