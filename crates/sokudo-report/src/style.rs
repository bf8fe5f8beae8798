//! How tables and texts are written for a terminal or a file: width, signs, colour, unit and
//! language.

use sokudo_words::{Language, Text, is_unseen};

use crate::layout::{pad, shortened, wrapped};
use crate::table::Align;

/// Lines of text longer than this are hard to read, however wide the terminal.
const TEXT_WIDTH_MAX: usize = 100;

/// How the table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableStyle {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether verdicts are coloured by ANSI escapes.
    pub colour: bool,
    /// Whether all signs of the table itself are ASCII. Names that were given
    /// to sokudo stay as they are.
    pub ascii: bool,
    pub unit: BandwidthUnit,
    /// In what people are spoken to; English where all signs are ASCII.
    pub language: Language,
}

impl Default for TableStyle {
    /// 80 columns, no colour, MB/s, in English.
    fn default() -> Self {
        Self {
            width: 80,
            colour: false,
            ascii: false,
            unit: BandwidthUnit::MegabytesPerSecond,
            language: Language::English,
        }
    }
}

/// In what bandwidths are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandwidthUnit {
    /// MB/s: 1,000,000 bytes per second.
    MegabytesPerSecond,
    /// MiB/s: 1,048,576 bytes per second.
    MebibytesPerSecond,
    /// GB/s: 1,000,000,000 bytes per second.
    GigabytesPerSecond,
    /// KB/s: 1,000 bytes per second, with IOPS beside them however narrow the table.
    KilobytesPerSecond,
    /// I/Os per second, in the place of bandwidths.
    IosPerSecond,
}

impl BandwidthUnit {
    /// Its name, how many bytes per second it is, and what it means.
    const fn properties(self) -> (&'static str, f64, &'static str) {
        match self {
            Self::MegabytesPerSecond => ("MB/s", 1e6, "1 MB is 1,000,000 bytes"),
            Self::MebibytesPerSecond => ("MiB/s", 1_048_576.0, "1 MiB is 1,048,576 bytes"),
            Self::GigabytesPerSecond => ("GB/s", 1e9, "1 GB is 1,000,000,000 bytes"),
            Self::KilobytesPerSecond => ("KB/s", 1e3, "1 KB is 1,000 bytes"),
            Self::IosPerSecond => ("IOPS", 1.0, "reads and writes completed per second"),
        }
    }

    /// `MB/s`, `MiB/s`, `GB/s`, `KB/s` or `IOPS`.
    pub const fn name(self) -> &'static str {
        self.properties().0
    }

    pub const fn bytes(self) -> f64 {
        self.properties().1
    }

    pub const fn definition(self) -> &'static str {
        self.properties().2
    }
}

impl TableStyle {
    /// The language that its signs can write.
    pub const fn language(&self) -> Language {
        if self.ascii {
            Language::English
        } else {
            self.language
        }
    }

    /// Text in the style's language that cannot harm a terminal.
    pub fn text(&self, text: &Text) -> String {
        self.safe(&text.in_language(self.language()))
    }

    /// The same of a word or phrase.
    pub fn word(&self, word: &'static str) -> String {
        self.safe(self.language().word(word))
    }

    /// A name that somebody gave, which is the same in all languages and cannot harm a
    /// terminal.
    pub fn name(&self, name: &str) -> String {
        self.safe(name)
    }

    /// The same, as a paragraph behind what begins it.
    pub(crate) fn wrapped_name(&self, first: &str, name: &str) -> Vec<String> {
        let width = self.width.min(TEXT_WIDTH_MAX);
        wrapped(&self.safe(first), &self.safe(name), width)
    }

    /// A line that is no longer than the terminal is wide.
    pub fn cut(&self, line: &str) -> String {
        shortened(line, self.width, self.end())
    }

    /// What stands for the end of a text that is cut.
    pub const fn end(&self) -> &'static str {
        if self.ascii { "..." } else { "…" }
    }

    /// A heading over columns.
    pub fn group(&self, group: &'static str) -> &'static str {
        self.language().word(group)
    }

    /// A label, filled up so that what follows it lines up.
    pub fn label(&self, label: &'static str, width: usize) -> String {
        pad(&self.word(label), width, Align::Left)
    }

    /// How to measure again. A command is the same in all languages.
    pub fn command(&self, command: &str) -> String {
        format!("{} {}", self.word("Repeat:"), self.safe(command))
    }

    /// Text that cannot harm a terminal and, if wished, has no sign of ours
    /// beyond ASCII. Names of devices and files are written by strangers and may
    /// hold escapes.
    fn safe(&self, text: &str) -> String {
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return text.to_owned();
        }
        let mut safe = String::with_capacity(text.len());
        for sign in text.chars() {
            match (sign, self.ascii) {
                (sign, true) if sign.is_control() => safe.push('?'),
                (sign, true) if is_unseen(sign) => safe.push('?'),
                (sign, false) if sign.is_control() || is_unseen(sign) => {
                    safe.push(char::REPLACEMENT_CHARACTER);
                }
                ('±', true) => safe.push_str("+-"),
                ('µ', true) => safe.push('u'),
                ('–' | '—' | '─', true) => safe.push('-'),
                ('·', true) => safe.push('|'),
                ('├' | '└', true) => safe.push('+'),
                ('│', true) => safe.push('|'),
                ('°', true) => {}
                ('×', true) => safe.push('x'),
                ('≤', true) => safe.push_str("<="),
                ('≥', true) => safe.push_str(">="),
                ('÷', true) => safe.push('/'),
                ('★', true) => safe.push('*'),
                ('→', true) => safe.push_str("->"),
                _ => safe.push(sign),
            }
        }
        safe
    }

    /// A paragraph behind what begins it, which is in the style's language already.
    pub fn wrapped(&self, first: &str, text: &Text) -> Vec<String> {
        self.wrapped_name(first, &text.in_language(self.language()))
    }

    pub const fn rule(&self) -> char {
        if self.ascii { '-' } else { '─' }
    }
}
