//! What early versions left out of the documents that they packed, because computing
//! it gave the same to the last bit. The formulas belong to that way of packing and are not
//! changed; a document that was packed so is held against them in a test.

use sokudo_stats::{Histogram, bucket_numbered};

use crate::document::figures::{FRACTIONS, per_second};
use crate::document::{
    BandwidthFigures, LatencyFigures, PercentileIntervals, RateFigures, ResultDocument,
    RunDocument, TrialDocument,
};

// What has been left out of a result, one bit each.
const BANDWIDTH: u8 = 1;
const IOPS: u8 = 2;
const PERCENTILES: u8 = 4;
// 8 were fingerprints, which are taken anew of every document.
const BUCKETS: u8 = 16;

/// Puts back what was left out; `None` where that does not fit the document.
pub(super) fn fill(document: &mut RunDocument, left_out: &[u8]) -> Option<()> {
    let trim = document.schedule.trim;
    if left_out.len() != document.results.len() {
        return None;
    }
    for (result, left_out) in document.results.iter_mut().zip(left_out) {
        if left_out & BUCKETS != 0 {
            result.histogram = of_numbers(&result.histogram)?;
        }
        if left_out & BANDWIDTH != 0 {
            result.bandwidth_bytes_per_s = bandwidth(result, trim);
        }
        if left_out & IOPS != 0 {
            result.iops = iops(result, trim);
        }
        if left_out & PERCENTILES != 0 {
            result.latency_ns = with_percentiles(result);
        }
    }
    Some(())
}

fn bandwidth(result: &ResultDocument, trim: u32) -> Option<BandwidthFigures> {
    let rates = rates(result, |trial| trial.bytes);
    Some(BandwidthFigures::of(rates)?.trimmed(trim))
}

fn iops(result: &ResultDocument, trim: u32) -> Option<RateFigures> {
    let rates = rates(result, |trial| trial.ios);
    Some(RateFigures::of(rates)?.trimmed(trim))
}

fn rates(result: &ResultDocument, amount: impl Fn(&TrialDocument) -> u64) -> Vec<f64> {
    let trials = result.trials.iter().filter(|trial| trial.ios > 0);
    trials
        .filter_map(|trial| per_second(amount(trial), trial.elapsed_ns))
        .collect()
}

/// The latencies with what the buckets tell of them.
fn with_percentiles(result: &ResultDocument) -> Option<LatencyFigures> {
    let figures = result.latency_ns.clone()?;
    let buckets = result
        .histogram
        .iter()
        .map(|[low, _, count]| (*low, *count));
    let histogram = Histogram::of_buckets(buckets, figures.min?, figures.max?)?;
    let percentile = |fraction| histogram.trusted_quantile(fraction);
    let figures = LatencyFigures {
        p50: percentile(0.5),
        p90: percentile(0.9),
        p95: percentile(0.95),
        p99: percentile(0.99),
        p99_9: percentile(0.999),
        p99_99: percentile(0.9999),
        intervals_95: None,
        ..figures
    };
    let effective = figures.effective_count;
    Some(LatencyFigures {
        intervals_95: effective
            .map(|it| PercentileIntervals::of(&figures, &histogram, [it; FRACTIONS.len()])),
        ..figures
    })
}

fn of_numbers(numbers: &[[u64; 3]]) -> Option<Vec<[u64; 3]>> {
    let bucket = |[number, _, count]: &[u64; 3]| {
        let (low, high) = bucket_numbered(*number)?;
        Some([low, high, *count])
    };
    numbers.iter().map(bucket).collect()
}
