//! Pictures of results: drawn by `sokudo-report`, written where they were asked for.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, anyhow};
use sokudo_report::plot::{self, Figure, PlotError, Size, TerminalStyle};
use sokudo_report::{ReadDocumentError, RunDocument};

use crate::cli::{Destination, Drawing, PlotArguments};
use crate::exit::{self, Exit};
use crate::output;

/// Columns and lines of a picture that goes to no terminal.
const WITHOUT_TERMINAL: (usize, usize) = (100, 30);

/// No kept result has more: the million points that a scan may have are 210 MB. Without a
/// bound, /dev/zero would be read until no memory is left.
const RESULT_BYTES_MAX: u64 = 1 << 30;

/// `sokudo plot`: draws a result that was kept.
pub(crate) fn run(arguments: &PlotArguments) -> Result<(), Exit> {
    check(&arguments.destinations)?;
    let document = document(arguments)?;
    let figure = plot::figure(&document, arguments.drawing.kind()).map_err(Exit::usage)?;
    arguments
        .destinations
        .iter()
        .try_for_each(|destination| write(&figure, destination, arguments.drawing))
}

fn document(arguments: &PlotArguments) -> Result<RunDocument, Exit> {
    kept_result(&arguments.result)
}

/// A result that was kept; `-` is standard input.
pub(crate) fn kept_result(path: &Path) -> Result<RunDocument, Exit> {
    let name = path.display();
    let is_standard_input = path.as_os_str() == "-";
    let text = if is_standard_input {
        read_bounded(io::stdin(), RESULT_BYTES_MAX)
    } else {
        File::open(path).and_then(|file| read_bounded(file, RESULT_BYTES_MAX))
    };
    let text = text.map_err(|error| {
        Exit::usage(anyhow!(
            "{name} cannot be read: {error}; name a file that --format json has written"
        ))
    })?;
    let read: Result<_, ReadDocumentError> = RunDocument::from_json(&text);
    read.map_err(|error| Exit::usage(anyhow!("{name} {error}")))
}

/// All of a text that has `bytes_max` bytes at most.
fn read_bounded(reader: impl Read, bytes_max: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    reader.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it goes on after {bytes_max} bytes"),
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no text"))
}

/// Fails early when a picture could not be written at the end.
pub(crate) fn check(destinations: &[Destination]) -> Result<(), Exit> {
    destinations
        .iter()
        .try_for_each(|destination| output::check_writable(destination.file().map(AsRef::as_ref)))
}

/// Draws a run wherever it was asked for. A run in which nothing was measured has said
/// so already, and is only noted.
pub(crate) fn draw(
    document: &RunDocument,
    destinations: &[Destination],
    drawing: Drawing,
) -> Result<(), Exit> {
    if destinations.is_empty() {
        return Ok(());
    }
    let figure = match plot::figure(document, drawing.kind()) {
        Ok(figure) => figure,
        Err(error @ PlotError::NothingMeasured) => {
            exit::note(format_args!("there is no picture: {error}"));
            return Ok(());
        }
        Err(error) => return Err(Exit::usage(error)),
    };
    destinations
        .iter()
        .try_for_each(|destination| write(&figure, destination, drawing))
}

fn write(figure: &Figure, destination: &Destination, drawing: Drawing) -> Result<(), Exit> {
    match destination {
        Destination::Terminal => output::print(&plot::terminal(figure, &style())),
        Destination::Svg(path) => {
            let text = plot::svg(figure, Size::default(), drawing.theme());
            output::write_file(path, text)
        }
        Destination::Png(path) => output::write_file(path, png(figure, drawing)?),
    }
}

#[cfg(feature = "png")]
fn png(figure: &Figure, drawing: Drawing) -> Result<Vec<u8>, Exit> {
    plot::png(figure, Size::default(), drawing.theme())
        .context("the picture cannot be drawn")
        .map_err(Exit::Failed)
}

/// The arguments refuse a PNG before this.
#[cfg(not(feature = "png"))]
fn png(_figure: &Figure, _drawing: Drawing) -> Result<Vec<u8>, Exit> {
    Err(anyhow!("this sokudo was built without PNG"))
        .context("the picture cannot be drawn")
        .map_err(Exit::Failed)
}

fn style() -> TerminalStyle {
    let terminal = output::terminal();
    let (columns, lines) = terminal.size.unwrap_or(WITHOUT_TERMINAL);
    TerminalStyle {
        columns,
        lines,
        colour: terminal.colour,
        ascii: terminal.ascii,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_not_read_for_ever() {
        let error = read_bounded(io::repeat(b' '), 64).unwrap_err();
        assert_eq!(error.to_string(), "it goes on after 64 bytes");
        assert_eq!(read_bounded(&b"four"[..], 4).unwrap(), "four");
        assert!(read_bounded(&b"\xff"[..], 4).is_err());
    }
}
