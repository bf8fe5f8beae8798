//! What a comparison comes to, in one sentence for each other side: what differs, by how much,
//! the largest first, and what is known of the rest.
//!
//! It concludes nothing: rows that differ are those whose conclusion says so.

use sokudo_model::{Change, Conclusion};
use sokudo_words::{Text, text};

use super::{ComparisonDocument, OtherDocument, RowDocument, SideDocument};
use crate::number::{FACTOR_MIN, change_text};
use crate::wording::{phrase, row, source};

/// So many rows are named.
const ROWS_NAMED: usize = 3;
/// A longer name makes the sentence hard to read: the letter stands for it.
const NAME_CHARACTERS_MAX: usize = 24;

impl ComparisonDocument {
    /// The same with these others, and what each comes to in a sentence.
    #[must_use]
    pub fn with_others(mut self, others: Vec<OtherDocument>) -> Self {
        self.others = others;
        let texts = self.others.iter().map(|it| sentence(&self, it));
        let texts: Vec<Text> = texts.collect();
        for (other, text) in self.others.iter_mut().zip(texts) {
            other.sentence = text;
        }
        self
    }
}

/// The sentence about this side.
fn sentence(document: &ComparisonDocument, other: &OtherDocument) -> Text {
    let [them, us] = names(&document.reference, other);
    if other.rows.is_empty() {
        return text!("{them} has no row in common with {us}.");
    }
    let of = |conclusions: &[Conclusion]| {
        let rows = other.rows.iter();
        rows.filter(|it| conclusions.contains(&it.compared.conclusion))
            .collect::<Vec<_>>()
    };
    let mut differing = of(&[Conclusion::Faster, Conclusion::Slower]);
    let by = |it: &&RowDocument| it.compared.change.map_or(0.0, |it| it.ratio.ln().abs());
    differing.sort_by(|left, right| by(right).total_cmp(&by(left)));
    let undecided = of(&[Conclusion::NoDifferenceShown]);
    let same = of(&[Conclusion::Same]);
    let judged = differing.len() + undecided.len() + same.len();
    let clause = match differing.split_first() {
        None if judged == 0 => {
            return text!("{them} and {us} cannot be compared, because no row could be judged.");
        }
        None if undecided.is_empty() => {
            let least = document.difference_min_text();
            text!("{them} and {us} are the same within {least}")
        }
        None => no_difference(them, us, &undecided),
        Some((first, others)) => {
            let (by, row_text, interval) = (speed(first), row_name(first), interval(first));
            let first = match first.compared.change {
                Some(change) if is_factor(change) => {
                    text!("{them} is {by} as {us} in {row_text}{interval}")
                }
                _ => text!("{them} is {by} than {us} in {row_text}{interval}"),
            };
            let others = others.iter().take(ROWS_NAMED - 1);
            let others = others.map(|it| {
                let (by, row_text) = (speed(it), self::row_name(it));
                text!("{by} in {row_text}{}", self::interval(it))
            });
            let named = Text::list(std::iter::once(first).chain(others), ", ");
            let rest = match differing.len().saturating_sub(ROWS_NAMED) {
                0 if judged == differing.len() => None,
                0 if undecided.is_empty() => Some("nothing else differs".into()),
                0 => Some("nothing else was found to differ".into()),
                1 => Some("1 more row differs".into()),
                more => Some(text!("{more} more rows differ")),
            };
            Text::list([Some(named), rest].into_iter().flatten(), "; ")
        }
    };
    match other.rows.len() - judged {
        0 => text!("{clause}."),
        1 => text!("{clause}; 1 row was not judged."),
        count => text!("{clause}; {count} rows were not judged."),
    }
}

/// What both sides are called: their labels, the one thing in which they differ, what they were
/// named by, or their letters.
fn names(reference: &SideDocument, other: &OtherDocument) -> [Text; 2] {
    let sides = [&other.side, reference];
    let labels = sides.map(|side| side.label.as_deref());
    let is_labelled = labels[0] != labels[1] && labels.iter().any(Option::is_some);
    if let ([part], false) = (&other.differs[..], is_labelled)
        && let [Some(theirs), Some(ours)] = [&part.other, &part.reference]
        && [theirs, ours].into_iter().all(is_short)
    {
        return [theirs, ours].map(|value| text!("{} {value}", phrase(&part.name)));
    }
    let sources = sides.map(|side| source(&side.source));
    let are_sources = sources.iter().all(is_short) && sources[0] != sources[1];
    let [theirs, ours] = sources.map(|source| are_sources.then_some(source));
    let name = |side: &SideDocument, source: Option<Text>| match &side.label {
        Some(label) if is_labelled => Text::name(label),
        _ => source.unwrap_or_else(|| Text::name(&side.letter)),
    };
    [name(sides[0], theirs), name(sides[1], ours)]
}

fn is_short(name: &Text) -> bool {
    name.english().chars().count() <= NAME_CHARACTERS_MAX
}

/// How much faster or slower: `8.0 % faster`.
fn speed(row: &RowDocument) -> Text {
    let is_faster = row.compared.conclusion == Conclusion::Faster;
    match row.compared.change {
        None if is_faster => "faster".into(),
        None => "slower".into(),
        Some(change) if is_factor(change) => {
            text!("{} times as fast", factor(change.ratio))
        }
        Some(change) => {
            let percent = percent((change.ratio - 1.0).abs());
            match is_faster {
                true => text!("{percent} % faster"),
                false => text!("{percent} % slower"),
            }
        }
    }
}

/// Name of the row, marked where its figure is of a cache.
fn row_name(it: &RowDocument) -> Text {
    match it.is_of_cache {
        true => text!("{} (of a cache)", row(&it.row)),
        false => row(&it.row),
    }
}

/// The interval of how much, with a blank before it; empty where none is known.
fn interval(it: &RowDocument) -> Text {
    let ends = it.compared.change.and_then(|change| {
        let interval = change.ratio_interval_95?;
        let ends = [interval.low, interval.high];
        if is_factor(change) {
            return Some(ends.map(factor));
        }
        let sign = if change.ratio < 1.0 { -1.0 } else { 1.0 };
        let mut ends = ends.map(|it| sign * (it - 1.0));
        ends.sort_by(f64::total_cmp);
        let [low, high] = ends.map(percent);
        Some([low, format!("{high} %")])
    });
    match ends {
        None => Text::default(),
        Some([low, high]) => text!(" ({})", text!("{low} to {high}")),
    }
}

/// What could have gone unseen is as large as the interval reaches that reaches furthest.
fn no_difference(them: Text, us: Text, undecided: &[&RowDocument]) -> Text {
    let reach = |it: &&RowDocument| {
        let interval = it.compared.change?.ratio_interval_95?;
        Some((interval.high - 1.0).max(1.0 - interval.low))
    };
    let reaches: Option<Vec<f64>> = undecided.iter().map(reach).collect();
    let furthest = reaches.and_then(|it| it.into_iter().reduce(f64::max));
    match furthest.filter(|it| *it > 0.0 && it.is_finite()) {
        None => text!("No difference was found between {them} and {us}"),
        Some(reach) => text!(
            "No difference was found between {them} and {us}; one of up to {} % may have gone unseen",
            percent(reach)
        ),
    }
}

fn is_factor(change: Change) -> bool {
    !(FACTOR_MIN.recip()..FACTOR_MIN).contains(&change.ratio)
}

fn factor(ratio: f64) -> String {
    change_text(ratio).trim_start_matches('×').to_owned()
}

/// A share in percent with the digits that it deserves, without its sign of percent.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent.abs() < 9.95 {
        true => format!("{percent:.1}"),
        false => format!("{percent:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::{Figure, Way};
    use crate::document::RunDocument;
    use crate::sample::{self, change};
    use sokudo_model::{Compared, PartDifference};
    use sokudo_words::Language;

    /// Two runs whose rows came to this.
    fn document(rows: &[(Conclusion, f64, f64, f64)]) -> ComparisonDocument {
        let run = RunDocument::from_run(&sample::run());
        let side = |number, label: &str| {
            let label = Some(label.to_owned());
            SideDocument {
                label,
                ..SideDocument::new(number, "a.json", &run)
            }
        };
        let rows = rows
            .iter()
            .zip(&run.results)
            .map(|((conclusion, ratio, low, high), result)| {
                let compared = Compared {
                    conclusion: *conclusion,
                    reason: None,
                    change: Some(change(*ratio, *low, *high)),
                    differs: Vec::new(),
                    warnings: Vec::new(),
                };
                RowDocument::new(result, result, Figure::Bandwidth, compared)
            });
        let mut document =
            ComparisonDocument::new(side(0, "xfs"), Way::Kept, Figure::Bandwidth, 0.02);
        document.others = vec![OtherDocument {
            side: side(1, "ext4"),
            sentence: Text::default(),
            differs: Vec::new(),
            rows: rows.collect(),
            only_in_reference: Vec::new(),
            only_in_other: Vec::new(),
        }];
        document
    }

    fn sentence_of(document: &ComparisonDocument) -> String {
        sentence(document, &document.others[0]).english()
    }

    #[test]
    fn what_differs_is_told_by_how_much_the_largest_first() {
        use Conclusion::{Faster, NoDifferenceShown, Same, Slower, TooFewTrials};
        let rows = |rest| {
            let rows = [(Faster, 1.08, 1.05, 1.11), (Slower, 0.75, 0.7, 0.8), rest];
            sentence_of(&document(&rows))
        };
        let both = "ext4 is 25 % slower than xfs in SEQ1M Q1T1 read (20 to 30 %), \
                    8.0 % faster in SEQ1M Q8T1 read (5.0 to 11 %)";
        assert_eq!(
            rows((Same, 1.0, 0.99, 1.01)),
            format!("{both}; nothing else differs.")
        );
        let undecided = rows((NoDifferenceShown, 1.0, 0.9, 1.01));
        assert_eq!(
            undecided,
            format!("{both}; nothing else was found to differ.")
        );
        let unjudged = rows((TooFewTrials, 1.0, 0.9, 1.01));
        assert_eq!(unjudged, format!("{both}; 1 row was not judged."));
        let many = sentence_of(&document(&[(Faster, 12.0, 11.0, 13.0); 5]));
        assert!(
            many.starts_with(
                "ext4 is 12 times as fast as xfs in SEQ1M Q8T1 read (11 to 13), 12 times as fast in"
            ),
            "{many}"
        );
        assert!(many.ends_with("; 2 more rows differ."), "{many}");
    }

    #[test]
    fn without_a_difference_it_is_told_what_may_have_gone_unseen() {
        use Conclusion::{CannotBeCompared, NoDifferenceShown, Same};
        let same = (Same, 1.001, 0.99, 1.01);
        assert_eq!(
            sentence_of(&document(&[same])),
            "ext4 and xfs are the same within 2 %."
        );
        let hidden = sentence_of(&document(&[same, (NoDifferenceShown, 0.98, 0.94, 1.03)]));
        assert_eq!(
            hidden,
            "No difference was found between ext4 and xfs; one of up to 6.0 % may have gone unseen."
        );
        let none = sentence_of(&document(&[(CannotBeCompared, 1.0, 1.0, 1.0)]));
        assert!(none.contains("no row could be judged"), "{none}");
        assert!(sentence_of(&document(&[])).contains("no row in common"));
    }

    #[test]
    fn sides_without_labels_are_called_by_what_differs() {
        let mut document = document(&[(Conclusion::Faster, 1.08, 1.05, 1.11)]);
        document.reference.label = None;
        document.others[0].side.label = None;
        assert!(sentence_of(&document).starts_with("B is 8.0 % faster than A in"));
        document.others[0].side.source = "b.json".to_owned();
        assert!(sentence_of(&document).starts_with("b.json is 8.0 % faster than a.json in"));
        document.others[0].differs = vec![PartDifference {
            name: "kernel".to_owned(),
            reference: Some(Text::name("6.18")),
            other: Some(Text::name("6.19")),
        }];
        assert!(
            sentence_of(&document).starts_with("kernel 6.19 is 8.0 % faster than kernel 6.18 in")
        );
        let japanese = sentence(&document, &document.others[0]).in_language(Language::Japanese);
        assert!(japanese.contains("速い"), "{japanese}");
    }
}
