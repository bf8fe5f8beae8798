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
    let further = first.map_or(&[][..], |first| further(first, run));
    let further = further.iter().filter_map(|name| PlotKind::named(name));
    let further = further.filter(|kind| page.is_full && fitting.contains(kind));
    let figures = first.into_iter().chain(further).filter_map(|kind| {
        let figure = plot::figure(run, Some(kind), page.style.language).ok()?;
        Some(picture(page, &figure, kind.caption))
    });
    let figures: Vec<Markup> = figures.collect();
    html! {
        @if !figures.is_empty() {
            div.charts { @for figure in figures { (figure) } }
        }
    }
}

/// What says something that the first picture does not.
fn further(first: PlotKind, run: &RunDocument) -> &'static [&'static str] {
    match first == PlotKind::BARS && run.results.len() > LINES_MAX {
        true => &[],
        false => first.further,
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
