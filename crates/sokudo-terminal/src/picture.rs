//! Pictures of results: drawn by `sokudo-report`, written where they were asked for.

use anyhow::Context;
use sokudo_report::RunDocument;
use sokudo_report::plot::{
    self, PictureTheme, PlotError, PlotFigure, PlotKind, Size, TerminalStyle,
};
use sokudo_words::{Language, text};

use crate::arguments::pictures::{Destination, Pictures, Plotting};
use crate::exit::{self, Exit};
use crate::{language, output};

/// Columns and lines of a picture that goes to no terminal.
const WITHOUT_TERMINAL: (usize, usize) = (100, 30);

/// Draws a run wherever it was asked for. A run in which nothing was measured has said
/// so already, and is only noted. Where no kind was asked for it is this one, or what suits the run.
pub fn draw(
    document: &RunDocument,
    plotting: &Plotting,
    default: Option<PlotKind>,
) -> Result<(), Exit> {
    let default = plotting.kind.kind.or(default);
    let figures = plotting.pictures.iter().map(|(destination, kind)| {
        let figure = plot::figure(document, kind.or(default), spoken_in(destination));
        figure.map(|figure| (figure, destination))
    });
    match figures.collect::<Result<Vec<_>, PlotError>>() {
        Ok(figures) => figures.iter().try_for_each(|(figure, destination)| {
            write(figure, destination, plotting.colours.theme)
        }),
        Err(error @ PlotError::NothingMeasured) => {
            exit::note(text!("there is no picture: {error}"));
            Ok(())
        }
        Err(error) => Err(Exit::usage(error)),
    }
}

/// Draws a figure wherever it was asked for; nothing where there is none.
pub fn write_all(
    figure: impl Fn(Language) -> Option<PlotFigure>,
    pictures: &Pictures,
) -> Result<(), Exit> {
    let mut destinations = pictures.destinations.iter();
    destinations.try_for_each(|destination| match figure(spoken_in(destination)) {
        Some(figure) => write(&figure, destination, pictures.colours.theme),
        None => Ok(()),
    })
}

/// The language of a picture: English where a terminal knows only ASCII.
pub fn spoken_in(destination: &Destination) -> Language {
    match destination {
        Destination::Terminal if output::terminal().ascii => Language::English,
        _ => language::current(),
    }
}

/// Draws a figure in one place.
fn write(figure: &PlotFigure, destination: &Destination, theme: PictureTheme) -> Result<(), Exit> {
    match destination {
        Destination::Terminal => output::print_coloured(&on_terminal(figure)),
        Destination::Svg(path) => {
            let text = plot::svg(figure, Size::fitting(figure), theme);
            output::write_file(path, text)
        }
        Destination::Png(path) => {
            output::write_file(path, png(figure, Size::fitting(figure), theme)?)
        }
    }
}

#[cfg(feature = "png")]
pub fn png(figure: &PlotFigure, size: Size, theme: PictureTheme) -> Result<Vec<u8>, Exit> {
    plot::png(figure, size, theme)
        .context(text!("the picture cannot be drawn"))
        .map_err(Exit::Failed)
}

/// The arguments refuse a PNG before this.
#[cfg(not(feature = "png"))]
pub fn png(_figure: &PlotFigure, _size: Size, _theme: PictureTheme) -> Result<Vec<u8>, Exit> {
    Err(text!("this sokudo was built without PNG"))
        .context(text!("the picture cannot be drawn"))
        .map_err(Exit::Failed)
}

/// A figure as a terminal shows it.
pub fn on_terminal(figure: &PlotFigure) -> String {
    let terminal = output::terminal();
    let (columns, lines) = terminal.size.unwrap_or(WITHOUT_TERMINAL);
    let style = TerminalStyle {
        columns,
        lines,
        colour: terminal.colour,
        ascii: terminal.ascii,
    };
    plot::terminal(figure, &style)
}
