//! `sokudo plot`: pictures of results that were kept.

pub mod arguments;

use sokudo_report::RunDocument;
use sokudo_report::plot;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::picture;
use sokudo_words::text;

use crate::find;
use arguments::PlotArguments;

/// `sokudo plot`: draws a result that was kept.
pub fn run(arguments: &PlotArguments) -> Result<(), Exit> {
    picture::check(&arguments.destinations)?;
    let document = document(arguments)?;
    let figure = |language| plot::figure(&document, arguments.kind.kind, language);
    arguments.destinations.iter().try_for_each(|destination| {
        let figure = figure(picture::spoken_in(destination)).map_err(Exit::usage)?;
        picture::write(&figure, destination, arguments.colours.theme)
    })
}

fn document(arguments: &PlotArguments) -> Result<RunDocument, Exit> {
    let recalled = find::runs(&arguments.result, &arguments.keeping)?;
    let [recalled] = <[_; 1]>::try_from(recalled).map_err(|several| {
        Exit::usage(text!(
            "{} holds {} runs, and a picture shows one; name one of them",
            arguments.result,
            several.len()
        ))
    })?;
    Ok(recalled.run)
}
