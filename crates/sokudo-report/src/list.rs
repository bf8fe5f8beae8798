//! Runs that are kept, a line for each, `sokudo.list/1`: which they are, when, of what,
//! and the fastest that they have read and written.
//!
//! It knows no store: what is listed comes to it.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{ListedRow, Verdict, hosts_of_tags, label_of_tags};
use sokudo_words::{Text, text};

use crate::article::{Article, Element};
use crate::date;
use crate::forms::Forms;
use crate::number::MISSING;
use crate::style::{BandwidthUnit, TableStyle};
use crate::table::{Cell, Column, Table, Tone, left, right};
use crate::wording::{device, phrase};

const SCHEMA: &str = "sokudo.list/1";

/// A device's name is cut no shorter than this, so that it can still be recognised.
const NAME_COLUMNS_MIN: usize = 12;
/// A longer name tells no more.
const NAME_COLUMNS_MAX: usize = 32;
/// A longer note is for `show`.
const TAGS_COLUMNS_MAX: usize = 24;

/// Runs that are kept as JSON: `sokudo.list/1`. Missing figures are null, never 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.list/1")]
pub struct ListDocument {
    /// Name and version of this format: `sokudo.list/1`.
    #[schemars(extend("const" = "sokudo.list/1"))]
    pub schema: String,
    /// The runs, the newest first.
    pub runs: Vec<ListedRun>,
}

/// One run that is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedRun {
    /// The number by which it is called.
    pub id: u64,
    /// Start, RFC 3339 in UTC; empty where another tool has not told it.
    pub started_at: String,
    /// The method, such as `mark/default`.
    pub method: String,
    /// What was measured, as it was named.
    pub target: String,
    /// Which device it was: the same text is the same device.
    pub device: String,
    /// What people call that device, such as its model.
    pub device_name: String,
    /// Name of the machine.
    pub host: Option<String>,
    /// The worst verdict of its rows.
    pub verdict: Option<Verdict>,
    /// Hash of all that makes two runs comparable.
    pub fingerprint: String,
    /// Version of the program that measured.
    pub sokudo_version: String,
    /// The tool that measured, where sokudo has not.
    pub origin: Option<String>,
    /// The command line that repeats it.
    pub command: String,
    /// It was stopped before its end.
    pub interrupted: bool,
    /// What somebody wrote about it; empty where nobody did.
    pub note: String,
    /// Tags of the run, sorted; empty where nobody gave any.
    pub tags: Vec<String>,
    /// What it answered, such as `NOT OK`, where its method does; `NOT OK` also where its disk
    /// failed.
    #[serde(default)]
    pub answer: Option<String>,
    /// How good its answer is, or without one its verdict.
    pub tone: Tone,
    /// Whether later runs of its device and method are compared with it.
    pub is_baseline: bool,
    /// Its rows, in their order.
    pub rows: Vec<ListedRow>,
}

impl ListedRun {
    /// The highest bandwidth of its rows of a direction that may stand for the disk, bytes per
    /// second.
    fn best(&self, direction: &str) -> Option<f64> {
        let stands = |row: &&ListedRow| {
            row.verdict != Some(Verdict::Invalid) && row.stands_for_disk.unwrap_or(true)
        };
        let rows = self.rows.iter().filter(|row| row.direction == direction);
        rows.filter(stands)
            .filter_map(|row| row.bytes_per_s)
            .reduce(f64::max)
    }

    /// What people call its device.
    fn named(&self) -> Option<Text> {
        let is_known = !self.device_name.is_empty();
        is_known.then(|| device(&self.device, &self.device_name))
    }

    /// What is said of it beside what it is called.
    fn tags_without_label(&self) -> Vec<&str> {
        let tags = self.tags.iter().map(String::as_str);
        let is_own =
            |tag: &&str| label_of_tags(&[tag]).is_none() && hosts_of_tags(&[tag]).is_none();
        tags.filter(is_own).collect()
    }

    /// What it came to: its answer, or the worst verdict of its rows.
    fn outcome(&self) -> Cell {
        let verdict = self.verdict.map_or(MISSING, Verdict::name);
        let word = self.answer.as_deref().map_or(verdict.into(), phrase);
        let interrupted = self.interrupted.then(|| "interrupted".into());
        let words = Text::list(std::iter::once(word).chain(interrupted), ", ");
        Cell::Judged(self.tone, words)
    }

    /// What stands above the run itself: its number, and what somebody has said of it. Ends
    /// with an empty line.
    pub fn heading(&self, style: &TableStyle) -> String {
        let title = match self.is_baseline {
            true => text!("run {} · baseline of its device and method", self.id),
            false => text!("run {}", self.id),
        };
        let tags = self.tags_without_label().join(", ");
        let mut lines = vec![style.text(&title)];
        if !tags.is_empty() {
            let label = format!("{}  ", style.word("tags"));
            lines.extend(style.wrapped_name(&label, &tags));
        }
        // Before signs that command a terminal are replaced, for line breaks are such, too.
        let note = self.note.split_whitespace().collect::<Vec<_>>().join(" ");
        if !note.is_empty() {
            lines.extend(style.wrapped_name(&format!("{}  ", style.word("note")), &note));
        }
        lines.join("\n") + "\n\n"
    }
}

impl Forms for ListDocument {
    /// A line for each run under titles.
    fn article(&self, _: BandwidthUnit) -> Article<'_> {
        let mut article = Article::default();
        article.add(Element::Table(self.table()));
        article
    }
}

impl ListDocument {
    /// These runs, the newest first.
    pub fn new(runs: Vec<ListedRun>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            runs,
        }
    }

    /// Names of several devices that have no serial number in it, which their targets tell apart.
    fn shared_names(&self) -> BTreeSet<String> {
        let mut first = BTreeMap::new();
        let mut shared = BTreeSet::new();
        for run in &self.runs {
            let name = run.named().unwrap_or_default().english();
            let device = *first.entry(name.clone()).or_insert(&run.device);
            if *device != run.device && !name.contains('…') {
                shared.insert(name);
            }
        }
        shared
    }

    /// A column for all that can be told of any of the runs.
    fn table(&self) -> Table {
        let star = |run: &ListedRun| if run.is_baseline { "★" } else { "" }.to_owned();
        let megabytes =
            |direction| move |run: &ListedRun| Some(Cell::rate(run.best(direction)? / 1e6));
        let name = |name: &str| Some(Cell::Name(name.to_owned()));
        let shared = self.shared_names();
        let mut table = Table::of(&self.runs)
            .column(right("id"), |run| Some(run.id.to_string()))
            .column(left(""), |run| Some(star(run)))
            .column(left("when (UTC)").rank(2), |run| {
                let at = Some(&run.started_at).filter(|it| !it.is_empty())?;
                name(&date::to_the_minute(at))
            })
            .column(
                left("device").at_most(NAME_COLUMNS_MAX, NAME_COLUMNS_MIN),
                |run| {
                    let name = run.named()?;
                    Some(match shared.contains(&name.english()) {
                        true => text!("{name} ({})", &run.target),
                        false => name,
                    })
                },
            )
            .column(right("hosts").rank(6), |run| {
                let hosts = hosts_of_tags(&run.tags);
                Some(hosts.map_or_else(String::new, |hosts| hosts.to_string()))
            })
            .column(
                left("label")
                    .rank(3)
                    .at_most(NAME_COLUMNS_MAX, NAME_COLUMNS_MIN),
                |run| name(label_of_tags(&run.tags).unwrap_or_default()),
            )
            .column(
                left("method")
                    .rank(1)
                    .at_most(NAME_COLUMNS_MAX, NAME_COLUMNS_MIN),
                |run| name(run.origin.as_ref().unwrap_or(&run.method)),
            )
            .column(right("read MB/s").rank(1), megabytes("read"))
            .column(right("write MB/s").rank(4), megabytes("write"))
            .column(left("verdict"), |run| Some(run.outcome()))
            .column(
                left("tags")
                    .rank(5)
                    .at_most(TAGS_COLUMNS_MAX, TAGS_COLUMNS_MAX),
                |run| name(&run.tags_without_label().join(", ")),
            )
            .table()
            .noted(
                "MB/s: the highest median of the rows that read, and of those that write; rows \
                 of a cache, through the page cache or INVALID do not count. ★: a baseline. \
                 sokudo show ID shows a run.",
            );
        let is_empty = |cell: &Cell| matches!(cell, Cell::Name(text) if text.is_empty());
        let is_needed =
            |column: &Column| column.cells.is_empty() || !column.cells.iter().all(is_empty);
        table.columns.retain(is_needed);
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::style;
    use unicode_width::UnicodeWidthStr;

    fn run(id: u64, name: &str) -> ListedRun {
        let row = |direction: &str, bytes_per_s| ListedRow {
            name: "SEQ1M Q8T1".to_owned(),
            direction: direction.to_owned(),
            fingerprint: "f".to_owned(),
            verdict: Some(Verdict::Verified),
            bytes_per_s,
            ios_per_s: None,
            latency_ns: None,
            trials: 6,
            stands_for_disk: Some(true),
        };
        ListedRun {
            id,
            started_at: "2026-11-21T20:41:07.250Z".to_owned(),
            method: "mark/default".to_owned(),
            target: "/mnt/a".to_owned(),
            device: name.to_owned(),
            device_name: name.to_owned(),
            host: None,
            verdict: Some(Verdict::Verified),
            fingerprint: "f".to_owned(),
            sokudo_version: "0.1.0".to_owned(),
            origin: None,
            command: "sokudo mark /mnt/a".to_owned(),
            interrupted: false,
            note: String::new(),
            tags: vec!["idle".to_owned()],
            answer: None,
            tone: Tone::Good,
            is_baseline: id == 1,
            rows: vec![
                row("read", Some(3.5e9)),
                row("read", Some(61e6)),
                row("write", None),
            ],
        }
    }

    #[test]
    fn a_line_tells_what_a_run_is_and_how_fast_it_was() {
        let document = ListDocument::new(vec![run(12, "Example 1000"), run(1, "速いディスク")]);
        insta::assert_snapshot!(document.render(&style(120)), @r"
        id     when (UTC)        device        method        read MB/s  write MB/s  verdict   tags
        ──────────────────────────────────────────────────────────────────────────────────────────
        12     2026-11-21 20:41  Example 1000  mark/default      3,500           —  VERIFIED  idle
         1  ★  2026-11-21 20:41  速いディスク  mark/default      3,500           —  VERIFIED  idle

        MB/s: the highest median of the rows that read, and of those that write; rows of a cache, through
        the page cache or INVALID do not count. ★: a baseline. sokudo show ID shows a run.
        ");
    }

    #[test]
    fn an_answer_stands_in_the_place_of_a_verdict_and_disks_of_one_model_differ() {
        let mut failed = run(2, "Model");
        failed.device = "Model S-1234".to_owned();
        (failed.answer, failed.tone) = (Some("NOT OK".to_owned()), Tone::Bad);
        let mut other = run(1, "Model");
        (other.interrupted, other.device) = (true, "Model S-5678 · partition 1".to_owned());
        let text = ListDocument::new(vec![failed, other]).render(&style(80));
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[2].ends_with("NOT OK") && lines[2].contains("Model …1234"),
            "{text}"
        );
        assert!(
            lines[3].contains("Model …5678") && lines[3].contains("mark/default"),
            "{text}"
        );
        assert!(lines[0].contains("read MB/s"), "{text}");
    }

    #[test]
    fn devices_of_one_name_have_their_targets() {
        let named = |key: &str| {
            [(2, "A1"), (1, "B2")].map(|(id, value)| {
                let mut run = run(id, "sokudo simulated hard disk");
                run.device = format!("sim:hdd?{key}={value}");
                run.target.clone_from(&run.device);
                run
            })
        };
        let runs = named("size");
        let text = ListDocument::new(runs.to_vec()).render(&style(80));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[2].contains("=A1)"), "{text}");
        assert!(lines[3].contains("=B2)"), "{text}");
        let alone = ListDocument::new(runs[..1].to_vec()).render(&style(80));
        assert!(!alone.contains("A1"), "{alone}");
        // A serial number ends the name, however short that is cut.
        let text = ListDocument::new(named("serial").to_vec()).render(&style(80));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[2].contains("disk A1 "), "{text}");
        assert!(lines[3].contains("disk B2 "), "{text}");
    }

    #[test]
    fn how_many_hosts_measured_together_has_a_column_where_any_did() {
        let mut together = run(12, "shared");
        together.tags.push(sokudo_model::hosts_tag(8));
        let document = ListDocument::new(vec![together, run(1, "alone")]);
        insta::assert_snapshot!(document.render(&style(120)));
    }

    #[test]
    fn what_is_unknown_is_no_date_and_no_name_and_empty_columns_take_no_room() {
        let mut run = run(12, "");
        run.started_at = String::new();
        run.tags.clear();
        let document = ListDocument::new(vec![run]);
        insta::assert_snapshot!(document.render(&style(120)), @r"
        id  when (UTC)  device  method        read MB/s  write MB/s  verdict
        ─────────────────────────────────────────────────────────────────────
        12  —           —       mark/default      3,500           —  VERIFIED

        MB/s: the highest median of the rows that read, and of those that write; rows of a cache, through
        the page cache or INVALID do not count. ★: a baseline. sokudo show ID shows a run.
        ");
    }

    #[test]
    fn what_is_no_disk_is_no_headline() {
        let mut run = run(12, "a");
        assert_eq!(run.best("read"), Some(3.5e9));
        run.rows[0].stands_for_disk = Some(false);
        assert_eq!(run.best("read"), Some(61e6));
        // Of what an older version kept only the verdict is known.
        run.rows[0].stands_for_disk = None;
        assert_eq!(run.best("read"), Some(3.5e9));
        run.rows[0].verdict = Some(Verdict::Invalid);
        assert_eq!(run.best("read"), Some(61e6));
        run.rows[1].stands_for_disk = Some(false);
        assert_eq!(run.best("read"), None);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_none_commands_it() {
        let mut hostile = run(3, &format!("\x1b[31m\n<script>{}", "長い名前".repeat(99)));
        hostile.tags = vec!["\u{7}".repeat(99), "x".repeat(1_000_000)];
        hostile.started_at = "yesterday".to_owned();
        let document = ListDocument::new(vec![hostile, run(18_000_000, "b")]);
        for width in [60, 80, 100, 200] {
            for ascii in [false, true] {
                let text = document.render(&TableStyle {
                    ascii,
                    ..style(width)
                });
                assert_eq!(text.lines().nth(4), Some(""), "two runs: {text}");
                for line in text.lines() {
                    assert!(line.width() <= width, "{width}: {line}");
                    assert!(!line.chars().any(char::is_control), "{line:?}");
                }
            }
        }
        let ascii = ListDocument::new(vec![run(1, "a")]).render(&TableStyle {
            ascii: true,
            ..style(80)
        });
        assert!(ascii.is_ascii() && ascii.contains(" * "), "{ascii}");
    }

    #[test]
    fn a_heading_tells_number_tags_and_note_and_commands_no_terminal() {
        let mut run = run(12, "a");
        assert_eq!(run.heading(&style(80)), "run 12\ntags  idle\n\n");
        run.is_baseline = true;
        run.note = format!("one\ntwo \x1b[31m<script>{}", " 速度".repeat(50));
        let text = run.heading(&style(80));
        assert!(text.starts_with("run 12 · baseline"), "{text}");
        assert!(
            text.contains("note  one two \u{fffd}[31m<script>"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.width() <= 80), "{text}");
    }

    #[test]
    fn lists_follow_the_schema_in_the_docs_and_read_back() {
        let text = ListDocument::new(vec![run(1, "a")]).to_json();
        crate::kept_schema::assert_kept::<ListDocument>("sokudo.list-1", &[text]);
    }
}
