//! What figures say about the device, for people: one claim after the other with its
//! figures, how sure it is and what was seen.
//!
//! It shows what was concluded and concludes nothing.

use sokudo_model::{Confidence, Inference};
use sokudo_words::{Text, text};

use crate::document::RunDocument;
use crate::table::{Table, left};
use crate::view::views;

/// What is shown below the figures of other commands is at least so sure.
const SHOWN_FROM: Confidence = Confidence::Medium;

/// What is said where nothing was concluded.
pub(crate) const NOTHING: &str = "The figures match nothing that was looked for. That does not prove its absence: a cache, a file system or a virtual machine in between can hide it.";

/// What is sure enough to be told below other figures.
pub(crate) fn explanation(document: &RunDocument) -> Option<Text> {
    let sure = document.inferences.iter();
    let of_device = |inference: &&Inference| !views(document).any(|view| view.shows(inference));
    let sure = sure.filter(|inference| inference.confidence >= SHOWN_FROM);
    let sure = sure.filter(of_device);
    let points = document.disk_assessment.iter().flat_map(|it| &it.points);
    let points: Vec<&Text> = points.map(|point| &point.found).collect();
    let sure = sure.filter(|inference| !points.contains(&&inference.claim));
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
    use crate::{markdown, sample, text};

    #[test]
    fn other_commands_tell_in_a_paragraph_what_is_sure() {
        let mut run = sample::kept("unreadable");
        let rendered = |run: &sokudo_model::Run| {
            let document = RunDocument::from_run(run);
            [
                text::render(&document, &sample::style(80)),
                markdown::render(&document),
            ]
        };
        let is_reported =
            |text: &String| text.contains("The figures are consistent with: a rotating");
        assert!(rendered(&run).iter().all(is_reported));
        run.inferences[0].confidence = Confidence::Low;
        assert!(!rendered(&run).iter().any(is_reported));
    }
}
