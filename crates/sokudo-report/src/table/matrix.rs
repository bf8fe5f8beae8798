//! A sweep of two axes as matrices: block sizes down, depths or threads across, one per
//! direction.
//!
//! A cell is the median. What speaks against it is a sign behind it, so that no figure
//! stands without its verdict; the findings below say what it is.

use sokudo_model::{Bytes, Verdict};

use super::columns::figures;
use crate::document::{Direction, ResultDocument, RunDocument, Status};
use crate::facts::SWEEP;
use crate::layout::{Align, Column, table_lines, table_width};
use crate::number;
use crate::style::TableStyle;

/// Depth and threads.
type Load = (u32, u32);

/// What stands behind the figure of a cell.
const UNVERIFIED: &str = "?";
const INVALID: &str = "!";
const IMPRECISE: &str = "~";
const INCOMPLETE: &str = "*";

/// Whether the run is a sweep with more than one depth or number of threads.
pub(super) fn is_matrix(document: &RunDocument) -> bool {
    document.method == SWEEP && loads(&document.results.iter().collect::<Vec<_>>()).len() > 1
}

/// The matrices of all directions.
pub(super) fn lines(
    document: &RunDocument,
    results: &[&ResultDocument],
    style: &TableStyle,
) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for direction in [Direction::Read, Direction::Write] {
        let of_direction: Vec<&ResultDocument> = results
            .iter()
            .copied()
            .filter(|result| result.direction == direction)
            .collect();
        if of_direction.is_empty() {
            continue;
        }
        if !lines.is_empty() {
            lines.push(String::new());
        }
        let title = format!("{}, {}", direction.name(), style.unit.name());
        lines.push(style.text(&title));
        lines.extend(matrix(&of_direction, style));
    }
    lines.push(String::new());
    lines.extend(style.wrapped("", &signs(document)));
    lines
}

fn signs(document: &RunDocument) -> String {
    let imprecise = match document.schedule.enough_half_width_permille {
        Some(_) => format!("; {IMPRECISE} less precise than asked for"),
        None => String::new(),
    };
    format!(
        "Q: I/Os in flight per thread; T: threads. {UNVERIFIED} UNVERIFIED; {INVALID} \
         INVALID{imprecise}; {INCOMPLETE} interrupted or failed; no sign: VERIFIED."
    )
}

/// One matrix; if it is too wide, its columns go on below.
fn matrix(results: &[&ResultDocument], style: &TableStyle) -> Vec<String> {
    let sizes = unique(results.iter().map(|result| block(result)));
    let first = Column {
        group: "",
        title: style.text("Block"),
        align: Align::Right,
        cells: sizes.iter().map(Bytes::to_string).collect(),
    };
    let mut lines = Vec::new();
    let mut columns = vec![first.clone()];
    for load in loads(results) {
        let column = column(load, &sizes, results, style);
        columns.push(column.clone());
        if columns.len() > 2 && table_width(&columns) > style.width {
            columns.pop();
            lines.extend(printed(&columns, style));
            lines.push(String::new());
            columns = vec![first.clone(), column];
        }
    }
    lines.extend(printed(&columns, style));
    lines
}

fn printed(columns: &[Column], style: &TableStyle) -> Vec<String> {
    // No column has a group, so that the line for these is empty.
    let mut lines = table_lines(columns, style.rule()).split_off(1);
    lines.insert(1, style.rule().to_string().repeat(table_width(columns)));
    lines
}

fn column(
    (depth, threads): Load,
    sizes: &[Bytes],
    results: &[&ResultDocument],
    style: &TableStyle,
) -> Column {
    let cell = |size: &Bytes| {
        let result = results
            .iter()
            .find(|result| load(result) == (depth, threads) && block(result) == *size);
        result.map_or_else(|| number::MISSING.to_owned(), |result| cell(result, style))
    };
    Column {
        group: "",
        title: format!("Q{depth}T{threads} "),
        align: Align::Right,
        cells: sizes.iter().map(|size| style.text(&cell(size))).collect(),
    }
}

fn cell(result: &ResultDocument, style: &TableStyle) -> String {
    let value = figures(result, style).map(|figures| figures.median / style.unit.bytes());
    let value = value.map_or_else(|| number::MISSING.to_owned(), number::rate);
    format!("{value}{}", sign(result))
}

/// The worst that is to be said of a cell; a space where there is nothing, so that
/// figures stay under each other.
pub(crate) fn sign(result: &ResultDocument) -> &'static str {
    let has = |code: &str| result.findings.iter().any(|finding| finding.code == code);
    match result.verdict {
        Some(Verdict::Invalid) => INVALID,
        _ if result.status != Status::Complete => INCOMPLETE,
        Some(Verdict::Unverified) => UNVERIFIED,
        _ if has("precision-not-reached") => IMPRECISE,
        _ => " ",
    }
}

fn block(result: &ResultDocument) -> Bytes {
    result.workload.blocks.largest()
}

fn load(result: &ResultDocument) -> Load {
    (result.workload.depth, result.workload.clones)
}

fn loads(results: &[&ResultDocument]) -> Vec<Load> {
    unique(results.iter().map(|result| load(result)))
}

/// Each value once, in order of appearance.
fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut unique = Vec::new();
    for value in values {
        if !unique.contains(&value) {
            unique.push(value);
        }
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::style::BandwidthUnit;
    use crate::table::render;

    /// Two sizes at these depths, read and written.
    fn sweep(depths: &[u32]) -> RunDocument {
        let mut run = sample::bare_run();
        run.plan.method = SWEEP.to_owned();
        let row = run.rows[0].clone();
        run.rows.clear();
        for operation in [
            sokudo_model::Operation::Read,
            sokudo_model::Operation::Write,
        ] {
            for depth in depths {
                for size in [4, 64] {
                    let mut row = row.clone();
                    row.workload.blocks = sokudo_model::BlockSizes::one(Bytes::kib(size));
                    row.workload.operations = sokudo_model::OperationMix::only(operation);
                    row.workload.depth = *depth;
                    run.rows.push(row);
                }
            }
        }
        RunDocument::from_run(&run)
    }

    #[test]
    fn sizes_go_down_and_depths_across() {
        let document = sweep(&[1, 2, 8]);
        let text = render(&document, &TableStyle::default());
        let heading = "Block  ";
        let headings: Vec<&str> = text.lines().filter(|l| l.contains(heading)).collect();
        assert_eq!(headings.len(), 2, "{text}");
        for depth in ["Q1T1", "Q2T1", "Q8T1"] {
            assert!(headings[0].contains(depth), "{text}");
        }
        assert!(
            text.contains("read, MB/s") && text.contains("write, MB/s"),
            "{text}"
        );
        assert!(
            text.lines().any(|line| line.starts_with("64 KiB")),
            "{text}"
        );
    }

    #[test]
    fn one_load_is_no_matrix() {
        assert!(!is_matrix(&sweep(&[4])));
        let mut other = sweep(&[1, 2]);
        other.method = "mark/rows".to_owned();
        assert!(!is_matrix(&other));
    }

    #[test]
    fn columns_that_do_not_fit_go_on_below_and_no_line_is_too_wide() {
        let document = sweep(&[1, 2, 4, 8, 16, 32, 64, 128, 256]);
        let style = TableStyle {
            width: 40,
            ..TableStyle::default()
        };
        let results: Vec<&ResultDocument> = document.results.iter().collect();
        let lines = lines(&document, &results, &style);
        let text = lines.join("\n");
        assert!(text.matches("Block").count() > 2, "{text}");
        for depth in document.results.iter().map(|result| result.workload.depth) {
            assert!(text.contains(&format!("Q{depth}T1")), "{text}");
        }
        assert!(
            lines.iter().all(|line| line.chars().count() <= 40),
            "{text}"
        );
    }

    #[test]
    fn a_sign_says_what_is_to_be_said_of_a_cell() {
        let mut document = sweep(&[1, 2]);
        let result = &mut document.results[0];
        for (verdict, expected) in [
            (Some(Verdict::Verified), " "),
            (Some(Verdict::Unverified), UNVERIFIED),
            (Some(Verdict::Invalid), INVALID),
        ] {
            result.verdict = verdict;
            result.status = Status::Complete;
            assert_eq!(sign(result), expected);
        }
        result.verdict = Some(Verdict::Verified);
        result.status = Status::Partial;
        assert_eq!(sign(result), INCOMPLETE);
    }

    #[test]
    fn ios_can_be_shown_instead_of_bytes() {
        let style = TableStyle {
            unit: BandwidthUnit::IosPerSecond,
            ..TableStyle::default()
        };
        assert!(render(&sweep(&[1, 2]), &style).contains("read, IOPS"));
    }
}
