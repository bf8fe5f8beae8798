//! Pictures of a run as parts of the page, drawn twice: for wide and for narrow screens,
//! where the text of the wide one could not be read.

use maud::{Markup, PreEscaped, html};

use super::page::HtmlPage;
use crate::document::RunDocument;
use crate::plot::{self, PlotFigure, PlotKind, Size};

/// Of the picture for wide screens, pixels.
const WIDE: Size = Size {
    width: 1_060.0,
    height: 470.0,
};
/// Of that for narrow ones.
const NARROW: Size = Size {
    width: 470.0,
    height: 480.0,
};
/// Room for a bar with its share of gaps, and for what else belongs to bars, pixels.
const BAR_HEIGHT: f64 = 26.0;
const AROUND_BARS: f64 = 150.0;
/// More lines in a picture cannot be told apart.
const LINES_MAX: usize = 16;
/// Bars fill a page at most.
const BARS_HEIGHT_MAX: f64 = 1_500.0;

/// The pictures that suit a run; of many runs, one of each.
pub(super) fn of_run(page: &HtmlPage, run: &RunDocument) -> Markup {
    let fitting = plot::fitting(run);
    let first = fitting.first().copied();
    let further = first.map_or(&[][..], |first| beside(first, run));
    let further = further
        .iter()
        .filter(|kind| page.is_full && fitting.contains(kind));
    let figures = first.iter().chain(further).filter_map(|kind| {
        let figure = plot::figure(run, Some(*kind), page.style.language).ok()?;
        Some(picture(page, &figure, caption(*kind)))
    });
    let figures: Vec<Markup> = figures.collect();
    html! {
        @if !figures.is_empty() {
            div.charts { @for figure in figures { (figure) } }
        }
    }
}

/// What else says something that the first picture does not.
fn beside(first: PlotKind, run: &RunDocument) -> &'static [PlotKind] {
    match first {
        PlotKind::Bars if run.results.len() <= LINES_MAX => &[PlotKind::Cdf, PlotKind::Time],
        PlotKind::Hosts => &[PlotKind::HostBars, PlotKind::Bars, PlotKind::Cdf],
        PlotKind::Curve => &[
            PlotKind::Map,
            PlotKind::Access,
            PlotKind::Seek,
            PlotKind::Cache,
            PlotKind::Cdf,
        ],
        PlotKind::Rounds => &[PlotKind::Heat],
        PlotKind::Load => &[PlotKind::Cdf],
        _ => &[],
    }
}

const fn caption(kind: PlotKind) -> &'static str {
    match kind {
        PlotKind::Load => "Latency against load",
        PlotKind::Rounds => "Rounds until the drive was steady",
        PlotKind::Curve => "Transfer rate and access time over the position on the device",
        PlotKind::Seek => "Access time over the distance from the place before",
        PlotKind::Map => "Map of the device: the lowest rates, and what failed",
        PlotKind::Access => "Access time over the position on the device",
        PlotKind::Cache => "Rate of what is read again and again, by how much that is",
        PlotKind::Hosts => "Rate of each host over time",
        PlotKind::HostBars => "Rates of the hosts, with the 95 % interval of the median",
        PlotKind::Bars => "Rates, with the 95 % interval of the median",
        PlotKind::Heat => "Rates by what was varied",
        PlotKind::Cdf => "Latency: the share of I/Os that was done within which time",
        PlotKind::Histogram => "Latency: how many I/Os took how long",
        PlotKind::Time => "Rate over time",
        PlotKind::Card => "Reads and writes side by side",
    }
}

/// A picture with its caption.
pub(super) fn picture(page: &HtmlPage, figure: &PlotFigure, caption: &'static str) -> Markup {
    let draw = |size: Size, class: &str| {
        PreEscaped(plot::inline(
            figure,
            sized(figure, size),
            page.style.theme,
            class,
        ))
    };
    html! {
        figure {
            figcaption { (page.say(caption)) }
            (draw(WIDE, "wide"))
            // Folded up, most are looked at on no phone; the wide one can still be zoomed into.
            (draw(NARROW, "narrow"))
        }
    }
}

/// Bars get the height that they need.
fn sized(figure: &PlotFigure, size: Size) -> Size {
    let bars = plot::bar_count(figure);
    let height = match bars > 0.0 {
        true => (bars * BAR_HEIGHT + AROUND_BARS).min(BARS_HEIGHT_MAX),
        false => size.height,
    };
    Size { height, ..size }
}
