//! A run in two sentences: how good its figures are, and the worst that was found.

use sokudo_model::{RunAnswer, Steadiness, Verdict};
use sokudo_words::{Text, text};

use super::{answered, shortfalls_of};
use crate::document::{ResultDocument, RunDocument, Status};
use crate::grouping::{FindingGroup, row_name};
use crate::number::{percent, rate};
use crate::table::Tone;
use crate::view::{findings, shows_rows};
use crate::wording::row;

/// What a run comes to.
#[derive(Debug, PartialEq)]
pub struct RunVerdict {
    /// How far the figures can be trusted, and how well they are known; `None` where nothing was
    /// measured or judged. The tone is that of what stands before the colon.
    pub goodness: Option<(Tone, Text)>,
    /// What weighs most of all that was found, with its label, empty for a shortfall.
    pub worst: Option<(&'static str, Text)>,
    /// How much was found besides.
    pub more: usize,
}

impl RunVerdict {
    pub(crate) fn of(document: &RunDocument) -> Self {
        let (worst, more) = worst(document);
        let is_judged = document.origin().is_none() && shows_rows(document);
        // What is wrong with the disk is no doubt about a figure, and no praise stands under it.
        let (_, answer) = answered(document);
        let is_judged = is_judged && answer != Some(RunAnswer::NotOk);
        Self {
            goodness: is_judged.then(|| goodness(document)).flatten(),
            worst,
            more,
        }
    }
}

fn goodness(document: &RunDocument) -> Option<(Tone, Text)> {
    let judged = document.results.iter();
    let has_figure = |it: &&ResultDocument| it.bandwidth_bytes_per_s.is_some();
    let judged = judged.filter(|it| has_figure(it) || it.status == Status::Failed);
    let judged = judged.filter(|it| it.verdict.is_some());
    let judged = judged.filter(|it| !it.is_of_cache_on_purpose());
    let judged: Vec<&ResultDocument> = judged.collect();
    let reaches = judged.iter();
    let reaches = reaches
        .filter_map(|it| Some((it, it.bandwidth_bytes_per_s.as_ref()?.bytes_per_s.reach()?)));
    let widest = reaches.max_by(|(_, left), (_, right)| left.total_cmp(right));
    let reach = widest.map(|(_, reach)| percent(reach));
    let ranges = judged.iter().filter_map(|it| Some((it, only_between(it)?)));
    let factor = |[low, high]: [f64; 2]| high / low;
    let unknown = ranges.max_by(|(_, one), (_, other)| factor(*one).total_cmp(&factor(*other)));
    let unknown = unknown.map(|(it, range)| between(it, range));
    let of_verdict = |verdict: Verdict| {
        let is_it = |it: &ResultDocument| it.verdict == Some(verdict);
        which(document, &judged, verdict.name(), is_it)
    };
    let is_unsteady = |it: &ResultDocument| it.steadiness == Some(Steadiness::Unsteady);
    let unsteady = which(document, &judged, Steadiness::Unsteady.name(), is_unsteady);
    if let Some(invalid) = of_verdict(Verdict::Invalid) {
        return Some((Tone::Bad, text!("Not the disk's speed: {invalid}")));
    }
    if let Some(unproven) = of_verdict(Verdict::Unverified) {
        let text = match (unknown, reach) {
            (_, None) => text!("Not proven: {unproven}"),
            (Some(between), _) => text!("Not proven: {unproven}; {between}"),
            (None, Some(reach)) => {
                text!("Not proven: {unproven}; the interval of this run is ± {reach}")
            }
        };
        return Some((Tone::Doubtful, text));
    }
    if let Some(between) = unknown {
        return Some((Tone::Bad, text!("Not known: {between}")));
    }
    let has_reach = |it: &&ResultDocument| {
        (it.bandwidth_bytes_per_s.as_ref()).is_some_and(|it| it.bytes_per_s.reach().is_some())
    };
    let again = judged.iter();
    let again = again.filter(|it| !document.schedule.makes_once(&it.workload));
    let without = again.filter(|it| !has_reach(it)).count();
    let answer = match (reach, unsteady) {
        _ if judged.is_empty() => return None,
        (None, _) if judged.iter().any(|it| it.status != Status::Complete) => (
            Tone::Doubtful,
            "Proven as far as it went: every row is VERIFIED; too few trials for a ±".into(),
        ),
        (None, _) => (
            Tone::Good,
            "Proven: every row is VERIFIED; too few trials for a ±".into(),
        ),
        (Some(reach), _) if without > 0 => (
            Tone::Doubtful,
            text!(
                "Good to about ± {reach}, but {without} of {all} rows have too few trials for a ±",
                all = judged.len()
            ),
        ),
        (Some(reach), Some(unsteady)) => (
            Tone::Doubtful,
            text!("Good to about ± {reach}: {unsteady}; smaller differences mean nothing"),
        ),
        (Some(reach), None) => (
            Tone::Good,
            text!("Good to about ± {reach} or better: every row is VERIFIED and STEADY"),
        ),
    };
    Some(answer)
}

/// Between which rates a row's figure lies, of one that is known so badly that a ± says nothing.
fn only_between(result: &ResultDocument) -> Option<[f64; 2]> {
    result
        .bandwidth_bytes_per_s
        .as_ref()?
        .bytes_per_s
        .only_between()
}

fn between(result: &ResultDocument, range: [f64; 2]) -> Text {
    let [low, high] = range.map(|end| rate(end / 1e6));
    text!(
        "{} is somewhere between {low} and {high} MB/s",
        row(&row_name(result))
    )
}

/// Which rows this word is said of; `None` for none. They are counted as in the table, and named
/// where some of them are not in it.
fn which(
    document: &RunDocument,
    results: &[&ResultDocument],
    word: &'static str,
    holds: impl Fn(&ResultDocument) -> bool,
) -> Option<Text> {
    let in_table = |it: &ResultDocument| !document.schedule.makes_once(&it.workload);
    let of_it: Vec<_> = results.iter().filter(|it| holds(it)).collect();
    let word = Text::from(word);
    match of_it.len() {
        0 => None,
        these if these > 1 && of_it.iter().all(|it| in_table(it)) => {
            let all = document.results.iter().filter(|it| in_table(it)).count();
            Some(text!("{these} of {all} rows are {word}"))
        }
        _ => {
            let names = of_it.iter().map(|it| row(&row_name(it)));
            Some(text!("{}: {word}", Text::list(names, ", ")))
        }
    }
}

fn worst(document: &RunDocument) -> (Option<(&'static str, Text)>, usize) {
    let shortfalls = shortfalls_of(document);
    let groups = findings(document);
    let more = (shortfalls.len() + groups.len()).saturating_sub(1);
    let of_row = |(row, why): (Text, Text)| match row.is_empty() {
        true => why,
        false => text!("{row}: {why}"),
    };
    let shortfall = shortfalls.into_iter().next().map(|it| ("", of_row(it)));
    let worst = shortfall.or_else(|| groups.first().map(|it| (it.label(), of_group(it))));
    (worst, more)
}

fn of_group(group: &FindingGroup<'_>) -> Text {
    let (rows, summary) = (group.rows.clone(), group.summary.clone());
    match rows.is_empty() {
        true => summary,
        false => text!("{summary} ({rows})"),
    }
}
