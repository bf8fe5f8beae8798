//! Findings as people want to read them: the worst first, each once, with the
//! rows that it concerns.

use sokudo_model::{Finding, Severity};
use sokudo_words::{Text, text};

use crate::document::{ResultDocument, RunDocument};
use crate::wording;

/// Findings that have all but the symptom in common.
#[derive(Debug, PartialEq)]
pub(crate) struct FindingGroup<'a> {
    pub(crate) severity: Severity,
    pub(crate) cause: &'a Text,
    pub(crate) remedy: &'a Text,
    code: &'a str,
    /// What was seen, and in which rows; no rows where it concerns the run.
    pub(crate) symptoms: Vec<(&'a Text, Vec<String>)>,
}

impl<'a> FindingGroup<'a> {
    /// A finding by itself.
    pub(crate) fn alone(finding: &'a Finding) -> Self {
        Self {
            severity: finding.severity,
            cause: &finding.cause,
            remedy: &finding.remedy,
            code: &finding.code,
            symptoms: vec![(&finding.symptom, Vec::new())],
        }
    }

    /// `error`, `warning` or `note`.
    pub(crate) const fn label(&self) -> &'static str {
        match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "note",
        }
    }

    /// Whether it matters to conclusions: what is only a note on the precision of a row
    /// does not, for it is not the rows that are shown.
    fn is_about_conclusions(&self) -> bool {
        self.severity > Severity::Info || self.symptoms.iter().any(|(_, rows)| rows.is_empty())
    }
}

/// All findings of a run, the worst first.
pub(crate) fn grouped_findings(document: &RunDocument) -> Vec<FindingGroup<'_>> {
    let mut groups = Vec::new();
    for finding in &document.findings {
        add(&mut groups, finding, None);
    }
    for result in document.results_by_direction() {
        for finding in &result.findings {
            add(&mut groups, finding, Some(row_name(result)));
        }
    }
    if document.is_explanation() {
        groups.retain(FindingGroup::is_about_conclusions);
        // What befell each of many probes is in the JSON; here one example has to do.
        for group in &mut groups {
            group.symptoms.truncate(1);
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.severity));
    groups
}

/// A row's name with its direction, which alone tells rows apart; where the name says it,
/// as those of phases do, once.
pub(crate) fn row_name(result: &ResultDocument) -> String {
    let direction = result.direction_label();
    let says_it = result.name.split(' ').next_back() == Some(&*direction);
    if says_it || result.workload.rewritten_percent > 0 {
        result.name.clone()
    } else {
        format!("{} {direction}", result.name)
    }
}

fn add<'a>(groups: &mut Vec<FindingGroup<'a>>, finding: &'a Finding, row: Option<String>) {
    let is_alike = |group: &FindingGroup<'_>| {
        group.code == finding.code
            && group.severity == finding.severity
            && *group.cause == finding.cause
            && *group.remedy == finding.remedy
    };
    let index = groups.iter().position(is_alike).unwrap_or_else(|| {
        groups.push(FindingGroup {
            symptoms: Vec::new(),
            ..FindingGroup::alone(finding)
        });
        groups.len() - 1
    });
    let symptoms = &mut groups[index].symptoms;
    match symptoms
        .iter_mut()
        .find(|(symptom, _)| **symptom == finding.symptom)
    {
        Some((_, rows)) => rows.extend(row.filter(|row| !rows.contains(row))),
        None => symptoms.push((&finding.symptom, row.into_iter().collect())),
    }
}

/// Sentences, each once, behind the rows that it is said of; `all` is how many rows there are.
pub(crate) fn notes_of_rows<'a>(
    told: impl Iterator<Item = (&'a str, Text)>,
    all: usize,
) -> Vec<Text> {
    let mut groups: Vec<(Text, Vec<&str>)> = Vec::new();
    for (row, text) in told {
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((text, vec![row])),
        }
    }
    let sentence = |(text, rows): (Text, Vec<&str>)| match rows.len() == all && all > 1 {
        true => text!("all rows: {text}."),
        false => text!("{}: {text}.", wording::rows(&rows)),
    };
    groups.into_iter().map(sentence).collect()
}

/// Rows that are named; of more, such as the cells of a sweep, the rest is counted.
const ROWS_NAMED: usize = 24;

/// The rows that something is said of, in words.
pub(crate) fn rows_text(rows: &[String]) -> String {
    let named = rows.iter().take(ROWS_NAMED).map(String::as_str);
    let mut text = named.collect::<Vec<_>>().join(", ");
    if rows.len() > ROWS_NAMED {
        text += &format!(" and {} more", rows.len() - ROWS_NAMED);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn rows_that_share_a_finding_share_its_entry() {
        let document = RunDocument::from_run(&sample::run());
        let groups = grouped_findings(&document);
        assert_eq!(
            groups.iter().map(FindingGroup::label).collect::<Vec<_>>(),
            ["warning", "note"]
        );
        let [(_, rows)] = &groups[0].symptoms[..] else {
            panic!("one symptom")
        };
        assert_eq!(rows[..], ["RND4K Q32T1 write", "RND4K Q1T1 write"]);
        assert!(groups[1].symptoms[0].1.is_empty());
    }

    #[test]
    fn different_symptoms_of_one_cause_stay_apart() {
        let mut document = RunDocument::from_run(&sample::run());
        document.results[5].findings[0].symptom = "It wrote 2 times as much.".into();
        let groups = grouped_findings(&document);
        assert_eq!(groups.len(), 2);
        assert_eq!(groups[0].symptoms.len(), 2);
    }

    #[test]
    fn a_run_without_findings_has_no_groups() {
        assert_eq!(
            grouped_findings(&RunDocument::from_run(&sample::bare_run())),
            []
        );
    }

    #[test]
    fn of_many_rows_some_are_named_and_the_rest_is_counted() {
        let rows = |count| (1..=count).map(|row| format!("r{row}")).collect::<Vec<_>>();
        assert_eq!(rows_text(&rows(2)), "r1, r2");
        assert!(rows_text(&rows(24)).ends_with(", r24"));
        assert!(rows_text(&rows(300)).ends_with(", r24 and 276 more"));
    }

    #[test]
    fn a_row_that_is_called_by_its_direction_says_it_once() {
        let run = crate::RunDocument::from_run(&crate::sample::run());
        let mut result = run.results[0].clone();
        for (name, said) in [
            ("read", "read"),
            ("Block read", "Block read"),
            ("spread", "spread read"),
        ] {
            result.name = name.to_owned();
            assert_eq!(row_name(&result), said);
        }
    }
}
