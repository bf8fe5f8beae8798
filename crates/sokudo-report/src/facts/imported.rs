//! What is known of a run that another tool has measured.

use sokudo_model::{Origin, TargetInfo};
use sokudo_words::{Text, text};

use super::lines::{
    Fact, has_device, known, listed, machine_line, sentences, span_line, target_line,
};
use crate::document::{ResultDocument, RunDocument};
use crate::number;
use crate::unique::unique;
use crate::wording::phrase;

/// Figures of rows that are shown; all of them are in the JSON document.
const OTHERS_SHOWN: usize = 12;

/// As for runs of sokudo's own, without what no other tool tells.
pub(super) fn facts(document: &RunDocument, origin: &Origin) -> Vec<Fact> {
    let target = &document.target;
    let facts = [
        ("Label", document.label.as_ref().map(Text::name)),
        ("Measured by", Some(measured_by(document, origin))),
        ("Published", origin.document.clone().map(Text::name)),
        ("Remarks", sentences(&origin.remarks)),
        ("Target", Some(target_line(document))),
        ("Device", device_line(target)),
        (
            "File system",
            target
                .file_system
                .as_ref()
                .map(|it| Text::name(it.kind.clone())),
        ),
        ("Span", span_line(document)),
        ("Figures", figures_line(document)),
        ("Also reported", others_line(document)),
        ("Machine", machine_line(&document.environment)),
    ];
    known(facts)
}

fn measured_by(document: &RunDocument, origin: &Origin) -> Text {
    let tool = document.measurer();
    match &origin.file {
        Some(file) => text!("{tool} ({}, read from {file})", phrase(&origin.format)),
        None => text!("{tool} ({})", phrase(&origin.format)),
    }
}

fn device_line(target: &TargetInfo) -> Option<Text> {
    let device = target.leaves().next().filter(|_| has_device(target))?;
    let parts = [device.model.clone(), device.serial.clone()];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    Some(Text::name(parts.join(", ")))
}

/// What the tool's rates are, where they are not of single runs.
fn figures_line(document: &RunDocument) -> Option<Text> {
    let reported = document
        .results
        .iter()
        .filter_map(|it| it.reported.as_ref());
    let kinds = reported.flat_map(|reported| [&reported.bandwidth_kind, &reported.iops_kind]);
    let kinds = unique(kinds.filter(|kind| !kind.is_empty()));
    listed(kinds.into_iter().cloned().collect())
}

fn others_line(document: &RunDocument) -> Option<Text> {
    let mut texts: Vec<Text> = document.results.iter().flat_map(others).collect();
    let more = texts.len().saturating_sub(OTHERS_SHOWN);
    texts.truncate(OTHERS_SHOWN);
    if more > 0 {
        texts.push(text!("and {more} more"));
    }
    listed(texts)
}

fn others(result: &ResultDocument) -> Vec<Text> {
    let figures = result.reported.iter().flat_map(|reported| &reported.others);
    figures
        .map(|other| {
            let (name, value) = (&result.name, number::rate(other.value));
            match other.unit.as_str() {
                "" => text!("{name}: {}: {value}", phrase(&other.name)),
                unit => text!("{name}: {}: {value} {unit}", phrase(&other.name)),
            }
        })
        .collect()
}
