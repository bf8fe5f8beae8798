//! Whether a run is a good witness of its device: made on an idle machine, to its end, by
//! sokudo, and no lie. The evidence is in the run.

use sokudo_model::{Severity, TargetKind, Verdict};
use sokudo_report::RunDocument;

/// Findings that say that something else than the device slowed it down.
const CODES: [&str; 4] = [
    "foreign-io",
    "throttled-by-heat",
    "throttled-by-cgroup",
    "array-degraded",
];

/// Processes that were ready to run before it, per processor, from which on they take
/// processor time that I/O needs; and so many at least, because one is what the shell or
/// the run before has left.
const LOAD_PER_PROCESSOR_MAX: f64 = 0.5;
const LOAD_MIN: f64 = 1.0;

/// The share of the run for which somebody waited for memory, or that the hypervisor gave
/// to others, from which on figures suffer.
const WAIT_SHARE_MAX: f64 = 0.05;

/// Why a run is no good measure of what its device can do, in sentences without a full
/// stop. `was_idle`: the machine has been seen to be idle just before, so that the load
/// average, which remembers minutes, tells nothing.
pub(crate) fn doubts(run: &RunDocument, was_idle: bool) -> Vec<String> {
    let mut doubts = Vec::new();
    if run.interrupted {
        doubts.push("it was interrupted".to_owned());
    }
    let is_invalid = |verdict| verdict == Some(Verdict::Invalid);
    if let Some(row) = run.results.iter().find(|row| is_invalid(row.verdict)) {
        let code = row
            .findings
            .first()
            .map_or("unknown", |it| it.code.as_str());
        doubts.push(format!("{} is INVALID ({code})", row.name));
    }
    if run.results.iter().all(|row| row.trials.is_empty()) {
        doubts.push("nothing was measured".to_owned());
    }
    doubts.extend(disturbances(run, was_idle));
    doubts
}

/// What else used the machine or held the device back.
pub(crate) fn disturbances(run: &RunDocument, was_idle: bool) -> Vec<String> {
    let of_rows = run.results.iter().flat_map(|row| &row.findings);
    let mut told: Vec<&str> = Vec::new();
    let mut disturbances = Vec::new();
    for finding in run.findings.iter().chain(of_rows) {
        let code = finding.code.as_str();
        let is_doubt = finding.severity > Severity::Info && CODES.contains(&code);
        if is_doubt && !told.contains(&code) {
            told.push(code);
            disturbances.push(format!("{} ({code})", finding.symptom));
        }
    }
    let is_real = !matches!(run.target.kind, TargetKind::Simulated | TargetKind::Null);
    if is_real && !was_idle {
        disturbances.extend(load(run));
    }
    if is_real {
        disturbances.extend(waits(run));
    }
    disturbances
}

fn load(run: &RunDocument) -> Option<String> {
    let load = run.environment.load_average?;
    let most = (f64::from(run.environment.cpus) * LOAD_PER_PROCESSOR_MAX).max(LOAD_MIN);
    (load > most).then(|| {
        format!(
            "{load:.1} processes were ready to run on {} processors in the minute before",
            run.environment.cpus
        )
    })
}

fn waits(run: &RunDocument) -> Vec<String> {
    let Some(pressure) = run.circumstances.pressure else {
        return Vec::new();
    };
    let elapsed = pressure.elapsed.as_secs_f64();
    let share = |time: Option<sokudo_model::Nanos>, of: f64| {
        let share = time?.as_secs_f64() / of;
        (of > 0.0 && share > WAIT_SHARE_MAX).then_some(share * 100.0)
    };
    let memory = share(pressure.memory, elapsed)
        .map(|share| format!("somebody waited for memory for {share:.0} % of the run"));
    let of_processors = elapsed * f64::from(run.environment.cpus.max(1));
    let stolen = share(pressure.stolen, of_processors).map(|share| {
        format!("the hypervisor gave {share:.0} % of the processor time to other machines")
    });
    memory.into_iter().chain(stolen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Finding, Nanos, Plan, Pressure, Run, Schedule, TargetInfo};

    fn document(change: impl FnOnce(&mut RunDocument)) -> RunDocument {
        let plan = Plan {
            method: "mark/default".to_owned(),
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
            symptom: "others moved 12 MB".to_owned(),
            cause: String::new(),
            remedy: String::new(),
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
        let told = disturbances(&document(loaded), false);
        assert!(told[0].contains("2.1 processes"), "{told:?}");
        assert_eq!(disturbances(&document(loaded), true), [""; 0]);
        let simulated = |run: &mut RunDocument| {
            run.target.kind = TargetKind::Simulated;
            run.environment.load_average = Some(99.0);
        };
        assert_eq!(disturbances(&document(simulated), false), [""; 0]);
        let foreign = |run: &mut RunDocument| {
            run.findings = vec![finding("foreign-io", Severity::Warning); 2];
        };
        let told = disturbances(&document(foreign), false);
        assert_eq!(told, ["others moved 12 MB (foreign-io)"]);
    }

    #[test]
    fn time_that_others_got_is_told_as_a_share() {
        let waiting = |run: &mut RunDocument| {
            run.circumstances.pressure = Some(Pressure {
                elapsed: Nanos::from_secs(10),
                memory: Some(Nanos::from_secs(1)),
                stolen: Some(Nanos::from_secs(4)),
                ..Pressure::default()
            });
        };
        let told = disturbances(&document(waiting), true);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(
            told[0].contains("10 %") && told[1].contains("10 %"),
            "{told:?}"
        );
    }

    #[test]
    fn what_was_not_measured_to_its_end_is_no_witness() {
        let cut = |run: &mut RunDocument| run.interrupted = true;
        let told = doubts(&document(cut), false);
        assert_eq!(told, ["it was interrupted", "nothing was measured"]);
    }
}
