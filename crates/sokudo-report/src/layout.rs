//! Text in columns and paragraphs of a given width, measured as a terminal
//! measures it.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns between columns.
pub(crate) const GAP: usize = 2;

/// Where the cells of a column line up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
    /// At the decimal point, so that magnitudes can be compared by eye.
    Point,
}

/// One column of a table.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// Heading over neighbouring columns of one group; empty for none.
    pub(crate) group: &'static str,
    pub(crate) title: String,
    pub(crate) align: Align,
    pub(crate) cells: Vec<String>,
}

impl Column {
    fn width(&self) -> usize {
        let cells = self.aligned().iter().map(|cell| cell.width()).max();
        self.title.width().max(cells.unwrap_or(0))
    }

    /// The cells, filled up on the right so that points come to lie under each
    /// other when the cells are aligned to the right.
    fn aligned(&self) -> Vec<String> {
        let decimals = |cell: &str| cell.find('.').map_or(0, |point| cell.len() - point);
        let most = self
            .cells
            .iter()
            .map(|cell| decimals(cell))
            .max()
            .unwrap_or(0);
        let fill = |cell: &String| match self.align {
            Align::Point => format!("{cell}{:1$}", "", most - decimals(cell)),
            Align::Left | Align::Right => cell.clone(),
        };
        self.cells.iter().map(fill).collect()
    }
}

/// How wide each column is. Where the columns of a group are narrower than its heading, the
/// first of them takes the rest.
fn widths(columns: &[Column]) -> Vec<usize> {
    let spans = columns.chunk_by(|left, right| left.group == right.group);
    let widths = spans.map(|span| {
        let mut widths: Vec<usize> = span.iter().map(Column::width).collect();
        let width = widths.iter().sum::<usize>() + GAP * (span.len() - 1);
        if let Some(first) = widths.first_mut() {
            *first += span[0].group.width().saturating_sub(width);
        }
        widths
    });
    widths.collect::<Vec<_>>().concat()
}

/// The width of a table of these columns.
pub(crate) fn table_width(columns: &[Column]) -> usize {
    let cells: usize = widths(columns).iter().sum();
    cells + GAP * columns.len().saturating_sub(1)
}

/// Leaves out columns with these titles, one after the other, until the table fits. With the
/// first of them figures line up at their ends, which takes less room than at their points.
pub(crate) fn fit(columns: &mut Vec<Column>, width: usize, drop_order: &[String]) {
    for dropped in drop_order {
        if table_width(columns) <= width {
            break;
        }
        columns.retain(|column| column.title != *dropped);
        for column in columns.iter_mut() {
            if column.align == Align::Point {
                column.align = Align::Right;
            }
        }
    }
}

/// The lines of a table: one with the headings of groups, one with titles, one
/// per row of cells. No line ends in spaces.
pub(crate) fn table_lines(columns: &[Column], rule: char) -> Vec<String> {
    let widths = widths(columns);
    let aligned: Vec<Vec<String>> = columns.iter().map(Column::aligned).collect();
    let line = |cell: &dyn Fn(usize) -> String| {
        let cells: Vec<String> = (0..columns.len())
            .map(|index| pad(&cell(index), widths[index], columns[index].align))
            .collect();
        cells.join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let titles = line(&|index| columns[index].title.clone());
    let mut lines = vec![group_line(columns, &widths, rule), titles];
    lines.extend((0..rows).map(|row| line(&|index| aligned[index][row].clone())));
    lines
}

fn group_line(columns: &[Column], widths: &[usize], rule: char) -> String {
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
        Align::Right | Align::Point => format!("{fill}{text}"),
    }
}

/// A paragraph that begins with `first` and goes on under the first word after
/// it. Words are never broken, so that a path can still be copied, but those of scripts
/// that have no spaces.
pub(crate) fn wrapped(first: &str, text: &str, width: usize) -> Vec<String> {
    let indent = " ".repeat(first.width());
    let mut lines = vec![first.to_owned()];
    let mut is_empty = true;
    for word in text.split_whitespace() {
        for (index, piece) in pieces(word).into_iter().enumerate() {
            let line = lines.last_mut().expect("there is always the first line");
            let space = if index == 0 && !is_empty { " " } else { "" };
            let fits = line.width() + space.len() + piece.width() <= width;
            if is_empty || fits {
                line.push_str(space);
                line.push_str(piece);
            } else {
                lines.push(format!("{indent}{piece}"));
            }
            is_empty = false;
        }
    }
    lines
}

/// No line begins with these signs.
const NEVER_FIRST: &str =
    "、。，．・：；？！）」』】〕》〉々ーぁぃぅぇぉっゃゅょァィゥェォッャュョ),.:;!?%]}";
/// No line ends with these signs.
const NEVER_LAST: &str = "（「『【〔《〈([{";

/// The parts of a word between which a line may end: beside signs of full width, as those
/// of Japanese, unless it is a path.
fn pieces(word: &str) -> Vec<&str> {
    let is_wide = |sign: char| sign.width() == Some(2);
    if word.starts_with('/') || !word.contains(is_wide) {
        return vec![word];
    }
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, sign) in word.char_indices() {
        let may_break = before.is_some_and(|before: char| {
            (is_wide(before) || is_wide(sign))
                && !NEVER_LAST.contains(before)
                && !NEVER_FIRST.contains(sign)
        });
        if may_break {
            pieces.push(&word[start..at]);
            start = at;
        }
        before = Some(sign);
    }
    pieces.push(&word[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(group: &'static str, title: &str, align: Align, cells: &[&str]) -> Column {
        Column {
            group,
            title: title.into(),
            align,
            cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
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
            table_lines(&columns, '-')[2..],
            ["3,550", "   61.83", "  610.2", "    —"]
        );
    }

    #[test]
    fn wide_characters_count_twice() {
        let columns = [
            column("", "name", Align::Left, &["速度", "speed"]),
            column("", "n", Align::Right, &["1", "2"]),
        ];
        assert_eq!(table_lines(&columns, '-')[2..], ["速度   1", "speed  2"]);
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
            table_lines(&columns, '-'),
            ["   -- pair ---", "a  left  right", "x     1      2"]
        );
    }

    #[test]
    fn a_group_is_as_wide_as_its_heading_and_its_columns_are_no_wider_than_they_must() {
        let columns = [
            column("アクセス時間", "p50", Align::Right, &["1.0"]),
            column("アクセス時間", "p99", Align::Right, &["12.0"]),
        ];
        assert_eq!(table_width(&columns), 12);
        assert_eq!(table_lines(&columns, '-')[2], "   1.0  12.0");
        assert_eq!(table_width(&columns[1..]), 12);
        let columns = [columns[0].clone(), columns[1].clone(), columns[1].clone()];
        assert_eq!(table_width(&columns), 3 + 4 + 4 + 2 * GAP);
    }

    #[test]
    fn columns_give_way_in_their_order_until_the_table_fits() {
        let titles = ["row", "a", "b", "c"];
        let columns = titles.map(|title| column("", title, Align::Point, &["1234"]));
        for (width, left) in [
            (22, "row a b c"),
            (21, "row b c"),
            (15, "row c"),
            (1, "row c"),
        ] {
            let mut columns = columns.to_vec();
            fit(&mut columns, width, &["a", "b"].map(str::to_owned));
            let kept: Vec<&str> = columns.iter().map(|it| &*it.title).collect();
            assert_eq!(kept.join(" "), left);
        }
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
    fn japanese_is_broken_anywhere_but_before_and_behind_its_signs() {
        assert_eq!(
            wrapped("- ", "読み出しは遅い。書き込みは (速い) /mnt/データ", 14),
            [
                "- 読み出しは遅",
                "  い。書き込み",
                "  は (速い)",
                "  /mnt/データ"
            ]
        );
        for width in 6..40 {
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
