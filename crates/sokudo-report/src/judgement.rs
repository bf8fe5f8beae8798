//! A kept run judged again, `sokudo.judgement/1`: what today's rules think of it, and what
//! was thought of it then.
//!
//! It judges nothing: both judgements come to it with the run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{Finding, Inference, Verdict};
use sokudo_words::{Text, text};

use crate::document::RunDocument;
use crate::grouping::row_name;
use crate::json_layout;
use crate::style::TableStyle;
use crate::table::verdict_name;
use crate::wording;

const SCHEMA: &str = "sokudo.judgement/1";
const NEW: &str = "found now";
const GONE: &str = "no longer";

/// A run judged again, as JSON: `sokudo.judgement/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.judgement/1")]
pub struct JudgementDocument {
    /// Name and version of this format: `sokudo.judgement/1`.
    #[schemars(extend("const" = "sokudo.judgement/1"))]
    pub schema: String,
    /// What it comes to, in one sentence.
    pub sentence: String,
    /// The run, such as `run 12`, or the file that holds it.
    pub run: String,
    /// Version of the program that judged it then.
    pub judged_by: String,
    /// Version of the program that judged it now.
    pub judged_again_by: String,
    /// Every row, in the run's order.
    pub rows: Vec<JudgedRow>,
    /// What changed of the findings about the run as a whole.
    pub of_run: Changes<Finding>,
    /// What changed of the conclusions about the device.
    pub inferences: Changes<Inference>,
}

/// What is thought of a row, then and now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JudgedRow {
    /// Its name and direction.
    pub row: String,
    /// Its verdict then; null where it was not judged.
    pub verdict_then: Option<Verdict>,
    /// Its verdict by today's rules.
    pub verdict_now: Option<Verdict>,
    /// What changed of its findings.
    #[serde(flatten)]
    pub findings: Changes<Finding>,
}

/// What only one of two judgements has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "{T}Changes")]
pub struct Changes<T> {
    /// Found now, and not then.
    pub new: Vec<T>,
    /// Found then, and not now.
    pub gone: Vec<T>,
}

impl<T: Clone> Changes<T> {
    /// What has the same code is the same: figures in it may be told otherwise.
    fn between(then: &[T], now: &[T], code: impl Fn(&T) -> &str) -> Self {
        let only_in = |these: &[T], others: &[T]| {
            let is_new = |it: &&T| others.iter().all(|other| code(other) != code(it));
            these.iter().filter(is_new).cloned().collect()
        };
        Self {
            new: only_in(now, then),
            gone: only_in(then, now),
        }
    }

    const fn count(&self) -> usize {
        self.new.len() + self.gone.len()
    }
}

impl JudgedRow {
    fn has_changed(&self) -> bool {
        self.verdict_then != self.verdict_now || self.findings.count() > 0
    }
}

impl JudgementDocument {
    /// Of a run as it was judged, and as it is judged by this version.
    pub fn new(run: &str, then: &RunDocument, now: &RunDocument) -> Self {
        let rows: Vec<JudgedRow> = (then.results.iter().zip(&now.results))
            .map(|(then, now)| JudgedRow {
                row: row_name(then),
                verdict_then: then.verdict,
                verdict_now: now.verdict,
                findings: Changes::between(&then.findings, &now.findings, |it| &it.code),
            })
            .collect();
        let mut document = Self {
            schema: SCHEMA.to_owned(),
            sentence: String::new(),
            run: run.to_owned(),
            judged_by: then.sokudo_version.clone(),
            judged_again_by: env!("CARGO_PKG_VERSION").to_owned(),
            rows,
            of_run: Changes::between(&then.findings, &now.findings, |it| &it.code),
            inferences: Changes::between(&then.inferences, &now.inferences, |it| &it.code),
        };
        document.sentence = document.outcome().english();
        document
    }

    /// What the new judgement changes, in one sentence.
    fn outcome(&self) -> Text {
        let rows = self.rows.iter();
        let changed = rows.filter(|row| row.verdict_then != row.verdict_now);
        let (changed, all, by) = (changed.count(), self.rows.len(), &self.judged_by);
        let of_rows = self.rows.iter().map(|row| &row.findings);
        let (mut new, mut gone) = (self.inferences.new.len(), self.inferences.gone.len());
        for findings in of_rows.chain([&self.of_run]) {
            new += findings.new.len();
            gone += findings.gone.len();
        }
        match (changed, new + gone) {
            (0, 0) => {
                text!("Today's rules judge every row as sokudo {by} did, and find the same.")
            }
            (0, _) => {
                text!(
                    "Every row keeps its verdict; of findings, {new} are new and {gone} are gone."
                )
            }
            _ => {
                text!("Today's rules judge {changed} of {all} rows differently from sokudo {by}.")
            }
        }
    }

    /// The document as text that ends with a line feed.
    pub fn to_json(&self) -> String {
        json_layout::written(self)
    }

    /// The whole text, for a terminal or a file.
    pub fn render(&self, style: &TableStyle) -> String {
        let mut blocks = vec![style.wrapped("", &self.outcome())];
        for row in self.rows.iter().filter(|row| row.has_changed()) {
            let [then, now] = [row.verdict_then, row.verdict_now]
                .map(|verdict| Text::from(verdict_name(verdict)));
            let verdict = match then == now {
                true => now,
                false => text!("then {then}, now {now}"),
            };
            let name = style.text(&wording::row(&row.row));
            let mut lines = style.wrapped(&format!("{name}: "), &verdict);
            lines.extend(finding_lines(&row.findings, style));
            blocks.push(lines);
        }
        blocks.push(finding_lines(&self.of_run, style));
        let inferences = [(NEW, &self.inferences.new), (GONE, &self.inferences.gone)];
        blocks.extend(inferences.map(|(label, inferences)| {
            let lines = inferences.iter();
            let line = |it: &Inference| style.wrapped(&label_of(label, style), &it.claim);
            lines.flat_map(line).collect()
        }));
        blocks.retain(|lines| !lines.is_empty());
        let blocks: Vec<String> = blocks.iter().map(|lines| lines.join("\n")).collect();
        blocks.join("\n\n") + "\n"
    }
}

fn finding_lines(changes: &Changes<Finding>, style: &TableStyle) -> Vec<String> {
    let of = |label, findings: &[Finding]| -> Vec<String> {
        let line = |it: &Finding| style.wrapped(&label_of(label, style), &it.symptom);
        findings.iter().flat_map(line).collect()
    };
    [of(NEW, &changes.new), of(GONE, &changes.gone)].concat()
}

fn label_of(label: &'static str, style: &TableStyle) -> String {
    format!("  {}", style.label(label, 11))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_run_that_is_judged_the_same_says_so_in_one_sentence() {
        let run = RunDocument::from_run(&sample::run());
        let document = JudgementDocument::new("run 1", &run, &run);
        assert_eq!(
            document.render(&TableStyle::default()),
            format!("{}\n", document.sentence)
        );
        assert!(document.sentence.ends_with("and find the same."));
    }

    #[test]
    fn verdicts_and_findings_that_came_and_went_are_told_row_by_row() {
        let then = RunDocument::from_run(&sample::troubled_run());
        let mut now = then.clone();
        let gone = now.results[2].findings.remove(0);
        now.results[2].verdict = Some(Verdict::Verified);
        let document = JudgementDocument::new("run 1", &then, &now);
        assert_eq!(document.rows[2].findings.gone, [gone]);
        let text = document.render(&TableStyle::default());
        for words in [
            "1 of 8 rows differently",
            "then ",
            ", now VERIFIED",
            "no longer",
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
        assert!(!text.contains("found now"), "{text}");
    }

    #[test]
    fn documents_follow_the_schema_in_the_docs_and_read_back() {
        let then = RunDocument::from_run(&sample::troubled_run());
        let mut now = then.clone();
        now.results[2].findings.remove(0);
        let text = JudgementDocument::new("run 1", &then, &now).to_json();
        crate::kept_schema::assert_kept::<JudgementDocument>("sokudo.judgement-1", &[text]);
    }
}
