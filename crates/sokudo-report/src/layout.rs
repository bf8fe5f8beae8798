//! Text in columns and paragraphs of a given width, measured as a terminal
//! measures it.

use crate::phrases::phrases;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::table::Align;

/// Blank signs between two columns of a table.
pub(crate) const GAP: usize = 2;

/// One column of a table as it is laid out.
#[derive(Clone, Debug)]
pub(crate) struct LayoutColumn {
    /// Heading over neighbouring columns of one group; empty for none.
    pub(crate) group: &'static str,
    pub(crate) title: String,
    pub(crate) align: Align,
    /// Where there is no room, columns of the highest rank give way first; those of rank 0
    /// never do.
    pub(crate) rank: u8,
    /// To how many columns cells may be cut where there is still no room.
    pub(crate) least: Option<usize>,
    /// They are sentences, which are cut at their end.
    pub(crate) is_sentence: bool,
    pub(crate) cells: Vec<String>,
    /// The ANSI colour of each cell; of none where there are no colours.
    pub(crate) colours: Vec<Option<&'static str>>,
    /// What must be known to read it; empty for nothing.
    pub(crate) note: &'static str,
}

impl LayoutColumn {
    fn width(&self) -> usize {
        let decimals_max = self.decimals_max();
        let width = |cell: &String| cell.width() + self.room_behind(cell, decimals_max);
        let cells = self.cells.iter().map(width).max();
        self.title.width().max(cells.unwrap_or(0))
    }

    fn widest_cell(&self) -> usize {
        let cells = self.cells.iter().map(|cell| cell.width()).max();
        cells.unwrap_or(0)
    }

    /// How much narrower it may be cut.
    fn slack(&self) -> usize {
        let least = self
            .least
            .map(|least| self.widest_cell().saturating_sub(least));
        least.unwrap_or(0)
    }

    /// The most that a cell has from its point on.
    fn decimals_max(&self) -> usize {
        let decimals = self.cells.iter().map(|cell| decimals(cell));
        decimals.max().unwrap_or(0)
    }

    /// Spaces behind a cell, so that points come to lie under each other when the cells are
    /// aligned to the right.
    fn room_behind(&self, cell: &str, decimals_max: usize) -> usize {
        match self.align {
            Align::Point | Align::PointWithRoom => decimals_max - decimals(cell),
            Align::Left | Align::Right => 0,
        }
    }
}

/// What it has from its point on.
fn decimals(cell: &str) -> usize {
    cell.find('.').map_or(0, |point| cell.len() - point)
}

/// How wide each column is. Where the columns of a group are narrower than its heading, the
/// first of them takes the rest.
fn widths(columns: &[LayoutColumn]) -> Vec<usize> {
    let spans = columns.chunk_by(|left, right| left.group == right.group);
    let widths = spans.map(|span| {
        let mut widths: Vec<usize> = span.iter().map(LayoutColumn::width).collect();
        let width = widths.iter().sum::<usize>() + GAP * (span.len() - 1);
        if let Some(first) = widths.first_mut() {
            *first += span[0].group.width().saturating_sub(width);
        }
        widths
    });
    widths.collect::<Vec<_>>().concat()
}

/// The width of a table of these columns.
pub(crate) fn table_width(columns: &[LayoutColumn]) -> usize {
    let cells: usize = widths(columns).iter().sum();
    cells + GAP * columns.len().saturating_sub(1)
}

/// Leaves columns out by their ranks until the table fits, then cuts those that may be cut.
pub(crate) fn fit(columns: &mut Vec<LayoutColumn>, width: usize, end: &str) {
    let slack = |columns: &[LayoutColumn]| columns.iter().map(LayoutColumn::slack).sum::<usize>();
    while table_width(columns).saturating_sub(slack(columns)) > width {
        let highest = columns.iter().map(|column| column.rank).max().unwrap_or(0);
        if highest == 0 {
            break;
        }
        columns.retain(|column| column.rank < highest);
        for column in columns.iter_mut() {
            if column.align == Align::PointWithRoom {
                column.align = Align::Right;
            }
        }
    }
    let over = table_width(columns).saturating_sub(width);
    for column in columns.iter_mut() {
        let Some(least) = column.least.filter(|_| over > 0) else {
            continue;
        };
        let room = column.widest_cell().saturating_sub(over).max(least);
        for cell in &mut column.cells {
            *cell = cut_to(cell, room, end, column.is_sentence);
        }
    }
}

/// The text with its end replaced where it takes more columns than there are.
pub(crate) fn shortened(text: &str, columns: usize, end: &str) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(end.width());
    let mut taken = 0;
    let fitting: String = text
        .chars()
        .take_while(|sign| {
            taken += sign.width().unwrap_or(0);
            taken <= room
        })
        .collect();
    format!("{}{end}", fitting.trim_end())
}

/// A sentence without its end, or a name without its middle, where there is no room for all of it.
pub(crate) fn cut_to(text: &str, columns: usize, end: &str, is_sentence: bool) -> String {
    match is_sentence {
        true => shortened(text, columns, end),
        false => shortened_inside(text, columns, end),
    }
}

/// The text with its middle replaced: of names of one kind the begin and the end differ.
pub(crate) fn shortened_inside(text: &str, columns: usize, gap: &str) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(gap.width());
    let behind: String = text.chars().rev().collect();
    let behind = shortened(&behind, room / 2, "");
    let behind: String = behind.chars().rev().collect();
    let before = shortened(text, room - room / 2, "");
    format!("{before}{gap}{}", behind.trim_start())
}

/// The lines of a table: the headings of groups, where there are any, titles, a rule, and one
/// per row of cells, with an empty one before rows at which something else begins. No line
/// ends in spaces.
pub(crate) fn table_lines(columns: &[LayoutColumn], rule: char, turns: &[usize]) -> Vec<String> {
    let widths = widths(columns);
    let line = |cell: &dyn Fn(usize) -> (String, Option<&'static str>)| {
        let mut line = String::new();
        for (index, (column, width)) in columns.iter().zip(&widths).enumerate() {
            if index > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            let (text, colour) = cell(index);
            let padded = pad(&text, *width, column.align);
            match colour {
                Some(colour) => line += &padded.replacen(&text, &coloured(&text, colour), 1),
                None => line += &padded,
            }
        }
        line.truncate(line.trim_end().len());
        line
    };
    let groups = group_line(columns, &widths, rule);
    let mut lines: Vec<String> = Some(groups)
        .filter(|it| !it.is_empty())
        .into_iter()
        .collect();
    lines.push(line(&|index| (columns[index].title.clone(), None)));
    lines.push(rule.to_string().repeat(table_width(columns)));
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let decimals_max: Vec<usize> = columns.iter().map(LayoutColumn::decimals_max).collect();
    lines.extend((0..rows).flat_map(|row| {
        let turn = turns.contains(&row).then(String::new);
        let cells = line(&|index| {
            let column = &columns[index];
            let cell = &column.cells[row];
            let room = column.room_behind(cell, decimals_max[index]);
            let colour = column.colours.get(row).copied().flatten();
            (format!("{cell}{:room$}", ""), colour)
        });
        turn.into_iter().chain([cells])
    }));
    lines
}

/// A text in an ANSI colour.
pub(crate) fn coloured(text: &str, colour: &str) -> String {
    format!("\x1b[{colour}m{text}\x1b[0m")
}

fn group_line(columns: &[LayoutColumn], widths: &[usize], rule: char) -> String {
    let groups: Vec<(&'static str, usize)> = columns
        .iter()
        .map(|column| column.group)
        .zip(widths.iter().copied())
        .collect();
    let spans: Vec<String> = groups
        .chunk_by(|left, right| left.0 == right.0)
        .map(|span| {
            let width = span.iter().map(|(_, width)| width).sum::<usize>() + GAP * (span.len() - 1);
            heading(span[0].0, width, rule)
        })
        .collect();
    spans.join(&" ".repeat(GAP)).trim_end().to_owned()
}

/// A word in the middle of a rule.
fn heading(word: &str, width: usize, rule: char) -> String {
    let free = width.saturating_sub(word.width() + 2);
    if word.is_empty() {
        " ".repeat(width)
    } else if free < 2 {
        pad(word, width, Align::Right)
    } else {
        let left = rule.to_string().repeat(free / 2);
        format!("{left} {word} {}", rule.to_string().repeat(free - free / 2))
    }
}

/// A text filled up to a width with spaces.
pub(crate) fn pad(text: &str, width: usize, align: Align) -> String {
    let fill = " ".repeat(width.saturating_sub(text.width()));
    match align {
        Align::Left => format!("{text}{fill}"),
        Align::Right | Align::Point | Align::PointWithRoom => format!("{fill}{text}"),
    }
}

/// A paragraph that begins with `first` and goes on under the first word after
/// it. Words are never broken and spaces stay, so that a path can still be copied; Japanese is broken
/// between phrases.
pub(crate) fn wrapped(first: &str, text: &str, width: usize) -> Vec<String> {
    let indent = first.width();
    let mut lines = vec![first.to_owned()];
    let mut is_empty = true;
    for phrase in phrases(text, width.saturating_sub(indent)) {
        let line = lines.last_mut().expect("there is always the first line");
        if is_empty || line.width() + phrase.trim_end().width() <= width {
            line.push_str(phrase);
        } else {
            line.truncate(line.trim_end().len());
            lines.push(format!("{:indent$}{phrase}", ""));
        }
        is_empty = false;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(group: &'static str, title: &str, align: Align, cells: &[&str]) -> LayoutColumn {
        LayoutColumn {
            group,
            title: title.into(),
            align,
            rank: 0,
            least: None,
            is_sentence: false,
            cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
            colours: Vec::new(),
            note: "",
        }
    }

    #[test]
    fn decimal_points_lie_under_each_other() {
        let columns = [column(
            "",
            "n",
            Align::Point,
            &["3,550", "61.83", "610.2", "—"],
        )];
        assert_eq!(
            table_lines(&columns, '-', &[])[2..],
            ["3,550", "   61.83", "  610.2", "    —"]
        );
    }

    #[test]
    fn wide_characters_count_twice() {
        let columns = [
            column("", "name", Align::Left, &["速度", "speed"]),
            column("", "n", Align::Right, &["1", "2"]),
        ];
        assert_eq!(
            table_lines(&columns, '-', &[])[2..],
            ["速度   1", "speed  2"]
        );
        assert_eq!(table_width(&columns), 8);
    }

    #[test]
    fn a_group_heading_spans_its_columns() {
        let columns = [
            column("", "a", Align::Left, &["x"]),
            column("pair", "left", Align::Right, &["1"]),
            column("pair", "right", Align::Right, &["2"]),
        ];
        assert_eq!(
            table_lines(&columns, '-', &[]),
            [
                "   -- pair ---",
                "a  left  right",
                "--------------",
                "x     1      2"
            ]
        );
    }

    #[test]
    fn a_group_is_as_wide_as_its_heading_and_its_columns_are_no_wider_than_they_must() {
        let columns = [
            column("アクセス時間", "p50", Align::Right, &["1.0"]),
            column("アクセス時間", "p99", Align::Right, &["12.0"]),
        ];
        assert_eq!(table_width(&columns), 12);
        assert_eq!(table_lines(&columns, '-', &[])[3], "   1.0  12.0");
        assert_eq!(table_width(&columns[1..]), 12);
        let columns = [columns[0].clone(), columns[1].clone(), columns[1].clone()];
        assert_eq!(table_width(&columns), 3 + 4 + 4 + 2 * GAP);
    }

    #[test]
    fn columns_give_way_by_their_ranks_until_the_table_fits() {
        let columns =
            [("row", 0), ("a", 2), ("b", 1), ("c", 0)].map(|(title, rank)| LayoutColumn {
                rank,
                ..column("", title, Align::Point, &["1234"])
            });
        for (width, left) in [
            (22, "row a b c"),
            (21, "row b c"),
            (15, "row c"),
            (1, "row c"),
        ] {
            let mut columns = columns.to_vec();
            fit(&mut columns, width, "...");
            let kept: Vec<&str> = columns.iter().map(|it| &*it.title).collect();
            assert_eq!(kept.join(" "), left);
        }
    }

    #[test]
    fn a_row_at_which_something_else_begins_has_an_empty_line_before_it() {
        let columns = [column("", "n", Align::Left, &["a", "b"])];
        assert_eq!(table_lines(&columns, '-', &[1]), ["n", "-", "a", "", "b"]);
    }

    #[test]
    fn a_paragraph_hangs_under_its_first_word_and_keeps_long_words() {
        assert_eq!(
            wrapped("cause: ", "one two  three /a/very/long/path end", 14),
            [
                "cause: one two",
                "       three",
                "       /a/very/long/path",
                "       end"
            ]
        );
        assert_eq!(wrapped("- ", "", 10), ["- "]);
    }

    #[test]
    fn japanese_is_broken_between_phrases_and_not_before_and_behind_its_signs() {
        assert_eq!(
            wrapped("- ", "読み出しは遅い。書き込みは (速い) /mnt/データ", 14),
            [
                "- 読み出しは",
                "  遅い。",
                "  書き込みは",
                "  (速い)",
                "  /mnt/データ"
            ]
        );
        for width in 10..40 {
            let lines = wrapped("", "中央値は 120 MB/s、信頼区間は（±5 %）である。", width);
            assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
            assert!(
                lines
                    .iter()
                    .all(|line| !line.starts_with(['、', '。', '）'])),
                "{lines:?}"
            );
        }
    }
}
