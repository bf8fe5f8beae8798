//! Lines with rates of which a reader has taken nothing.
//!
//! No reader tells which lines it used: the text is read again by all that know it, with other digits on a line. Where
//! the same comes of it, nothing of that line was read.

use std::collections::HashSet;

use sokudo_words::text;

use crate::results::format::{HEAD_BYTES, Reader};
use crate::results::number;
use crate::results::reader::Import;
use crate::results::text::{label, leave_out};

/// A text is read again so often at most; lines that this did not reach count as read.
const READINGS_MAX: usize = 400;
/// So many lines are told by their beginnings, each by so many signs.
const NAMES_MAX: usize = 3;
const NAME_SIGNS_MAX: usize = 60;
/// Units in which no setting, size or legend is told; of I/Os and of bytes.
const UNITS: [(&str, f64); 10] = [
    ("IOPS", 1.0),
    ("iops", 1.0),
    ("KB/s", 1e3),
    ("KiB/s", 1_024.0),
    ("MB/s", 1e6),
    ("MB/sec", 1e6),
    ("MiB/s", 1_048_576.0),
    ("GB/s", 1e9),
    ("GB/sec", 1e9),
    ("GiB/s", 1_073_741_824.0),
];
/// Rates of three digits may differ so much by their rounding.
const ROUNDING: f64 = 0.005;

/// Names what was not read of a text, in one note. A longer one than formats are recognised by is
/// not looked through: each look reads all of it.
pub(crate) fn name(readers: &[&Reader], file: &str, text: &str, import: &mut Import) {
    let noted_lines: HashSet<u64> = import.left_out.iter().filter_map(|it| it.line).collect();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_lost = |at: &usize| {
        let is_reported = noted_lines.contains(&(*at as u64 + 1));
        !is_reported && rates(lines[*at]).any(|rate| !has(import, rate))
    };
    let lost: Vec<usize> = (0..lines.len()).filter(is_lost).collect();
    if text.len() >= HEAD_BYTES || lost.is_empty() {
        return;
    }
    let mut unread = Vec::new();
    let mut look = Look {
        readers,
        file,
        lines: &lines,
        import,
        readings: 0,
    };
    look.search(&lost, &mut unread);
    let Some(first) = unread.first() else { return };
    let named = unread.iter().filter_map(|at| label(lines[*at]));
    let short = |line: String| line.chars().take(NAME_SIGNS_MAX).collect::<String>();
    let names: Vec<String> = named.map(short).take(NAMES_MAX).collect();
    let (names, count) = (names.join("; "), unread.len());
    let why = text!("rates that were not read, lines from here on: {count} ({names})");
    leave_out(&mut import.left_out, *first as u64 + 1, why);
}

/// Whether a row has this rate: what a summary repeats is not lost.
fn has(import: &Import, rate: f64) -> bool {
    let rows = import.runs.iter().flat_map(|run| &run.rows);
    let mut read_rates = rows
        .flat_map(|row| [&row.reported.bandwidth, &row.reported.iops])
        .flatten();
    read_rates.any(|it| (it.value - rate).abs() <= ROUNDING * it.value)
}

struct Look<'text> {
    readers: &'text [&'text Reader],
    /// The name of the file.
    file: &'text str,
    lines: &'text [&'text str],
    import: &'text Import,
    readings: usize,
}

impl Look<'_> {
    /// Finds those of some lines that were not read: all of them, or some of either half.
    fn search(&mut self, lines: &[usize], unread: &mut Vec<usize>) {
        if self.readings >= READINGS_MAX {
            return;
        }
        // Of several figures a reader may keep the least or the greatest.
        if ["2", "7"].iter().all(|it| self.is_same_with(it, lines)) {
            unread.extend(lines);
        } else if lines.len() > 1 {
            let (one, other) = lines.split_at(lines.len() / 2);
            self.search(one, unread);
            self.search(other, unread);
        }
    }

    /// Whether the same is read where every digit of some lines is this one.
    fn is_same_with(&mut self, digit: &str, changed: &[usize]) -> bool {
        self.readings += 1;
        let mut lines: Vec<_> = self.lines.iter().map(|it| (*it).to_owned()).collect();
        for at in changed {
            lines[*at] = lines[*at].replace(|it: char| it.is_ascii_digit(), digit);
        }
        let text = lines.concat();
        let again = self.readers.iter().try_fold(Import::default(), |all, it| {
            Some(all.with(it.read(self.file, &mut text.as_bytes()).ok()?))
        });
        again.is_some_and(|it| it.runs == self.import.runs && it.left_out == self.import.left_out)
    }
}

/// Rates of a line in bytes or I/Os per second, such as of `16.9 MB/s`.
fn rates(line: &str) -> impl Iterator<Item = f64> {
    let is_figure = |sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ',');
    let of = move |(unit, scale): (&'static str, f64)| {
        line.match_indices(unit).filter_map(move |(end, _)| {
            let before = line[..end].trim_end();
            let figure = &before[before.trim_end_matches(is_figure).len()..];
            let is_unit = !line[end + unit.len()..].starts_with(char::is_alphanumeric);
            number::rate(figure, scale).filter(|_| is_unit)
        })
    };
    UNITS.into_iter().flat_map(of)
}
