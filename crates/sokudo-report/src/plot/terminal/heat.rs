//! Tables of values on colours; without colours a shade stands before each value.

use unicode_width::UnicodeWidthStr;

use super::super::figure::{HeatMap, HeatMaps};
use super::super::palette::{heat, text_on};
use super::grid::{Grid, Paint};
use super::style::TerminalStyle;
use crate::number::{UNPROVEN, rate, to_usize};

/// From low to high.
const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
/// The same in ASCII.
const ASCII_SHADES: [char; 5] = [' ', '.', ':', '*', '#'];

pub(super) fn draw(grid: &mut Grid, style: &TerminalStyle, matrices: &HeatMaps) {
    for matrix in &matrices.matrices {
        grid.add_lines(1);
        let name = match matrix.whole {
            None => format!("{}, {}", matrix.name, matrices.label),
            Some(_) => matrix.name.clone(),
        };
        grid.line(&style.text(&name), None);
        draw_matrix(grid, style, matrix, matrices);
    }
    scale(grid, style, matrices);
}

fn draw_matrix(grid: &mut Grid, style: &TerminalStyle, matrix: &HeatMap, matrices: &HeatMaps) {
    let values = matrix.cells.iter().flatten().flatten();
    let longest = values.map(|value| rate(*value).width()).max().unwrap_or(1)
        + usize::from(!matrix.unproven.is_empty());
    let names = matrix.rows.names.iter().map(|name| name.width());
    let left = names.max().unwrap_or(0).max(matrix.rows.label.width()) + 1;
    let columns = matrix.columns.names.len().max(1);
    let room = (style.columns.saturating_sub(left) / columns).max(1);
    let titles = matrix.columns.names.iter().map(|name| name.width() + 1);
    let wanted = (longest + 3).max(titles.max().unwrap_or(1));
    let cell = wanted.min(room);
    let shows_values = cell > longest + usize::from(!style.colour);
    let line = grid.add_lines(1);
    grid.text([0, line], &matrix.rows.label, Paint::Plain);
    let mut free_from = 0;
    for (number, name) in matrix.columns.names.iter().enumerate() {
        let end = left + (number + 1) * cell;
        let begin = end.saturating_sub(name.width());
        if begin >= free_from {
            free_from = grid.text([begin, line], name, Paint::Plain) + 1;
        }
    }
    let rows = matrix.rows.names.iter().zip(&matrix.cells).enumerate();
    for (down, (name, row)) in rows {
        let line = grid.add_lines(1);
        grid.text([left - 1 - name.width(), line], name, Paint::Plain);
        for (number, value) in row.iter().enumerate() {
            let begin = left + number * cell;
            if matrix.faults.contains(&[down, number]) {
                grid.text([begin + cell - 1, line], "X", Paint::Plain);
                continue;
            }
            let Some(value) = value else {
                grid.text([begin + cell - 1, line], "-", Paint::Plain);
                continue;
            };
            let share = matrices.axis.scale.share(matrix.on_axis(*value));
            let sign = match matrix.unproven.contains(&[down, number]) {
                true => UNPROVEN,
                false => "",
            };
            let text = match shows_values {
                true => format!("{}{sign}", rate(*value)),
                false => String::new(),
            };
            let shown = shown(style, share, &text, cell);
            let colour = heat(share);
            grid.text([begin, line], &shown, Paint::Tile(colour, text_on(colour)));
        }
    }
    let line = grid.add_lines(1);
    grid.text([left, line], &matrix.columns.label, Paint::Plain);
}

/// What stands in a cell: with colours the value, without them a shade and the value.
fn shown(style: &TerminalStyle, share: f64, value: &str, cell: usize) -> String {
    if style.colour {
        return format!("{value:>cell$}");
    }
    let shade = shade(style, share);
    let free = cell.saturating_sub(value.width() + 1);
    if value.is_empty() {
        // One column stays free, where there are two, so that cells can be counted.
        return shade.to_string().repeat(cell.saturating_sub(1).max(1))
            + if cell > 1 { " " } else { "" };
    }
    format!(" {}{shade}{value}", " ".repeat(free.saturating_sub(1)))
}

fn shade(style: &TerminalStyle, share: f64) -> char {
    let shades = if style.ascii { ASCII_SHADES } else { SHADES };
    let index = to_usize(share * 5.0);
    shades[index.min(shades.len() - 1)]
}

fn scale(grid: &mut Grid, style: &TerminalStyle, matrices: &HeatMaps) {
    let axis = &matrices.axis;
    let line = grid.add_lines(1);
    let mut at = 0;
    for tick in &axis.ticks {
        let share = axis.scale.share(tick.at);
        let colour = heat(share);
        let shade = if style.colour {
            ' '
        } else {
            shade(style, share)
        };
        let sample = format!("{shade}{shade}");
        if at + tick.name.width() + axis.label.width() + 6 > style.columns {
            break;
        }
        at = grid.text([at, line], &sample, Paint::Tile(colour, text_on(colour)));
        at = grid.text([at + 1, line], &tick.name, Paint::Plain) + 2;
    }
    grid.text([at, line], &style.text(&axis.label), Paint::Plain);
}
