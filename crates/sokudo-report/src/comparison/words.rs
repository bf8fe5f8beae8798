//! What a comparison says, in words that all its texts share.

use sokudo_model::{Bytes, Compared, Conclusion, PartDifference, RunsDiffer};
use sokudo_stats::Interval;
use sokudo_words::{Text, text};

use super::{ComparisonDocument, Figure, OtherDocument, RowDocument, Way};
use crate::grouping::{NamedSide, notes_of_rows, only_through_page_cache};
use crate::number::{self, MISSING, change_text};
use crate::style::BandwidthUnit;
use crate::unique::grouped;
use crate::wording::{phrase, rows};

/// The interval of a ratio, such as `+8.1 to +16 %`.
pub(crate) fn interval_text(ratio: f64, interval: Interval) -> Text {
    number::range_text(number::interval_texts(ratio, [interval.low, interval.high]))
}

/// What a row comes to, with the least difference that matters where any is smaller:
/// `same (within 2 %)`.
pub(super) fn conclusion(document: &ComparisonDocument, compared: &Compared) -> Text {
    match compared.conclusion {
        Conclusion::Same => text!("same (within {})", document.difference_min_text()),
        other => other.name().into(),
    }
}

/// Reasons and warnings, each once, with the rows that it is about; and which rows are the
/// same, where a matrix stands in the place of their conclusions.
pub(super) fn notes(document: &ComparisonDocument, other: &OtherDocument) -> Vec<Text> {
    let row_notes = other.rows.iter().flat_map(|row| {
        let compared = &row.compared;
        let is_same = compared.conclusion == Conclusion::Same && document.matrix.is_some();
        let same = is_same.then(|| {
            let (letter, within) = (&other.side.letter, document.difference_min_text());
            text!("{letter} is the same (within {within}) as A")
        });
        let turned = is_turned(row).then(|| Text::from("the medians alone differ the other way"));
        let same = same.into_iter().chain(turned);
        let texts = compared.reason.iter().chain(&compared.warnings);
        let texts = texts.cloned();
        same.chain(texts).map(|text| (&*row.row, text))
    });
    notes_of_rows(row_notes, other.rows.len())
}

/// Whether the change, which is of all trials, has the other sign than that of the medians.
fn is_turned(row: &RowDocument) -> bool {
    let sides = [&row.reference, &row.other];
    let [a, b] = sides.map(|it| it.per_second.as_ref().map_or(f64::NAN, |it| it.median));
    let ratio = row.compared.change.map_or(1.0, |change| change.ratio);
    let signs = [b / a, ratio].map(|it| change_text(it).chars().next());
    matches!(signs, [Some('-'), Some('+')] | [Some('+'), Some('-')])
}

/// Sentences about more sides than these are no answer.
const SENTENCES_MAX: usize = 3;

/// What it comes to: a sentence for each other side.
pub(crate) fn answer(document: &ComparisonDocument) -> Vec<Text> {
    let sentences = document.others.iter().map(|other| other.sentence.clone());
    let sentences: Vec<Text> = sentences.filter(|it| !it.is_empty()).collect();
    let from_samples = document.others.iter().filter_map(slower_in_parts);
    let of_cache = through_page_cache(document);
    match sentences.len() {
        ..=SENTENCES_MAX => {
            let sentences = sentences.into_iter().chain(of_cache);
            sentences.chain(from_samples).collect()
        }
        many => {
            let shown_count = SENTENCES_MAX - 1;
            let more = text!("{} more runs: see the table.", many - shown_count);
            let shown = sentences.into_iter().take(shown_count);
            shown.chain([more]).chain(of_cache).collect()
        }
    }
}

/// That one side alone went through the page cache.
fn through_page_cache(document: &ComparisonDocument) -> Option<Text> {
    let mut rows: Vec<(&str, Vec<NamedSide<'_>>)> = Vec::new();
    for other in &document.others {
        for row in &other.rows {
            let side = (Text::name(&*other.side.letter), &*row.other.findings);
            match rows.iter_mut().find(|(name, _)| *name == row.row) {
                Some((_, sides)) => sides.push(side),
                None => rows.push((
                    &row.row,
                    vec![(Text::name("A"), &*row.reference.findings), side],
                )),
            }
        }
    }
    only_through_page_cache(rows.into_iter())
}

/// That parts of the disk are slower, whatever the rows as a whole come to.
fn slower_in_parts(other: &OtherDocument) -> Option<Text> {
    let letter = &other.side.letter;
    let parts: usize = other.rows.iter().map(|row| row.slower_samples.len()).sum();
    match parts {
        0 => None,
        1 => Some(text!("{letter} is slower than A in one part of the disk.")),
        _ => Some(text!(
            "{letter} is slower than A in {parts} parts of the disk."
        )),
    }
}

/// Rows that have no partner, by side, and how they get one.
pub(super) fn alone(other: &OtherDocument) -> Vec<Text> {
    let sides = [
        ("A", &other.only_in_reference),
        (&*other.side.letter, &other.only_in_other),
    ];
    let mut lines: Vec<Text> = sides
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(letter, names)| text!("Only in {letter}: {}.", rows(names)))
        .collect();
    let mut pairs = other.only_in_reference.iter().zip(&other.only_in_other);
    if pairs.any(|(ours, theirs)| are_akin(ours, theirs)) {
        lines.push(
            "Rows of different loads and names stand side by side only with --by-position.".into(),
        );
    }
    lines
}

/// Whether two rows do one thing in two ways, by how their names begin and end: `RND4K Q1T1 read`
/// and `RND4K Q8T1 read`.
fn are_akin(ours: &str, theirs: &str) -> bool {
    let ends = [ours, theirs].map(|name| {
        let mut words = name.split(' ');
        (words.next(), words.next_back())
    });
    ends[0] == ends[1]
}

/// What differs besides the figures: of the machines first, then of what was done, with
/// the rows where it is not the same in all.
pub(super) fn differing(other: &OtherDocument) -> Vec<Text> {
    let text = |part: &PartDifference| {
        let [before, after] = sides_of(part);
        text!("{}: {before} | {after}", phrase(&part.name))
    };
    let mut lines: Vec<Text> = other.differs.iter().map(text).collect();
    let of_rows = other.rows.iter().flat_map(|row| {
        let differs = row.compared.differs.iter();
        differs.map(|part| (text(part), &*row.row))
    });
    lines.extend(grouped(of_rows).into_iter().map(|(text, names)| {
        if names.len() == other.rows.len() {
            text
        } else {
            text!("{text} ({})", rows(&names))
        }
    }));
    lines
}

/// What a part is on either side.
pub(crate) fn sides_of(part: &PartDifference) -> [Text; 2] {
    [&part.reference, &part.other].map(|value| match value {
        Some(value) => value.clone(),
        None => Text::name(MISSING),
    })
}

/// The unit of the columns of medians. IOPS are shown only where they are compared.
pub(super) const fn unit(document: &ComparisonDocument, requested: BandwidthUnit) -> BandwidthUnit {
    match document.figure {
        Figure::Iops => BandwidthUnit::IosPerSecond,
        Figure::Bandwidth => requested,
    }
}

/// What the columns mean.
pub(super) fn legend(document: &ComparisonDocument, unit: BandwidthUnit) -> Text {
    let test = match (document.way, runs_differ(document)) {
        (Way::Live, _) => {
            text!("Trials were made in pairs, each in random order (Wilcoxon's signed ranks).")
        }
        (Way::Kept, Some(differ)) => differ,
        (Way::Kept, None) => text!(
            "The interval allows for correlated trials of one run (Mann–Whitney). Only --live can \
             show whether two runs differ because of their time."
        ),
    };
    text!(
        "{}: median of the trials. Change: against A, by Hodges and Lehmann. Faster and slower: by more than {}, with at most 5 % false alarms over all rows. Same: the whole interval lies within that. {test}",
        unit.name(),
        document.difference_min_text()
    )
}

/// How much kept runs differ, where that is allowed for.
pub(crate) fn runs_differ(document: &ComparisonDocument) -> Option<Text> {
    let changes = document.rows().filter_map(|row| row.compared.change);
    let known: Vec<RunsDiffer> = changes.filter_map(|change| change.runs_differ).collect();
    let deviations = known.iter().map(|it| it.deviation);
    let (least, most) = (
        deviations.clone().reduce(f64::min)?,
        deviations.reduce(f64::max)?,
    );
    let runs = known.iter().map(|it| it.runs);
    let (fewest, all) = (runs.clone().min()?, runs.max()?);
    let differ = match [least, most].map(number::percent) {
        [least, most] if least == most => Text::name(least),
        [least, most] => text!("{least} to {most}"),
    };
    let runs = match fewest == all {
        true => text!("{all} kept runs"),
        false => text!("{fewest} to {all} kept runs"),
    };
    Some(text!(
        "Other runs of the same rows differ from each other by {differ} (standard deviation, \
         {runs}), which the interval allows for."
    ))
}

/// Stretches that are listed; all of them are in the JSON document.
const STRETCHES_LISTED: usize = 10;

/// Where a row of another is slower: a sentence, and the stretches.
pub(crate) fn slower_samples(row: &RowDocument, letter: &str) -> Option<(Text, Vec<Text>)> {
    if row.slower_samples.is_empty() {
        return None;
    }
    let title = text!(
        "{letter} is slower than A at these places ({}):",
        crate::wording::row(&row.row)
    );
    let position = |bytes| number::decimal_size(Bytes(bytes), 3);
    let listed = row.slower_samples.iter().take(STRETCHES_LISTED);
    let listed = listed.map(|stretch| {
        text!(
            "{} to {}: {}",
            position(stretch.from),
            position(stretch.to),
            change_text(stretch.ratio)
        )
    });
    let more = row.slower_samples.len().saturating_sub(STRETCHES_LISTED);
    let more = (more > 0).then(|| text!("and {more} more; --format json has all of them"));
    Some((title, listed.chain(more).collect()))
}
