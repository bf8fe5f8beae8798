//! Tables: a caption, headings with their scope, and a box that scrolls by itself where
//! the screen is narrower.

use maud::{Markup, html};

use super::page::{HtmlPage, text};
use crate::table::{Cell, Column, Table};

/// A longer text gets a column in which it is broken into lines.
const CHARACTERS_PER_LINE: usize = 40;

/// A table; only what must be known of it where it has no lines.
pub(super) fn table(page: &HtmlPage, table: &Table) -> Markup {
    if table.row_count() == 0 {
        let notes = [page.text(&table.note), page.say(table.note_on_paper)];
        return html! {
            @for note in notes.iter().filter(|note| !note.0.is_empty()) { p { (note) } }
        };
    }
    let has_bars = table
        .on_paper()
        .flat_map(|column| &column.cells)
        .any(has_bar);
    let bars = match has_bars {
        true => "A bar is the share of the largest.",
        false => "",
    };
    let notes = [table.note_on_paper, bars].into_iter();
    let notes = notes.chain(table.column_notes_on_paper());
    let notes: Vec<_> = std::iter::once(page.text(&table.note))
        .chain(notes.map(|note| page.say(note)))
        .filter(|note| !note.0.is_empty())
        .collect();
    html! {
        div.scroll tabindex="0" role="region" aria-label=(page.say("Table, scrolls sideways")) {
            table {
                @if !notes.is_empty() {
                    caption { span { @for note in &notes { (note) " " } } }
                }
                thead { tr { @for column in table.on_paper() { (heading(page, column)) } } }
                tbody {
                    @for row in 0..table.row_count() {
                        tr class=[table.turns.contains(&row).then_some("turn")] {
                            @for (index, column) in table.on_paper().enumerate() {
                                (cell(page, column, row, index == 0))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn heading(page: &HtmlPage, column: &Column) -> Markup {
    let head = &column.head;
    html! {
        th class=[head.is_number().then_some("n")] scope="col" {
            @if !head.group.is_empty() { (page.say(head.group)) " " }
            (page.text(&head.title))
        }
    }
}

fn cell(page: &HtmlPage, column: &Column, row: usize, is_heading: bool) -> Markup {
    let cell = &column.cells[row];
    let is_long = match cell {
        Cell::Text(_) | Cell::Name(_) => {
            let cell_text = cell.in_language(page.style.language, false);
            cell_text.chars().count() > CHARACTERS_PER_LINE
        }
        _ => false,
    };
    let bar = match cell {
        Cell::Figure { share, .. } if has_bar(cell) => {
            let share = share.min(1.0);
            Some(format!("--w:{share:.3};--fill:var(--h-read)"))
        }
        _ => None,
    };
    let classes = [
        ("n", column.head.is_number()),
        ("wrap", is_long),
        ("bar", bar.is_some()),
    ];
    let classes = classes
        .into_iter()
        .filter_map(|(class, is_so)| is_so.then_some(class));
    let class = Some(classes.collect::<Vec<_>>().join(" ")).filter(|class| !class.is_empty());
    let inside = inside(page, cell);
    html! {
        @if is_heading { th scope="row" class=[class] style=[bar] { (inside) } }
        @else { td class=[class] style=[bar] { (inside) } }
    }
}

fn has_bar(cell: &Cell) -> bool {
    matches!(cell, Cell::Figure { share, .. } if *share > 0.0 && share.is_finite())
}

fn inside(page: &HtmlPage, cell: &Cell) -> Markup {
    match cell {
        Cell::Judged(tone, words) => page.judged(*tone, words),
        Cell::Run(number) => html! { a href={ "#run-" (number) } { (number) } },
        Cell::Verdicts(counts) => html! {
            @for (index, (verdict, count)) in counts.iter().enumerate() {
                @if index > 0 { br; }
                (count) " " (page.verdict(*verdict))
            }
        },
        Cell::Figure {
            text: figure,
            signs,
            ..
        } => html! {
            (text(figure))
            @if !signs.is_empty() { " " small { (text(signs)) } }
        },
        cell => text(&cell.in_language(page.style.language, false)),
    }
}
