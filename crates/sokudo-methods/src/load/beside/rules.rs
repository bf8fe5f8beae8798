//! What another workload at the same time does to a row, and whether it was the disk that did it.

use sokudo_analysis::case::RowContext;
use sokudo_analysis::code::{Code, RuleResult};
use sokudo_analysis::method_codes;
use sokudo_analysis::rule::MethodRules;
use sokudo_analysis::threshold::CPU_SHARE_MAX;
use sokudo_model::{Nanos, Workload};
use sokudo_words::{Text, text};

use crate::load::beside::comparison::{PairedRow, WorkloadPair};

method_codes! {
    /// Beside another workload (`load --beside`) the row waits longer than alone, by more than
    /// chance and by 5 % at least.
    BESIDE_LATENCY => "beside-latency", Info, Verified, PrecisionNotReached + 1;
    /// Beside another workload (`load --beside`) less of the row's rate is left than alone likewise.
    BESIDE_RATE => "beside-rate", Info, Verified, PrecisionNotReached + 2;
}

/// Rules of its own.
pub(crate) static RULES: MethodRules = MethodRules {
    codes: CODES,
    rows: &[processors_of_both, latency_beside, rate_beside],
    ..MethodRules::NONE
};

/// Of a row that ran beside another one, itself and the other.
fn rows<'a>(case: &RowContext<'a>) -> Option<[PairedRow<'a>; 2]> {
    WorkloadPair::of(case.run)?.with(case.row)
}

/// A row as its table calls it.
fn name(workload: &Workload) -> Text {
    Text::name(format!(
        "{} {}",
        workload.name,
        workload.operations.direction()
    ))
}

#[expect(clippy::cast_possible_truncation, reason = "whole nanoseconds")]
fn time(nanos: f64) -> Nanos {
    Nanos(nanos.round() as u64)
}

/// Of what a workload in a closed loop waits for its rate tells as much.
fn latency_beside(case: &RowContext<'_>) -> Option<RuleResult> {
    let [row, other] = rows(case)?;
    case.row.workload.pacing.rate?;
    let (figure, compared) = row.headline()?;
    compared.has_risen().then(|| RuleResult::new(
        Code::Of(&BESIDE_LATENCY),
        text!(
            "{figure} is {beside} while {other} runs, instead of {alone} alone ({ratio:.1} ×)",
            figure = figure.name(),
            beside = time(compared.beside),
            other = name(&other.alone.workload),
            alone = time(compared.alone),
            ratio = compared.ratio
        ),
        "the I/Os of both wait in the same queues, of the system or of the disk",
        "share by weights or latency targets (io.weight, io.latency, bfq), limit the rate of the other workload (io.max), or put both on disks of their own",
    ))
}

fn rate_beside(case: &RowContext<'_>) -> Option<RuleResult> {
    let [row, other] = rows(case)?;
    let rate = row.rate().filter(|rate| rate.has_fallen())?;
    let others = other.rate()?;
    Some(RuleResult::new(
        Code::Of(&BESIDE_RATE),
        text!(
            "the row keeps {percent:.0} % of the rate it has alone while {other} runs, which keeps {others:.0} % of its own",
            percent = rate.ratio * 100.0,
            other = name(&other.alone.workload),
            others = others.ratio * 100.0
        ),
        "both workloads share what the disk can do; this figure is the row's share",
        "where one gets much less than the other, share by weights (io.weight, bfq), or limit the rate of the other (io.max)",
    ))
}

/// Both compute nearly all the time of all processors: what changes may be the processors' doing.
fn processors_of_both(case: &RowContext<'_>) -> Option<RuleResult> {
    let [row, other] = rows(case)?;
    let cpus = case.run.environment.cpus;
    if cpus == 0 || !case.real() {
        return None;
    }
    let (mut busy, mut available) = (0.0, 0.0);
    for trial in row.beside.trials.iter().chain(&other.beside.trials) {
        let cpu = trial.outcome.cpu?;
        busy += cpu.user.as_secs_f64() + cpu.system.as_secs_f64();
        // Both were measured in the same time, which is counted once.
        available += trial.outcome.elapsed.as_secs_f64() * f64::from(cpus) / 2.0;
    }
    (available > 0.0 && busy > available * CPU_SHARE_MAX).then(|| {
        RuleResult::new(
            Code::TesterLimited,
            text!(
                "the threads of both workloads used {percent:.0} % of the time of all {cpus} CPUs: the CPUs, not the disk, may cause the difference",
                percent = busy / available * 100.0
            ),
            "issuing and completing the I/Os of both takes nearly all of the CPUs' time",
            "measure on a machine with more CPUs, or give the other workload larger blocks or fewer threads",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_analysis::sample::{histogram, reads_with};
    use sokudo_model::{CpuTime, Method, Rate, Row, Run};

    const IOS: u64 = 10_000;

    /// A row alone and beside a neighbour, whose latencies are so many microseconds in each of six
    /// rounds, alone and beside.
    fn beside(rounds: [[u64; 2]; 6], change: impl FnOnce(&mut Run)) -> Run {
        reads_with(|run| {
            run.plan.method = Method::new(&crate::load::beside::comparison::METHOD);
            let closed = run.rows[0].clone();
            let mut row = closed.clone();
            row.workload.pacing.rate = Some(Rate::Iops(IOS));
            let of = |row: &Row, index: usize| {
                let mut row = row.clone();
                for (trial, round) in row.trials.iter_mut().zip(rounds) {
                    let latencies = histogram(IOS, Nanos::from_micros(round[index]));
                    trial.outcome.operations[0].latency_from_intended = Some(latencies);
                }
                row
            };
            let (alone, together) = (of(&row, 0), of(&row, 1));
            let [_, _, both] =
                crate::load::beside::comparison::stages_beside(&alone.workload, &closed.workload);
            run.rows = vec![closed.clone(), alone, closed.clone(), together, closed];
            for (row, workload) in run.rows[3..].iter_mut().zip(both.workloads) {
                row.workload = workload;
            }
            change(run);
        })
    }

    fn codes(run: &Run) -> Vec<(usize, &'static str)> {
        let mut codes = Vec::new();
        for (index, row) in run.rows.iter().enumerate() {
            let case = RowContext { run, row };
            let rulings = RULES.rows.iter().filter_map(|rule| rule(&case));
            codes.extend(rulings.map(|ruling| (index, ruling.code.name())));
        }
        codes
    }

    #[test]
    fn a_row_that_waits_longer_beside_another_says_so_and_no_other_row_does() {
        let run = beside([[100, 400]; 6], |_| ());
        assert_eq!(codes(&run), [(3, "beside-latency")]);
        let ruling = latency_beside(&RowContext {
            run: &run,
            row: &run.rows[3],
        });
        let symptom = ruling.unwrap().symptom.english();
        assert!(symptom.starts_with("p99 is 400 µs while"), "{symptom}");
        assert!(symptom.ends_with("(4.0 ×)"), "{symptom}");
        let other = beside([[100, 400]; 6], |run| {
            run.plan.method = Method::new(&crate::load::view::METHOD)
        });
        assert_eq!(codes(&other), []);
    }

    #[test]
    fn noise_and_what_nobody_notices_are_no_finding() {
        let noise = [100, 90, 200, 120, 300, 110].map(|beside| [100, beside]);
        assert_eq!(codes(&beside(noise, |_| ())), []);
        assert_eq!(codes(&beside([[100, 103]; 6], |_| ())), []);
        let few = beside([[100, 400]; 6], |run| {
            run.rows.iter_mut().for_each(|row| row.trials.truncate(5));
        });
        assert_eq!(codes(&few), []);
    }

    #[test]
    fn both_are_told_what_is_left_of_their_rates() {
        let halved = beside([[100, 100]; 6], |run| {
            for trial in run.rows[3..].iter_mut().flat_map(|row| &mut row.trials) {
                trial.outcome.elapsed.0 *= 2;
            }
        });
        assert_eq!(codes(&halved), [(3, "beside-rate"), (4, "beside-rate")]);
    }

    #[test]
    fn processors_that_both_fill_are_not_the_disk() {
        let busy = |percent: u64, cpus: u32| {
            beside([[100, 100]; 6], |run| {
                run.environment.cpus = cpus;
                for trial in run.rows.iter_mut().flat_map(|row| &mut row.trials) {
                    trial.outcome.cpu = Some(CpuTime {
                        user: Nanos::from_millis(percent * 10),
                        ..CpuTime::default()
                    });
                }
            })
        };
        let expected = [(3, "tester-limited"), (4, "tester-limited")];
        assert_eq!(codes(&busy(98, 2)), expected);
        assert_eq!(codes(&busy(98, 4)), []);
        assert_eq!(codes(&busy(60, 2)), []);
    }
}
