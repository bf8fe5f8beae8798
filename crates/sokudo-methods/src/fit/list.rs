//! What a disk can be asked to be fast enough for, `sokudo.fit/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::FitQuestion;
use sokudo_report::article::{Article, Element};
use sokudo_report::style::TableStyle;
use sokudo_report::wording::phrase;
use sokudo_report::{json_layout, text};
use sokudo_words::{Text, text};

use crate::fit::table::threshold_of;

const SCHEMA: &str = "sokudo.fit/1";

/// Questions with their thresholds as JSON: `sokudo.fit/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.fit/1")]
pub(crate) struct FitListDocument {
    /// Name and version of this format: `sokudo.fit/1`.
    #[schemars(extend("const" = "sokudo.fit/1"))]
    pub schema: String,
    /// What can be asked. Values are in nanoseconds, per second, bytes per second or I/Os, as the
    /// metric is.
    pub questions: Vec<FitQuestion>,
}

impl FitListDocument {
    pub(crate) fn new(questions: Vec<FitQuestion>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            questions,
        }
    }

    /// The document as text that ends with a line feed.
    pub(crate) fn to_json(&self) -> String {
        json_layout::written(self)
    }

    /// As text, a few lines for each.
    pub(crate) fn render(&self, style: &TableStyle) -> String {
        let mut article = Article::default();
        let each = self.questions.iter();
        let facts = each.map(|it| (Text::name(&*it.name), description(it).into()));
        article.add(Element::Facts(facts.collect()));
        article.paragraph("sokudo fit NAME DIRECTORY measures and answers.");
        text::write(&article, style)
    }
}

fn description(question: &FitQuestion) -> Text {
    let limited = question.criteria.iter();
    let thresholds: Vec<Text> = limited.filter_map(threshold_of).collect();
    let thresholds = match thresholds.is_empty() {
        true => "No threshold is known".into(),
        false => Text::list(thresholds, ", "),
    };
    let source = Text::name(&*question.source);
    let source = [source, Text::name(&*question.date)];
    let source = source.into_iter().filter(|it| !it.is_empty());
    text!(
        "{} {thresholds}. {}",
        phrase(&question.asks),
        Text::list(source, ", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{FitCriterion, FitLimit, FitMetric, FitSide};
    use sokudo_report::kept_schema::assert_kept;
    use sokudo_report::sample;

    fn questions() -> FitListDocument {
        let limit = FitLimit {
            must_be: FitSide::Below,
            value: 10_000_000,
        };
        let criterion = |limit| FitCriterion {
            row: 0,
            metric: FitMetric::SyncLatency(sokudo_model::Percentile::P99),
            writes: 1,
            limit,
        };
        let question = |name: &str, limit| FitQuestion {
            name: name.to_owned(),
            asks: "Is it?".to_owned(),
            source: "https://example.org".to_owned(),
            date: "2020-02-02".to_owned(),
            remark: String::new(),
            criteria: vec![criterion(limit)],
            fio: Vec::new(),
        };
        FitListDocument::new(vec![question("one", Some(limit)), question("two", None)])
    }

    #[test]
    fn documents_follow_the_schema_that_is_kept() {
        assert_kept::<FitListDocument>("sokudo.fit-1", &[questions().to_json()]);
    }

    #[test]
    fn each_question_is_told_with_threshold_source_and_date() {
        let text = questions().render(&sample::style(80));
        for words in [
            "one  Is it? sync-p99 < 10 ms. https://example.org, 2020-02-02",
            "two  Is it? No threshold is known.",
        ] {
            assert!(text.contains(words), "{text}");
        }
    }
}
