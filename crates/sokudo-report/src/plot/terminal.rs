//! A figure as characters: braille dots for lines, blocks for bars, shades for heat
//! maps, and plain ASCII where the terminal knows no more.
//!
//! Colour only repeats what signs say.

mod bars;
mod chart;
mod grid;
mod heat;

use super::figure::{Body, Figure, Hue, Sign};
use super::text::for_terminal;
use crate::layout::wrapped;
use grid::Grid;
use sokudo_words::Language;
use unicode_width::UnicodeWidthStr;

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
    /// In what words are; English where only ASCII is used.
    pub language: Language,
}

impl Default for TerminalStyle {
    /// 80 × 24 without colour.
    fn default() -> Self {
        Self {
            columns: 80,
            lines: 24,
            colour: false,
            ascii: false,
            language: Language::English,
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

    fn within_limits(self) -> Self {
        Self {
            columns: self.columns.clamp(Self::COLUMNS_MIN, Self::COLUMNS_MAX),
            lines: self.lines.clamp(Self::LINES_MIN, Self::LINES_MAX),
            ..self
        }
    }

    /// The language that its signs can write.
    const fn language(&self) -> Language {
        if self.ascii {
            Language::English
        } else {
            self.language
        }
    }

    fn text(&self, text: &str) -> String {
        for_terminal(text, self.ascii)
    }

    /// The character of a sign.
    const fn sign(&self, sign: Sign) -> char {
        match (sign, self.ascii) {
            (Sign::Disc, false) => '●',
            (Sign::Square, false) => '■',
            (Sign::Triangle, false) => '▲',
            (Sign::Diamond, false) => '◆',
            (Sign::Cross, false) => '×',
            (Sign::Disc, true) => 'o',
            (Sign::Square, true) => '#',
            (Sign::Triangle, true) => '^',
            (Sign::Diamond, true) => '%',
            (Sign::Cross, true) => 'x',
        }
    }
}

/// The picture as lines that end with line feeds.
pub fn terminal(figure: &Figure, style: &TerminalStyle) -> String {
    let style = style.within_limits();
    let figure = &figure.in_language(style.language());
    let mut grid = Grid::new(style.columns);
    for line in wrapped("", &style.text(&figure.title), style.columns) {
        grid.line(&line, None);
    }
    for line in wrapped("", &style.text(&figure.subtitle), style.columns) {
        grid.line(&line, Some(Hue::Grey));
    }
    match &figure.body {
        Body::Chart(chart) => chart::draw(&mut grid, &style, chart),
        Body::Bars(bars) => bars::draw(&mut grid, &style, bars),
        Body::Matrices(matrices) => heat::draw(&mut grid, &style, matrices),
    }
    for line in wrapped("", &style.text(&figure.footer), style.columns) {
        grid.line(&line, Some(Hue::Grey));
    }
    grid.finished(style.colour)
}

/// A text that is no wider than so many columns.
fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let end = if text.is_ascii() { "..." } else { "…" };
    let mut kept = String::new();
    for sign in text.chars() {
        let wider = format!("{kept}{sign}");
        if wider.width() + end.width() > columns {
            break;
        }
        kept = wider;
    }
    kept.trim_end().to_owned() + end
}
