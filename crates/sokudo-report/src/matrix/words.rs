//! What a matrix's texts share: names of values and cells, and how much faster something is.

use sokudo_model::EffectRatio;
use sokudo_words::{Text, text};

use super::MatrixDocument;
use crate::number::{self, is_far, percent, times};

/// Whether it is said as a factor: a difference that may be so large.
pub(super) fn is_factor(ratio: EffectRatio) -> bool {
    match ratio.is_shown() {
        true => is_far([ratio.low, ratio.high]),
        false => number::is_factor(ratio.ratio),
    }
}

/// What one value of an axis is called: values of axes that everybody knows alone.
pub(crate) fn value_name(document: &MatrixDocument, axis: usize, value: usize) -> Text {
    let axis = &document.axes[axis];
    let value = axis.values.get(value).map_or("", String::as_str);
    match (axis.name.as_str(), value) {
        ("raid", "none") => "a single disk".into(),
        ("raid", level) => text!("RAID {level}"),
        ("fs", value) => Text::name(value),
        (name, value) => text!("{name} {value}"),
    }
}

/// What an axis is called.
pub(crate) fn axis_name(document: &MatrixDocument, axis: usize) -> Text {
    match document.axes[axis].name.as_str() {
        "raid" => "RAID".into(),
        "fs" => "file system".into(),
        "mount" => "mount".into(),
        "scheduler" => "scheduler".into(),
        "write-cache" => "write-cache".into(),
        "ageing" => "ageing".into(),
        name => Text::name(name),
    }
}

/// The axes that tell cells apart; of a single cell all.
pub(super) fn telling_axes(document: &MatrixDocument) -> Vec<usize> {
    let is_alone = document.cells.len() == 1;
    let axes = document.axes.iter().enumerate();
    let telling = axes.filter(|(_, axis)| is_alone || axis.values.len() > 1);
    telling.map(|(number, _)| number).collect()
}

/// What a cell is called: its values of the axes that tell it apart.
pub(crate) fn cell_name(document: &MatrixDocument, cell: usize) -> Text {
    let values = &document.cells[cell].values;
    let axes = telling_axes(document).into_iter();
    Text::list(
        axes.map(|axis| value_name(document, axis, values[axis])),
        " · ",
    )
}

/// How much faster or slower: `4.0 to 9.0 % faster`, `12 to 15 times as fast`; what is not shown
/// to be faster by its estimate.
pub(super) fn speed(ratio: EffectRatio) -> Text {
    let EffectRatio { low, high, .. } = ratio;
    if !ratio.is_shown() {
        return match is_factor(ratio) {
            true => text!("some {} times as fast", times(ratio.ratio)),
            false => text!("some {} faster", percent(ratio.ratio - 1.0)),
        };
    }
    if is_factor(ratio) {
        let [low, high] = [low, high].map(times);
        return text!("{low} to {high} times as fast");
    }
    let ends = match ratio.ratio > 1.0 {
        true => [low - 1.0, high - 1.0],
        false => [1.0 - high, 1.0 - low],
    };
    let [low, high] = ends.map(percent);
    let low = low.trim_end_matches(" %");
    match ratio.ratio > 1.0 {
        true => text!("{low} to {high} faster"),
        false => text!("{low} to {high} slower"),
    }
}
