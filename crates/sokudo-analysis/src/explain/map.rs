//! A map that is only partly in memory: a drive without memory of its own holds the places
//! of its blocks for some of the addresses, and must read the map from the flash for any
//! other, which takes about as long as reading the block.
//!
//! With a part C of the addresses mapped, a random read within a span S misses it with
//! probability max(0, 1 − C/S), so that its mean latency is a + b·max(0, 1 − C/S)
//! (Kim and Kim, "HMB in DRAM-less NVMe SSDs: their usage and effects on performance",
//! 2020). The three numbers are fitted by least squares of relative deviations.

use sokudo_model::{
    BlockDeviceKind, Bytes, Confidence, Inference, Operation, Order, Outcome, Run, Workload,
};
use sokudo_words::text;

use super::evidence::{figure, only_reads, outcomes, to_float};
use super::threshold::{
    MAP_COST_MAX, MAP_COST_MIN, MAP_READ_NS_MAX, MAP_READ_NS_MIN, MAP_SPANS_MIN,
    MAP_UNEXPLAINED_MAX,
};
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[partial_map];

/// Larger blocks may need several pages of the map each.
const BLOCK_MAX: Bytes = Bytes::kib(16);
/// Places of the step that are tried per doubling.
const TRIES_PER_DOUBLING: i32 = 16;
/// What of the reads is looked at: stalls, which have other causes, are left out.
const QUANTILES: u32 = 96;

/// A span in bytes, and the mean latency in it in nanoseconds.
type Point = (f64, f64);

/// Step in latency over span that fits the points best, by relative deviations.
struct MappingFit {
    mapped_bytes: f64,
    read_ns: f64,
    extra_ns: f64,
    /// Variation that remains, as a share of that around one constant latency.
    unexplained: f64,
}

fn partial_map(run: &Run) -> Option<Inference> {
    let points = points(run);
    if points.len() < MAP_SPANS_MIN {
        return None;
    }
    let step = fit(&points)?;
    let cost = step.extra_ns / step.read_ns;
    let below = points.iter().filter(|it| it.0 <= step.mapped_bytes).count();
    let is_flash = (MAP_READ_NS_MIN..=MAP_READ_NS_MAX).contains(&step.read_ns);
    let fits = step.unexplained <= MAP_UNEXPLAINED_MAX
        && (MAP_COST_MIN..=MAP_COST_MAX).contains(&cost)
        && below >= 2
        && points.len() - below >= 2;
    (is_flash && fits).then(|| inference(run, &step, &points))
}

fn inference(run: &Run, step: &MappingFit, points: &[Point]) -> Inference {
    let has_cache_above = run.target.leaves().any(|leaf| {
        matches!(
            leaf.kind,
            BlockDeviceKind::VirtualDisk | BlockDeviceKind::Loop
        )
    });
    let (first, last) = (points[0], points[points.len() - 1]);
    Inference {
        code: "partial-map".to_owned(),
        claim: text!(
            "a flash drive that holds the map of about {mapped} of its addresses in memory and reads it for every other (no DRAM, or little)",
            mapped = Bytes(rounded(step.mapped_bytes))
        ),
        figures: vec![
            figure("mapped_bytes", step.mapped_bytes),
            figure("read_ns", step.read_ns),
            figure("map_read_ns", step.extra_ns),
            figure("unexplained_share", step.unexplained),
        ],
        confidence: match has_cache_above {
            true => Confidence::Low,
            false => Confidence::Medium,
        },
        evidence: text!(
            "random reads take {near_us:.0} µs within {near} and {far_us:.0} µs within {far}; in between, a read outside the mapped part takes about {factor:.2} times as long",
            near_us = first.1 / 1e3,
            near = Bytes(rounded(first.0)),
            far_us = last.1 / 1e3,
            far = Bytes(rounded(last.0)),
            factor = 1.0 + step.extra_ns / step.read_ns,
        ),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a size made of sizes")]
fn rounded(bytes: f64) -> u64 {
    bytes as u64
}

/// Mean latencies of single random reads within spans from the start, the smallest first.
fn points(run: &Run) -> Vec<Point> {
    let found = outcomes(run, is_random_read);
    let mut points: Vec<Point> = found
        .filter_map(|(workload, outcome)| Some((span_bytes(run, workload)?, latency(outcome)?)))
        .collect();
    points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    points.dedup_by(|a, b| a.0 == b.0);
    points
}

fn is_random_read(workload: &Workload) -> bool {
    let is_small = workload.blocks.single().is_some_and(|it| it <= BLOCK_MAX);
    only_reads(workload)
        && is_small
        && workload.survey().is_none()
        && matches!(workload.order, Order::Random { .. })
        && workload.depth * workload.threads == 1
        && workload.span.is_none_or(|span| span.offset == Bytes(0))
}

fn span_bytes(run: &Run, workload: &Workload) -> Option<f64> {
    let span = workload.span.map(|span| span.length);
    Some(to_float(span.or(run.target.size_bytes)?.0))
}

/// The mean without the slowest reads.
fn latency(outcome: &Outcome) -> Option<f64> {
    let latencies = &outcome.operation(Operation::Read)?.latency;
    let quantiles = (0..QUANTILES).filter_map(|it| {
        let share = (f64::from(it) + 0.5) / f64::from(QUANTILES + 4);
        latencies.quantile(share).map(to_float)
    });
    let sum: f64 = quantiles.sum();
    (!latencies.is_empty()).then(|| sum / f64::from(QUANTILES))
}

/// The step that explains most; `None` where nothing rises.
fn fit(points: &[Point]) -> Option<MappingFit> {
    let smallest = points.first()?.0;
    let largest = points.last()?.0;
    let count = to_float(points.len() as u64);
    // Weights 1/y² make deviations relative; without a step the best level is this.
    let flat_level = points.iter().map(|it| 1.0 / it.1).sum::<f64>()
        / points.iter().map(|it| it.1.powi(-2)).sum::<f64>();
    let variation: f64 = points
        .iter()
        .map(|it| (1.0 - flat_level / it.1).powi(2))
        .sum();
    let tries = std::iter::successors(Some(smallest), |mapped| {
        let next = mapped * 2f64.powf(1.0 / f64::from(TRIES_PER_DOUBLING));
        (next < largest).then_some(next)
    });
    let at = |mapped: f64| {
        let (mut w, mut wx, mut wy, mut wxx, mut wxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (span, y) in points {
            let (x, weight) = ((1.0 - mapped / span).max(0.0), y.powi(-2));
            w += weight;
            wx += weight * x;
            wy += weight * y;
            wxx += weight * x * x;
            wxy += weight * x * y;
        }
        let determinant = w * wxx - wx * wx;
        let extra_ns = (w * wxy - wx * wy) / determinant;
        let read_ns = (wy - extra_ns * wx) / w;
        let rest = points.iter().map(|(span, y)| {
            let x = (1.0 - mapped / span).max(0.0);
            (1.0 - (read_ns + extra_ns * x) / y).powi(2)
        });
        let unexplained = rest.sum::<f64>() / variation;
        (determinant > 0.0 && unexplained.is_finite()).then_some(MappingFit {
            mapped_bytes: mapped,
            read_ns,
            extra_ns,
            unexplained,
        })
    };
    let steps = tries.filter_map(at).filter(|step| step.extra_ns > 0.0);
    let best = steps.min_by(|a, b| a.unexplained.total_cmp(&b.unexplained))?;
    (count > 3.0).then_some(best)
}
