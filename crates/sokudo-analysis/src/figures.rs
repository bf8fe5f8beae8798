//! Judges runs of which only the figures are left, as files hold them: what today's rules
//! can say without what is missing, and what is missing.
//!
//! A finding that needs more than there is stays as it was, and none of them comes anew.

use sokudo_model::{Assessment, Finding, Row, Run, TargetKind, Verdict};

use crate::code::Code;
use crate::together;

/// Something that figures do not hold.
struct MissingEvidence {
    what: &'static str,
    /// Whether a row would have had it.
    concerns: fn(&Run, &Row) -> bool,
    /// What cannot be found out without it.
    findings: Unjudged,
}

/// Findings that stay as they were.
enum Unjudged {
    All,
    Of(&'static [Code]),
}

/// What devices counted, compared with what was asked of them.
const OF_COUNTERS: &[Code] = &[
    Code::NotFromDevice,
    Code::NotOnDevice,
    Code::RampInCounters,
    Code::ForeignIo,
    Code::WriteAmplification,
    Code::ReadAmplification,
    Code::ReadModifyWrite,
];

static LACKS: [MissingEvidence; 9] = [
    MissingEvidence {
        what: "what each operation did in each trial",
        concerns: |_, row| {
            let workload = &row.workload;
            workload.operations.single().is_none()
                || workload.checks_capacity
                || workload.rewritten_percent > 0
        },
        findings: Unjudged::All,
    },
    MissingEvidence {
        what: "the short intervals of each trial",
        concerns: |_, row| !row.trials.is_empty(),
        findings: Unjudged::Of(&[Code::WarmUp, Code::NotSteady, Code::DatasetInCache]),
    },
    MissingEvidence {
        what: "what checking found",
        concerns: |_, row| row.workload.verify.is_some(),
        findings: Unjudged::All,
    },
    MissingEvidence {
        what: "the latencies of each trial",
        concerns: |_, row| !row.trials.is_empty(),
        findings: Unjudged::Of(&[
            Code::BreachLittle,
            Code::BreachLatency,
            Code::BreachCounts,
            Code::BreachSamples,
            Code::Stalls,
        ]),
    },
    MissingEvidence {
        what: "how many requests the devices counted",
        concerns: |_, row| {
            row.trials
                .iter()
                .any(|trial| trial.evidence.device.is_some())
        },
        findings: Unjudged::Of(&[
            Code::ThrottledByCgroup,
            Code::ForeignIo,
            Code::WriteAmplification,
            Code::ReadAmplification,
            Code::ReadModifyWrite,
            Code::SplitIo,
            Code::HugePages,
        ]),
    },
    MissingEvidence {
        what: "what was moved beside what was measured",
        concerns: |_, row| row.workload.ramp.0 > 0 || row.workload.survey.is_some(),
        findings: Unjudged::Of(OF_COUNTERS),
    },
    MissingEvidence {
        what: "how long flushes took",
        concerns: |_, row| row.workload.durability != sokudo_model::Durability::default(),
        findings: Unjudged::Of(&[Code::FlushTooFast]),
    },
    MissingEvidence {
        what: "how long threads waited for a processor",
        concerns: |run, row| run.target.kind != TargetKind::Simulated && !row.trials.is_empty(),
        findings: Unjudged::Of(&[Code::ProcessorRefused]),
    },
    MissingEvidence {
        what: "the latencies of each round",
        concerns: |run, _| run.schedule.steady.is_some(),
        findings: Unjudged::Of(&[Code::NotSteady]),
    },
];

/// What conclusions about the device are drawn from.
const LOGS: &str = "the logs from which conclusions about the device are drawn";

/// What hosts of several had in their page caches; of one alone it is told.
static LACKS_OF_HOSTS: [MissingEvidence; 2] = [
    MissingEvidence {
        what: "what the page cache of each host held",
        concerns: |_, row| !row.trials.is_empty(),
        findings: Unjudged::Of(&[Code::CachedReads, Code::CachedOnPurpose]),
    },
    MissingEvidence {
        what: "how many requests each host had in flight",
        concerns: |_, row| !row.trials.is_empty(),
        findings: Unjudged::Of(&[Code::DepthNotReached]),
    },
];

/// Judges as far as figures allow, and says what they do not hold. `None` for jobs on
/// several targets, of which figures tell one.
pub fn judge_figures(run: &mut Run) -> Option<Vec<&'static str>> {
    if run.provenance.origin().is_some() {
        crate::judge(run);
        return Some(Vec::new());
    }
    let mut targets = run.rows.iter().flat_map(|row| row.workload.targets());
    if targets.any(|target| target > 0) {
        return None;
    }
    Some(match run.hosts.is_empty() {
        true => judge_alone(run, &[]),
        false => judge_hosts(run),
    })
}

/// Judges what one host has measured; what is missing.
fn judge_alone(run: &mut Run, more: &'static [MissingEvidence]) -> Vec<&'static str> {
    let lacks = lacks(run, more);
    let then = taken_assessments(run);
    let inferences = std::mem::take(&mut run.inferences);
    crate::judge(run);
    for ((row, then), lacks) in run.rows.iter_mut().zip(&then).zip(&lacks) {
        if let (Some(now), Some(then)) = (&mut row.assessment, then) {
            as_far_as_can_be(now, then, lacks);
        }
    }
    // The rows have other verdicts now.
    crate::judge_whole(run);
    let mut lacking = named(&lacks);
    if !inferences.is_empty() {
        lacking.push(LOGS);
    }
    run.inferences = inferences;
    lacking
}

/// The same of several hosts: each by itself, and then the rows of all, which are no better than
/// the worst of them.
fn judge_hosts(run: &mut Run) -> Vec<&'static str> {
    let of_whole = lacks(run, &[]);
    let then = taken_assessments(run);
    let mut lacking = named(&of_whole);
    together::judge(run, |alone| {
        for what in judge_alone(alone, &LACKS_OF_HOSTS) {
            if !lacking.contains(&what) {
                lacking.push(what);
            }
        }
    });
    let hosts = &run.hosts;
    for (place, row) in run.rows.iter_mut().enumerate() {
        let (Some(now), Some(then)) = (&mut row.assessment, &then[place]) else {
            continue;
        };
        as_far_as_can_be(now, then, &of_whole[place]);
        let of_hosts = hosts
            .iter()
            .filter_map(|it| it.assessments.get(place)?.as_ref());
        let worst = of_hosts.map(|it| it.verdict).max();
        now.verdict = worst.map_or(now.verdict, |worst| worst.max(now.verdict));
    }
    lacking
}

/// What is missing of each row.
fn lacks(run: &Run, more: &'static [MissingEvidence]) -> Vec<Vec<&'static MissingEvidence>> {
    let all = || LACKS.iter().chain(more);
    let concerns = |row| all().filter(|lack| (lack.concerns)(run, row)).collect();
    run.rows.iter().map(concerns).collect()
}

fn taken_assessments(run: &mut Run) -> Vec<Option<Assessment>> {
    let rows = run.rows.iter_mut();
    rows.map(|row| row.assessment.take()).collect()
}

/// What is missing of any row, once.
fn named(lacks: &[Vec<&MissingEvidence>]) -> Vec<&'static str> {
    let mut lacking: Vec<&str> = Vec::new();
    for lack in lacks.iter().flatten() {
        if !lacking.contains(&lack.what) {
            lacking.push(lack.what);
        }
    }
    lacking
}

/// What is thought of a row now, with what was thought then of all that is missing.
fn as_far_as_can_be(now: &mut Assessment, then: &Assessment, lacks: &[&MissingEvidence]) {
    let stays = |finding: &Finding| {
        lacks.iter().any(|lack| match lack.findings {
            Unjudged::All => true,
            Unjudged::Of(codes) => codes.iter().any(|code| code.name() == finding.code),
        })
    };
    now.device_ratio = then.device_ratio;
    now.findings.retain(|finding| !stays(finding));
    let kept = then.findings.iter().filter(|finding| stays(finding));
    now.findings.extend(kept.cloned());
    let code = |finding: &Finding| {
        Code::ALL
            .into_iter()
            .find(|code| code.name() == finding.code)
    };
    now.findings.sort_by_key(code);
    let verdicts = now.findings.iter().map(|finding| match code(finding) {
        Some(code) => code.verdict(),
        // A finding that there is no more stood for the verdict that the row had.
        None => then.verdict,
    });
    now.verdict = verdicts.max().unwrap_or(Verdict::Verified);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{each_count, reads, reads_with, writes_with};

    fn verdict(run: &Run) -> Verdict {
        run.rows[0].assessment.as_ref().unwrap().verdict
    }

    fn codes(run: &Run) -> Vec<&str> {
        let findings = &run.rows[0].assessment.as_ref().unwrap().findings;
        findings
            .iter()
            .map(|finding| finding.code.as_str())
            .collect()
    }

    #[test]
    fn what_figures_tell_is_judged_anew() {
        let mut run = reads();
        crate::judge(&mut run);
        each_count(&mut run, |device| device.read_bytes = 0);
        let lacking = judge_figures(&mut run).unwrap();
        assert_eq!(verdict(&run), Verdict::Invalid);
        assert!(
            codes(&run).contains(&"not-from-device"),
            "{:?}",
            codes(&run)
        );
        assert_eq!(lacking.len(), 4, "{lacking:?}");
    }

    #[test]
    fn what_needs_more_than_figures_stays_as_it_was() {
        let ramped = |run: &mut Run| run.rows[0].workload.ramp = sokudo_model::Nanos(1);
        // Found then, and not to be seen now.
        let mut found = reads_with(|run| {
            ramped(run);
            each_count(run, |device| device.read_bytes = 0);
        });
        crate::judge(&mut found);
        each_count(&mut found, |device| device.read_bytes = 1 << 40);
        judge_figures(&mut found).unwrap();
        assert_eq!(verdict(&found), Verdict::Invalid);
        // To be seen now, but for want of what is missing.
        let mut clean = reads_with(ramped);
        crate::judge(&mut clean);
        each_count(&mut clean, |device| device.read_bytes = 0);
        let lacking = judge_figures(&mut clean).unwrap();
        assert_eq!(verdict(&clean), Verdict::Verified);
        assert!(lacking.contains(&"what was moved beside what was measured"));
    }

    #[test]
    fn what_is_said_of_the_run_goes_by_what_is_thought_of_its_rows_in_the_end() {
        let mut run = writes_with(|run| {
            for device in &mut run.target.devices {
                device.rotational = Some(false);
            }
        });
        crate::judge(&mut run);
        // Found only by what stays as it was.
        each_count(&mut run, |device| device.written_bytes *= 2);
        judge_figures(&mut run).unwrap();
        assert_eq!(verdict(&run), Verdict::Verified);
        let codes = run.findings.iter().map(|finding| finding.code.as_str());
        assert_eq!(codes.collect::<Vec<_>>(), ["not-preconditioned"]);
    }
}
