//! Pictures of a run: transfer curve, bars by block size, heat map, distribution of
//! latencies, speed over time, hosts beside each other; as SVG, as PNG and for the terminal.
//!
//! A picture starts from a [`RunDocument`], so that a saved one can be drawn again.
//! [`figure`] chooses what is shown, in the units of its axes; [`svg()`] and
//! [`terminal()`] draw it. The same figure gives the same bytes. Nothing here does I/O
//! or asks for a terminal, a locale or installed fonts.

mod bars;
mod cache;
mod card;
mod curve;
pub(crate) mod figure;
mod heading;
mod heat;
mod hosts;
mod latency;
mod load;
mod map;
mod matrix;
mod overlaid;
pub(crate) mod palette;
mod pivot;
#[cfg(feature = "png")]
mod png;
mod reduce;
mod rounds;
mod scale;
mod seek;
mod several;
mod sharing;
mod svg;
mod terminal;
mod text;
mod time;
mod trend;

pub use figure::PlotFigure;
pub use matrix::matrix;
pub use overlaid::overlaid;
pub(crate) use palette::Role;
pub use pivot::pivot;
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub(crate) use several::{bar_count, several};
pub use svg::{PictureTheme, Size, svg};
pub(crate) use svg::{dark_rules, inline};
pub use terminal::{TerminalStyle, terminal};
pub(crate) use text::escaped;
pub use trend::trend;

use sokudo_words::{Language, speaking};

use crate::document::RunDocument;

/// What a picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// Latency against load.
    Load,
    /// Rounds until a drive was steady, or its rate over what was written.
    Rounds,
    /// Transfer rate and access time over the position on the device.
    Curve,
    /// Access time over the distance from the place before.
    Seek,
    /// A map of the device, by the lowest rates and by what failed.
    Map,
    /// Access time over the position on the device, of each size.
    Access,
    /// Rate of what is read again and again over how much that is.
    Cache,
    /// Rates of hosts that measured together, over time.
    Hosts,
    /// Rates of such hosts as bars.
    HostBars,
    /// Rates of rows, or by block size, as bars.
    Bars,
    /// Rates by two of block size, depth and threads; of steady drives by block size and mix.
    Heat,
    /// Which share of I/Os was done within which time.
    Cdf,
    /// How many I/Os took how long.
    Histogram,
    /// Rate over time.
    Time,
    /// Reads and writes side by side, with what they come to.
    Card,
}

impl PlotKind {
    /// Every kind with its word, in the order in which the first that fits is chosen.
    pub const ALL: [(&'static str, Self); 15] = [
        ("load", Self::Load),
        ("rounds", Self::Rounds),
        ("curve", Self::Curve),
        ("hosts", Self::Hosts),
        ("host-bars", Self::HostBars),
        ("heat", Self::Heat),
        ("bars", Self::Bars),
        ("seek", Self::Seek),
        ("map", Self::Map),
        ("access", Self::Access),
        ("cache", Self::Cache),
        ("cdf", Self::Cdf),
        ("histogram", Self::Histogram),
        ("time", Self::Time),
        ("card", Self::Card),
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(_, kind)| *kind == self);
        found.expect("every kind has a word").0
    }

    /// What a run must have for it.
    const fn needs(self) -> &'static str {
        match self {
            Self::Load => "fixed rates, as sokudo load measures them",
            Self::Rounds => "rounds, as sokudo steady measures them",
            Self::Curve | Self::Map => "places over a device, as sokudo scan measures them",
            Self::Seek => "access times with distances, as sokudo scan measures them",
            Self::Access => "access times, as sokudo scan measures them",
            Self::Cache => "regions that are read again and again, as sokudo scan --extra does",
            Self::Hosts | Self::HostBars => {
                "hosts that measured together, as sokudo together measures them"
            }
            Self::Bars => "rows with a bandwidth",
            Self::Heat => {
                "rows that differ in two of block size, depth and threads, as those of sokudo sweep, or in block size and mix, as those of sokudo steady"
            }
            Self::Cdf | Self::Histogram => "latencies",
            Self::Time => "figures over time",
            Self::Card => "reads or writes as rows, as sokudo mark measures them",
        }
    }
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum PlotError {
    /// The run has no data for this kind.
    #[error("this run has no picture of kind {}, which needs {}; {}", .kind.name(), .kind.needs(), way_out(.fitting))]
    DoesNotFit {
        /// What was asked for.
        kind: PlotKind,
        /// What it has data for.
        fitting: Vec<PlotKind>,
    },
    /// The run has no data at all.
    #[error("this run has no figures to draw, since nothing was measured; see its failures")]
    NothingMeasured,
}

fn way_out(fitting: &[PlotKind]) -> String {
    let names: Vec<&str> = fitting.iter().map(|kind| kind.name()).collect();
    match names[..] {
        [] => "it has no figures at all; see its failures".to_owned(),
        [only] => format!("{only} fits"),
        [ref most @ .., last] => format!("{} and {last} fit", most.join(", ")),
    }
}

/// The picture of a run: of this kind, or of the one that people expect of its method; its
/// words are in a language.
///
/// # Errors
/// When the run has no data for it.
pub fn figure(
    document: &RunDocument,
    kind: Option<PlotKind>,
    language: Language,
) -> Result<PlotFigure, PlotError> {
    speaking(language, || match kind {
        Some(kind) => of_kind(document, kind).ok_or_else(|| PlotError::DoesNotFit {
            kind,
            fitting: fitting(document),
        }),
        None => PlotKind::ALL
            .into_iter()
            .find_map(|(_, kind)| of_kind(document, kind))
            .ok_or(PlotError::NothingMeasured),
    })
}

/// The kinds that a run has data for.
pub fn fitting(document: &RunDocument) -> Vec<PlotKind> {
    let kinds = PlotKind::ALL.into_iter().map(|(_, kind)| kind);
    kinds
        .filter(|kind| of_kind(document, *kind).is_some())
        .collect()
}

fn of_kind(document: &RunDocument, kind: PlotKind) -> Option<PlotFigure> {
    match kind {
        PlotKind::Load => load::figure(document).or_else(|| latency::beside(document)),
        PlotKind::Rounds => rounds::figure(document),
        PlotKind::Curve => curve::figure(document),
        PlotKind::Seek => seek::figure(document),
        PlotKind::Map => map::figure(document),
        PlotKind::Access => curve::access_figure(document),
        PlotKind::Cache => cache::figure(document),
        PlotKind::Hosts => hosts::over_time(document),
        PlotKind::HostBars => hosts::beside(document),
        PlotKind::Bars => sharing::figure(document).or_else(|| bars::figure(document)),
        PlotKind::Heat => heat::figure(document),
        PlotKind::Cdf => latency::cumulative(document),
        PlotKind::Histogram => latency::histogram(document),
        PlotKind::Time => time::figure(document),
        PlotKind::Card => card::figure(document),
    }
}

#[cfg(test)]
mod tests;
