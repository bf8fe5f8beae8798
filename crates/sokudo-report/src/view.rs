//! How what methods make of a run is shown. Each method hands over how it shows its runs; what it
//! does not say is shown as of any run.

use std::sync::OnceLock;

use sokudo_model::{Inference, RunAnswer};
use sokudo_words::Text;

use crate::article::Article;
use crate::document::{RunDocument, RunView};
use crate::grouping::{FindingGroup, grouped_findings};
use crate::style::BandwidthUnit;

/// What is shown of a run behind the figures of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShownBehind {
    /// All rows, in every output.
    Rows,
    /// All rows, where there is room for them: on paper.
    RowsOnPaper,
    /// No rows; hosts, and what figures say of the device.
    NoRows,
    Nothing,
}

/// Columns that the table of rows has of some methods alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowColumn {
    /// The median as a bar: rows are points on axes, such as block sizes and depths.
    Bar,
    /// Mean and range of the trials, as on a control chart.
    MeanAndRange,
    Mebibytes,
}

/// How a method shows its runs.
pub trait ShownView {
    /// The answer to the question that was measured for: it comes first. `None` where none was
    /// given.
    fn add_answer<'a>(&'a self, _: &mut Article<'a>, _: &'a RunDocument) -> Option<RunAnswer> {
        None
    }

    /// Adds the view's figures; tells what of the run is shown behind them.
    fn add_figures<'a>(
        &'a self,
        _: &mut Article<'a>,
        _: &'a RunDocument,
        _: BandwidthUnit,
    ) -> ShownBehind {
        ShownBehind::Rows
    }

    /// What comes behind all figures.
    fn add_sources<'a>(&'a self, _: &mut Article<'a>, _: &'a RunDocument) {}

    /// What stands under this label of the facts instead; `Some(None)` for nothing.
    fn fact(&self, _: &'static str, _: &RunDocument) -> Option<Option<Text>> {
        None
    }

    /// What the table of rows has beside the columns of any run.
    fn row_columns(&self) -> &'static [RowColumn] {
        &[]
    }

    /// Whether this conclusion stands among its figures.
    fn shows(&self, _: &Inference) -> bool {
        false
    }

    /// Records of its own as CSV, instead of one per row.
    fn csv(&self, _: &RunDocument) -> Option<String> {
        None
    }

    /// Whether its figures belong to a brief account of the run.
    fn has_brief_figures(&self) -> bool {
        true
    }

    /// Whether figures of rows are shown, and not only what they come to.
    fn shows_rows(&self) -> bool {
        true
    }

    /// Whether rows have figures that people ask for by themselves, such as the fastest read.
    fn has_headlines(&self) -> bool {
        self.shows_rows()
    }
}

/// How a method shows a run; `None` of runs that are not its own.
pub type Showing = for<'a> fn(&'a RunDocument) -> Option<&'a dyn ShownView>;

/// How runs are shown that have this view, which shows itself.
pub fn showing_of<View: ShownView + RunView>(document: &RunDocument) -> Option<&dyn ShownView> {
    Some(document.views.get::<View>()?)
}

static SHOWINGS: OnceLock<Vec<Showing>> = OnceLock::new();

/// From now on runs are shown in these ways, each as far as it is for them.
pub fn hand_over(showings: impl IntoIterator<Item = Showing>) {
    SHOWINGS.get_or_init(|| showings.into_iter().collect());
}

/// How methods show this run.
pub(crate) fn views(document: &RunDocument) -> impl Iterator<Item = &dyn ShownView> {
    let showings = SHOWINGS.get().into_iter().flatten();
    showings.filter_map(move |showing| showing(document))
}

/// Whether figures of the run's rows are shown.
pub(crate) fn shows_rows(document: &RunDocument) -> bool {
    views(document).all(ShownView::shows_rows)
}

/// What was found of what is shown, the most important first.
pub(crate) fn findings(document: &RunDocument) -> Vec<FindingGroup<'_>> {
    grouped_findings(document, shows_rows(document))
}
