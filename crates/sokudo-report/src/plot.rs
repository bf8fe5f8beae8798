//! Pictures of a run: transfer curve, bars by block size, heat map, distribution of
//! latencies, speed over time, hosts beside each other; as SVG, as PNG and for the terminal.
//!
//! A picture starts from a [`RunDocument`], so that a saved one can be drawn again.
//! [`figure`] chooses what is shown, in the units of its axes; [`svg()`] and
//! [`terminal()`] draw it. The same figure gives the same bytes. Nothing here does I/O
//! or asks for a terminal, a locale or installed fonts.

pub mod bars;
mod cache;
mod card;
pub mod curve;
pub mod figure;
pub mod heading;
pub mod heat;
mod hosts;
pub mod latency;
mod map;
mod matrix;
mod overlaid;
pub(crate) mod palette;
mod pivot;
#[cfg(feature = "png")]
mod png;
mod reduce;
pub mod scale;
mod seek;
mod several;
mod svg;
mod terminal;
mod text;
pub mod time;
mod trend;

pub use figure::PlotFigure;
pub use matrix::matrix;
pub use overlaid::overlaid;
pub use palette::Role;
pub use pivot::pivot;
#[cfg(feature = "png")]
pub use png::{PngError, png};
pub(crate) use several::{bar_count, several};
pub use svg::{PictureTheme, Size, svg};
pub(crate) use svg::{dark_rules, inline};
pub use terminal::{TerminalStyle, terminal};
pub(crate) use text::escaped;
pub use trend::trend;

use std::sync::OnceLock;

use sokudo_words::{Language, speaking};

use crate::document::RunDocument;
use crate::unique::unique;

/// A kind of picture. Each is called by its word.
#[derive(Clone, Copy, Debug)]
pub struct PlotKind {
    /// The word for it.
    pub name: &'static str,
    /// What a run must have for it.
    pub needs: &'static str,
    /// What a report writes above it.
    pub caption: &'static str,
    /// Kinds that say what it does not; a report shows them below it.
    pub further: &'static [&'static str],
    /// It, of a run that has what it needs.
    pub figure: fn(&RunDocument) -> Option<PlotFigure>,
}

impl PartialEq for PlotKind {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for PlotKind {}

/// The kinds that are of no method, in the order in which the first that fits is chosen.
const KINDS: [PlotKind; 13] = [
    PlotKind {
        name: "curve",
        needs: "places over a device, as sokudo scan measures them",
        caption: "Transfer rate and access time over the position on the device",
        further: &["map", "access", "seek", "cache", "cdf"],
        figure: curve::figure,
    },
    PlotKind {
        name: "hosts",
        needs: "hosts that measured together, as sokudo together measures them",
        caption: "Rate of each host over time",
        further: &["host-bars", "bars", "cdf"],
        figure: hosts::over_time,
    },
    PlotKind {
        name: "host-bars",
        needs: "hosts that measured together, as sokudo together measures them",
        caption: "Rates of the hosts, with the 95 % interval of the median",
        further: &[],
        figure: hosts::beside,
    },
    PlotKind::HEAT,
    PlotKind::BARS,
    PlotKind {
        name: "seek",
        needs: "access times with distances, as sokudo scan measures them",
        caption: "Access time over the distance from the previous position",
        further: &[],
        figure: seek::figure,
    },
    PlotKind {
        name: "map",
        needs: "places over a device, as sokudo scan measures them",
        caption: "Map of the device: lowest rates and failures",
        further: &[],
        figure: map::figure,
    },
    PlotKind {
        name: "access",
        needs: "access times, as sokudo scan measures them",
        caption: "Access time over the position on the device",
        further: &[],
        figure: curve::access_figure,
    },
    PlotKind {
        name: "cache",
        needs: "regions that are read again and again, as sokudo scan --extra does",
        caption: "Rate of repeated reads, by the size of the region",
        further: &[],
        figure: cache::figure,
    },
    PlotKind {
        name: "cdf",
        needs: "latencies",
        caption: "Latency: the share of I/Os completed within a given time",
        further: &[],
        figure: latency::cumulative,
    },
    PlotKind {
        name: "histogram",
        needs: "latencies",
        caption: "Latency: the number of I/Os by duration",
        further: &[],
        figure: latency::histogram,
    },
    PlotKind {
        name: "time",
        needs: "figures over time",
        caption: "Rate over time",
        further: &[],
        figure: time::figure,
    },
    PlotKind {
        name: PlotKind::CARD,
        needs: "reads or writes as rows, as sokudo mark measures them",
        caption: "Reads and writes side by side",
        further: &[],
        figure: card::figure,
    },
];

impl PlotKind {
    /// Reads and writes side by side, with what they come to.
    pub const CARD: &'static str = "card";
    /// Rates of rows, or by block size, as bars.
    pub const BARS: Self = Self {
        name: "bars",
        needs: "rows with a bandwidth",
        caption: "Rates, with the 95 % interval of the median",
        further: &["cdf", "time"],
        figure: bars::figure,
    };
    /// Rates by two of block size, depth and threads; of steady drives by block size and mix.
    pub const HEAT: Self = Self {
        name: "heat",
        needs: "rows that differ in two of block size, depth and threads, as those of sokudo sweep, or in block size and mix, as those of sokudo steady",
        caption: "Rates by what was varied",
        further: &[],
        figure: heat::figure,
    };

    /// Every kind, in the order in which the first that fits is chosen: those of methods first.
    pub fn all() -> impl Iterator<Item = Self> {
        let own = OF_METHODS.get().into_iter().flatten().copied();
        unique(own.filter(|kind| !KINDS.contains(kind)).chain(KINDS)).into_iter()
    }

    /// The kind that is called so.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|kind| kind.name == name)
    }

    /// Its picture of a run: as the run's method draws it, and as any run's where that has none of
    /// this one.
    fn of(self, document: &RunDocument) -> Option<PlotFigure> {
        let own = OF_METHODS.get().into_iter().flatten().copied();
        let drawn = own.chain([self]).chain(KINDS);
        let mut drawn = drawn.filter(|kind| *kind == self);
        drawn.find_map(|kind| (kind.figure)(document))
    }
}

static OF_METHODS: OnceLock<Vec<PlotKind>> = OnceLock::new();

/// From now on methods have these pictures. One that is called as another kind is drawn instead of
/// it, of the runs that it is for.
pub fn hand_over(kinds: impl IntoIterator<Item = PlotKind>) {
    OF_METHODS.get_or_init(|| kinds.into_iter().collect());
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum PlotError {
    /// The run has no data for this kind.
    #[error("this run has no picture of kind {}, which needs {}; {}", .kind.name, .kind.needs, way_out(.fitting))]
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
    let names: Vec<&str> = fitting.iter().map(|kind| kind.name).collect();
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
        Some(kind) => kind.of(document).ok_or_else(|| PlotError::DoesNotFit {
            kind,
            fitting: fitting(document),
        }),
        None => PlotKind::all()
            .find_map(|kind| kind.of(document))
            .ok_or(PlotError::NothingMeasured),
    })
}

/// The kinds that a run has data for.
pub fn fitting(document: &RunDocument) -> Vec<PlotKind> {
    let kinds = PlotKind::all();
    kinds.filter(|kind| kind.of(document).is_some()).collect()
}

#[cfg(test)]
mod tests;
