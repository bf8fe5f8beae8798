//! Tables: a caption, headings with their scope, and a box that scrolls by itself where
//! the screen is narrower.

use std::fmt::Write;

use super::page::{Page, text};

/// A cell: what stands in it, escaped already, and how.
pub(super) struct Cell {
    pub(super) html: String,
    pub(super) class: &'static str,
    /// Length of the bar under it, as a share of the longest, and the variable of its colour.
    pub(super) bar: Option<(f64, &'static str)>,
}

impl Cell {
    /// Text to the left.
    pub(super) fn text(said: &str) -> Self {
        Self::html(text(said), "")
    }

    /// A number to the right.
    pub(super) fn number(said: &str) -> Self {
        Self::html(text(said), "n")
    }

    pub(super) const fn html(html: String, class: &'static str) -> Self {
        Self {
            html,
            class,
            bar: None,
        }
    }
}

/// A line of a table; its first cell is its heading.
pub(super) struct Line {
    pub(super) cells: Vec<Cell>,
    /// Something else begins here.
    pub(super) turns: bool,
}

impl Line {
    pub(super) const fn of(cells: Vec<Cell>) -> Self {
        Self {
            cells,
            turns: false,
        }
    }
}

/// A heading of a column and whether its cells are numbers.
pub(super) type Heading = (String, bool);

/// A table; nothing where it has no lines. The caption and headings are escaped already.
pub(super) fn table(page: &Page, caption: &str, headings: &[Heading], lines: &[Line]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let label = page.say("Table, scrolls sideways");
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\">\n<table>\n"
    );
    if !caption.is_empty() {
        let _ = writeln!(out, "<caption><span>{caption}</span></caption>");
    }
    out += "<thead><tr>";
    for (heading, is_number) in headings {
        let class = if *is_number { " class=\"n\"" } else { "" };
        let _ = write!(out, "<th scope=\"col\"{class}>{heading}</th>");
    }
    out += "</tr></thead>\n<tbody>\n";
    for line in lines {
        out += if line.turns {
            "<tr class=\"turn\">"
        } else {
            "<tr>"
        };
        for (index, cell) in line.cells.iter().enumerate() {
            push_cell(&mut out, cell, index == 0);
        }
        out += "</tr>\n";
    }
    out + "</tbody>\n</table>\n</div>\n"
}

fn push_cell(out: &mut String, cell: &Cell, is_heading: bool) {
    let (tag, scope) = match is_heading {
        true => ("th", " scope=\"row\""),
        false => ("td", ""),
    };
    let bar = cell
        .bar
        .filter(|(share, _)| *share > 0.0 && share.is_finite());
    let class = match (cell.class, bar) {
        ("", None) => String::new(),
        (class, None) => format!(" class=\"{class}\""),
        (class, Some(_)) => format!(" class=\"{class} bar\""),
    };
    let style = bar.map_or_else(String::new, |(share, colour)| {
        let share = share.min(1.0);
        format!(" style=\"--w:{share:.3};--fill:var(--{colour})\"")
    });
    let _ = write!(out, "<{tag}{scope}{class}{style}>{}</{tag}>", cell.html);
}
