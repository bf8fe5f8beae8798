//! What is known of a run that another tool has measured.

use sokudo_model::{Origin, TargetInfo};

use super::lines::{Fact, has_device, machine_line, sentences, span_line, target_line, unique};
use crate::document::{ResultDocument, RunDocument};
use crate::number;

/// Figures of rows that are shown; all of them are in the JSON document.
const OTHERS_SHOWN: usize = 12;

/// As for runs of sokudo's own, without what no other tool tells.
pub(super) fn facts(document: &RunDocument, origin: &Origin) -> Vec<Fact> {
    let target = &document.target;
    let facts = [
        ("Measured by", Some(measured_by(document, origin))),
        ("Published", origin.document.clone()),
        ("Remarks", sentences(&origin.remarks)),
        ("Target", Some(target_line(target))),
        ("Device", device_line(target)),
        (
            "File system",
            target.file_system.as_ref().map(|it| it.kind.clone()),
        ),
        ("Span", span_line(document)),
        ("Figures", figures_line(document)),
        ("Also told", others_line(document)),
        ("Machine", machine_line(&document.environment)),
    ];
    facts
        .into_iter()
        .filter_map(|(label, value)| value.map(|value| Fact { label, value }))
        .collect()
}

fn measured_by(document: &RunDocument, origin: &Origin) -> String {
    let tool = document.measurer();
    match &origin.file {
        Some(file) => format!("{tool} ({}, read from {file})", origin.format),
        None => format!("{tool} ({})", origin.format),
    }
}

fn device_line(target: &TargetInfo) -> Option<String> {
    let device = target.leaves().next().filter(|_| has_device(target))?;
    let parts = [device.model.clone(), device.serial.clone()];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// What the tool's rates are, where they are not of single runs.
fn figures_line(document: &RunDocument) -> Option<String> {
    let told = document.results.iter().filter_map(|it| it.told.as_ref());
    let kinds = told.flat_map(|told| [&told.bandwidth_kind, &told.iops_kind]);
    let kinds = unique(kinds.filter(|kind| !kind.is_empty()));
    let kinds: Vec<&str> = kinds.into_iter().map(String::as_str).collect();
    (!kinds.is_empty()).then(|| kinds.join("; "))
}

fn others_line(document: &RunDocument) -> Option<String> {
    let mut texts: Vec<String> = document.results.iter().flat_map(others).collect();
    let more = texts.len().saturating_sub(OTHERS_SHOWN);
    texts.truncate(OTHERS_SHOWN);
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    (!texts.is_empty()).then(|| texts.join("; "))
}

fn others(result: &ResultDocument) -> Vec<String> {
    let told = result.told.iter().flat_map(|told| &told.others);
    told.map(|other| {
        let (name, value) = (&result.name, number::rate(other.value));
        match other.unit.as_str() {
            "" => format!("{name}: {}: {value}", other.name),
            unit => format!("{name}: {}: {value} {unit}", other.name),
        }
    })
    .collect()
}
