//! Groups of horizontal bars of block characters.

use sokudo_model::Verdict;
use sokudo_words::{spoken, text};
use unicode_width::UnicodeWidthStr;

use super::super::figure::{Bar, Bars, Ink, LineMarker, Reference};
use super::super::scale::whole;
use super::grid::{Grid, Paint};
use super::style::TerminalStyle;
use crate::layout::wrapped;
use crate::number::to_usize;

/// Longer names of groups stand above their bars, columns.
const NAME_COLUMNS_MAX: usize = 24;
/// Shorter bars show nothing, columns.
const BAR_COLUMNS_MIN: usize = 8;
/// Eighths of a character.
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

pub(super) fn draw(grid: &mut Grid, style: &TerminalStyle, bars: &Bars) {
    grid.add_lines(1);
    let all = || bars.groups.iter().flat_map(|group| &group.bars);
    let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or(0);
    let names = widest(
        &mut bars
            .groups
            .iter()
            .map(|group| style.text(&group.name).width())
            .filter(|width| *width <= NAME_COLUMNS_MAX),
    );
    let labels = widest(&mut all().map(|bar| value(style, bar).width()));
    let columns = style.columns.saturating_sub(names + labels + 4);
    let columns = columns.max(BAR_COLUMNS_MIN);
    for group in &bars.groups {
        let name = style.text(&group.name);
        let is_above = name.width() > names;
        if is_above {
            for part in wrapped("", &name, style.columns) {
                let line = grid.add_lines(1);
                grid.text([0, line], &part, Paint::Plain);
            }
        }
        for (number, bar) in group.bars.iter().enumerate() {
            let line = grid.add_lines(1);
            if number == 0 && !is_above {
                grid.text([names - name.width(), line], &name, Paint::Plain);
            }
            grid.put(
                [names + 1, line],
                if style.ascii { '|' } else { '│' },
                Paint::Plain,
            );
            let share = bar.value.map(|value| bars.axis.scale.share(value));
            let blocks = blocks(style, bar.ink, share.unwrap_or(0.0) * whole(columns));
            let at = grid.text([names + 2, line], &blocks, Paint::Hue(bar.ink.hue));
            grid.text([at + 1, line], &value(style, bar), Paint::Plain);
            if let Some(reference) = &bars.reference {
                let share = bars.axis.scale.share(reference.at);
                let column = names + 2 + to_usize((share * whole(columns - 1)).round());
                // Only over bars: a value is not cut through.
                if column < at {
                    grid.put([column, line], reference_sign(style), REFERENCE);
                }
            }
        }
    }
    axis(grid, style, bars, names + 2, columns);
    legend(grid, style, bars);
}

const REFERENCE: Paint = Paint::Hue(Reference::INK.hue);

const fn reference_sign(style: &TerminalStyle) -> char {
    if style.ascii { '!' } else { '┆' }
}

/// What the bars are, in as many lines as that takes.
fn legend(grid: &mut Grid, style: &TerminalStyle, bars: &Bars) {
    let mut line = grid.add_lines(1);
    let mut at = 1;
    let mut begin = |grid: &mut Grid, at: usize, width: usize| {
        if at > 1 && at + width > style.columns {
            line = grid.add_lines(1);
            return [1, line];
        }
        [at, line]
    };
    for (name, ink) in &bars.legend {
        let name = style.text(name);
        let sample = blocks(style, *ink, 3.0);
        let [from, line] = begin(grid, at, sample.width() + 1 + name.width());
        at = grid.text([from, line], &sample, Paint::Hue(ink.hue));
        at = grid.text([at + 1, line], &name, Paint::Plain) + 3;
    }
    if let Some(reference) = &bars.reference {
        let name = style.text(&reference.name);
        let [from, line] = begin(grid, at, 2 + name.width());
        grid.put([from, line], reference_sign(style), REFERENCE);
        at = grid.text([from + 2, line], &name, Paint::Plain) + 3;
    }
    let unit = text!("in {}", style.text(&bars.axis.label)).to_string();
    let cell = begin(grid, at, unit.width());
    grid.text(cell, &unit, Paint::Plain);
}

/// The value in words; a verdict that is not the best is told.
fn value(style: &TerminalStyle, bar: &Bar) -> String {
    match bar.verdict {
        Some(verdict @ (Verdict::Unverified | Verdict::Invalid)) => {
            let (label, word) = (style.text(&bar.label), spoken().word(verdict.name()));
            format!("{label} {word}").trim_start().to_owned()
        }
        _ => style.text(&bar.label),
    }
}

/// So many columns of a bar. Bars that stand beside each other differ in their
/// characters too.
fn blocks(style: &TerminalStyle, ink: Ink, columns: f64) -> String {
    let eighths = to_usize((columns * 8.0).round());
    let is_full = ink.sign == LineMarker::Disc;
    let sign = match (ink.sign, style.ascii) {
        (LineMarker::Disc, false) => "█",
        (LineMarker::Square, false) => "▒",
        (_, false) => "▓",
        (LineMarker::Disc, true) => "#",
        (LineMarker::Square, true) => "=",
        (_, true) => "%",
    };
    if is_full && !style.ascii {
        let end = EIGHTHS[eighths % 8];
        let text = sign.repeat(eighths / 8);
        return if end == ' ' {
            text
        } else {
            format!("{text}{end}")
        };
    }
    sign.repeat((eighths + 4) / 8)
}

fn axis(grid: &mut Grid, style: &TerminalStyle, bars: &Bars, left: usize, columns: usize) {
    let (corner, level, tick_sign) = if style.ascii {
        ('+', '-', '+')
    } else {
        ('└', '─', '┬')
    };
    let line = grid.add_lines(2);
    grid.put([left - 1, line], corner, Paint::Plain);
    for column in 0..columns {
        grid.put([left + column, line], level, Paint::Plain);
    }
    let mut free_from = 0;
    for tick in &bars.axis.ticks {
        let column = to_usize((bars.axis.scale.share(tick.at) * whole(columns - 1)).round());
        let begin = (left + column).saturating_sub(tick.name.width() / 2);
        if begin >= free_from && begin + tick.name.width() <= style.columns {
            grid.put([left + column, line], tick_sign, Paint::Plain);
            free_from = grid.text([begin, line + 1], &tick.name, Paint::Plain) + 2;
        }
    }
}
