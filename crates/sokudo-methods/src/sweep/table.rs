//! A sweep of two axes as matrices: block sizes down, depths or threads across, one per
//! direction.
//!
//! A cell is the median. What speaks against it is a sign behind it, so that no figure
//! stands without its verdict; the findings below say what it is.

use sokudo_model::Bytes;
use sokudo_report::article::{Article, Element};
use sokudo_report::document::{Direction, ResultDocument, RunDocument};
use sokudo_report::figure::figures_in;
use sokudo_report::shortfall::{IMPRECISE, INCOMPLETE, INVALID, UNVERIFIED, sign};
use sokudo_report::style::BandwidthUnit;
use sokudo_report::table::{Skin, Table, right};
use sokudo_report::unique::unique;
use sokudo_report::view::{RowColumn, ShownBehind, ShownView};
use sokudo_report::{number, run};
use sokudo_words::{Text, text};

/// Depth per thread, and number of threads.
type Load = (u32, u32);

/// How it is shown.
pub(crate) fn showing(document: &RunDocument) -> Option<&dyn ShownView> {
    let is_sweep = document.plan.method.is_of(&super::plan::METHOD);
    is_sweep.then_some(&ShownSweep)
}

struct ShownSweep;

impl ShownView for ShownSweep {
    fn add_figures<'a>(
        &'a self,
        article: &mut Article<'a>,
        document: &'a RunDocument,
        unit: BandwidthUnit,
    ) -> ShownBehind {
        if !is_matrix(document) {
            return ShownBehind::Rows;
        }
        for matrix in tables(&document.results_by_direction(), unit) {
            article.add(Element::Table(matrix));
        }
        let rows = run::row_table(document, unit);
        article.add_on(Skin::Paper, Element::Table(rows));
        article.notes(vec![signs(document), run::legend(document, unit)]);
        ShownBehind::NoRows
    }

    fn row_columns(&self) -> &'static [RowColumn] {
        &[RowColumn::Bar]
    }
}

/// Whether the sweep has more than one depth or number of threads.
fn is_matrix(document: &RunDocument) -> bool {
    loads(&document.results.iter().collect::<Vec<_>>()).len() > 1
}

/// The matrices of all directions.
fn tables(results: &[&ResultDocument], unit: BandwidthUnit) -> Vec<Table> {
    let of_direction = |direction: Direction| {
        let of_direction = results.iter().copied();
        let of_direction = of_direction.filter(|result| result.direction == direction);
        let of_direction: Vec<&ResultDocument> = of_direction.collect();
        let words = [Text::from(direction.name()), Text::name(unit.name())];
        let title = Text::list(words, ", ");
        (!of_direction.is_empty()).then(|| matrix(&of_direction, unit).titled(title))
    };
    let directions = [Direction::Read, Direction::Write].into_iter();
    directions.filter_map(of_direction).collect()
}

/// What the signs in the matrices mean.
fn signs(document: &RunDocument) -> Text {
    let imprecise = match document.schedule.enough {
        Some(_) => text!("; {}", text!("{IMPRECISE} less precise than asked for")),
        None => Text::default(),
    };
    text!(
        "Q: I/Os in flight per thread; T: threads. {UNVERIFIED} UNVERIFIED; {INVALID} \
         INVALID{imprecise}; {INCOMPLETE} interrupted or failed; no sign: VERIFIED."
    )
}

fn matrix(results: &[&ResultDocument], unit: BandwidthUnit) -> Table {
    let sizes = unique(results.iter().map(|result| block(result)));
    let cell = |size: &Bytes, at: Load| {
        let mut results = results.iter();
        let result = results.find(|result| load(result) == at && block(result) == *size)?;
        let value = figures_in(result, unit).map(|figures| figures.median / unit.bytes());
        let value = value.map_or_else(|| number::MISSING.to_owned(), number::rate);
        Some(format!("{value}{}", sign(result)))
    };
    let mut rows = Table::of(&sizes).column(right("Block"), |size| Some(size.to_string()));
    for (depth, threads) in loads(results) {
        let title = Text::name(format!("Q{depth}T{threads} "));
        rows = rows.column(right(title), |size| cell(size, (depth, threads)));
    }
    rows.table().repeating(1)
}

fn block(result: &ResultDocument) -> Bytes {
    result.workload.blocks.largest()
}

fn load(result: &ResultDocument) -> Load {
    (result.workload.depth, result.workload.threads)
}

fn loads(results: &[&ResultDocument]) -> Vec<Load> {
    unique(results.iter().map(|result| load(result)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_report::sample;
    use sokudo_report::text::render;

    #[test]
    fn one_load_is_no_matrix() {
        let mut document = sample::document("sweep");
        assert!(is_matrix(&document));
        document.results.retain(|result| result.workload.depth == 4);
        assert!(!is_matrix(&document));
    }

    #[test]
    fn columns_that_do_not_fit_go_on_below_and_no_line_is_too_wide() {
        let text = render(&sample::document("sweep"), &sample::style(25));
        assert!(text.matches("Block").count() > 2, "{text}");
        let mut matrices = text
            .lines()
            .skip_while(|line| !line.starts_with("read, "))
            .take_while(|line| !line.starts_with("Q: "));
        let is_narrow = |line: &str| line.chars().count() <= 25;
        assert!(matrices.all(is_narrow), "{text}");
    }
}
