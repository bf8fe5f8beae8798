//! What several hosts measured together: each is judged as if it had measured alone, and the
//! whole is no better than the worst of them.

use std::cmp::Reverse;
use std::mem;

use sokudo_model::{Assessment, Finding, HostTrial, Row, Run, Trial, TrialTogether, Verdict};
use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::code::{Code, RuleResult, in_order};
use crate::rule::RowRule;
use crate::rule::all_codes;
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

/// Hosts below which nobody can tell who is slow.
const STRAGGLER_HOSTS_MIN: usize = 3;

/// Judges every host by itself, and then the rows of all.
pub(crate) fn judge(run: &mut Run, mut judge_host: impl FnMut(&mut Run)) {
    let mut hosts = mem::take(&mut run.hosts);
    let mut row_findings: Vec<Vec<(String, Finding)>> = vec![Vec::new(); run.rows.len()];
    let mut of_run = Vec::new();
    run.hosts = hosts.clone();
    for (number, host) in hosts.iter_mut().enumerate() {
        let mut alone = run.of_host(number);
        judge_host(&mut alone);
        for (host_findings, row) in row_findings.iter_mut().zip(&alone.rows) {
            let findings = row.assessment.iter().flat_map(|it| &it.findings);
            let of_device = findings.filter(|it| !is_about_steadiness(it));
            host_findings.extend(of_device.map(|it| (host.name.clone(), it.clone())));
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
        .map(|row| assess(run, row, &row_findings[row]))
        .collect();
    name_stragglers(run);
    for (row, assessment) in run.rows.iter_mut().zip(assessments) {
        row.assessment = assessment;
    }
    run.findings = lost_hosts(run).into_iter().map(Finding::from).collect();
    run.findings.extend(each_once(&of_run));
    run.findings
        .sort_by_key(|finding| Reverse(finding.severity));
    run.inferences.clear();
}

/// What is thought of one row of all hosts.
fn assess(run: &Run, row: usize, host_findings: &[(String, Finding)]) -> Option<Assessment> {
    let case = RowContext {
        run,
        row: &run.rows[row],
    };
    if failures::was_not_reached(&case) {
        return None;
    }
    let rulings = RULES.iter().copied().flatten();
    let rulings: Vec<RuleResult> = rulings.filter_map(|rule| rule(&case)).collect();
    let own = rulings.iter().map(|ruling| ruling.code.verdict());
    let of_hosts = || {
        run.hosts
            .iter()
            .filter_map(|it| it.assessments.get(row)?.as_ref())
    };
    let worst = of_hosts().map(|it| it.verdict).chain(own).max();
    let ratios = of_hosts().map(|it| it.device_ratio);
    let mut findings = in_order(rulings);
    findings.extend(each_once(host_findings));
    findings.sort_by_key(|finding| Reverse(finding.severity));
    Some(Assessment {
        verdict: worst.unwrap_or(Verdict::Verified),
        device_ratio: ratios.reduce(|one, other| Some(one?.min(other?))).flatten(),
        findings,
    })
}

fn is_about_steadiness(finding: &Finding) -> bool {
    let mut codes = all_codes()
        .into_iter()
        .filter(|code| code.is_about_steadiness());
    codes.any(|code| code.name() == finding.code)
}

/// Each finding once, with the first host that has it and how many have.
fn each_once(host_findings: &[(String, Finding)]) -> Vec<Finding> {
    let mut distinct: Vec<(&str, usize, &Finding)> = Vec::new();
    for (host, finding) in host_findings {
        match distinct
            .iter_mut()
            .find(|(_, _, known)| known.code == finding.code)
        {
            Some((_, hosts, _)) => *hosts += 1,
            None => distinct.push((host, 1, finding)),
        }
    }
    let by_host = |(host, hosts, finding): (&str, usize, &Finding)| Finding {
        symptom: match hosts {
            1 => text!("{host}: {}", finding.symptom),
            _ => text!("{hosts} hosts, such as {host}: {}", finding.symptom),
        },
        ..finding.clone()
    };
    distinct.into_iter().map(by_host).collect()
}

fn together<'a>(case: &RowContext<'a>) -> impl Iterator<Item = &'a TrialTogether> + use<'a> {
    let trials = case.row.trials.iter();
    trials.filter_map(|trial: &Trial| trial.together.as_deref())
}

/// In a trial nobody ran together with all others.
fn apart(case: &RowContext<'_>) -> Option<RuleResult> {
    let trials = together(case).count();
    let apart = together(case).filter(|it| it.window().is_none()).count();
    (apart > 0).then(|| {
        RuleResult::new(
            Code::Apart,
            text!("in {apart} of {trials} trials one host had ended before another began"),
            "the trials are too short, or the hosts start too differently",
            "measure for longer, so that all hosts run at the same time",
        )
    })
}

/// All ran together in the smaller part of the time.
fn little_together(case: &RowContext<'_>) -> Option<RuleResult> {
    let share = |it: &TrialTogether| {
        let whole = it.last_ended.0.saturating_sub(it.first_began.0).max(1);
        Some(it.window()?.0 as f64 / whole as f64)
    };
    let least = together(case).filter_map(share).reduce(f64::min)?;
    (least < TOGETHER_SHARE_MIN).then(|| {
        RuleResult::new(
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
fn straggler(case: &RowContext<'_>) -> Option<RuleResult> {
    let slow = stragglers(case.run, case.row);
    let slowest = slow.first()?.ruling(case.run);
    Some(match slow.len() {
        1 => slowest,
        hosts => RuleResult {
            symptom: text!(
                "{hosts} hosts are slower than the others; {}",
                slowest.symptom
            ),
            ..slowest
        },
    })
}

/// Each of them has the finding, too: who shows hosts asks no other rule.
fn name_stragglers(run: &mut Run) {
    for row in 0..run.rows.len() {
        for slow in stragglers(run, &run.rows[row]) {
            let finding = Finding::from(slow.ruling(run));
            let assessment = run.hosts[slow.host].assessments.get_mut(row);
            if let Some(assessment) = assessment.and_then(Option::as_mut) {
                assessment.findings.push(finding);
            }
        }
    }
}

/// A host that is slower than the median of all, as a share of that.
struct Straggler {
    host: usize,
    ratio: f64,
}

impl Straggler {
    fn ruling(&self, run: &Run) -> RuleResult {
        let (host, percent) = (&*run.hosts[self.host].name, self.ratio * 100.0);
        RuleResult::new(
            Code::Straggler,
            text!("{host} moves {percent:.0} % of what the median of the hosts moves"),
            "its link, its path to the storage or its CPUs are slower than those of others, or something else uses them",
            text!(
                "measure {host} alone, and compare its link and its settings with those of a faster \
                 host"
            ),
        )
    }
}

/// Hosts whose rate is below the median of all hosts by more than chance, the slowest first.
fn stragglers(run: &Run, row: &Row) -> Vec<Straggler> {
    let in_window = row.trials.iter().filter_map(|it| it.together.as_deref());
    let trials: Vec<&TrialTogether> = in_window.filter(|it| it.window().is_some()).collect();
    let sizes: Vec<usize> = trials.iter().map(|it| it.hosts.len()).collect();
    if sizes.iter().any(|hosts| *hosts < STRAGGLER_HOSTS_MIN) {
        return Vec::new();
    }
    let sums = rank_sums(run.hosts.len(), &trials);
    let chances = chances_of_sums(&sizes);
    let compared = (run.hosts.len() * run.rows.len()) as f64;
    let shares = row.rates_of_hosts(run.hosts.len());
    let slow = sums
        .iter()
        .zip(shares)
        .enumerate()
        .filter_map(|(host, (sum, rates))| {
            let chance = chances.get((*sum)?)?;
            let ratio = rates.share_of_median?;
            let is_slow = chance * compared < STRAGGLER_ERROR_MAX && ratio < STRAGGLER_RATIO_MAX;
            is_slow.then_some(Straggler { host, ratio })
        });
    let mut slow: Vec<Straggler> = slow.collect();
    slow.sort_by(|one, other| one.ratio.total_cmp(&other.ratio));
    slow
}

/// The ranks of each host among all added up over the trials, the slowest being the first; of
/// those that are equal each has the last. `None` of one that was not in all trials.
fn rank_sums(hosts: usize, trials: &[&TrialTogether]) -> Vec<Option<usize>> {
    let mut sums = vec![Some(0); hosts];
    for trial in trials {
        // What moves no bytes is compared by its operations.
        let moved = |host: &HostTrial| (host.in_window.bytes, host.in_window.ios);
        let mut all: Vec<_> = trial.hosts.iter().map(moved).collect();
        all.sort_unstable();
        let mut ranks = vec![None; hosts];
        for host in &trial.hosts {
            let rank = all.partition_point(|it| *it <= moved(host));
            ranks[host.host as usize] = Some(rank);
        }
        for (sum, rank) in sums.iter_mut().zip(ranks) {
            *sum = sum.zip(rank).map(|(sum, rank)| sum + rank);
        }
    }
    sums
}

/// Of each sum the probability that the places of a host which is as fast as the others add up to
/// no more, in trials of so many hosts: each place is equally likely.
fn chances_of_sums(sizes: &[usize]) -> Vec<f64> {
    let mut exactly = vec![1.0];
    for hosts in sizes {
        let before = |sum: usize| exactly.get(sum).copied().unwrap_or(0.0);
        let mut within = 0.0;
        let next = (0..exactly.len() + hosts).map(|sum| {
            let chance = within / *hosts as f64;
            within += before(sum) - sum.checked_sub(*hosts).map_or(0.0, before);
            chance
        });
        exactly = next.collect();
    }
    let mut sum = 0.0;
    let at_most = exactly.iter().map(|chance| {
        sum += chance;
        sum
    });
    at_most.collect()
}

/// Hosts that left before the end.
fn lost_hosts(run: &Run) -> Option<RuleResult> {
    let mut lost = run.hosts.iter().filter(|host| host.lost.is_some());
    let first: &str = &lost.next()?.name;
    let symptom: Text = match 1 + lost.count() {
        1 => text!("{first} was lost while all measured; what is shown was measured before that"),
        hosts => text!(
            "{hosts} hosts, {first} the first of them, were lost while all measured; what is shown \
             was measured before that"
        ),
    };
    Some(RuleResult::new(
        Code::HostLost,
        symptom,
        "its process was ended, the host hangs, or it cannot be reached",
        text!("check the system log on {first}, and measure again"),
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
        run.rows[0].workload.threads *= u32::try_from(percents.len()).unwrap();
        run
    }

    fn host(number: usize, run: &Run) -> Host {
        Host {
            name: format!("n{number:02}"),
            ranks: 1,
            environment: run.environment.clone(),
            target: run.target.clone(),
            conditions: run.conditions.clone(),
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
        let is_named = |host: &Host| {
            let findings = &host.assessments[0].as_ref().unwrap().findings;
            findings.iter().any(|it| it.code == "straggler")
        };
        let named: Vec<bool> = run.hosts.iter().map(is_named).collect();
        assert_eq!(named, [false, false, false, true, false]);
    }

    #[test]
    fn a_chance_is_that_of_places_drawn_evenly() {
        // Of two hosts and three: 2, 3, 3, 4, 4, 5.
        let chances = chances_of_sums(&[2, 3]);
        let of_six: Vec<f64> = chances.iter().map(|it| (it * 6.0).round()).collect();
        assert_eq!(of_six, [0.0, 0.0, 1.0, 3.0, 5.0, 6.0]);
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
        let two = run.rows[0].trials[2].together.as_ref().unwrap();
        let ranks = two.hosts.iter().map(|it| {
            let outcome = it.outcome.clone();
            let late = Nanos(u64::from(it.host) * 3 * outcome.elapsed.0);
            let trials = vec![Trial {
                outcome,
                evidence: it.evidence.clone(),
                together: None,
            }];
            let rank = RankTrial {
                late,
                clock_uncertainty: Nanos(500),
                has_own_device: false,
                trials,
            };
            Some((it.host, rank))
        });
        let apart = Trial::together(ranks.collect()).remove(0);
        run.rows[0].trials[2] = apart;
        judge(&mut run);
        let assessment = run.rows[0].assessment.as_ref().unwrap();
        assert_eq!(assessment.verdict, Verdict::Invalid);
        assert_eq!(codes(&run), ["apart"]);
        let outcomes = run.rows[0].trials.iter().map(|it| &it.outcome);
        let rates = outcomes.filter_map(sokudo_model::Outcome::bytes_per_second);
        assert_eq!(rates.count(), run.rows[0].trials.len() - 1);
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

        const HOSTS: u64 = 10;

        /// By how much a trial of a host differs from its speed: a little, with stalls now and
        /// then, or with bursts.
        fn noise(kind: usize, random: &mut sokudo_stats::Random) -> f64 {
            let normal: f64 = (0..12).map(|_| random.fraction()).sum::<f64>() - 6.0;
            let is_apart = random.fraction() < 0.25;
            match kind {
                0 => (0.1 * normal).exp(),
                1 if is_apart => 0.4,
                2 if is_apart => 2.5,
                _ => (0.02 * normal).exp(),
            }
        }

        /// Ten hosts, of which the first may be slow; how many innocent ones are named, and
        /// whether the slow one is.
        fn named(slow: f64, kind: usize, random: &mut sokudo_stats::Random) -> (usize, bool) {
            let mut run = hosts(&[100; HOSTS as usize]);
            for trial in &mut run.rows[0].trials {
                for host in &mut trial.together.as_mut().unwrap().hosts {
                    let speed = if host.host == 0 { slow } else { 1.0 };
                    let bytes = 1e9 * speed * noise(kind, random);
                    host.in_window.bytes = Bytes(bytes as u64);
                }
            }
            let slow = stragglers(&run, &run.rows[0]);
            let innocent = slow.iter().filter(|it| it.host != 0).count();
            (innocent, innocent < slow.len())
        }

        #[test]
        fn beside_a_slow_host_no_other_is_called_one() {
            let mut random = sokudo_stats::Random::stream(seed() + 7, 1);
            for kind in 0..3 {
                for slow in [1.0, 0.5] {
                    let mut found = Rate::default();
                    let innocent = Rate::of(0..draws(400), |_| {
                        let (innocent, is_found) = named(slow, kind, &mut random);
                        found.add(is_found);
                        innocent > 0 || (slow > 0.9 && is_found)
                    });
                    innocent.assert_at_most(0.05, "an innocent host is named");
                    if slow < 0.9 && kind == 0 {
                        found.assert_at_least(0.95, "the slow one is");
                    }
                }
            }
        }
    }
}
