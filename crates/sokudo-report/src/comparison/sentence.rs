//! What a comparison comes to, in one sentence for each other side: what differs, by how much,
//! the largest first, and what is known of the rest.
//!
//! It concludes nothing: rows that differ are those whose conclusion says so.

use sokudo_model::Conclusion;
use sokudo_words::{Text, text};

use super::{ComparisonDocument, OtherDocument, RowDocument, RowSideDocument, SideDocument};
use crate::number::{self, FACTOR_MIN, UNSEEN_MAX, factor, is_factor, times};
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
        None => no_difference(them, us, &undecided, other),
        Some((first, others)) => {
            let ratio = |it: &RowDocument| it.compared.change.map_or(1.0, |it| it.ratio);
            // Who is many times as fast is the subject.
            let is_turned = ratio(first) <= FACTOR_MIN.recip();
            let (them, us) = if is_turned { (us, them) } else { (them, us) };
            // Percent, turned, would be another figure than the table's.
            let is_alike = |it: &&&RowDocument| !is_turned || is_factor(ratio(it));
            let others = others.iter().take(ROWS_NAMED - 1);
            let others: Vec<&&RowDocument> = others.take_while(is_alike).collect();
            let change = Difference::of(first, is_turned);
            let (by, row_text, interval) =
                (change.speed(), row_name(first, other), change.interval());
            let first = match change.is_times_as_fast() {
                true => text!("{them} is {by} as {us} in {row_text}{interval}"),
                false => text!("{them} is {by} than {us} in {row_text}{interval}"),
            };
            let unnamed = differing.len() - 1 - others.len();
            let others = others.into_iter().map(|it| {
                let change = Difference::of(it, is_turned);
                let (by, row_text) = (change.speed(), self::row_name(it, other));
                text!("{by} in {row_text}{}", change.interval())
            });
            let named = Text::list(std::iter::once(first).chain(others), ", ");
            let rest = match unnamed {
                0 if judged == differing.len() => None,
                0 if undecided.is_empty() => Some("nothing else differs".into()),
                0 => Some("nothing else was found to differ".into()),
                1 => Some("1 more row differs".into()),
                more => Some(text!("{more} more rows differ")),
            };
            Text::list([Some(named), rest].into_iter().flatten(), "; ")
        }
    };
    let clause = match other.rows.len() - judged {
        0 => text!("{clause}."),
        1 => text!("{clause}; 1 row was not judged."),
        count => text!("{clause}; {count} rows were not judged."),
    };
    let is_imported = |it: &RowSideDocument| it.findings.iter().any(|code| code == "imported");
    let is_of_two_tools = |it: &RowDocument| is_imported(&it.reference) != is_imported(&it.other);
    match other.rows.iter().any(is_of_two_tools) {
        true => text!(
            "{clause} Different tools measured them at different times; sokudo compare --live measures two commands alternately."
        ),
        false => clause,
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

/// How much faster or slower one side is than the other in a row.
struct Difference {
    is_faster: bool,
    ratio: Option<f64>,
    interval: Option<[f64; 2]>,
}

impl Difference {
    /// That of the other side, or, turned, that of the reference.
    fn of(row: &RowDocument, is_turned: bool) -> Self {
        let change = row.compared.change;
        let turned = |ratio: f64| if is_turned { ratio.recip() } else { ratio };
        let interval = change.and_then(|it| it.ratio_interval_95);
        let interval = interval.map(|it| [it.low, it.high].map(turned));
        Self {
            is_faster: (row.compared.conclusion == Conclusion::Faster) != is_turned,
            ratio: change.map(|it| turned(it.ratio)),
            interval,
        }
    }

    fn is_times_as_fast(&self) -> bool {
        self.ratio.is_some_and(|ratio| ratio >= FACTOR_MIN)
    }

    /// `8.0 % faster`, `12 times as fast`, `12 times slower`.
    fn speed(&self) -> Text {
        match self.ratio {
            None if self.is_faster => "faster".into(),
            None => "slower".into(),
            Some(ratio) if self.is_times_as_fast() => text!("{} times as fast", factor(ratio)),
            Some(ratio) if is_factor(ratio) => text!("{} times slower", factor(ratio)),
            Some(ratio) => {
                let percent = percent((ratio - 1.0).abs());
                match self.is_faster {
                    true => text!("{percent} % faster"),
                    false => text!("{percent} % slower"),
                }
            }
        }
    }

    /// The interval of how much, with a blank before it; empty where none is known.
    fn interval(&self) -> Text {
        let ends = self.ratio.zip(self.interval).map(|(ratio, ends)| {
            let is_factor = is_factor(ratio);
            let mut ends = match is_factor {
                true if ratio < 1.0 => ends.map(f64::recip),
                true => ends,
                false => ends.map(|it| (it - 1.0) * (ratio - 1.0).signum()),
            };
            ends.sort_by(f64::total_cmp);
            match is_factor {
                true => ends.map(times),
                false => {
                    let [low, high] = ends.map(percent);
                    [low, format!("{high} %")]
                }
            }
        });
        match ends {
            None => Text::default(),
            Some([low, high]) => text!(" ({})", text!("{low} to {high}")),
        }
    }
}

/// Name of the row, on both sides where it has two, marked where its figure is of a cache.
fn row_name(it: &RowDocument, OtherDocument { side, .. }: &OtherDocument) -> Text {
    let both = |theirs: &str| text!("A's {}, {}'s {}", row(&it.row), side.letter, row(theirs));
    let name = it.other_row.as_deref().map_or_else(|| row(&it.row), both);
    match it.is_of_cache {
        true => text!("{name} (of a cache)"),
        false => name,
    }
}

/// What could have gone unseen is as large as the interval reaches that reaches furthest.
fn no_difference(them: Text, us: Text, undecided: &[&RowDocument], other: &OtherDocument) -> Text {
    let reach = |it: &&RowDocument| {
        let interval = it.compared.change?.ratio_interval_95?;
        Some((interval.high - 1.0).max(1.0 - interval.low))
    };
    let is_blind = |it: &&&RowDocument| reach(it).is_some_and(|reach| reach >= UNSEEN_MAX);
    let blind: Vec<&&RowDocument> = undecided.iter().filter(is_blind).collect();
    let is_same = |it: &RowDocument| it.compared.conclusion == Conclusion::Same;
    if blind.len() == undecided.len() && !other.rows.iter().any(is_same) {
        return text!("Whether {them} and {us} differ cannot be seen: their figures vary too much");
    }
    if !blind.is_empty() {
        let named = blind.iter().take(ROWS_NAMED).map(|it| row_name(it, other));
        let more = blind.len().saturating_sub(ROWS_NAMED);
        let more = (more > 0).then(|| text!("{more} more rows"));
        let rows = Text::list(named.chain(more), ", ");
        return text!(
            "No difference was found between {them} and {us}; in {rows} their figures vary too much to tell"
        );
    }
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

/// A share in percent with the digits that it deserves, without its sign of percent.
fn percent(share: f64) -> String {
    number::percent(share).trim_end_matches(" %").to_owned()
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
    fn a_row_that_has_two_names_is_told_by_both() {
        let mut document = document(&[(Conclusion::Faster, 1.19, 1.15, 1.22)]);
        document.others[0].rows[0].other_row = Some("SEQ1M Q16T1 read".to_owned());
        let said = "19 % faster than xfs in A's SEQ1M Q8T1 read, B's SEQ1M Q16T1 read (";
        let sentence = sentence_of(&document);
        assert!(sentence.contains(said), "{sentence}");
    }

    #[test]
    fn figures_of_two_tools_are_doubted() {
        let mut document = document(&[(Conclusion::Faster, 2.2, 2.1, 2.3)]);
        let doubt = " Different tools measured them at different times; sokudo compare --live measures \
                     two commands alternately.";
        let plain = sentence_of(&document);
        assert!(!plain.contains("Different tools"), "{plain}");
        let imported = || vec!["imported".to_owned()];
        document.others[0].rows[0].reference.findings = imported();
        assert_eq!(sentence_of(&document), format!("{plain}{doubt}"));
        document.others[0].rows[0].other.findings = imported();
        assert_eq!(sentence_of(&document), plain, "of one kind");
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
        let turned = [
            (Slower, 0.000_5, 0.000_4, 0.000_625),
            (Faster, 3.0, 2.5, 4.0),
        ];
        assert_eq!(
            sentence_of(&document(&turned)),
            "xfs is 2,000 times as fast as ext4 in SEQ1M Q8T1 read (1,600 to 2,500), \
             3.0 times slower in SEQ1M Q1T1 read (2.5 to 4.0)."
        );
        let mixed = [(Slower, 0.1, 0.09, 0.11), (Slower, 0.8, 0.7, 0.9)];
        assert_eq!(
            sentence_of(&document(&mixed)),
            "xfs is 10 times as fast as ext4 in SEQ1M Q8T1 read (9.1 to 11); 1 more row differs."
        );
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
        let blind = sentence_of(&document(&[(NoDifferenceShown, 0.98, 0.1, 9.0)]));
        assert_eq!(
            blind,
            "Whether ext4 and xfs differ cannot be seen: their figures vary too much."
        );
        let partly = sentence_of(&document(&[same, (NoDifferenceShown, 0.98, 0.1, 9.0)]));
        assert_eq!(
            partly,
            "No difference was found between ext4 and xfs; in SEQ1M Q1T1 read their figures vary too \
             much to tell."
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
