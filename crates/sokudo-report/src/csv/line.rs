//! The columns of a line that is about a result.

use std::borrow::Cow;

use sokudo_model::{Host, Nanos, Operation, PlanPart, TargetInfo};

use crate::document::{LatencyFigures, RateFigures, ResultDocument, RunDocument, TrialDocument};
use crate::number::float;
use crate::record::{RecordColumn, or_missing, word};

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

    /// A part of the workload; missing where another tool did not tell it.
    fn known(&self, part: PlanPart, value: impl Into<u64>) -> Option<u64> {
        self.result.knows(part).then(|| value.into())
    }

    fn bandwidth(&self, pick: impl Fn(&RateFigures) -> Option<f64>) -> Option<f64> {
        let figures = self.result.bandwidth_bytes_per_s.as_ref();
        figures.and_then(|bandwidth| pick(&bandwidth.bytes_per_s))
    }

    fn iops(&self, pick: impl Fn(&RateFigures) -> Option<f64>) -> Option<f64> {
        self.result.iops.as_ref().and_then(pick)
    }

    fn latency<T>(&self, pick: impl Fn(&LatencyFigures) -> Option<T>) -> Option<T> {
        self.result.latency_ns.as_ref().and_then(pick)
    }

    /// From the start that a fixed rate intended.
    fn intended<T>(&self, pick: impl Fn(&LatencyFigures) -> Option<T>) -> Option<T> {
        let figures = self.result.latency_from_intended_ns.as_ref();
        figures.and_then(pick)
    }

    /// Of the flushes among the writes.
    fn flush<T>(&self, pick: impl Fn(&LatencyFigures) -> Option<T>) -> Option<T> {
        self.result.flush_latency_ns.as_ref().and_then(pick)
    }

    /// The rate of a row's threads together, where blocks are of one size.
    fn rate_asked(&self) -> Option<f64> {
        let workload = &self.result.workload;
        let block = workload.blocks.largest();
        let rate = workload
            .rate
            .filter(|_| workload.blocks.smallest() == block)?;
        Some(rate.ios_per_second(block) * f64::from(workload.clones))
    }
}

/// Every column in order.
pub fn columns<'a>() -> Vec<RecordColumn<ResultRecord<'a>>> {
    let mut columns = what();
    columns.extend(rates());
    columns.extend(latencies());
    columns.extend(how());
    columns
}

fn what<'a>() -> Vec<RecordColumn<ResultRecord<'a>>> {
    vec![
        RecordColumn::text("started_at", |it| it.run.began()),
        RecordColumn::text("target", ResultRecord::target_path),
        RecordColumn::text("method", |it| it.run.plan.method.to_string()),
        RecordColumn::text("name", |it| it.result.name.clone()),
        RecordColumn::text("direction", |it| it.result.direction.name().to_owned()),
        RecordColumn::whole("read_percent", |it| {
            let operations = &it.result.workload.operations;
            it.known(PlanPart::Operations, operations.percent(Operation::Read))
        }),
        RecordColumn::text("verdict", |it| {
            or_missing(it.result.verdict.map(|verdict| verdict.name()))
        }),
        RecordColumn::text("steadiness", |it| {
            or_missing(it.result.steadiness.map(|steadiness| steadiness.name()))
        }),
        RecordColumn::text("status", |it| word(&it.result.status)),
        RecordColumn::whole("trials", |it| it.result.told.is_none().then_some(it.trials)),
    ]
}

fn rates<'a>() -> Vec<RecordColumn<ResultRecord<'a>>> {
    vec![
        RecordColumn::real("bandwidth_median_mb_per_s", |it| {
            Some(it.result.bandwidth_bytes_per_s.as_ref()?.median_mb_per_s)
        }),
        RecordColumn::real("bandwidth_median_mib_per_s", |it| {
            Some(it.result.bandwidth_bytes_per_s.as_ref()?.median_mib_per_s)
        }),
        RecordColumn::real("bandwidth_median_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.median))
        }),
        RecordColumn::real("bandwidth_mean_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.mean))
        }),
        RecordColumn::real("bandwidth_min_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.min))
        }),
        RecordColumn::real("bandwidth_max_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.max))
        }),
        RecordColumn::real("bandwidth_stdev_bytes_per_s", |it| {
            it.bandwidth(|b| b.stdev)
        }),
        RecordColumn::real("bandwidth_interval_95_low_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.interval_95?.low))
        }),
        RecordColumn::real("bandwidth_interval_95_high_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.interval_95?.high))
        }),
        RecordColumn::real("bandwidth_trimmed_mean_bytes_per_s", |it| {
            it.bandwidth(|b| b.trimmed_mean)
        }),
        RecordColumn::real("iops_median", |it| it.iops(|i| Some(i.median))),
        RecordColumn::real("iops_mean", |it| it.iops(|i| Some(i.mean))),
        RecordColumn::real("iops_min", |it| it.iops(|i| Some(i.min))),
        RecordColumn::real("iops_max", |it| it.iops(|i| Some(i.max))),
        RecordColumn::real("iops_stdev", |it| it.iops(|i| i.stdev)),
    ]
}

fn latencies<'a>() -> Vec<RecordColumn<ResultRecord<'a>>> {
    vec![
        RecordColumn::whole("latency_min_ns", |it| it.latency(|l| l.min)),
        RecordColumn::real("latency_mean_ns", |it| it.latency(|l| Some(l.mean))),
        RecordColumn::real("latency_stdev_ns", |it| it.latency(|l| l.stdev)),
        RecordColumn::whole("latency_p50_ns", |it| it.latency(|l| l.p50)),
        RecordColumn::whole("latency_p90_ns", |it| it.latency(|l| l.p90)),
        RecordColumn::whole("latency_p95_ns", |it| it.latency(|l| l.p95)),
        RecordColumn::whole("latency_p99_ns", |it| it.latency(|l| l.p99)),
        RecordColumn::whole("latency_p99_9_ns", |it| it.latency(|l| l.p99_9)),
        RecordColumn::whole("latency_p99_99_ns", |it| it.latency(|l| l.p99_99)),
        RecordColumn::whole("latency_max_ns", |it| it.latency(|l| l.max)),
        RecordColumn::whole("latency_count", |it| it.latency(|l| l.count)),
        RecordColumn::real("rate_asked_ios_per_s", ResultRecord::rate_asked),
        RecordColumn::real("latency_from_intended_mean_ns", |it| {
            it.intended(|l| Some(l.mean))
        }),
        RecordColumn::whole("latency_from_intended_p50_ns", |it| it.intended(|l| l.p50)),
        RecordColumn::whole("latency_from_intended_p95_ns", |it| it.intended(|l| l.p95)),
        RecordColumn::whole("latency_from_intended_p99_ns", |it| it.intended(|l| l.p99)),
        RecordColumn::whole("latency_from_intended_p99_9_ns", |it| {
            it.intended(|l| l.p99_9)
        }),
        RecordColumn::whole("flush_latency_p50_ns", |it| it.flush(|l| l.p50)),
        RecordColumn::whole("flush_latency_p95_ns", |it| it.flush(|l| l.p95)),
        RecordColumn::whole("flush_latency_p99_ns", |it| it.flush(|l| l.p99)),
        RecordColumn::whole("flush_latency_max_ns", |it| it.flush(|l| l.max)),
    ]
}

fn how<'a>() -> Vec<RecordColumn<ResultRecord<'a>>> {
    vec![
        RecordColumn::whole("depth", |it| {
            it.known(PlanPart::Depth, it.result.workload.depth)
        }),
        RecordColumn::whole("threads", |it| {
            it.known(PlanPart::Clones, it.result.workload.clones)
        }),
        RecordColumn::real("depth_achieved", |it| it.result.depth_achieved),
        RecordColumn::whole("block_bytes_min", |it| {
            it.known(PlanPart::Blocks, it.result.workload.blocks.smallest().0)
        }),
        RecordColumn::whole("block_bytes_max", |it| {
            it.known(PlanPart::Blocks, it.result.workload.blocks.largest().0)
        }),
        RecordColumn::text("backend", |it| {
            let backend = it.result.backend.as_ref();
            or_missing(backend.map(|backend| backend.kind.name()))
        }),
        RecordColumn::truth("direct", |it| it.result.direct),
        RecordColumn::whole("cpu_user_ns", |it| Some(it.result.cpu?.user.0)),
        RecordColumn::whole("cpu_system_ns", |it| Some(it.result.cpu?.system.0)),
        RecordColumn::whole("device_read_bytes", |it| Some(it.result.device?.read_bytes)),
        RecordColumn::whole("device_written_bytes", |it| {
            Some(it.result.device?.written_bytes)
        }),
        RecordColumn::whole("device_flushes", |it| Some(it.result.device?.flushes)),
        RecordColumn::real("durable_bytes_per_s", |it| it.result.durable_bytes_per_s),
        RecordColumn::whole("failures", |it| {
            let failed = it.result.failures.iter().map(|f| f.count).sum::<u64>();
            // Another tool may have failed without telling.
            it.result.told.is_none().then_some(failed)
        }),
        RecordColumn::text("findings", |it| {
            let findings = it.result.findings.iter();
            let codes: Vec<_> = findings.map(|finding| finding.code.as_str()).collect();
            codes.join(" ")
        }),
        RecordColumn::whole("seed", |it| {
            it.run.origin().is_none().then_some(it.run.plan.seed)
        }),
        RecordColumn::text("fingerprint", |it| it.result.fingerprint.clone()),
    ]
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
        results.clone().flat_map(move |(place, result)| {
            let of_hosts = together.results_of_hosts(place, result);
            let hosts = run.hosts.iter().zip(&together.hosts).zip(of_hosts);
            hosts.map(move |((host, of_host), result)| ResultRecord {
                run,
                result: Cow::Owned(result),
                host: Some(host),
                trials: of_host.rows.get(place).map_or(0, |row| row.trials.into()),
            })
        })
    })
}

/// The column that tells hosts apart, of runs that have some.
pub(super) fn host_column<'a>() -> RecordColumn<ResultRecord<'a>> {
    RecordColumn::text("host", |it| or_missing(it.host.map(|host| &host.name)))
}
