//! What figures say about the device, for people: one claim after the other with its
//! figures, how sure it is and what was seen.
//!
//! It shows what was concluded and concludes nothing.

use sokudo_model::{Confidence, Inference, PeakLimit};
use sokudo_words::{Text, text};

use crate::document::RunDocument;
use crate::table::{Table, left};

/// What is shown below the figures of other commands is at least so sure.
const TOLD_FROM: Confidence = Confidence::Medium;

/// What is said where nothing was concluded.
pub(crate) const NOTHING: &str = "The figures fit none of what was looked for. That is no proof that the device has none of it: a cache, a file system or a virtual machine in between can hide it.";

/// What is sure enough to be told below other figures.
pub(crate) fn told(document: &RunDocument) -> Option<Text> {
    let sure = document.inferences.iter();
    // What limits a peak is told with its figures.
    let of_device = |inference: &&Inference| PeakLimit::of_code(&inference.code).is_none();
    let sure = sure.filter(|inference| inference.confidence >= TOLD_FROM);
    let sure = sure.filter(of_device);
    let claims: Vec<Text> = sure.map(sentence).collect();
    (!claims.is_empty()).then(|| {
        let claims = Text::list(claims, "; ");
        text!("The figures are consistent with: {claims}.")
    })
}

/// A line per conclusion, for paper: their evidence is too long for columns of a terminal.
pub(crate) fn table(inferences: &[Inference]) -> Table {
    Table::of(inferences)
        .column(left("The figures are consistent with"), |it| {
            Some(it.claim.clone())
        })
        .column(left("Confidence"), |it| Some(it.confidence.name()))
        .column(left("Seen"), |it| Some(it.evidence.clone()))
        .table()
}

/// A claim and how sure it is.
pub(crate) fn sentence(inference: &Inference) -> Text {
    text!(
        "{} ({} confidence)",
        inference.claim.clone(),
        Text::from(inference.confidence.name())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TableStyle, markdown, sample, text};

    fn document(method: &str, confidences: &[Confidence]) -> RunDocument {
        let mut run = sample::run();
        run.plan.method = method.into();
        let inference = |confidence: &Confidence| Inference {
            code: "rotation".to_owned(),
            claim: Text::from("platters that turn 7,200 times a minute"),
            figures: Vec::new(),
            confidence: *confidence,
            evidence: Text::from("single sectors came back at multiples of 8.33 ms"),
        };
        run.inferences = confidences.iter().map(inference).collect();
        RunDocument::from_run(&run)
    }

    fn shown(document: &RunDocument) -> String {
        text::render(document, &TableStyle::default())
    }

    #[test]
    fn an_explanation_tells_claims_with_their_evidence_and_no_rates() {
        let text = shown(&document("explain", &[Confidence::Low]));
        assert!(
            text.contains("platters that turn 7,200 times a minute (low confidence)"),
            "{text}"
        );
        assert!(text.contains("seen: single sectors"), "{text}");
        assert!(
            !text.contains("Verdict") && !text.contains("MB/s"),
            "{text}"
        );
    }

    #[test]
    fn an_explanation_without_a_claim_says_so() {
        let document = document("explain", &[]);
        assert!(shown(&document).contains("fit none"));
        assert!(markdown::render(&document).contains("fit none"));
    }

    #[test]
    fn other_commands_tell_in_a_paragraph_what_is_sure() {
        let sure = document("mark/default", &[Confidence::Low, Confidence::Medium]);
        for text in [shown(&sure), markdown::render(&sure)] {
            assert_eq!(text.matches("7,200").count(), 1, "{text}");
            assert!(
                text.contains("The figures are consistent with: platters"),
                "{text}"
            );
        }
        let unsure = document("mark/default", &[Confidence::Low]);
        assert!(!shown(&unsure).contains("consistent"));
        assert!(!markdown::render(&unsure).contains("consistent"));
    }

    #[test]
    fn markdown_has_a_line_per_claim() {
        let text = markdown::render(&document("explain", &[Confidence::High]));
        assert!(
            text.contains("| platters that turn 7,200 times a minute | high | single sectors"),
            "{text}"
        );
    }
}
