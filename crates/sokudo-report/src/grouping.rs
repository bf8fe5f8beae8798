//! Findings as people want to read them: the most important first, those of one kind together
//! whatever their figures, each with the rows that it concerns.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use sokudo_model::{Finding, Severity, Verdict};
use sokudo_words::{Argument, Text, text};

use crate::document::{Direction, ResultDocument, RunDocument};
use crate::unique::{grouped, unique};
use crate::wording;

/// Rows that are named; of more, such as the cells of a sweep, the rest is counted.
const ROWS_NAMED: usize = 4;

/// Kinds of symptoms that are told in short; of more, the rest is counted.
const SYMPTOMS_NAMED: usize = 3;

/// Remedies of one kind that are told; of more, the rest is counted.
const REMEDIES_NAMED: usize = 4;

/// What stands in a place of a disk is no amount, of which a range would tell something.
const OFFSET: &str = "offset";

/// Figures of one sentence that are told as ranges; a sentence of more is an example.
const RANGES_MAX: usize = 3;

/// Findings of one kind, which have the remedy in common but for its figures.
#[derive(Debug, PartialEq)]
pub struct FindingGroup<'a> {
    pub severity: Severity,
    /// What was seen, in short.
    pub summary: Text,
    /// Where; empty where it concerns the run, or where the summary says where each was seen.
    pub rows: Text,
    /// What most likely causes what is in the summary.
    pub cause: Text,
    pub remedy: Text,
    /// Each thing that was seen, and where.
    pub symptoms: Vec<(&'a Text, Text)>,
    /// Causes of the symptoms, each once.
    pub causes: Vec<&'a Text>,
}

/// A finding, with the places of the rows that have it.
struct Member<'a> {
    finding: &'a Finding,
    rows: Vec<usize>,
    /// The worst verdict of a row for which it is the reason.
    worst: Verdict,
}

/// The findings of a group, each once.
#[derive(Default)]
struct Members<'a> {
    found: Vec<Member<'a>>,
    /// Those that nobody who reads them can tell apart: figures may differ by less than is
    /// shown.
    by_words: HashMap<[String; 3], usize>,
}

/// How all rows of a run are called, in the order in which they are shown.
struct RowNames(Vec<(Text, Direction)>);

impl<'a> FindingGroup<'a> {
    /// A finding by itself.
    pub fn alone(finding: &'a Finding) -> Self {
        let mut members = Members::default();
        members.add(finding, None, Verdict::Verified);
        Self::of(&members, &RowNames::of(&[]))
    }

    fn of(members: &Members<'a>, names: &RowNames) -> Self {
        let found = &members.found;
        let mut symptoms: Vec<(&Text, Vec<usize>)> = Vec::new();
        let mut causes: Vec<&Text> = Vec::new();
        let (mut known_symptoms, mut known_causes) = (HashMap::new(), HashSet::new());
        for member in found {
            let (symptom, cause) = (&member.finding.symptom, &member.finding.cause);
            let index = *known_symptoms
                .entry(symptom.english())
                .or_insert(symptoms.len());
            if index == symptoms.len() {
                symptoms.push((symptom, Vec::new()));
            }
            symptoms[index].1.extend(&member.rows);
            if known_causes.insert(cause.english()) {
                causes.push(cause);
            }
        }
        let with_rows = |(symptom, rows): (&'a Text, Vec<usize>)| (symptom, names.text(rows));
        let (summary, rows) = members.summary(names);
        Self {
            severity: members.severity(),
            summary,
            rows,
            cause: in_short(&found.iter().collect::<Vec<_>>(), |it| &it.cause),
            remedy: members.remedies(),
            symptoms: symptoms.into_iter().map(with_rows).collect(),
            causes,
        }
    }

    /// `error`, `warning` or `note`.
    pub const fn label(&self) -> &'static str {
        severity_label(self.severity)
    }
}

/// `error`, `warning` or `note`.
pub(crate) const fn severity_label(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

impl<'a> Members<'a> {
    fn add(&mut self, finding: &'a Finding, row: Option<usize>, worst: Verdict) {
        let texts = [&finding.symptom, &finding.cause, &finding.remedy];
        let next = self.found.len();
        let index = *self
            .by_words
            .entry(texts.map(Text::english))
            .or_insert(next);
        if index == next {
            self.found.push(Member {
                finding,
                rows: Vec::new(),
                worst,
            });
        }
        self.found[index].rows.extend(row);
        self.found[index].worst = self.found[index].worst.max(worst);
    }

    fn severity(&self) -> Severity {
        let severities = self.found.iter().map(|member| member.finding.severity);
        severities.max().unwrap_or(Severity::Info)
    }

    /// The one of which most depends; of several the first.
    fn worst(&self) -> Option<&Member<'a>> {
        self.found.iter().rev().max_by_key(|member| member.worst)
    }

    /// Whether it matters to conclusions: what is only a note on the precision of a row
    /// does not, for it is not the rows that are shown.
    fn is_about_conclusions(&self) -> bool {
        self.severity() > Severity::Info || self.found.iter().any(|it| it.rows.is_empty())
    }

    /// What was seen, in short, and where: of several kinds each with its own rows, the worst first.
    fn summary(&self, names: &RowNames) -> (Text, Text) {
        let found = self.found.iter();
        let mut kinds = grouped(found.map(|it| (kind_of(&it.finding.symptom), it)));
        kinds.sort_by_key(|(_, found)| Reverse(found.iter().map(|it| it.worst).max()));
        let kinds = kinds.iter().map(|(_, found)| {
            let rows = found.iter().flat_map(|it| it.rows.iter().copied());
            let text = in_short(found, |it| &it.symptom);
            (text, names.text(rows.collect()))
        });
        let mut kinds: Vec<(Text, Text)> = kinds.collect();
        if kinds.len() == 1 {
            return kinds.remove(0);
        }
        let kinds = kinds.into_iter().map(|(text, rows)| match rows.is_empty() {
            true => text,
            false => text!("{text} ({rows})"),
        });
        (some_of(kinds.collect(), SYMPTOMS_NAMED), Text::default())
    }

    /// What to do, each thing once and as it is: nobody can type a range.
    fn remedies(&self) -> Text {
        let mut known = HashSet::new();
        let remedies = self.found.iter().map(|member| &member.finding.remedy);
        let all: Vec<Text> = remedies
            .filter(|it| known.insert(it.english()))
            .cloned()
            .collect();
        some_of(all, REMEDIES_NAMED)
    }
}

/// So many of the texts; the rest is counted.
fn some_of(all: Vec<Text>, named: usize) -> Text {
    let more = all.len().saturating_sub(named);
    let some = Text::list(all.into_iter().take(named), "; ");
    match more {
        0 => some,
        more => text!("{some} and {more} more"),
    }
}

/// One text for all, with its figures as ranges, or that of the worst as an example.
fn in_short(found: &[&Member<'_>], text_of: fn(&Finding) -> &Text) -> Text {
    let texts = found.iter().map(|member| text_of(member.finding));
    let together = together(&texts.collect::<Vec<_>>(), &mut 0);
    let worst = || found.iter().rev().max_by_key(|member| member.worst);
    together.unwrap_or_else(|| match worst() {
        Some(worst) => text!("{} (and similar)", text_of(worst.finding)),
        None => Text::default(),
    })
}

/// What texts of one kind have in common, whatever their figures; a sentence that was kept
/// without its template is a kind of its own.
fn kind_of(text: &Text) -> String {
    match text.template() {
        "{}" => text.english(),
        template => template.to_owned(),
    }
}

/// Texts of one template as one, with ranges of the figures in which they differ; `None`
/// where they differ in something else, or in too many figures.
fn together(texts: &[&Text], ranges: &mut usize) -> Option<Text> {
    let (first, others) = texts.split_first()?;
    if others.iter().all(|other| other == first) {
        return Some((*first).clone());
    }
    if others.iter().any(|it| it.template() != first.template()) {
        return None;
    }
    let mut arguments = Vec::new();
    for (hole, argument) in first.arguments() {
        let of_hole = |text: &&Text| {
            let mut arguments = text.arguments();
            arguments.find(|it| it.0 == hole).map(|it| it.1.clone())
        };
        let all: Vec<Argument> = texts.iter().filter_map(of_hole).collect();
        let merged = match all.iter().all(|it| it == argument) {
            true => argument.clone(),
            false => {
                let merged = range(&all)?;
                *ranges += usize::from(merged != all[0]);
                Some(merged).filter(|_| *ranges <= RANGES_MAX)?
            }
        };
        arguments.push((hole, merged));
    }
    Some(Text::of_parts(first.template(), |hole| {
        let found = arguments.iter().find(|(name, _)| name == hole);
        found.map(|(_, argument)| argument.clone())
    }))
}

/// `3 to 20`, of figures with one unit.
fn range(figures: &[Argument]) -> Option<Argument> {
    let value = |argument: &Argument| match argument {
        Argument::Count(count) => Some((*count as f64, String::new())),
        Argument::Figure(figure) => Some((figure.value.parse().ok()?, figure.unit.clone())),
        _ => None,
    };
    let values: Vec<(f64, String)> = figures.iter().map(value).collect::<Option<_>>()?;
    if values
        .iter()
        .any(|(_, unit)| *unit != values[0].1 || unit == OFFSET)
    {
        return None;
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|left, right| values[*left].0.total_cmp(&values[*right].0));
    let (least, most) = (&figures[*order.first()?], &figures[*order.last()?]);
    let is_shown_alike = text!("{}", least).english() == text!("{}", most).english();
    Some(match is_shown_alike {
        true => figures[0].clone(),
        false => Argument::Text(text!("{least} to {most}")),
    })
}

impl RowNames {
    fn of(results: &[&ResultDocument]) -> Self {
        let names = results.iter().map(|it| (row_text(it), it.direction));
        Self(names.collect())
    }

    /// The rows at these places, in words. Of the others it says nothing: what is told of them in
    /// another finding may be the same and more.
    fn text(&self, mut rows: Vec<usize>) -> Text {
        rows.sort_unstable();
        rows.dedup();
        let all = self.0.len();
        let is_all = |direction: Direction| {
            let is_of = |row: &usize| self.0[*row].1 == direction;
            rows.len() > 1 && (0..all).all(|row| is_of(&row) == rows.binary_search(&row).is_ok())
        };
        let (some, more) = rows.split_at(rows.len().min(ROWS_NAMED));
        match rows.len() {
            0 => Text::default(),
            count if count > 1 && count == all => Text::from("all rows"),
            _ if is_all(Direction::Read) => Text::from("all reads"),
            _ if is_all(Direction::Write) => Text::from("all writes"),
            _ if !more.is_empty() => text!(
                "{rows} and {more} more",
                rows = self.listed(some),
                more = more.len()
            ),
            _ => self.listed(&rows),
        }
    }

    fn listed(&self, rows: &[usize]) -> Text {
        let names = rows.iter().map(|row| self.0[*row].0.clone());
        Text::list(names, ", ")
    }
}

/// All findings of a run, the most important first; only those about conclusions where it is not
/// its rows that are shown.
pub(crate) fn grouped_findings<'a>(
    document: &'a RunDocument,
    shows_rows: bool,
) -> Vec<FindingGroup<'a>> {
    let mut groups: Vec<Members<'_>> = Vec::new();
    let mut by_kind: HashMap<(&str, Severity, String), usize> = HashMap::new();
    let mut add = |finding: &'a Finding, row, worst| {
        let kind = (&*finding.code, finding.severity, kind_of(&finding.remedy));
        let index = *by_kind.entry(kind).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Members::default());
        }
        groups[index].add(finding, row, worst);
    };
    for finding in &document.findings {
        add(finding, None, Verdict::Verified);
    }
    let results = document.results_by_direction();
    for (row_index, result) in results.iter().enumerate() {
        for (rank, finding) in result.findings.iter().enumerate() {
            // A row's first finding is the reason of its verdict.
            let reason = result.verdict.filter(|_| rank == 0);
            add(
                finding,
                Some(row_index),
                reason.unwrap_or(Verdict::Verified),
            );
        }
    }
    if !shows_rows {
        groups.retain(Members::is_about_conclusions);
        // What befell each of many probes is in the JSON; here one example has to do.
        for group in &mut groups {
            group.found.truncate(1);
        }
    }
    let worst = |group: &Members<'_>| group.worst().map(|member| member.worst);
    groups.sort_by_key(|group| Reverse((group.severity(), worst(group))));
    let names = RowNames::of(&results);
    let groups = groups.iter();
    groups.map(|it| FindingGroup::of(it, &names)).collect()
}

/// A row's name with its direction, which alone tells rows apart; where the name says it,
/// as those of phases do, once.
pub fn row_name(result: &ResultDocument) -> String {
    match direction_beside(result) {
        None => result.name.clone(),
        Some(direction) => format!("{} {direction}", result.name),
    }
}

/// Whether both rows are called alike.
pub(crate) fn have_one_name(one: &ResultDocument, other: &ResultDocument) -> bool {
    one.name == other.name
        && one.direction == other.direction
        && one.workload.operations == other.workload.operations
        && one.workload.rewritten_percent() == other.workload.rewritten_percent()
}

fn row_text(result: &ResultDocument) -> Text {
    let name = wording::row_alone(&result.name);
    let Some(label) = direction_beside(result) else {
        return name;
    };
    let direction = match result.direction {
        Direction::Mix => Text::name(label),
        other => Text::from(other.name()),
    };
    text!("{name} {direction}")
}

/// The direction, where the name does not say it.
fn direction_beside(result: &ResultDocument) -> Option<String> {
    let label = result.direction_shown()?;
    let says_it = result.name.split(' ').next_back() == Some(&*label);
    (!says_it && result.workload.rewritten_percent() == 0).then_some(label)
}

/// What is compared, by its name, and the codes of its findings.
pub(crate) type NamedSide<'a> = (Text, &'a [String]);

/// Who alone went through the page cache in rows that are compared, so that a difference may be that: of
/// each row the names of those that are compared in it, and the codes of their findings.
pub(crate) fn only_through_page_cache<'a>(
    rows: impl Iterator<Item = (&'a str, Vec<NamedSide<'a>>)>,
) -> Option<Text> {
    let (mut names, mut who) = (Vec::new(), Vec::new());
    for (name, sides) in rows {
        let is_cached =
            |(_, codes): &NamedSide<'_>| codes.iter().any(|code| code == "direct-unavailable");
        let (cached, others): (Vec<_>, Vec<_>) = sides.into_iter().partition(is_cached);
        if !cached.is_empty() && !others.is_empty() {
            names.push(name);
            who.extend(cached.into_iter().map(|it| it.0));
        }
    }
    let who = Text::list(unique(who.into_iter()), ", ");
    let rows = wording::rows(&unique(names.into_iter()));
    (!rows.is_empty()).then(|| {
        text!("Only {who} went through the page cache in {rows}, although direct I/O was asked for (direct-unavailable): that difference is not the device's alone.")
    })
}

/// Sentences, each once, behind the rows that it is said of; `all` is how many rows there are.
pub(crate) fn notes_of_rows<'a>(
    row_notes: impl Iterator<Item = (&'a str, Text)>,
    all: usize,
) -> Vec<Text> {
    let groups = grouped(row_notes.map(|(row, text)| (text, row)));
    let sentence = |(text, rows): (Text, Vec<&str>)| match rows.len() == all && all > 1 {
        true => text!("all rows: {text}."),
        false => text!("{}: {text}.", wording::rows(&rows)),
    };
    groups.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn finding(symptom: Text) -> Finding {
        Finding {
            code: "c".to_owned(),
            severity: Severity::Info,
            symptom,
            cause: Text::default(),
            remedy: Text::default(),
        }
    }

    fn short(symptoms: Vec<Text>) -> String {
        let found: Vec<Finding> = symptoms.into_iter().map(finding).collect();
        let mut members = Members::default();
        for (index, finding) in found.iter().enumerate() {
            // The second one matters most.
            let worst = [Verdict::Verified, Verdict::Unverified][usize::from(index == 1)];
            members.add(finding, Some(index), worst);
        }
        let names = ["r1", "r2", "r3"].map(|name| (Text::name(name), Direction::Read));
        let (summary, rows) = members.summary(&RowNames(names.to_vec()));
        format!("{summary}: {rows}")
    }

    #[test]
    fn findings_of_one_kind_are_one_whatever_their_figures_and_others_have_their_own_rows() {
        let more = |percent: f64, device: &str| text!("{device} read {percent:.1} % more");
        assert_eq!(
            short(vec![more(3.0, "sda"), more(20.0, "sda"), more(5.0, "sda")]),
            "sda read 3.0 to 20.0 % more: all rows"
        );
        assert_eq!(
            short(vec![more(3.0, "sda"), more(4.0, "sda"), Text::from("x")]),
            "sda read 3.0 to 4.0 % more (r1, r2); x (r3): "
        );
        assert_eq!(
            short(vec![more(3.0, "sda"), more(4.0, "sdb")]),
            "sdb read 4.0 % more (and similar): r1, r2"
        );
        assert_eq!(short(vec![Text::from("x")]), "x: r1");
    }

    #[test]
    fn different_symptoms_of_one_kind_are_all_kept() {
        let mut document = RunDocument::from_run(&sample::run());
        document.findings.clear();
        for (row, symptom) in ["It wrote 2 times as much.", "It wrote all twice."]
            .into_iter()
            .enumerate()
        {
            document.results[row].findings = vec![finding(symptom.into())];
        }
        let groups = grouped_findings(&document, true);
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].symptoms.len(), 2);
    }

    #[test]
    fn a_remedy_is_told_as_it_is_typed_and_one_without_a_template_is_a_kind_of_its_own() {
        let echo = |kib: u64| text!("as root: echo {kib} > max_sectors_kb");
        let old = |remedy: &str| Text::name(remedy);
        let groups = |remedies: [Text; 2]| -> Vec<String> {
            let mut document = RunDocument::from_run(&sample::bare_run());
            let with = |remedy| Finding {
                remedy,
                ..finding("x".into())
            };
            document.findings = remedies.map(with).to_vec();
            let groups = grouped_findings(&document, true);
            groups.iter().map(|it| it.remedy.english()).collect()
        };
        assert_eq!(
            groups([echo(1024), echo(4096)]),
            ["as root: echo 1024 > max_sectors_kb; as root: echo 4096 > max_sectors_kb"]
        );
        assert_eq!(
            groups([old("make room"), old("cool it")]),
            ["make room", "cool it"]
        );
    }

    #[test]
    fn rows_are_named_in_few_words() {
        use Direction::{Read, Write};
        let names = (1..=12).map(|row| Text::name(format!("r{row}")));
        let names = RowNames(names.zip([[Read; 6], [Write; 6]].concat()).collect());
        let text_of = |rows: std::ops::Range<usize>| names.text(rows.collect());
        assert_eq!(names.text(vec![3, 2, 3]), "r3, r4");
        assert_eq!(text_of(0..12), "all rows");
        assert_eq!(text_of(0..6), "all reads");
        assert_eq!(text_of(6..12), "all writes");
        assert_eq!(text_of(1..12), "r2, r3, r4, r5 and 7 more");
        assert_eq!(text_of(2..4), "r3, r4");
        assert_eq!(text_of(2..9), "r3, r4, r5, r6 and 3 more");
        assert_eq!(text_of(3..3), "");
    }

    #[test]
    fn a_row_that_is_called_by_its_direction_says_it_once() {
        let run = crate::RunDocument::from_run(&crate::sample::run());
        let mut result = run.results[0].clone();
        for (name, expected) in [
            ("read", "read"),
            ("Block read", "Block read"),
            ("spread", "spread read"),
        ] {
            result.name = name.to_owned();
            assert_eq!(row_name(&result), expected);
        }
    }
}
