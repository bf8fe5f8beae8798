//! Fast cells: flash that is written as if each cell held one bit takes writes several
//! times as fast until it is full (pseudo-SLC); then writes go to slow cells, or wait until
//! fast ones have been emptied. Rest makes room again.
//!
//! A volume whose speed is limited, with some credit for bursts, looks the same, after a rest
//! too; in a cloud it calls itself a disk. So this is never certain.

use sokudo_model::{
    BlockDeviceKind, Bytes, Confidence, Inference, Nanos, Operation, Order, Outcome, Run, Sample,
    Visit, Workload,
};
use sokudo_words::{Text, text};

use super::evidence::{figure, measured, median, outcomes, to_float, without_outliers};
use super::levels::levels;
use super::threshold::{
    FAST_CELLS_BYTES_MIN, FAST_CELLS_RATIO_MIN, FILL_LEVEL_PLACES_MIN, FILL_PLACES_MIN,
};
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[fast_cells];

/// Longer fills are thinned: the search for levels takes the square of their length.
const PLACES_MAX: usize = 512;

/// One stretch of a fill: where it begins, its length in bytes and its rate.
struct FillSegment {
    start: u64,
    bytes: u64,
    rate: f64,
}

fn fast_cells(run: &Run) -> Option<Inference> {
    let turns = |leaf: &sokudo_model::BlockDevice| {
        leaf.kind == BlockDeviceKind::Disk && leaf.rotational == Some(true)
    };
    if run.target.leaves().any(turns) {
        return None;
    }
    let fill = fill(run)?;
    let rates = without_outliers(fill.iter().map(|stretch| stretch.rate).collect());
    let levels = levels(&rates, FILL_LEVEL_PLACES_MIN);
    let rate_of = |level: &std::ops::Range<usize>| median(&rates[level.clone()]);
    let written = |end: usize| fill[..end].iter().map(|it| it.bytes).sum::<u64>();
    // What comes before is the drive's ordinary memory.
    let step = levels.windows(2).find_map(|pair| {
        let (before, after) = (rate_of(&pair[0])?, rate_of(&pair[1])?);
        let is_step = before / after >= FAST_CELLS_RATIO_MIN;
        let end = pair[1].start;
        (is_step && written(end) >= FAST_CELLS_BYTES_MIN).then_some((end, before))
    });
    let (end, fast) = step?;
    let slow = median(&rates[end..])?;
    let in_memory = |stretch: &&FillSegment| stretch.rate >= fast * FAST_CELLS_RATIO_MIN;
    let burst: u64 = fill.iter().take_while(in_memory).map(|it| it.bytes).sum();
    let size = written(end).saturating_sub(burst);
    // Nothing later is as fast again: what comes and goes is somebody else's work.
    let stays_slow = levels
        .iter()
        .filter(|level| level.start >= end)
        .filter_map(rate_of)
        .all(|rate| fast / rate >= FAST_CELLS_RATIO_MIN);
    // Memory that is emptied at the slow rate while it is filled at the fast one takes
    // more than it holds.
    let held = to_float(size) * (1.0 - slow / fast);
    let is_more_than_memory = held >= to_float(FAST_CELLS_BYTES_MIN);
    if fast / slow < FAST_CELLS_RATIO_MIN || !stays_slow || !is_more_than_memory {
        return None;
    }
    let rested = after_rest(run);
    Some(inference(run, &fill[end], [fast, slow], size, rested))
}

fn inference(
    run: &Run,
    step: &FillSegment,
    [fast, slow]: [f64; 2],
    size: u64,
    rested: Option<(Nanos, f64)>,
) -> Inference {
    let is_virtual = run.target.leaves().any(|leaf| {
        matches!(
            leaf.kind,
            BlockDeviceKind::VirtualDisk | BlockDeviceKind::Loop
        )
    });
    let (fast_bytes, slow_mb_per_s) = (Bytes(size), slow / 1e6);
    let seen = text!(
        "{fast_mb_per_s:.0} MB/s up to {offset}, {slow_mb_per_s:.0} MB/s from there on",
        fast_mb_per_s = fast / 1e6,
        offset = Bytes(step.start)
    );
    let rest = rested.map(|(rest, rate)| {
        text!(
            "{rested_mb_per_s:.0} MB/s after {rest_s:.0} s of rest",
            rested_mb_per_s = rate / 1e6,
            rest_s = rest.as_secs_f64()
        )
    });
    let mut figures = vec![
        figure("fast_cells_bytes", to_float(size)),
        figure("fast_bytes_per_s", fast),
        figure("slow_bytes_per_s", slow),
    ];
    figures.extend(rested.map(|(_, rate)| figure("after_rest_bytes_per_s", rate)));
    Inference {
        code: "fast-cells".to_owned(),
        claim: text!(
            "a flash drive that takes about {fast_bytes} fast (pseudo-SLC) and then writes at \
             {slow_mb_per_s:.0} MB/s, or a limited volume with credit for bursts"
        ),
        figures,
        confidence: match is_virtual {
            true => Confidence::Low,
            false => Confidence::Medium,
        },
        evidence: Text::list([seen].into_iter().chain(rest), "; "),
    }
}

/// The longest fill, in the order in which it was written.
fn fill(run: &Run) -> Option<Vec<FillSegment>> {
    let fills = outcomes(run, is_fill).map(|(_, outcome)| stretches(outcome));
    let fill = fills.max_by_key(Vec::len)?;
    (fill.len() >= FILL_PLACES_MIN).then_some(fill)
}

fn stretches(outcome: &Outcome) -> Vec<FillSegment> {
    let places: Vec<_> = measured(outcome).collect();
    let together = places.len().div_ceil(PLACES_MAX).max(1);
    let stretch = |chunk: &[&sokudo_model::SurveySample]| {
        let bytes = chunk.iter().map(|place| place.bytes.0).sum();
        let seconds: f64 = chunk.iter().map(|it| it.elapsed.as_secs_f64()).sum();
        FillSegment {
            start: chunk[0].offset.0,
            bytes,
            rate: to_float(bytes) / seconds,
        }
    };
    places.chunks(together).map(stretch).collect()
}

/// Whether a workload writes everything from one end to the other, and nothing twice.
fn is_fill(workload: &Workload) -> bool {
    let is_whole = workload.survey.is_some_and(|survey| {
        survey.visit == Visit::Ascending && survey.sample == Sample::Whole && !survey.write_back
    });
    is_whole && workload.operations.single() == Some(Operation::Write)
}

/// How long the drive rested, and the rate of sequential writes after it.
fn after_rest(run: &Run) -> Option<(Nanos, f64)> {
    let is_wanted = |workload: &Workload| {
        workload.operations.single() == Some(Operation::Write)
            && workload.survey.is_none()
            && workload.starts_after > Nanos(0)
            && matches!(workload.order, Order::Sequential { .. })
    };
    let (workload, outcome) = outcomes(run, is_wanted).next()?;
    Some((workload.starts_after, outcome.bytes_per_second()?))
}
