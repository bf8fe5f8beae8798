//! What several hosts measured together: each is judged as if it had measured alone, and the
//! whole is no better than the worst of them.

use std::cmp::Reverse;
use std::mem;

use sokudo_model::{Assessment, Finding, HostTrial, Row, Run, Trial, TrialTogether, Verdict};
use sokudo_stats::{Summary, student_t};
use sokudo_words::{Text, text};

use crate::case::Case;
use crate::code::{Code, Ruling, in_order};
use crate::rule::RowRule;
use crate::threshold::{STRAGGLER_ERROR_MAX, STRAGGLER_RATIO_MAX, TOGETHER_SHARE_MIN};
use crate::{drift, failures, rounds, steadiness};

/// What is asked of the trials of all together; whether bytes arrived is asked host by host.
const RULES: [&[RowRule]; 5] = [
    failures::RULES,
    OWN_RULES,
    steadiness::RULES,
    drift::RULES,
    rounds::RULES,
];

const OWN_RULES: &[RowRule] = &[apart, little_together, straggler];

/// Hosts and trials below which nobody can tell who is slow.
const STRAGGLER_HOSTS_MIN: usize = 3;
const STRAGGLER_TRIALS_MIN: usize = 3;

/// Judges every host by itself, and then the rows of all.
pub(crate) fn judge(run: &mut Run, mut judge_host: impl FnMut(&mut Run)) {
    let mut hosts = mem::take(&mut run.hosts);
    let mut said: Vec<Vec<(String, Finding)>> = vec![Vec::new(); run.rows.len()];
    let mut of_run = Vec::new();
    run.hosts = hosts.clone();
    for (number, host) in hosts.iter_mut().enumerate() {
        let mut alone = run.of_host(number);
        judge_host(&mut alone);
        for (said, row) in said.iter_mut().zip(&alone.rows) {
            let findings = row.assessment.iter().flat_map(|it| &it.findings);
            let of_device = findings.filter(|it| !is_about_steadiness(it));
            said.extend(of_device.map(|it| (host.name.clone(), it.clone())));
        }
        host.assessments = alone.rows.into_iter().map(|row| row.assessment).collect();
        of_run.extend(
            alone
                .findings
                .iter()
                .map(|it| (host.name.clone(), it.clone())),
        );
        host.findings = alone.findings;
    }
    run.hosts = hosts;
    let assessments: Vec<_> = (0..run.rows.len())
        .map(|row| assess(run, row, &said[row]))
        .collect();
    for (row, assessment) in run.rows.iter_mut().zip(assessments) {
        row.assessment = assessment;
    }
    run.findings = lost(run).into_iter().map(Finding::from).collect();
    run.findings.extend(told_once(&of_run));
    run.findings
        .sort_by_key(|finding| Reverse(finding.severity));
    run.inferences.clear();
}

/// What is thought of one row of all hosts.
fn assess(run: &Run, row: usize, said: &[(String, Finding)]) -> Option<Assessment> {
    let case = Case {
        run,
        row: &run.rows[row],
    };
    if failures::was_not_reached(&case) {
        return None;
    }
    let rulings = RULES.iter().copied().flatten();
    let rulings: Vec<Ruling> = rulings.filter_map(|rule| rule(&case)).collect();
    let own = rulings.iter().map(|ruling| ruling.code.verdict());
    let of_hosts = || {
        run.hosts
            .iter()
            .filter_map(|it| it.assessments.get(row)?.as_ref())
    };
    let worst = of_hosts().map(|it| it.verdict).chain(own).max();
    let ratios = of_hosts().map(|it| it.device_ratio);
    let mut findings = in_order(rulings);
    findings.extend(told_once(said));
    findings.sort_by_key(|finding| Reverse(finding.severity));
    Some(Assessment {
        verdict: worst.unwrap_or(Verdict::Verified),
        device_ratio: ratios.reduce(|one, other| Some(one?.min(other?))).flatten(),
        findings,
    })
}

fn is_about_steadiness(finding: &Finding) -> bool {
    let mut codes = Code::ALL.iter().filter(|code| code.is_about_steadiness());
    codes.any(|code| code.name() == finding.code)
}

/// Each finding once, with the first host that has it and how many have.
fn told_once(said: &[(String, Finding)]) -> Vec<Finding> {
    let mut told: Vec<(&str, usize, &Finding)> = Vec::new();
    for (host, finding) in said {
        match told
            .iter_mut()
            .find(|(_, _, known)| known.code == finding.code)
        {
            Some((_, hosts, _)) => *hosts += 1,
            None => told.push((host, 1, finding)),
        }
    }
    let by_host = |(host, hosts, finding): (&str, usize, &Finding)| Finding {
        symptom: match hosts {
            1 => text!("{host}: {}", finding.symptom),
            _ => text!("{hosts} hosts, such as {host}: {}", finding.symptom),
        },
        ..finding.clone()
    };
    told.into_iter().map(by_host).collect()
}

fn together<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a TrialTogether> + use<'a> {
    let trials = case.row.trials.iter();
    trials.filter_map(|trial: &Trial| trial.together.as_deref())
}

/// In a trial nobody ran together with all others.
fn apart(case: &Case<'_>) -> Option<Ruling> {
    let trials = together(case).count();
    let apart = together(case).filter(|it| it.window().is_none()).count();
    (apart > 0).then(|| {
        Ruling::new(
            Code::Apart,
            text!("in {apart} of {trials} trials one host had ended before another began"),
            "the trials are too short, or the hosts start too differently",
            "measure for longer, so that all hosts run at the same time",
        )
    })
}

/// All ran together in the smaller part of the time.
#[expect(clippy::cast_precision_loss, reason = "a share is a float")]
fn little_together(case: &Case<'_>) -> Option<Ruling> {
    let share = |it: &TrialTogether| {
        let whole = it.last_ended.0.saturating_sub(it.first_began.0).max(1);
        Some(it.window()?.0 as f64 / whole as f64)
    };
    let least = together(case).filter_map(share).reduce(f64::min)?;
    (least < TOGETHER_SHARE_MIN).then(|| {
        Ruling::new(
            Code::LittleTogether,
            text!(
                "in one trial all hosts ran together for only {:.0} % of the time from the first \
                 start to the last end",
                least * 100.0
            ),
            "a host is done long before another, or begins long after it",
            "let rows end after a time, not after an amount, and look at the slowest host",
        )
    })
}

/// Hosts that are slower than others, by name.
fn straggler(case: &Case<'_>) -> Option<Ruling> {
    let slow = stragglers(case.run, case.row);
    let slowest = slow.first()?;
    let name = |it: &Straggler| case.run.hosts[it.host].name.as_str();
    let (host, percent) = (name(slowest), slowest.ratio * 100.0);
    let symptom = match slow.len() {
        1 => text!("{host} moves {percent:.0} % of what the median of the hosts moves"),
        hosts => text!(
            "{hosts} hosts are slower than the others; {host} moves {percent:.0} % of what the \
             median of the hosts moves"
        ),
    };
    Some(Ruling::new(
        Code::Straggler,
        symptom,
        "its link, its way to the storage or its processors are slower than those of others, or \
         something else uses them",
        text!(
            "measure {host} alone, and compare its link and its settings with those of a faster \
             host"
        ),
    ))
}

/// A host that is slower than the median of all, as a share of that.
struct Straggler {
    host: usize,
    ratio: f64,
}

/// Hosts whose rate is below the median of all hosts by more than chance, the slowest first.
fn stragglers(run: &Run, row: &Row) -> Vec<Straggler> {
    let trials: Vec<Vec<(usize, f64)>> = row.trials.iter().filter_map(log_ratios).collect();
    let is_enough = trials
        .iter()
        .all(|hosts| hosts.len() >= STRAGGLER_HOSTS_MIN);
    if trials.len() < STRAGGLER_TRIALS_MIN || !is_enough {
        return Vec::new();
    }
    let compared = (run.hosts.len() * run.rows.len().max(1)).max(1);
    let mut slow: Vec<Straggler> = (0..run.hosts.len())
        .filter_map(|host| {
            let of_host =
                |hosts: &Vec<(usize, f64)>| hosts.iter().find(|it| it.0 == host).map(|it| it.1);
            let ratios: Option<Vec<f64>> = trials.iter().map(of_host).collect();
            let ratio = ratio_beyond_chance(&ratios?, compared)?;
            (ratio < STRAGGLER_RATIO_MAX).then_some(Straggler { host, ratio })
        })
        .collect();
    slow.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
    slow
}

/// The logarithm of each host's rate ÷ the median of all; `None` where none moved anything.
#[expect(clippy::cast_precision_loss, reason = "a ratio is a float")]
fn log_ratios(trial: &Trial) -> Option<Vec<(usize, f64)>> {
    let together = trial.together.as_ref()?;
    // What moves no bytes counts its operations; none at all is slower than any.
    let moved = |host: &HostTrial| {
        let moved = host.in_window;
        (if moved.bytes.0 > 0 {
            moved.bytes.0
        } else {
            moved.ios
        })
        .max(1) as f64
    };
    let all: Vec<f64> = together.hosts.iter().map(moved).collect();
    let median = Summary::of(&all)?.median;
    let ratio = |host: &HostTrial| (host.host as usize, (moved(host) / median).ln());
    (median > 1.0).then(|| together.hosts.iter().map(ratio).collect())
}

/// The mean ratio of a host, where the upper end of its interval is below 1.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a few trials"
)]
fn ratio_beyond_chance(log_ratios: &[f64], compared: usize) -> Option<f64> {
    let count = log_ratios.len() as f64;
    let mean = log_ratios.iter().sum::<f64>() / count;
    let squares = log_ratios.iter().map(|it| (it - mean).powi(2)).sum::<f64>();
    let error = (squares / (count - 1.0) / count).sqrt();
    // One-sided: the interval of twice the error probability has this end.
    let confidence = 1.0 - 2.0 * STRAGGLER_ERROR_MAX / compared as f64;
    let reach = student_t(confidence, (log_ratios.len() - 1) as u32)?;
    (mean + reach * error < 0.0).then(|| mean.exp())
}

/// Hosts that left before the end.
fn lost(run: &Run) -> Option<Ruling> {
    let mut lost = run.hosts.iter().filter(|host| host.lost.is_some());
    let first: &str = &lost.next()?.name;
    let symptom: Text = match 1 + lost.count() {
        1 => text!("{first} was lost while all measured; what is told was measured before that"),
        hosts => text!(
            "{hosts} hosts, {first} the first of them, were lost while all measured; what is told \
             was measured before that"
        ),
    };
    Some(Ruling::new(
        Code::HostLost,
        symptom,
        "its process was ended, the host hangs, or it cannot be reached",
        text!("see on {first} what became of it (its system log), and measure again"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge;
    use crate::sample::reads;
    use sokudo_model::{Bytes, Host, HostLost, Nanos, RankTrial};

    /// Hosts that move so many percent of what the sample does, which is nothing but reads.
    fn hosts(percents: &[u64]) -> Run {
        let mut run = reads();
        run.hosts = (1..=percents.len())
            .map(|number| host(number, &run))
            .collect();
        for trial in &mut run.rows[0].trials {
            let alone = trial.clone();
            let ranks = (0..).zip(percents).map(|(host, percent)| {
                let mut part = alone.clone();
                scale(&mut part, *percent);
                let rank = RankTrial {
                    late: Nanos(u64::from(host) * 1_000),
                    clock_uncertainty: Nanos(500),
                    has_own_device: false,
                    trials: vec![part],
                };
                Some((host, rank))
            });
            *trial = Trial::together(ranks.collect()).remove(0);
        }
        run.rows[0].workload.clones *= u32::try_from(percents.len()).unwrap();
        run
    }

    fn host(number: usize, run: &Run) -> Host {
        Host {
            name: format!("n{number:02}"),
            ranks: 1,
            environment: run.environment.clone(),
            target: run.target.clone(),
            circumstances: run.circumstances.clone(),
            layout: None,
            assessments: Vec::new(),
            findings: Vec::new(),
            lost: None,
        }
    }

    /// Fewer I/Os in a time that is longer by as much: what is scaled is the rate.
    fn scale(trial: &mut Trial, percent: u64) {
        let outcome = &mut trial.outcome;
        outcome.elapsed = Nanos(outcome.elapsed.0 * 100 / percent);
        outcome.depth_achieved = outcome.depth_achieved * percent as f64 / 100.0;
    }

    fn codes(run: &Run) -> Vec<&str> {
        let assessment = run.rows[0].assessment.as_ref().unwrap();
        assessment
            .findings
            .iter()
            .map(|it| it.code.as_str())
            .collect()
    }

    #[test]
    fn hosts_that_are_alike_are_verified_together() {
        let mut run = hosts(&[100; 4]);
        judge(&mut run);
        let assessment = run.rows[0].assessment.as_ref().unwrap();
        assert_eq!(
            (assessment.verdict, codes(&run)),
            (Verdict::Verified, vec![])
        );
        assert!(run.hosts.iter().all(|host| host.assessments[0].is_some()));
        let once = run.clone();
        judge(&mut run);
        assert_eq!(run, once);
    }

    #[test]
    fn the_whole_is_no_better_than_its_worst_host() {
        let mut run = hosts(&[100; 3]);
        for trial in &mut run.rows[0].trials {
            let together = trial.together.as_mut().unwrap();
            together.hosts[1]
                .evidence
                .device
                .as_mut()
                .unwrap()
                .read_bytes = 0;
        }
        judge(&mut run);
        let assessment = run.rows[0].assessment.as_ref().unwrap();
        assert_eq!(assessment.verdict, Verdict::Invalid);
        let finding = &assessment.findings[0];
        assert_eq!(finding.code, "not-from-device");
        assert!(
            finding.symptom.english().starts_with("n02: "),
            "{finding:?}"
        );
        let of_hosts = run
            .hosts
            .iter()
            .map(|host| host.assessments[0].as_ref().unwrap().verdict);
        let expected = [Verdict::Verified, Verdict::Invalid, Verdict::Verified];
        assert_eq!(of_hosts.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_straggler_is_named() {
        let mut run = hosts(&[100, 100, 100, 60, 100]);
        judge(&mut run);
        assert!(codes(&run).contains(&"straggler"), "{:?}", codes(&run));
        let findings = &run.rows[0].assessment.as_ref().unwrap().findings;
        let symptom = findings[0].symptom.english();
        assert!(symptom.starts_with("n04 moves 60 %"), "{symptom}");
    }

    #[test]
    fn two_hosts_have_no_straggler() {
        let mut run = hosts(&[100, 50]);
        judge(&mut run);
        assert!(!codes(&run).contains(&"straggler"));
    }

    #[test]
    fn hosts_that_do_not_overlap_have_no_figure() {
        let mut run = hosts(&[100, 100]);
        let together = run.rows[0].trials[2].together.as_mut().unwrap();
        (together.from, together.to) = (Nanos(9), Nanos(3));
        judge(&mut run);
        let assessment = run.rows[0].assessment.as_ref().unwrap();
        assert_eq!(assessment.verdict, Verdict::Invalid);
        assert_eq!(codes(&run)[0], "apart");
    }

    #[test]
    fn a_lost_host_is_named() {
        let mut run = hosts(&[100, 100, 100]);
        run.hosts[2].lost = Some(HostLost::Silent);
        judge(&mut run);
        assert_eq!(run.findings[0].code, "host-lost");
        assert!(
            run.findings[0]
                .symptom
                .english()
                .starts_with("n03 was lost")
        );
    }

    #[test]
    fn bytes_of_the_hosts_add_up_to_the_whole() {
        let run = hosts(&[100, 70, 85]);
        for trial in &run.rows[0].trials {
            let together = trial.together.as_ref().unwrap();
            let parts: u64 = together.hosts.iter().map(|it| it.in_window.bytes.0).sum();
            assert_eq!(Bytes(parts), trial.outcome.bytes_moved());
            let began = trial.outcome.started_after;
            assert_eq!(
                (began, trial.outcome.elapsed),
                (together.from, together.window().unwrap())
            );
        }
    }

    mod many_draws {
        use super::*;
        use sokudo_testing::{Rate, draws, seed};

        fn normal(random: &mut sokudo_stats::Random) -> f64 {
            let sum: f64 = (0..12).map(|_| random.fraction()).sum();
            sum - 6.0
        }

        /// Runs of 16 hosts whose rates differ by chance alone.
        #[test]
        fn chance_makes_no_straggler() {
            let mut random = sokudo_stats::Random::stream(seed() + 7, 1);
            let named = Rate::of(0..draws(2_000), |_| {
                let trials: Vec<Vec<f64>> = (0..16)
                    .map(|_| (0..6).map(|_| 0.05 * normal(&mut random)).collect())
                    .collect();
                let slow = trials.iter().filter_map(|it| ratio_beyond_chance(it, 16));
                slow.count() > 0
            });
            named.assert_at_most(0.05, "a straggler is named");
        }
    }
}
