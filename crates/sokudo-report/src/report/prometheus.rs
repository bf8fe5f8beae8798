//! Metrics in Prometheus' text format (exposition format 0.0.4), for the textfile
//! collector of node_exporter: base units in names, no times of their own, since the
//! collector refuses those.
//!
//! A time series must be there once only: of several runs that measured the same row of
//! the same device and target by the same method, the last one that began is told.

use std::collections::HashSet;

use sokudo_model::{DiskAnswer, MethodTrait, Steadiness, Verdict};

use super::{Report, ReportedRun};
use crate::assessment_table::judged_disks;
use crate::document::{LatencyFigures, ResultDocument, Status};
use crate::grouping::severity_label;
use crate::number::{float, whole};
use sokudo_words::exposition::{Labels, Metrics};

const NANOS_PER_SECOND: f64 = 1e9;

/// Every metric that is told, in order, with what it is.
const METRICS: &str = "\
sokudo_run_timestamp_seconds Start of the run, seconds since 1970-01-01 UTC.
sokudo_run_info What measured, and where; always 1.
sokudo_run_findings Findings of the run and its rows, by severity.
sokudo_answer 1 for what the disk came to, 0 for the others.
sokudo_bandwidth_bytes_per_second Bytes moved per second, median of the trials.
sokudo_bandwidth_low_bytes_per_second Low end of the 95 percent interval of the median.
sokudo_bandwidth_high_bytes_per_second High end of the 95 percent interval of the median.
sokudo_ios_per_second I/Os completed per second, median of the trials.
sokudo_latency_mean_seconds Mean latency of an I/O.
sokudo_latency_seconds Latency within which a share (quantile) of I/Os was done.
sokudo_latency_max_seconds Longest latency of an I/O.
sokudo_failed_ios I/Os that failed or moved fewer bytes than asked.
sokudo_trials Trials that were made.
sokudo_verdict 1 for the verdict of the row, 0 for the others.
sokudo_steady 1 where the 95 percent interval reaches no further than 10 percent, 0 where it does.
";

const ANSWERS: [Option<DiskAnswer>; 4] = [
    Some(DiskAnswer::Ok),
    Some(DiskAnswer::OkBut),
    Some(DiskAnswer::NotOk),
    None,
];

pub(super) fn render(report: &Report) -> String {
    let mut runs: Vec<&ReportedRun> = report.runs.iter().collect();
    // The last one comes first and is kept.
    runs.sort_by_key(|reported| std::cmp::Reverse(reported.run.started_at));
    let mut metrics = Metrics::default();
    let mut seen = HashSet::new();
    for reported in runs {
        let subject = subject(reported);
        if seen.insert(subject.clone()) {
            add_run(&mut metrics, reported, &subject);
        }
        let mut names: Vec<Labels> = Vec::new();
        for result in &reported.run.results {
            let row = row_labels(&subject, result, &mut names);
            if seen.insert(row.clone()) {
                add_result(&mut metrics, result, &row);
            }
        }
    }
    metrics.text(METRICS)
}

fn subject(ReportedRun { run, .. }: &ReportedRun) -> Labels {
    let target = run.target.path.as_ref().unwrap_or(&run.target.name);
    Labels::default()
        .with("device", &run.target.identity())
        .with("target", target)
        .with("method", &run.plan.method.to_string())
}

/// Rows of one name are numbered.
fn row_labels(subject: &Labels, result: &ResultDocument, names: &mut Vec<Labels>) -> Labels {
    let direction = result.direction_label();
    let labels = |number| {
        let row = subject.with_numbered("row", &result.name, number);
        row.with("direction", &direction)
    };
    names.push(labels(1));
    labels(names.iter().filter(|it| **it == labels(1)).count())
}

fn add_run(metrics: &mut Metrics, ReportedRun { run, .. }: &ReportedRun, subject: &Labels) {
    let at = run.started_at.filter(|at| at.0 > 0);
    let at = at.map(|at| seconds(at.0));
    metrics.add("sokudo_run_timestamp_seconds", subject, at);
    let tool = run.origin().map_or("sokudo", |origin| &origin.tool);
    let known = |name: &Option<String>| name.clone().unwrap_or_default();
    let info = subject
        .with("measured_by", tool)
        .with("version", &run.sokudo_version)
        .with("host", &known(&run.environment.host))
        .with("kernel", &known(&run.environment.kernel))
        .with("fingerprint", &run.fingerprint);
    metrics.add("sokudo_run_info", &info, Some(1.0));
    let of_rows = run.results.iter().flat_map(|result| &result.findings);
    let severities = run.findings.iter().chain(of_rows);
    let severities = severities.map(|finding| severity_label(finding.severity));
    metrics.add_findings("sokudo_run_findings", subject, severities);
    // Of what was measured for its speed the answer is a remark.
    let is_question = !run.plan.method.is(MethodTrait::PairsDirections);
    for disk in judged_disks(run).iter().filter(|_| is_question) {
        let answer = disk.assessment.answer;
        let states = ANSWERS.map(|it| (it.map_or("CANNOT SAY", DiskAnswer::name), it == answer));
        let labels = subject.with("disk", disk.name);
        metrics.add_states("sokudo_answer", &labels, "answer", states);
    }
}

fn add_result(metrics: &mut Metrics, result: &ResultDocument, row: &Labels) {
    if let Some(verdict) = result.verdict {
        let states = [Verdict::Verified, Verdict::Unverified, Verdict::Invalid];
        let states = states.map(|it| (it.name(), it == verdict));
        metrics.add_states("sokudo_verdict", row, "verdict", states);
    }
    let mut add = |name, value| metrics.add(name, row, value);
    add("sokudo_trials", Some(whole(result.trials.len())));
    let failed = result.failures.iter().map(|failure| failure.count).sum();
    add("sokudo_failed_ios", Some(float(failed)));
    let is_steady = result.steadiness.map(|it| it == Steadiness::Steady);
    add("sokudo_steady", is_steady.map(|it| f64::from(u8::from(it))));
    if result.status == Status::NotReached {
        return;
    }
    let bandwidth = result.bandwidth_bytes_per_s.as_ref();
    let rates = bandwidth.map(|figures| &figures.bytes_per_s);
    let interval = rates.and_then(|rates| rates.interval_95);
    let (low, high) = (interval.map(|it| it.low), interval.map(|it| it.high));
    let (median, iops) = (rates.map(|it| it.median), result.iops.as_ref());
    add("sokudo_bandwidth_bytes_per_second", median);
    add("sokudo_bandwidth_low_bytes_per_second", low);
    add("sokudo_bandwidth_high_bytes_per_second", high);
    add("sokudo_ios_per_second", iops.map(|iops| iops.median));
    let Some(latency) = &result.latency_ns else {
        return;
    };
    let mean = latency.mean / NANOS_PER_SECOND;
    add("sokudo_latency_mean_seconds", Some(mean));
    add("sokudo_latency_max_seconds", latency.max.map(seconds));
    for (quantile, nanos) in quantiles(latency) {
        let labels = row.with("quantile", quantile);
        metrics.add("sokudo_latency_seconds", &labels, nanos.map(seconds));
    }
}

fn seconds(nanos: u64) -> f64 {
    float(nanos) / NANOS_PER_SECOND
}

fn quantiles(latency: &LatencyFigures) -> [(&'static str, Option<u64>); 6] {
    [
        ("0.5", latency.p50),
        ("0.9", latency.p90),
        ("0.95", latency.p95),
        ("0.99", latency.p99),
        ("0.999", latency.p99_9),
        ("0.9999", latency.p99_99),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::sample;
    use super::*;

    /// A sample as a program reads it: name, labels, value.
    type Read = (String, BTreeMap<String, String>, f64);

    /// Reads the text format by its grammar; panics where it is not kept.
    fn read(text: &str) -> Vec<Read> {
        assert!(
            text.is_empty() || text.ends_with('\n'),
            "the last line ends"
        );
        let mut samples = Vec::new();
        let mut announced = Vec::new();
        for line in text.lines() {
            if let Some(comment) = line.strip_prefix("# ") {
                let mut words = comment.splitn(3, ' ');
                let (keyword, name) = (words.next().unwrap(), words.next().unwrap());
                assert!(words.next().is_some_and(|rest| !rest.is_empty()), "{line}");
                if keyword == "TYPE" {
                    assert!(line.ends_with(" gauge"), "{line}");
                    assert!(!announced.contains(&name.to_owned()), "{name} twice");
                    announced.push(name.to_owned());
                } else {
                    assert_eq!(keyword, "HELP");
                }
                continue;
            }
            let sample = read_sample(line);
            assert_eq!(announced.last(), Some(&sample.0), "{line}");
            samples.push(sample);
        }
        samples
    }

    fn read_sample(line: &str) -> Read {
        let (name, rest) = line.split_once('{').unwrap();
        let is_name = |name: &str| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|sign| sign == '_' || sign.is_ascii_lowercase())
        };
        assert!(is_name(name), "{line}");
        let mut labels = BTreeMap::new();
        let mut signs = rest.chars().peekable();
        loop {
            let label: String = std::iter::from_fn(|| signs.next_if(|sign| *sign != '=')).collect();
            assert!(is_name(&label), "{line}");
            assert_eq!(
                (signs.next(), signs.next()),
                (Some('='), Some('"')),
                "{line}"
            );
            let mut value = String::new();
            loop {
                match signs.next().unwrap() {
                    '"' => break,
                    '\\' => value.push(match signs.next().unwrap() {
                        'n' => '\n',
                        sign @ ('\\' | '"') => sign,
                        other => panic!("\\{other} is no escape: {line}"),
                    }),
                    sign => value.push(sign),
                }
            }
            assert!(labels.insert(label, value).is_none(), "{line}");
            match signs.next() {
                Some(',') => {}
                Some('}') => break,
                other => panic!("{other:?} in {line}"),
            }
        }
        let rest: String = signs.collect();
        let value = rest.strip_prefix(' ').unwrap();
        assert!(!value.contains(' '), "no time may stand there: {line}");
        (name.to_owned(), labels, value.parse().unwrap())
    }

    #[test]
    fn what_is_written_is_read_back_and_no_series_is_there_twice() {
        let report = sample::report();
        let samples = read(&report.prometheus());
        let mut seen = HashSet::new();
        for (name, labels, _) in &samples {
            assert!(seen.insert(format!("{name}{labels:?}")), "{name}{labels:?}");
        }
        let first = &report.runs[0].run.results[0];
        let rates = &first.bandwidth_bytes_per_s.as_ref().unwrap().bytes_per_s;
        let is_first = |labels: &BTreeMap<String, String>| {
            labels["row"] == first.name && labels["direction"] == "read"
        };
        let bandwidth_sample = samples
            .iter()
            .find(|(name, labels, _)| {
                name == "sokudo_bandwidth_bytes_per_second" && is_first(labels)
            })
            .unwrap();
        assert!((bandwidth_sample.2 - rates.median).abs() < 1e-6 * rates.median);
        assert!(
            samples
                .iter()
                .any(|(name, labels, value)| name == "sokudo_verdict"
                    && labels["verdict"] == "VERIFIED"
                    && *value == 1.0)
        );
    }

    #[test]
    fn the_later_of_two_runs_is_told() {
        let mut report = sample::report();
        let mut later = report.runs[0].clone();
        later.run.started_at = crate::date::from_rfc3339("2027-01-01T00:00:00.000Z");
        report.runs.truncate(1);
        report.runs.push(later);
        let samples = read(&report.prometheus());
        let times: Vec<f64> = samples
            .iter()
            .filter(|(name, ..)| name == "sokudo_run_timestamp_seconds")
            .map(|(.., value)| *value)
            .collect();
        assert_eq!(times, [1_798_761_600.0]);
    }

    #[test]
    fn strangers_words_end_no_label() {
        let mut report = sample::report();
        let run = &mut report.runs[0].run;
        run.target.path = Some("a\"} 1\nevil{x=\"\\".into());
        run.results[0].name = "\u{202e}\u{0}name".repeat(100_000);
        let samples = read(&report.prometheus());
        assert!(
            samples
                .iter()
                .any(|(_, labels, _)| labels["target"].starts_with("a\"} 1\nevil"))
        );
        assert!(report.prometheus().len() < 1 << 20);
    }
}
