//! What several hosts measured together: who they are, and what each of them did in every trial.
//!
//! The figures of the results are those of all of them in the time in which all of them ran: what
//! the hosts moved in the window ÷ its length. Where they measured, `hosts` of the run says.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use sokudo_model::{
    Finding, Host, HostLost, HostTrial, Nanos, Row, Run, StopReason, Trial, TrialTogether, Verdict,
    narrow,
};
use sokudo_stats::Histogram;

use super::figures::{BandwidthFigures, LatencyFigures, RateFigures};
use super::result::{Direction, ResultDocument, Status};
use super::trial::DeviceDocument;
use crate::number::float;

/// Hosts that measured together.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TogetherDocument {
    /// How many processes measured.
    pub ranks: u32,
    /// Hosts that took part; trials name them by their places here.
    pub hosts: Vec<HostDocument>,
    /// Every trial of every result, in the order of the results.
    pub trials: Vec<TrialTogetherDocument>,
}

/// What one of the hosts did.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HostDocument {
    /// As it calls itself.
    pub name: String,
    /// How many processes measured there.
    pub ranks: u32,
    /// The worst verdict of its rows; null when nobody has judged them.
    pub verdict: Option<Verdict>,
    /// Why it left before the end; absent where it stayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost: Option<HostLost>,
    /// One entry per result, in the order of the results.
    pub rows: Vec<HostRowDocument>,
}

/// What one host did of one result, all its trials together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct HostRowDocument {
    /// Whether its figures can be trusted, as if only this host had measured; null when nobody
    /// has judged them.
    pub verdict: Option<Verdict>,
    /// Trials in which it took part.
    pub trials: u32,
    /// Bytes per second while all hosts ran, the median of its trials.
    pub bytes_per_s: Option<f64>,
    /// I/Os per second while all hosts ran, likewise.
    pub ios_per_s: Option<f64>,
    /// Its rate ÷ the median of all hosts.
    pub share_of_median: Option<f64>,
    /// From preparing an I/O to reaping it.
    pub latency_ns: Option<LatencyFigures>,
    /// Why the verdict is what it is, most important first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// One trial of all hosts. Instants are nanoseconds from the one at which all were to start, on the
/// clock of the first host.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TrialTogetherDocument {
    /// Of which result, by its place from 0.
    pub result: u32,
    /// 1 for the first trial of the result.
    pub trial: u32,
    /// From when until when all hosts ran, of which the figures are; null where one had ended
    /// before another began, and where the figures are those of the whole time.
    pub window_ns: Option<[u64; 2]>,
    /// When the first process began.
    pub first_began_ns: u64,
    /// When the last process was done.
    pub last_ended_ns: u64,
    /// How much later than the earliest process the latest one began.
    pub skew_ns: u64,
    /// By how much the clocks may be wrong against each other, the worst of them.
    pub clock_uncertainty_ns: u64,
    /// What each host did; one that was lost before is missing.
    pub hosts: Vec<HostTrialDocument>,
}

/// One trial of one host.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HostTrialDocument {
    /// Its place in `hosts`, from 0.
    pub host: u32,
    /// When its first process began.
    pub began_ns: u64,
    /// When its last process was done.
    pub ended_ns: u64,
    /// Bytes read and written while all hosts ran.
    pub bytes_in_window: u64,
    /// I/Os completed while all hosts ran.
    pub ios_in_window: u64,
    /// Bytes per second while all hosts ran; null where they never did.
    pub bytes_per_s: Option<f64>,
    /// Bytes that its slowest process moved while all hosts ran.
    pub slowest_rank_bytes: u64,
    /// Bytes read and written from its begin to its end.
    pub bytes: u64,
    /// I/Os completed from its begin to its end.
    pub ios: u64,
    /// From preparing an I/O to reaping it, from its begin to its end.
    pub latency_ns: Option<LatencyFigures>,
    /// What its leaf devices counted; null when that could not be seen.
    pub device: Option<DeviceDocument>,
    /// Why the host's trial ended.
    pub stopped: StopReason,
}

impl TogetherDocument {
    /// What hosts did in a run; `None` where one process measured alone.
    pub(super) fn of(run: &Run) -> Option<Self> {
        if run.hosts.is_empty() {
            return None;
        }
        let rows = (0..run.rows.len()).map(|row| of_row(run, row).into_iter());
        let mut rows: Vec<_> = rows.collect();
        let hosts = run.hosts.iter().map(|host| {
            let of_host = rows.iter_mut().filter_map(Iterator::next).collect();
            HostDocument::of(host, of_host)
        });
        Some(Self {
            ranks: run.ranks(),
            hosts: hosts.collect(),
            trials: (0..)
                .zip(&run.rows)
                .flat_map(TrialTogetherDocument::of_row)
                .collect(),
        })
    }

    /// The trials of a result.
    pub(crate) fn trials_of(&self, result: usize) -> impl Iterator<Item = &TrialTogetherDocument> {
        let trials = self.trials.iter();
        trials.filter(move |trial| narrow::<u32, usize>(trial.result) == result)
    }

    /// A result as each host has it, in the order of the hosts: in the time in which all of them
    /// ran.
    pub(crate) fn results_of_hosts(
        &self,
        row_index: usize,
        result: &ResultDocument,
    ) -> Vec<ResultDocument> {
        let mut rates: Vec<[Vec<f64>; 2]> = vec![Default::default(); self.hosts.len()];
        for trial in self.trials_of(row_index) {
            let seconds = trial.window().map(Nanos::as_secs_f64);
            for of in &trial.hosts {
                let rates = rates.get_mut(narrow::<u32, usize>(of.host));
                if let Some(([bytes, ios], seconds)) = rates.zip(seconds) {
                    bytes.push(float(of.bytes_in_window) / seconds);
                    ios.push(float(of.ios_in_window) / seconds);
                }
            }
        }
        let hosts = self.hosts.iter().zip(rates);
        let of_host = |(host, [bytes, ios]): (&HostDocument, [Vec<f64>; 2])| {
            let row = host.rows.get(row_index).cloned().unwrap_or_default();
            let bandwidth = BandwidthFigures::of(bytes);
            let workload = result.workload.share(host.ranks, self.ranks);
            ResultDocument {
                name: result.name.clone(),
                status: match row.trials {
                    0 => Status::NotReached,
                    _ if host.lost.is_some() => Status::Partial,
                    _ => result.status,
                },
                verdict: row.verdict,
                steadiness: bandwidth.as_ref().and_then(BandwidthFigures::steadiness),
                bandwidth_bytes_per_s: bandwidth,
                iops: RateFigures::of(ios),
                latency_ns: row.latency_ns,
                backend: result.backend.clone(),
                direct: result.direct,
                findings: row.findings,
                plan: result.plan.clone(),
                ..ResultDocument::without_figures(Arc::new(workload))
            }
        };
        hosts.map(of_host).collect()
    }
}

impl HostDocument {
    fn of(host: &Host, rows: Vec<HostRowDocument>) -> Self {
        Self {
            name: host.name.clone(),
            ranks: host.ranks,
            verdict: rows.iter().filter_map(|row| row.verdict).max(),
            lost: host.lost,
            rows,
        }
    }
}

/// What every host did of a row.
fn of_row(run: &Run, row: usize) -> Vec<HostRowDocument> {
    let of = &run.rows[row];
    let direction = Direction::of(&of.workload);
    let mut seen: Vec<(Vec<&Histogram>, u32)> = vec![Default::default(); run.hosts.len()];
    let together = of.trials.iter().filter_map(|it| it.together.as_ref());
    for host in together.flat_map(|it| &it.hosts) {
        if let Some((of, trials)) = seen.get_mut(narrow::<u32, usize>(host.host)) {
            of.extend(latencies(host, direction));
            *trials += 1;
        }
    }
    let rates = of.rates_of_hosts(run.hosts.len());
    let by_host = seen.into_iter().zip(rates).zip(&run.hosts);
    let documents = by_host.map(|(((latencies, trials), rates), host)| {
        let assessment = host.assessments.get(row).and_then(Option::as_ref);
        HostRowDocument {
            verdict: assessment.map(|it| it.verdict),
            trials,
            bytes_per_s: rates.bytes_per_s,
            ios_per_s: rates.ios_per_s,
            share_of_median: rates.share_of_median,
            latency_ns: of_all(latencies.into_iter()),
            findings: assessment.map_or_else(Vec::new, |it| it.findings.clone()),
        }
    });
    documents.collect()
}

fn of_all<'a>(latencies: impl Iterator<Item = &'a Histogram>) -> Option<LatencyFigures> {
    LatencyFigures::of(&Histogram::of_all(latencies)?)
}

/// Of the I/Os that the row is about.
fn latencies(of: &HostTrial, direction: Direction) -> impl Iterator<Item = &Histogram> {
    let tallies = of.outcome.operations.iter();
    let tallies = tallies.filter(move |tally| direction.counts(tally.operation));
    tallies.map(|tally| &tally.latency)
}

impl TrialTogetherDocument {
    /// Those of a row.
    fn of_row((result, row): (u32, &Row)) -> Vec<Self> {
        let direction = Direction::of(&row.workload);
        let of_trial = |(trial, it): (u32, &Trial)| {
            let together = it.together.as_deref()?;
            let hosts = together.hosts.iter();
            Some(Self {
                result,
                trial,
                window_ns: together.window().map(|_| [together.from.0, together.to.0]),
                first_began_ns: together.first_began.0,
                last_ended_ns: together.last_ended.0,
                skew_ns: together.skew.0,
                clock_uncertainty_ns: together.clock_uncertainty.0,
                hosts: hosts
                    .map(|host| HostTrialDocument::of(host, together, direction))
                    .collect(),
            })
        };
        (1..).zip(&row.trials).filter_map(of_trial).collect()
    }

    /// How long all ran at the same time.
    pub(crate) fn window(&self) -> Option<Nanos> {
        self.window_ns
            .map(|[from, to]| Nanos(to.saturating_sub(from)))
    }
}

impl HostTrialDocument {
    fn of(host: &HostTrial, together: &TrialTogether, direction: Direction) -> Self {
        let outcome = &host.outcome;
        Self {
            host: host.host,
            began_ns: outcome.started_after.0,
            ended_ns: outcome.started_after.0.saturating_add(outcome.elapsed.0),
            bytes_in_window: host.in_window.bytes.0,
            ios_in_window: host.in_window.ios,
            bytes_per_s: host.bytes_per_second(together),
            slowest_rank_bytes: host.slowest.0,
            bytes: outcome.bytes_moved().0,
            ios: outcome.ios(),
            latency_ns: of_all(latencies(host, direction)),
            device: host.evidence.device.as_ref().map(DeviceDocument::of),
            stopped: outcome.stopped,
        }
    }
}

#[cfg(test)]
mod tests;
