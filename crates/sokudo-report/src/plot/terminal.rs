//! A figure as characters: braille dots for lines, blocks for bars, shades for heat
//! maps, and plain ASCII where the terminal knows no more.
//!
//! Colour only repeats what signs say.

mod bars;
mod card;
mod chart;
mod grid;
mod heat;
mod style;

use sokudo_words::speaking;

use super::figure::{Body, Hue, PlotFigure};
use crate::layout::wrapped;
use grid::Grid;

pub use style::TerminalStyle;

/// The picture as lines that end with line feeds.
pub fn terminal(figure: &PlotFigure, style: &TerminalStyle) -> String {
    let style = style.within_limits();
    let mut grid = Grid::new(style.columns);
    for line in wrapped("", &style.text(&figure.title), style.columns) {
        grid.line(&line, None);
    }
    for line in wrapped("", &style.text(&figure.subtitle), style.columns) {
        grid.line(&line, Some(Hue::Grey));
    }
    speaking(figure.language, || match &figure.body {
        Body::Chart(chart) => chart::draw(&mut grid, &style, chart),
        Body::Bars(bars) => bars::draw(&mut grid, &style, bars),
        Body::HeatMaps(matrices) => heat::draw(&mut grid, &style, matrices),
        Body::Card(card) => card::draw(&mut grid, &style, card),
    });
    for line in wrapped("", &style.text(&figure.footer), style.columns) {
        grid.line(&line, Some(Hue::Grey));
    }
    grid.finished(style.colour)
}
