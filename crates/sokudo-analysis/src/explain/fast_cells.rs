//! Fast cells: flash that is written as if each cell held one bit takes writes several
//! times as fast until it is full (pseudo-SLC); then writes go to slow cells, or wait until
//! fast ones have been emptied. Rest makes room again.
//!
//! A volume whose speed is limited, with some credit for bursts, looks the same, after a rest
//! too; in a cloud it calls itself a disk. So this is never certain.

use sokudo_model::{
    BlockDeviceKind, Bytes, Confidence, Fill, FillRest, FillStretch, Inference, Run,
};
use sokudo_words::{Text, text};

use super::evidence::figure;
use super::threshold::FILL_PLACES_MIN;
use crate::rule::InferenceRule;

pub(super) const RULES: &[InferenceRule] = &[fast_cells];

fn fast_cells(run: &Run) -> Option<Inference> {
    let fill = Fill::of(run)?;
    if fill.curve.stretches.len() < FILL_PLACES_MIN {
        return None;
    }
    let collapse = fill.collapse?.level;
    let slow = fill.median_of(collapse)?;
    let fast = fill.levels[collapse - 1];
    let is_virtual = run.target.leaves().any(|leaf| {
        matches!(
            leaf.kind,
            BlockDeviceKind::VirtualDisk | BlockDeviceKind::Loop
        )
    });
    let size = fill.fast_bytes(collapse);
    let seen = Text::list([lasting(&fast), slower(&fill, collapse)], ", ");
    let later = (collapse..fill.levels.len()).filter_map(|level| fill.median_of(level));
    let later = later.map(|bytes_per_s| text!("{mb_per_s:.0}", mb_per_s = bytes_per_s / 1e6));
    // The first rest is the one that says most: longer ones make no less room.
    let rested = fill.rests.first();
    let rest_text = rested.map(|rest| {
        text!(
            "{rested_mb_per_s:.0} MB/s after {rest_s:.0} s of rest",
            rested_mb_per_s = rest.bytes_per_s / 1e6,
            rest_s = rest.rest.as_secs_f64()
        )
    });
    let mut figures = vec![
        figure("fast_cells_bytes", size),
        figure("fast_bytes_per_s", fast.bytes_per_s),
        figure("slow_bytes_per_s", slow),
    ];
    let after_rest = |rest: &FillRest| figure("after_rest_bytes_per_s", rest.bytes_per_s);
    figures.extend(rested.map(after_rest));
    Some(Inference {
        code: "fast-cells".to_owned(),
        claim: text!(
            "a flash drive that takes about {fast_bytes} fast (pseudo-SLC) and then writes at \
             {slow_mb_per_s} MB/s, or a limited volume with credit for bursts",
            fast_bytes = rounded(size),
            slow_mb_per_s = Text::list(later, ", ")
        ),
        figures,
        confidence: match is_virtual {
            true => Confidence::Low,
            false => Confidence::Medium,
        },
        evidence: Text::list([seen].into_iter().chain(rest_text), "; "),
    })
}

/// The rates behind fast cells, each with how far it lasts.
pub fn slower(fill: &Fill, collapse: usize) -> Text {
    let levels = fill.levels[collapse..].iter().enumerate();
    let last = fill.levels.len() - 1 - collapse;
    let rates = levels.map(|(index, level)| match index == last {
        true => text!(
            "{slow_mb_per_s:.0} MB/s from there on",
            slow_mb_per_s = mb_per_s(level)
        ),
        false => lasting(level),
    });
    Text::list(rates, ", ")
}

/// The rate of a level, and how far it lasts.
pub fn lasting(level: &FillStretch) -> Text {
    text!(
        "{mb_per_s:.0} MB/s up to {end_gb:.1} GB",
        mb_per_s = mb_per_s(level),
        end_gb = gb(level.to)
    )
}

/// As drives are sold.
pub fn gb(bytes: Bytes) -> f64 {
    bytes.0 as f64 / 1e9
}

/// As drives are sold, per second.
pub fn mb_per_s(stretch: &FillStretch) -> f64 {
    stretch.bytes_per_s / 1e6
}

#[expect(clippy::cast_possible_truncation, reason = "a share of the writes")]
fn rounded(bytes: f64) -> Bytes {
    Bytes(bytes as u64)
}
