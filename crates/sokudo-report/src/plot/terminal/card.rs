//! A card as lines: a row, and what it came to in each direction.

use super::super::figure::Card;
use super::grid::{Grid, cut};
use super::style::TerminalStyle;
use crate::layout::wrapped;

pub(super) fn draw(grid: &mut Grid, style: &TerminalStyle, card: &Card) {
    for row in &card.rows {
        grid.line("", None);
        grid.line(&cut(&style.text(&row.name), style.columns), None);
        for (side, tile) in card.sides.iter().zip(&row.tiles) {
            if let Some(tile) = tile {
                let line = format!("  {side}: {}  {}", tile.value, tile.details);
                let line = cut(&style.text(&line), style.columns);
                grid.line(&line, Some(tile.ink.hue));
            }
        }
    }
    grid.line("", None);
    for sentence in &card.sentences {
        for line in wrapped("", &style.text(sentence), style.columns) {
            grid.line(&line, None);
        }
    }
}
