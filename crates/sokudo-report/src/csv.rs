//! CSV for spreadsheets and scripts: one line per result, for scans one per place
//! (`places`), for steady procedures one per round (`rounds`), a unit in every name, an empty field for what is missing. Lines carry what they need to be told
//! apart when files are joined.

use sokudo_model::Operation;

use crate::document::{LatencyFigures, ResultDocument, RunDocument};
use crate::surface;

mod fields;
mod places;
mod rounds;

pub(crate) use fields::{field, word, written};

/// A column: its name and its field in a line.
pub(crate) type Column = (&'static str, fn(&RunDocument, &ResultDocument) -> String);

/// Every column in order.
pub(crate) const COLUMNS: [Column; 56] = [
    ("started_at", |run, _| run.started_at.clone()),
    ("target", |run, _| {
        run.target
            .path
            .clone()
            .unwrap_or_else(|| run.target.name.clone())
    }),
    ("method", |run, _| run.method.clone()),
    ("name", |_, result| result.name.clone()),
    ("direction", |_, result| result.direction.name().to_owned()),
    ("read_percent", |_, result| {
        let operations = &result.workload.operations;
        known(result, "operations", operations.percent(Operation::Read))
    }),
    ("verdict", |_, result| {
        field(result.verdict.map(|verdict| verdict.name()))
    }),
    ("status", |_, result| word(&result.status)),
    ("trials", |_, result| {
        field(result.told.is_none().then_some(result.trials.len()))
    }),
    ("bandwidth_median_mb_per_s", |_, result| {
        field(
            result
                .bandwidth_bytes_per_s
                .as_ref()
                .map(|b| b.median_mb_per_s),
        )
    }),
    ("bandwidth_median_mib_per_s", |_, result| {
        field(
            result
                .bandwidth_bytes_per_s
                .as_ref()
                .map(|b| b.median_mib_per_s),
        )
    }),
    ("bandwidth_median_bytes_per_s", |_, result| {
        bandwidth(result, |b| Some(b.median))
    }),
    ("bandwidth_mean_bytes_per_s", |_, result| {
        bandwidth(result, |b| Some(b.mean))
    }),
    ("bandwidth_min_bytes_per_s", |_, result| {
        bandwidth(result, |b| Some(b.min))
    }),
    ("bandwidth_max_bytes_per_s", |_, result| {
        bandwidth(result, |b| Some(b.max))
    }),
    ("bandwidth_stdev_bytes_per_s", |_, result| {
        bandwidth(result, |b| b.stdev)
    }),
    ("bandwidth_interval_95_low_bytes_per_s", |_, result| {
        bandwidth(result, |b| Some(b.interval_95?.low))
    }),
    ("bandwidth_interval_95_high_bytes_per_s", |_, result| {
        bandwidth(result, |b| Some(b.interval_95?.high))
    }),
    ("bandwidth_trimmed_mean_bytes_per_s", |_, result| {
        bandwidth(result, |b| b.trimmed_mean)
    }),
    ("iops_median", |_, result| iops(result, |i| Some(i.median))),
    ("iops_mean", |_, result| iops(result, |i| Some(i.mean))),
    ("iops_min", |_, result| iops(result, |i| Some(i.min))),
    ("iops_max", |_, result| iops(result, |i| Some(i.max))),
    ("iops_stdev", |_, result| iops(result, |i| i.stdev)),
    ("latency_min_ns", |_, result| latency(result, |l| l.min)),
    ("latency_mean_ns", |_, result| {
        field(result.latency_ns.as_ref().map(|l| l.mean))
    }),
    ("latency_stdev_ns", |_, result| {
        field(result.latency_ns.as_ref().and_then(|l| l.stdev))
    }),
    ("latency_p50_ns", |_, result| latency(result, |l| l.p50)),
    ("latency_p90_ns", |_, result| latency(result, |l| l.p90)),
    ("latency_p99_ns", |_, result| latency(result, |l| l.p99)),
    ("latency_p99_9_ns", |_, result| latency(result, |l| l.p99_9)),
    ("latency_p99_99_ns", |_, result| {
        latency(result, |l| l.p99_99)
    }),
    ("latency_max_ns", |_, result| latency(result, |l| l.max)),
    ("latency_count", |_, result| latency(result, |l| l.count)),
    ("rate_asked_ios_per_s", |_, result| {
        let workload = &result.workload;
        let block = workload.blocks.largest();
        let is_one_size = workload.blocks.smallest() == block;
        let of_clone = workload.rate.filter(|_| is_one_size);
        let of_clone = of_clone.map(|rate| rate.ios_per_second(block));
        field(of_clone.map(|rate| rate * f64::from(workload.clones)))
    }),
    ("latency_from_intended_mean_ns", |_, result| {
        let figures = result.latency_from_intended_ns.as_ref();
        field(figures.map(|figures| figures.mean))
    }),
    ("latency_from_intended_p50_ns", |_, result| {
        from_intended(result, |l| l.p50)
    }),
    ("latency_from_intended_p99_ns", |_, result| {
        from_intended(result, |l| l.p99)
    }),
    ("latency_from_intended_p99_9_ns", |_, result| {
        from_intended(result, |l| l.p99_9)
    }),
    ("depth", |_, result| {
        known(result, "depth", result.workload.depth)
    }),
    ("threads", |_, result| {
        known(result, "clones", result.workload.clones)
    }),
    ("depth_achieved", |_, result| field(result.depth_achieved)),
    ("block_bytes_min", |_, result| {
        known(result, "blocks", result.workload.blocks.smallest().0)
    }),
    ("block_bytes_max", |_, result| {
        known(result, "blocks", result.workload.blocks.largest().0)
    }),
    ("backend", |_, result| {
        field(result.backend.as_ref().map(|backend| backend.kind.name()))
    }),
    ("direct", |_, result| field(result.direct)),
    ("cpu_user_ns", |_, result| {
        field(result.cpu.map(|cpu| cpu.user_ns))
    }),
    ("cpu_system_ns", |_, result| {
        field(result.cpu.map(|cpu| cpu.system_ns))
    }),
    ("device_read_bytes", |_, result| {
        field(result.device.map(|device| device.read_bytes))
    }),
    ("device_written_bytes", |_, result| {
        field(result.device.map(|device| device.written_bytes))
    }),
    ("device_flushes", |_, result| {
        field(result.device.map(|device| device.flushes))
    }),
    ("durable_bytes_per_s", |_, result| {
        field(result.durable_bytes_per_s)
    }),
    ("failures", |_, result| {
        let failed = result.failures.iter().map(|f| f.count).sum::<u64>();
        // Another tool may have failed without telling.
        field(result.told.is_none().then_some(failed))
    }),
    ("findings", |_, result| {
        let codes: Vec<_> = result
            .findings
            .iter()
            .map(|finding| finding.code.as_str())
            .collect();
        codes.join(" ")
    }),
    ("seed", |run, _| {
        field(run.origin.is_none().then_some(run.seed))
    }),
    ("fingerprint", |_, result| result.fingerprint.clone()),
];

/// A line of names, then one line per result in the run's order; for a scan, one per
/// place.
pub fn render(document: &RunDocument) -> String {
    if surface::is_scan(document) {
        return places::render(document);
    }
    if let Some(steady) = &document.steady {
        return rounds::render(document, steady);
    }
    let names = COLUMNS.map(|(name, _)| name.to_owned());
    let lines = document
        .results
        .iter()
        .map(|result| COLUMNS.map(|(_, value)| value(document, result)));
    written(std::iter::once(names).chain(lines))
}

/// A part of the workload; empty where another tool did not tell it.
fn known(result: &ResultDocument, part: &str, value: impl ToString) -> String {
    field(result.knows(part).then_some(value))
}

fn bandwidth(
    result: &ResultDocument,
    pick: impl Fn(&crate::document::RateFigures) -> Option<f64>,
) -> String {
    let figures = result.bandwidth_bytes_per_s.as_ref();
    field(figures.and_then(|bandwidth| pick(&bandwidth.bytes_per_s)))
}

fn iops(
    result: &ResultDocument,
    pick: impl Fn(&crate::document::RateFigures) -> Option<f64>,
) -> String {
    field(result.iops.as_ref().and_then(pick))
}

fn latency(result: &ResultDocument, pick: impl Fn(&LatencyFigures) -> Option<u64>) -> String {
    field(result.latency_ns.as_ref().and_then(pick))
}

fn from_intended(result: &ResultDocument, pick: impl Fn(&LatencyFigures) -> Option<u64>) -> String {
    field(result.latency_from_intended_ns.as_ref().and_then(pick))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    /// The fields of a result by their names.
    fn read(document: &RunDocument) -> Vec<std::collections::HashMap<String, String>> {
        let text = render(document);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn every_result_is_one_line() {
        let document = RunDocument::from_run(&sample::run());
        insta::assert_snapshot!(render(&document));
    }

    #[test]
    fn what_is_missing_is_empty_and_not_zero() {
        let lines = read(&RunDocument::from_run(&sample::troubled_run()));
        let not_reached = &lines[4];
        assert_eq!(not_reached["status"], "not_reached");
        assert_eq!(not_reached["verdict"], "");
        assert_eq!(not_reached["bandwidth_median_mb_per_s"], "");
        assert_eq!(not_reached["latency_p50_ns"], "");
        assert_eq!(not_reached["device_read_bytes"], "");
        assert_eq!(lines[2]["failures"], "20");
    }

    #[test]
    fn numbers_read_back_exactly() {
        let document = RunDocument::from_run(&sample::run());
        for (line, result) in read(&document).iter().zip(&document.results) {
            let bandwidth = result.bandwidth_bytes_per_s.as_ref().unwrap();
            let median = line["bandwidth_median_bytes_per_s"].parse::<f64>().unwrap();
            assert_eq!(median, bandwidth.bytes_per_s.median);
            let mb: f64 = line["bandwidth_median_mb_per_s"].parse().unwrap();
            let mib: f64 = line["bandwidth_median_mib_per_s"].parse().unwrap();
            assert!((mb / mib - 1.048_576).abs() < 1e-12);
        }
    }

    #[test]
    fn names_with_commas_and_quotes_stay_one_field() {
        let mut run = sample::bare_run();
        run.rows[0].workload.name = "mine, \"really\"\nmine".into();
        assert_eq!(
            read(&RunDocument::from_run(&run))[0]["name"],
            "mine, \"really\"\nmine"
        );
    }
}
