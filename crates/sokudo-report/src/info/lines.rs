//! Every disk in one line, for who is to choose among them.

use sokudo_model::Severity;
use sokudo_model::disk::HealthState;

use super::{DiskDocument, InfoDocument};
use crate::article::{Article, Element};
use crate::disk_words as words;
use crate::style::TableStyle;
use crate::table::{Cell, Table, Tone, left, right};
use crate::text;

/// The disks as a table, and what is wrong with any.
pub fn render(document: &InfoDocument, style: &TableStyle) -> String {
    let mut article = Article::default();
    let disks = &document.disks;
    if !disks.is_empty() {
        article.add(Element::Table(table(disks)));
    }
    let warnings = disks.iter().flat_map(|entry| {
        let grave = entry.findings.iter();
        let grave = grave.filter(|finding| finding.severity >= Severity::Warning);
        grave.map(|finding| finding.symptom.clone())
    });
    article.marked("", "! ", warnings.collect());
    text::write(&article, style)
}

fn table(disks: &[DiskDocument]) -> Table {
    let is_any_warm = disks
        .iter()
        .any(|it| it.disk.health.temperature_celsius.is_some());
    Table::of(disks)
        .column(left("disk"), |entry| Some(entry.disk.name.clone()))
        .column(right("size"), |entry| {
            Some(words::size(entry.disk.size_bytes))
        })
        .column(left("health"), |entry| {
            Some(health(entry.disk.health.state))
        })
        .column_if(is_any_warm, right("°C").rank(2), |entry| {
            let celsius = entry.disk.health.temperature_celsius?;
            Some(celsius.to_string())
        })
        .column(left("model"), |entry| Some(words::model(&entry.disk)))
        .column(left("serial").rank(1), |entry| entry.disk.serial.clone())
        .table()
}

fn health(state: HealthState) -> Cell {
    let (tone, word) = match state {
        HealthState::Unknown => (Tone::None, "unknown"),
        HealthState::Good => (Tone::Good, "good"),
        HealthState::Warning => (Tone::Doubtful, "WARNING"),
        HealthState::Failing => (Tone::Bad, "FAILING"),
    };
    Cell::Judged(tone, word.into())
}
