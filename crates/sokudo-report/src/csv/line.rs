//! The columns of a line that is about a result.

use sokudo_model::{Nanos, Operation, PlanPart};

use crate::document::{LatencyFigures, RateFigures, ResultDocument, RunDocument, TrialDocument};
use crate::record::{Column, or_missing, word};

/// A result and its run.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) run: &'a RunDocument,
    pub(crate) result: &'a ResultDocument,
}

/// What was counted in a trial, per second; `None` where nothing was.
#[expect(clippy::cast_precision_loss, reason = "a rate is a float")]
pub(super) fn per_second(count: u64, trial: &TrialDocument) -> Option<f64> {
    let seconds = Nanos(trial.elapsed_ns).as_secs_f64();
    (count > 0 && seconds > 0.0).then(|| count as f64 / seconds)
}

impl Line<'_> {
    pub(super) fn target(&self) -> String {
        let target = &self.run.target;
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
pub(crate) fn columns<'a>() -> Vec<Column<Line<'a>>> {
    let mut columns = what();
    columns.extend(rates());
    columns.extend(latencies());
    columns.extend(how());
    columns
}

fn what<'a>() -> Vec<Column<Line<'a>>> {
    vec![
        Column::text("started_at", |it| it.run.started_at.clone()),
        Column::text("target", Line::target),
        Column::text("method", |it| it.run.method.to_string()),
        Column::text("name", |it| it.result.name.clone()),
        Column::text("direction", |it| it.result.direction.name().to_owned()),
        Column::whole("read_percent", |it| {
            let operations = &it.result.workload.operations;
            it.known(PlanPart::Operations, operations.percent(Operation::Read))
        }),
        Column::text("verdict", |it| {
            or_missing(it.result.verdict.map(|verdict| verdict.name()))
        }),
        Column::text("status", |it| word(&it.result.status)),
        Column::whole("trials", |it| {
            let trials = it.result.trials.len() as u64;
            it.result.told.is_none().then_some(trials)
        }),
    ]
}

fn rates<'a>() -> Vec<Column<Line<'a>>> {
    vec![
        Column::real("bandwidth_median_mb_per_s", |it| {
            Some(it.result.bandwidth_bytes_per_s.as_ref()?.median_mb_per_s)
        }),
        Column::real("bandwidth_median_mib_per_s", |it| {
            Some(it.result.bandwidth_bytes_per_s.as_ref()?.median_mib_per_s)
        }),
        Column::real("bandwidth_median_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.median))
        }),
        Column::real("bandwidth_mean_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.mean))
        }),
        Column::real("bandwidth_min_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.min))
        }),
        Column::real("bandwidth_max_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.max))
        }),
        Column::real("bandwidth_stdev_bytes_per_s", |it| {
            it.bandwidth(|b| b.stdev)
        }),
        Column::real("bandwidth_interval_95_low_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.interval_95?.low))
        }),
        Column::real("bandwidth_interval_95_high_bytes_per_s", |it| {
            it.bandwidth(|b| Some(b.interval_95?.high))
        }),
        Column::real("bandwidth_trimmed_mean_bytes_per_s", |it| {
            it.bandwidth(|b| b.trimmed_mean)
        }),
        Column::real("iops_median", |it| it.iops(|i| Some(i.median))),
        Column::real("iops_mean", |it| it.iops(|i| Some(i.mean))),
        Column::real("iops_min", |it| it.iops(|i| Some(i.min))),
        Column::real("iops_max", |it| it.iops(|i| Some(i.max))),
        Column::real("iops_stdev", |it| it.iops(|i| i.stdev)),
    ]
}

fn latencies<'a>() -> Vec<Column<Line<'a>>> {
    vec![
        Column::whole("latency_min_ns", |it| it.latency(|l| l.min)),
        Column::real("latency_mean_ns", |it| it.latency(|l| Some(l.mean))),
        Column::real("latency_stdev_ns", |it| it.latency(|l| l.stdev)),
        Column::whole("latency_p50_ns", |it| it.latency(|l| l.p50)),
        Column::whole("latency_p90_ns", |it| it.latency(|l| l.p90)),
        Column::whole("latency_p99_ns", |it| it.latency(|l| l.p99)),
        Column::whole("latency_p99_9_ns", |it| it.latency(|l| l.p99_9)),
        Column::whole("latency_p99_99_ns", |it| it.latency(|l| l.p99_99)),
        Column::whole("latency_max_ns", |it| it.latency(|l| l.max)),
        Column::whole("latency_count", |it| it.latency(|l| l.count)),
        Column::real("rate_asked_ios_per_s", Line::rate_asked),
        Column::real("latency_from_intended_mean_ns", |it| {
            it.intended(|l| Some(l.mean))
        }),
        Column::whole("latency_from_intended_p50_ns", |it| it.intended(|l| l.p50)),
        Column::whole("latency_from_intended_p99_ns", |it| it.intended(|l| l.p99)),
        Column::whole("latency_from_intended_p99_9_ns", |it| {
            it.intended(|l| l.p99_9)
        }),
    ]
}

fn how<'a>() -> Vec<Column<Line<'a>>> {
    vec![
        Column::whole("depth", |it| {
            it.known(PlanPart::Depth, it.result.workload.depth)
        }),
        Column::whole("threads", |it| {
            it.known(PlanPart::Clones, it.result.workload.clones)
        }),
        Column::real("depth_achieved", |it| it.result.depth_achieved),
        Column::whole("block_bytes_min", |it| {
            it.known(PlanPart::Blocks, it.result.workload.blocks.smallest().0)
        }),
        Column::whole("block_bytes_max", |it| {
            it.known(PlanPart::Blocks, it.result.workload.blocks.largest().0)
        }),
        Column::text("backend", |it| {
            let backend = it.result.backend.as_ref();
            or_missing(backend.map(|backend| backend.kind.name()))
        }),
        Column::truth("direct", |it| it.result.direct),
        Column::whole("cpu_user_ns", |it| Some(it.result.cpu?.user.0)),
        Column::whole("cpu_system_ns", |it| Some(it.result.cpu?.system.0)),
        Column::whole("device_read_bytes", |it| Some(it.result.device?.read_bytes)),
        Column::whole("device_written_bytes", |it| {
            Some(it.result.device?.written_bytes)
        }),
        Column::whole("device_flushes", |it| Some(it.result.device?.flushes)),
        Column::real("durable_bytes_per_s", |it| it.result.durable_bytes_per_s),
        Column::whole("failures", |it| {
            let failed = it.result.failures.iter().map(|f| f.count).sum::<u64>();
            // Another tool may have failed without telling.
            it.result.told.is_none().then_some(failed)
        }),
        Column::text("findings", |it| {
            let findings = it.result.findings.iter();
            let codes: Vec<_> = findings.map(|finding| finding.code.as_str()).collect();
            codes.join(" ")
        }),
        Column::whole("seed", |it| it.run.origin.is_none().then_some(it.run.seed)),
        Column::text("fingerprint", |it| it.result.fingerprint.clone()),
    ]
}

/// The results of a run.
pub(crate) fn lines(run: &RunDocument) -> impl Iterator<Item = Line<'_>> {
    run.results.iter().map(move |result| Line { run, result })
}
