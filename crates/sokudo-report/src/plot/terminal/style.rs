//! How a picture for the terminal is drawn.

use super::super::figure::LineMarker;
use super::super::text::for_terminal;

/// How a picture for the terminal is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Columns that there are.
    pub columns: usize,
    /// Lines that a chart should take. Bars and heat maps take as many as they have
    /// rows.
    pub lines: usize,
    /// Whether colours are used, by ANSI escapes.
    pub colour: bool,
    /// Whether only ASCII is used.
    pub ascii: bool,
}

impl Default for TerminalStyle {
    /// 80 × 24 without colour.
    fn default() -> Self {
        Self {
            columns: 80,
            lines: 24,
            colour: false,
            ascii: false,
        }
    }
}

impl TerminalStyle {
    /// Narrower pictures would show nothing.
    const COLUMNS_MIN: usize = 40;
    /// Wider ones are only stretched.
    const COLUMNS_MAX: usize = 200;
    /// Lower ones would show nothing.
    const LINES_MIN: usize = 16;
    /// Higher ones leave the screen.
    const LINES_MAX: usize = 60;

    pub(super) fn within_limits(self) -> Self {
        Self {
            columns: self.columns.clamp(Self::COLUMNS_MIN, Self::COLUMNS_MAX),
            lines: self.lines.clamp(Self::LINES_MIN, Self::LINES_MAX),
            ..self
        }
    }

    pub(super) fn text(&self, text: &str) -> String {
        for_terminal(text, self.ascii)
    }

    /// The character of a sign.
    pub(super) const fn sign(&self, sign: LineMarker) -> char {
        match (sign, self.ascii) {
            (LineMarker::Disc, false) => '●',
            (LineMarker::Square, false) => '■',
            (LineMarker::Triangle, false) => '▲',
            (LineMarker::Diamond, false) => '◆',
            (LineMarker::Cross, false) => '×',
            (LineMarker::Disc, true) => 'o',
            (LineMarker::Square, true) => '#',
            (LineMarker::Triangle, true) => '^',
            (LineMarker::Diamond, true) => '%',
            (LineMarker::Cross, true) => 'x',
        }
    }
}
