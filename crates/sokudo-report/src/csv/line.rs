//! The columns of a line that is about a result.

use std::borrow::Cow;

use sokudo_model::{Host, Nanos, Operation, PlanPart, Steadiness, TargetInfo, Workload};

use crate::document::{
    BandwidthFigures, LatencyFigures, RateFigures, ResultDocument, RunDocument, TrialDocument,
};
use crate::number::float;
use crate::record::{Columns, word};

/// A result and its run.
#[derive(Clone)]
pub struct ResultRecord<'a> {
    pub run: &'a RunDocument,
    pub result: Cow<'a, ResultDocument>,
    /// The host of which it tells; `None` where it tells of all of them, or there is one alone.
    pub host: Option<&'a Host>,
    /// Trials that were made.
    trials: u64,
}

/// What was counted in a trial, per second; `None` where nothing was.
pub fn per_second(count: u64, trial: &TrialDocument) -> Option<f64> {
    let seconds = Nanos(trial.elapsed_ns).as_secs_f64();
    (count > 0 && seconds > 0.0).then(|| float(count) / seconds)
}

impl ResultRecord<'_> {
    /// What was measured, as the host has it of which it tells.
    pub fn target(&self) -> &TargetInfo {
        self.host.map_or(&self.run.target, |host| &host.target)
    }

    pub fn target_path(&self) -> String {
        let target = self.target();
        target.path.as_ref().unwrap_or(&target.name).clone()
    }

    /// The workload; `None` where another tool did not tell this part of it.
    fn knowing(&self, part: PlanPart) -> Option<&Workload> {
        self.result.knows(part).then_some(&self.result.workload)
    }

    /// The rate of a row's threads together, where blocks are of one size.
    fn rate_requested(&self) -> Option<f64> {
        let workload = &self.result.workload;
        let block = workload.blocks.largest();
        let rate = workload
            .pacing
            .rate
            .filter(|_| workload.blocks.smallest() == block)?;
        Some(rate.ios_per_second(block) * f64::from(workload.threads))
    }
}

/// Every column in order.
pub fn columns<'a>() -> Columns<'a, ResultRecord<'a>> {
    what().and(rates()).and(latencies()).and(how())
}

fn what<'a>() -> Columns<'a, ResultRecord<'a>> {
    Columns::<ResultRecord<'_>>::none()
        .column("started_at", |it| it.run.began())
        .column("target", ResultRecord::target_path)
        .column("method", |it| it.run.plan.method.to_string())
        .column("name", |it| it.result.name.clone())
        .column("direction", |it| it.result.direction.name())
        .column("read_percent", |it| {
            let workload = it.knowing(PlanPart::Operations)?;
            Some(workload.operations.percent(Operation::Read))
        })
        .column("verdict", |it| it.result.verdict)
        .column("steadiness", |it| {
            it.result.steadiness.map(Steadiness::name)
        })
        .column("status", |it| word(&it.result.status))
        .column("trials", |it| {
            it.result.reported.is_none().then_some(it.trials)
        })
}

fn rates<'a>() -> Columns<'a, ResultRecord<'a>> {
    let bandwidth = Columns::<BandwidthFigures>::none()
        .column("bandwidth_median_mb_per_s", |it| it.median_mb_per_s)
        .column("bandwidth_median_mib_per_s", |it| it.median_mib_per_s);
    let bytes = Columns::<RateFigures>::none()
        .column("bandwidth_median_bytes_per_s", |it| it.median)
        .column("bandwidth_mean_bytes_per_s", |it| it.mean)
        .column("bandwidth_min_bytes_per_s", |it| it.min)
        .column("bandwidth_max_bytes_per_s", |it| it.max)
        .column("bandwidth_stdev_bytes_per_s", |it| it.stdev)
        .column("bandwidth_interval_95_low_bytes_per_s", |it| {
            Some(it.interval_95?.low)
        })
        .column("bandwidth_interval_95_high_bytes_per_s", |it| {
            Some(it.interval_95?.high)
        })
        .column("bandwidth_trimmed_mean_bytes_per_s", |it| it.trimmed_mean);
    let iops = Columns::<RateFigures>::none()
        .column("iops_median", |it| it.median)
        .column("iops_mean", |it| it.mean)
        .column("iops_min", |it| it.min)
        .column("iops_max", |it| it.max)
        .column("iops_stdev", |it| it.stdev);
    bandwidth
        .and(bytes.within(|it| Some(&it.bytes_per_s)))
        .within(|it: &ResultRecord<'_>| it.result.bandwidth_bytes_per_s.as_ref())
        .and(iops.within(|it| it.result.iops.as_ref()))
}

fn latencies<'a>() -> Columns<'a, ResultRecord<'a>> {
    let all = Columns::<LatencyFigures>::none()
        .column("latency_min_ns", |it| it.min)
        .column("latency_mean_ns", |it| it.mean)
        .column("latency_stdev_ns", |it| it.stdev)
        .column("latency_p50_ns", |it| it.p50)
        .column("latency_p90_ns", |it| it.p90)
        .column("latency_p95_ns", |it| it.p95)
        .column("latency_p99_ns", |it| it.p99)
        .column("latency_p99_9_ns", |it| it.p99_9)
        .column("latency_p99_99_ns", |it| it.p99_99)
        .column("latency_max_ns", |it| it.max)
        .column("latency_count", |it| it.count);
    // From the start that a fixed rate intended.
    let intended = Columns::<LatencyFigures>::none()
        .column("latency_from_intended_mean_ns", |it| it.mean)
        .column("latency_from_intended_p50_ns", |it| it.p50)
        .column("latency_from_intended_p95_ns", |it| it.p95)
        .column("latency_from_intended_p99_ns", |it| it.p99)
        .column("latency_from_intended_p99_9_ns", |it| it.p99_9);
    // Of the flushes among the writes.
    let flush = Columns::<LatencyFigures>::none()
        .column("flush_latency_p50_ns", |it| it.p50)
        .column("flush_latency_p95_ns", |it| it.p95)
        .column("flush_latency_p99_ns", |it| it.p99)
        .column("flush_latency_max_ns", |it| it.max);
    all.within(|it: &ResultRecord<'_>| it.result.latency_ns.as_ref())
        .column("rate_asked_ios_per_s", ResultRecord::rate_requested)
        .and(intended.within(|it| it.result.latency_from_intended_ns.as_ref()))
        .and(flush.within(|it| it.result.flush_latency_ns.as_ref()))
}

fn how<'a>() -> Columns<'a, ResultRecord<'a>> {
    Columns::<ResultRecord<'_>>::none()
        .column("depth", |it| Some(it.knowing(PlanPart::Depth)?.depth))
        .column("threads", |it| Some(it.knowing(PlanPart::Threads)?.threads))
        .column("depth_achieved", |it| it.result.depth_achieved)
        .column("block_bytes_min", |it| {
            Some(it.knowing(PlanPart::Blocks)?.blocks.smallest().0)
        })
        .column("block_bytes_max", |it| {
            Some(it.knowing(PlanPart::Blocks)?.blocks.largest().0)
        })
        .column("backend", |it| {
            Some(it.result.backend.as_ref()?.kind.name())
        })
        .column("direct", |it| it.result.direct)
        .column("cpu_user_ns", |it| Some(it.result.cpu?.user.0))
        .column("cpu_system_ns", |it| Some(it.result.cpu?.system.0))
        .column("device_read_bytes", |it| Some(it.result.device?.read_bytes))
        .column("device_written_bytes", |it| {
            Some(it.result.device?.written_bytes)
        })
        .column("device_flushes", |it| Some(it.result.device?.flushes))
        .column("durable_bytes_per_s", |it| it.result.durable_bytes_per_s)
        .column("failures", |it| {
            let failed = it.result.failures.iter().map(|f| f.count).sum::<u64>();
            // Another tool may have failed without telling.
            it.result.reported.is_none().then_some(failed)
        })
        .column("findings", |it| {
            let findings = it.result.findings.iter();
            let codes: Vec<_> = findings.map(|finding| finding.code.as_str()).collect();
            codes.join(" ")
        })
        .column("seed", |it| {
            it.run.origin().is_none().then_some(it.run.plan.seed)
        })
        .column("fingerprint", |it| it.result.fingerprint.clone())
        .column("label", |it| it.run.label.clone())
}

/// The results of a run.
pub fn lines(run: &RunDocument) -> impl Iterator<Item = ResultRecord<'_>> {
    run.results.iter().map(move |result| ResultRecord {
        run,
        result: Cow::Borrowed(result),
        host: None,
        trials: result.trials.len() as u64,
    })
}

/// The results of each host of a run, where several measured together.
pub fn lines_of_hosts(run: &RunDocument) -> impl Iterator<Item = ResultRecord<'_>> {
    let results = run.results.iter().enumerate();
    let together = run.together().into_iter();
    together.flat_map(move |together| {
        results.clone().flat_map(move |(row_index, result)| {
            let of_hosts = together.results_of_hosts(row_index, result);
            let hosts = run.hosts.iter().zip(&together.hosts).zip(of_hosts);
            hosts.map(move |((host, of_host), result)| ResultRecord {
                run,
                result: Cow::Owned(result),
                host: Some(host),
                trials: of_host
                    .rows
                    .get(row_index)
                    .map_or(0, |row| row.trials.into()),
            })
        })
    })
}

/// The column that tells hosts apart, of runs that have some.
pub(super) fn host_column<'a>() -> Columns<'a, ResultRecord<'a>> {
    Columns::<ResultRecord<'_>>::none().column("host", |it| Some(it.host?.name.clone()))
}
