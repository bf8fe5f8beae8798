//! What a matrix comes to, in a few sentences.
//!
//! It concludes nothing: what differs is what effects say.

use sokudo_model::{CombinationEffect, EffectRatio, PairEffect};
use sokudo_words::{Text, text};

use super::MatrixCellState::{Failed, LeftOut, Waiting};
use super::MatrixDocument;
use super::words::{axis_name, cell_name, is_factor, speed, value_name};
use crate::grouping::only_through_page_cache;
use crate::number::{UNSEEN_MAX, percent, times};
use crate::wording::row;

/// So many differences are named in the answer.
const NAMED: usize = 2;
/// Logarithm of a ratio; a smaller one that is not shown is most often chance, and is not named.
const UNPROVEN_MIN: f64 = 0.01;

/// The answer, then what must be known with it.
pub(super) fn sentences(document: &MatrixDocument) -> Vec<Text> {
    let mut sentences: Vec<Text> = all_unproven(document).into_iter().collect();
    sentences.push(answer(document));
    sentences.extend(through_page_cache(document));
    if document.is_of_files {
        sentences.push(
            "The disks are files on a disk of this machine (loop devices): the figures compare what is built on them, and do not show how fast disks are."
                .into(),
        );
    }
    sentences.extend(best(document));
    sentences.extend(unmeasured(document));
    sentences
}

/// What must be known before anything else, where it is so.
fn all_unproven(document: &MatrixDocument) -> Option<Text> {
    let count = document.figures().count();
    (count > 1
        && document
            .figures()
            .all(|it| it.per_second.is_some() && it.is_unproven()))
    .then(|| text!("All {count} figures are UNVERIFIED, so what follows may have other causes."))
}

/// That some cells of a row went through the page cache, and others did not.
fn through_page_cache(document: &MatrixDocument) -> Option<Text> {
    only_through_page_cache(document.rows.iter().map(|row| {
        let cells = row.cells.iter().enumerate();
        let cells = cells.filter_map(|(cell, figure)| {
            let codes = &*figure.as_ref()?.findings;
            Some((cell_name(document, cell), codes))
        });
        (&*row.name, cells.collect())
    }))
}

fn is_all_invalid(document: &MatrixDocument) -> bool {
    let mut figures = document.figures().peekable();
    figures.peek().is_some() && figures.all(|it| it.per_second.is_none())
}

/// Sentence that answers what the matrix was measured for.
fn answer(document: &MatrixDocument) -> Text {
    let shown = largest_first(pairs(document), |pair| pair.ratio);
    let depends = combinations(document).filter(|(_, it)| it.ratio.is_shown());
    let depends = depends.count();
    if is_all_invalid(document) {
        return "Nothing can be compared, because all results are INVALID; the notes on the cells say why."
            .into();
    }
    if document.cells.len() > 1 && pairs(document).next().is_none() {
        return "Nothing can be compared yet: two cells of an axis must be measured in two blocks."
            .into();
    }
    let named = shown.iter().take(NAMED);
    let named = named.map(|(row, pair)| of_pair(document, row, pair));
    let differences = match shown.is_empty() {
        true => nothing(document),
        false => Text::list(named, ", "),
    };
    let unproven = unproven(document, pairs(document));
    let rest = match shown.len().saturating_sub(NAMED) {
        0 if shown.is_empty() || unproven.is_some() => None,
        0 => Some("nothing else was found to differ between values of an axis".into()),
        1 => Some("1 more difference was found".into()),
        more => Some(text!("{more} more differences were found")),
    };
    let depends = match depends {
        0 => None,
        1 => Some("1 combination does not behave as its parts do elsewhere".into()),
        count => Some(text!(
            "{count} combinations do not behave as their parts do elsewhere"
        )),
    };
    let parts = [Some(differences), rest, depends];
    let found = text!("{}.", Text::list(parts.into_iter().flatten(), "; "));
    Text::list(std::iter::once(found).chain(unproven), " ")
}

/// Every two values of an axis, of every row.
pub(super) fn pairs(document: &MatrixDocument) -> impl Iterator<Item = (&str, &PairEffect)> {
    let rows = document.effects.rows.iter();
    rows.flat_map(|row| row.pairs.iter().map(|pair| (row.row.as_str(), pair)))
}

/// The same of two axes.
pub(super) fn combinations(
    document: &MatrixDocument,
) -> impl Iterator<Item = (&str, &CombinationEffect)> {
    let rows = document.effects.rows.iter();
    rows.flat_map(|row| row.combinations.iter().map(|it| (row.row.as_str(), it)))
}

/// Those that are shown, each with its row.
pub(super) fn largest_first<'a, E>(
    effects: impl Iterator<Item = (&'a str, &'a E)>,
    ratio: fn(&E) -> EffectRatio,
) -> Vec<(&'a str, &'a E)> {
    let mut shown: Vec<_> = effects.filter(|(_, it)| ratio(it).is_shown()).collect();
    let size = |it: &E| ratio(it).ratio.ln().abs();
    shown.sort_by(|(_, one), (_, other)| size(other).total_cmp(&size(one)));
    shown
}

/// The largest difference that is not shown, and what is expected to show it.
pub(super) fn unproven<'a>(
    document: &MatrixDocument,
    pairs: impl Iterator<Item = (&'a str, &'a PairEffect)>,
) -> Option<Text> {
    let size = |pair: &PairEffect| pair.ratio.ratio.ln().abs();
    let unshown = pairs.filter(|(_, pair)| !pair.ratio.is_shown());
    let (name, pair) = unshown.max_by(|(_, a), (_, b)| size(a).total_cmp(&size(b)))?;
    let (blocks, difference) = (document.blocks, of_pair(document, name, pair));
    let sentence = match pair.blocks_to_show {
        Some(more) => text!(
            "Not proven with {blocks} blocks: {difference}; --blocks {more} is expected to show it."
        ),
        None => text!(
            "Not proven with {blocks} blocks: {difference}; 100 blocks are not expected to show it."
        ),
    };
    (size(pair) >= UNPROVEN_MIN).then_some(sentence)
}

/// `xfs is 4.0 to 9.0 % faster than ext4 in RND4K Q1T1 write`; whichever is faster comes first.
pub(super) fn of_pair(document: &MatrixDocument, name: &str, pair: &PairEffect) -> Text {
    let mut pair = *pair;
    if pair.ratio.ratio < 1.0 {
        let EffectRatio { ratio, low, high } = pair.ratio;
        pair.ratio = EffectRatio {
            ratio: 1.0 / ratio,
            low: 1.0 / high,
            high: 1.0 / low,
        };
        (pair.value, pair.reference) = (pair.reference, pair.value);
    }
    let [this, that] =
        [pair.value, pair.reference].map(|value| value_name(document, pair.axis, value));
    let (by, row_text) = (speed(pair.ratio), row(name));
    match is_factor(pair.ratio) {
        true => text!("{this} is {by} as {that} in {row_text}"),
        false => text!("{this} is {by} than {that} in {row_text}"),
    }
}

/// `RAID 5 with xfs is 4.0 to 9.0 % faster in RND4K write than each is elsewhere`.
pub(super) fn of_combination(
    document: &MatrixDocument,
    name: &str,
    it: &CombinationEffect,
) -> Text {
    let [this, that] = [0, 1].map(|n| value_name(document, it.axes[n], it.values[n]));
    let (by, row_text) = (speed(it.ratio), row(name));
    match is_factor(it.ratio) {
        true => {
            text!("{this} with {that} is {by} in {row_text} as the two are in other combinations")
        }
        false => {
            text!("{this} with {that} is {by} in {row_text} than the two are in other combinations")
        }
    }
}

/// How large a difference may have gone unseen.
fn nothing(document: &MatrixDocument) -> Text {
    let axes = (0..document.axes.len()).filter(|axis| document.axes[*axis].values.len() > 1);
    let axes = Text::list(axes.map(|axis| axis_name(document, axis)), ", ");
    if axes.is_empty() {
        return "There is one combination, and so nothing to compare".into();
    }
    let reach = unseen(pairs(document)).unwrap_or_default();
    text!("No difference was shown between values of {axes}; one of {reach} may have gone unseen")
}

/// The largest difference that an interval of what is not shown holds.
pub(super) fn unseen<'a>(pairs: impl Iterator<Item = (&'a str, &'a PairEffect)>) -> Option<Text> {
    let ratios = pairs.map(|(_, pair)| pair.ratio);
    let unshown = ratios.filter(|ratio| !ratio.is_shown());
    let most = unshown.map(|it| it.high.max(1.0 / it.low));
    let most = most.reduce(f64::max)?;
    Some(match most {
        _ if most > 100.0 => "more than 100 times".into(),
        _ if most - 1.0 > UNSEEN_MAX => text!("up to {} times", times(most)),
        _ => text!("up to {}", percent(most - 1.0)),
    })
}

/// Which cell is the fastest of a row, where one is shown to be.
fn best(document: &MatrixDocument) -> Option<Text> {
    let rows = document.effects.rows.iter();
    let best = rows.filter_map(|it| {
        let cell = cell_name(document, it.best?);
        Some(text!("{cell} in {}", row(&it.row)))
    });
    let best = Text::list(best, ", ");
    (!best.is_empty()).then(|| text!("Faster than every other cell: {best}."))
}

fn unmeasured(document: &MatrixDocument) -> Option<Text> {
    let count = |state| document.cells.iter().filter(|it| it.state == state).count();
    let [failed, left_out, waiting] = [Failed, LeftOut, Waiting].map(count);
    let parts = [
        (failed > 0).then(|| text!("{} failed", failed)),
        (left_out > 0).then(|| text!("{} left out", left_out)),
        (waiting > 0).then(|| text!("{} still to be measured", waiting)),
    ];
    let parts = Text::list(parts.into_iter().flatten(), ", ");
    let all = document.cells.len();
    (!parts.is_empty()).then(|| text!("Cells: {all}, of which {parts}."))
}
