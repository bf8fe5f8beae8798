//! Every disk: what it is in a few lines, what is on it as a tree, and what is wrong.

use unicode_width::UnicodeWidthStr;

use super::tree::{self, Forest};
use super::{DiskDocument, InfoDocument};
use crate::disk_words as words;
use crate::facts::ended;
use crate::layout::{pad, wrapped};
use crate::style::TableStyle;
use crate::table::Align;
use crate::wording::phrase;
use sokudo_model::disk::{Bus, Disk, HealthState};
use sokudo_model::{BlockDeviceKind, Severity};
use sokudo_words::{Text, text};

/// Columns of the size of a disk.
const SIZE_WIDTH: usize = 7;

/// All disks, for a terminal or a file.
pub fn render(document: &InfoDocument, style: &TableStyle) -> String {
    if document.disks.is_empty() {
        return style.word("no disks are seen (in /sys/class/block)") + "\n";
    }
    let name_width = document
        .disks
        .iter()
        .map(|entry| style.name(&entry.disk.name).width())
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
    blocks.push(style.word("sokudo info NAME shows more; 1 GB is 1,000,000,000 bytes."));
    blocks.join("\n\n") + "\n"
}

fn disk_lines(
    entry: &DiskDocument,
    name_width: usize,
    forest: &mut Forest,
    style: &TableStyle,
) -> Vec<String> {
    let disk = &entry.disk;
    let name = style.name(&disk.name);
    let fill = " ".repeat(name_width.saturating_sub(name.width()));
    let size = pad(
        &style.text(&words::size(disk.size_bytes)),
        SIZE_WIDTH,
        Align::Right,
    );
    let first = format!("{name}{fill}  {size}  ");
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
            &format!("  {} ", style.word(sign)),
            &style.text(&finding.symptom),
            style.width,
        ));
    }
    lines
}

/// Stands for a space at which no line is broken: a sign for private use,
/// which none of these facts has.
const HARD_SPACE: char = '\u{e000}';

/// Facts with points between them, broken only behind a point.
fn unbroken(facts: &[Text], style: &TableStyle) -> String {
    let hard = |text: String| text.replace(' ', &HARD_SPACE.to_string());
    let facts: Vec<String> = facts.iter().map(|fact| hard(style.text(fact))).collect();
    facts.join(&format!("{} ", hard(style.name(" ·"))))
}

fn heading(disk: &Disk) -> Text {
    let serial = disk.serial.as_ref();
    let serial = serial.map(|serial| text!("serial {serial}"));
    Text::list(std::iter::once(words::model(disk)).chain(serial), ", ")
}

fn facts(disk: &Disk) -> Vec<Text> {
    let mut facts = Vec::new();
    let is_made = disk.bus == Some(Bus::Kernel);
    if !is_made {
        facts.push(words::connection(disk));
        facts.push(words::rotation(disk.rotation).unwrap_or_else(|| "rotation unknown".into()));
    }
    facts.push(words::blocks(disk));
    if disk.kind != BlockDeviceKind::Memory {
        facts.push(words::write_cache(&disk.write_cache));
    }
    match &disk.queue.scheduler {
        Some(scheduler) => facts.push(text!("scheduler {}", phrase(scheduler))),
        None => facts.push("scheduler unknown".into()),
    }
    if !is_made {
        facts.push(words::health(disk.health.state).into());
        let temperature = words::temperature(disk.health.temperature_celsius);
        facts.push(temperature.unwrap_or_else(|| "temperature unknown".into()));
    }
    if disk.removable == Some(true) {
        let has_medium = disk.size_bytes.is_none_or(|size| size.0 > 0);
        let text = if has_medium {
            "removable"
        } else {
            "removable, no medium"
        };
        facts.push(text.into());
    }
    if disk.read_only == Some(true) {
        facts.push("read-only".into());
    }
    if let Some(zoned) = disk.zoned.as_deref().filter(|zoned| *zoned != "none") {
        facts.push(text!("zoned ({})", phrase(zoned)));
    }
    facts.extend(words::tables(&disk.contents).map(Text::name));
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
    let word = style.word(words::health(state));
    line.replacen(&word, &format!("\x1b[{colour}m{word}\x1b[0m"), 1)
}

/// What could not be seen, each once, though it may concern many disks.
fn blind_spots(document: &InfoDocument, style: &TableStyle) -> Vec<String> {
    let mut sentences: Vec<Text> = Vec::new();
    for entry in &document.disks {
        for sentence in &entry.disk.blind_spots {
            let is_named = sentence.english().contains(&entry.disk.name);
            let sentence = ended(sentence);
            let sentence = match is_named {
                true => sentence,
                false => text!("of {}: {sentence}", entry.disk.name),
            };
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    let first = format!("{} ", style.word("not seen:"));
    sentences
        .iter()
        .flat_map(|sentence| wrapped(&first, &style.text(sentence), style.width))
        .collect()
}
