//! `sokudo show --judge-again`: a kept run by today's rules, and what has changed since.

use sokudo_report::{JudgementDocument, RunDocument};
use sokudo_terminal::arguments::printing::Format;
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{output, remedies};
use sokudo_words::text;

use super::arguments::ShowArguments;
use crate::find::{self, FoundRun};

/// Judges it and prints the difference. The run stays as it was kept.
pub(super) fn show(arguments: &ShowArguments) -> Result<(), Exit> {
    let rendering = &arguments.rendering;
    let path = rendering.output.as_deref();
    output::check_writable(path)?;
    let kept = find::runs(&arguments.run, &arguments.keeping)?;
    let document = judged(find::only(&arguments.run, kept)?);
    match rendering.format {
        Format::Table => {
            let style = output::style(path.is_none(), rendering.unit);
            output::put(path, &document.render(&style), true)
        }
        Format::Json => output::put(path, &document.to_json(), false),
        Format::Csv | Format::Markdown => Err(Exit::usage(text!(
            "--judge-again prints a table or JSON; use --format json, or leave --format out"
        ))),
    }
}

fn judged(recalled: FoundRun) -> JudgementDocument {
    let then = recalled.run;
    let mut run = then.run.clone();
    sokudo_analysis::judge(&mut run);
    let now = RunDocument::new(remedies::worded(run));
    JudgementDocument::new(&recalled.source, &then, &now)
}
