//! Every disk: what it is in a few lines, what is on it as a tree, and what is wrong.

use unicode_width::UnicodeWidthStr;

use super::tree::{self, Forest};
use super::{DiskDocument, InfoDocument, words};
use crate::layout::wrapped;
use crate::style::TableStyle;
use sokudo_model::disk::{Bus, Disk, HealthState};
use sokudo_model::{BlockDeviceKind, Severity};

/// All disks, for a terminal or a file.
pub fn render(document: &InfoDocument, style: &TableStyle) -> String {
    if document.disks.is_empty() {
        return style.text("no disks are seen (in /sys/class/block)") + "\n";
    }
    let name_width = document
        .disks
        .iter()
        .map(|entry| style.text(&entry.disk.name).width())
        .max()
        .unwrap_or(0);
    let mut forest = Forest::default();
    let mut blocks: Vec<String> = document
        .disks
        .iter()
        .map(|entry| disk_lines(entry, name_width, &mut forest, style).join("\n"))
        .collect();
    let unseen = blind_spots(document, style);
    if !unseen.is_empty() {
        blocks.push(unseen.join("\n"));
    }
    blocks.push(style.text("sokudo info NAME shows more; 1 GB is 1,000,000,000 bytes."));
    blocks.join("\n\n") + "\n"
}

fn disk_lines(
    entry: &DiskDocument,
    name_width: usize,
    forest: &mut Forest,
    style: &TableStyle,
) -> Vec<String> {
    let disk = &entry.disk;
    let name = style.text(&disk.name);
    let fill = " ".repeat(name_width.saturating_sub(name.width()));
    let first = format!("{name}{fill}  {:>7}  ", words::size(disk.size_bytes));
    let mut lines = wrapped(&first, &style.text(&heading(disk)), style.width);
    let indent = " ".repeat(first.width());
    let facts = unbroken(&facts(disk), style);
    let facts = wrapped(&indent, &facts, style.width)
        .into_iter()
        .map(|line| line.replace(HARD_SPACE, " "));
    lines.extend(facts.map(|line| coloured(line, disk.health.state, style)));
    lines.extend(tree::lines(&forest.rows(&disk.contents), style));
    for finding in &entry.findings {
        let sign = match finding.severity {
            Severity::Info => "note:",
            Severity::Warning | Severity::Error => "warning:",
        };
        lines.extend(wrapped(
            &format!("  {} ", style.text(sign)),
            &style.name(&finding.symptom.said(style.language())),
            style.width,
        ));
    }
    lines
}

/// Stands for a space at which no line is broken: a sign for private use,
/// which none of these facts has.
const HARD_SPACE: char = '\u{e000}';

/// Facts with points between them, broken only behind a point.
fn unbroken(facts: &[String], style: &TableStyle) -> String {
    let hard = |text: &str| style.text(text).replace(' ', &HARD_SPACE.to_string());
    let facts: Vec<String> = facts.iter().map(|fact| hard(fact)).collect();
    facts.join(&format!("{} ", hard(" ·")))
}

fn heading(disk: &Disk) -> String {
    let mut text = words::model(disk);
    if let Some(serial) = &disk.serial {
        text.push_str(&format!(", serial {serial}"));
    }
    text
}

fn facts(disk: &Disk) -> Vec<String> {
    let mut facts = Vec::new();
    let is_made = disk.bus == Some(Bus::Kernel);
    if !is_made {
        facts.push(words::connection(disk));
        facts.push(words::rotation(disk.rotation));
    }
    facts.push(words::blocks(disk));
    if disk.kind != BlockDeviceKind::Memory {
        facts.push(words::write_cache(&disk.write_cache));
    }
    match &disk.queue.scheduler {
        Some(scheduler) => facts.push(format!("scheduler {scheduler}")),
        None => facts.push("scheduler unknown".to_owned()),
    }
    if !is_made {
        facts.push(words::health(disk.health.state).to_owned());
        facts.push(words::temperature(disk.health.temperature_celsius));
    }
    if disk.removable == Some(true) {
        let has_medium = disk.size_bytes.is_none_or(|size| size.0 > 0);
        let text = if has_medium {
            "removable"
        } else {
            "removable, no medium"
        };
        facts.push(text.to_owned());
    }
    if disk.read_only == Some(true) {
        facts.push("read-only".to_owned());
    }
    if let Some(zoned) = disk.zoned.as_deref().filter(|zoned| *zoned != "none") {
        facts.push(format!("zoned ({zoned})"));
    }
    facts.extend(words::tables(&disk.contents).map(str::to_owned));
    facts
}

/// The word of health in its colour.
fn coloured(line: String, state: HealthState, style: &TableStyle) -> String {
    let colour = match state {
        HealthState::Good => "32",
        HealthState::Warning => "33",
        HealthState::Failing => "31",
        HealthState::Unknown => return line,
    };
    if !style.colour {
        return line;
    }
    let word = style.text(words::health(state));
    line.replacen(&word, &format!("\x1b[{colour}m{word}\x1b[0m"), 1)
}

/// What could not be seen, each once, though it may concern many disks.
fn blind_spots(document: &InfoDocument, style: &TableStyle) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for entry in &document.disks {
        for sentence in &entry.disk.blind_spots {
            let sentence = format!("{}.", sentence.english().trim_end_matches('.'));
            let is_named = sentence.contains(entry.disk.name.as_str());
            let sentence = match is_named {
                true => sentence,
                false => format!("of {}: {sentence}", entry.disk.name),
            };
            if !told.contains(&sentence) {
                told.push(sentence);
            }
        }
    }
    let first = format!("{} ", style.text("not seen:"));
    told.iter()
        .flat_map(|sentence| wrapped(&first, &style.text(sentence), style.width))
        .collect()
}
