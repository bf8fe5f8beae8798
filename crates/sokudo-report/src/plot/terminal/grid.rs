//! Cells of a terminal, each with a character and a colour.

use unicode_width::UnicodeWidthChar;

use super::super::figure::Hue;
use crate::layout::shortened;

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GridCell {
    sign: char,
    paint: Paint,
}

/// Colours in which a cell is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Paint {
    Plain,
    Hue(Hue),
    /// Background and text, red, green and blue.
    Tile([u8; 3], &'static str),
}

/// The right half of a character that is two columns wide.
const CONTINUED: char = '\0';

/// A picture of cells that grows downwards.
pub(super) struct Grid {
    columns: usize,
    lines: Vec<Vec<GridCell>>,
}

impl Grid {
    pub(super) const fn new(columns: usize) -> Self {
        Self {
            columns,
            lines: Vec::new(),
        }
    }

    /// Adds a line that begins with a text.
    pub(super) fn line(&mut self, text: &str, hue: Option<Hue>) {
        let line = self.add_lines(1);
        self.text([0, line], text, hue.map_or(Paint::Plain, Paint::Hue));
    }

    /// Adds empty lines; gives the number of the first.
    pub(super) fn add_lines(&mut self, count: usize) -> usize {
        let first = self.lines.len();
        let empty = GridCell {
            sign: ' ',
            paint: Paint::Plain,
        };
        self.lines.resize(first + count, vec![empty; self.columns]);
        first
    }

    /// Puts a character; outside of the picture nothing happens.
    pub(super) fn put(&mut self, [column, line]: [usize; 2], sign: char, paint: Paint) {
        let cell = self
            .lines
            .get_mut(line)
            .and_then(|line| line.get_mut(column));
        if let Some(cell) = cell {
            *cell = GridCell { sign, paint };
        }
    }

    /// Writes a text from a cell on; gives the column after it.
    pub(super) fn text(&mut self, [column, line]: [usize; 2], text: &str, paint: Paint) -> usize {
        let mut at = column;
        for sign in text.chars() {
            self.put([at, line], sign, paint);
            let width = sign.width().unwrap_or(0);
            (1..width).for_each(|more| self.put([at + more, line], CONTINUED, paint));
            at += width;
        }
        at
    }

    /// The lines as text, without spaces at their ends.
    pub(super) fn finished(&self, colour: bool) -> String {
        let mut text = String::new();
        for line in &self.lines {
            let is_empty =
                |cell: &GridCell| cell.sign == ' ' && !matches!(cell.paint, Paint::Tile(..));
            let end = line.iter().rposition(|cell| !is_empty(cell));
            let cells = &line[..end.map_or(0, |end| end + 1)];
            for run in cells.chunk_by(|left, right| left.paint == right.paint) {
                let signs = run.iter().map(|cell| cell.sign);
                let signs: String = signs.filter(|sign| *sign != CONTINUED).collect();
                match run[0].paint {
                    paint if colour && paint != Paint::Plain => {
                        text.push_str(&format!("\u{1b}[{}m{signs}\u{1b}[0m", code(paint)));
                    }
                    _ => text.push_str(&signs),
                }
            }
            text.push('\n');
        }
        text
    }
}

/// The parameters of the ANSI escape. Hues are those of the terminal's own palette, so
/// that they suit its background.
fn code(paint: Paint) -> String {
    let hue = match paint {
        Paint::Plain => "0",
        Paint::Hue(Hue::Read) => "94",
        Paint::Hue(Hue::Write) => "33",
        Paint::Hue(Hue::Access) => "32",
        Paint::Hue(Hue::Fault) => "91",
        Paint::Hue(Hue::Purple) => "95",
        Paint::Hue(Hue::Brown) => "93",
        Paint::Hue(Hue::Pink) => "35",
        Paint::Hue(Hue::Grey) => "2",
        Paint::Tile(background, text) => {
            let text = if text == "#ffffff" { 231 } else { 16 };
            return format!("48;5;{};38;5;{text}", cube(background));
        }
    };
    hue.to_owned()
}

/// The nearest colour of the 6 × 6 × 6 cube that terminals of 256 colours have.
fn cube(colour: [u8; 3]) -> u16 {
    let level = |part: u8| match part {
        0..48 => 0,
        48..115 => 1,
        part => (u16::from(part) - 35) / 40,
    };
    let [red, green, blue] = colour.map(level);
    16 + 36 * red + 6 * green + blue
}

/// A text that is no wider than so many columns.
pub(super) fn cut(text: &str, columns: usize) -> String {
    let end = if text.is_ascii() { "..." } else { "…" };
    shortened(text, columns, end)
}
