//! `sokudo show --judge-again`: a kept run by today's rules, and what has changed since.

use sokudo_report::document::Kept;
use sokudo_report::{JudgementDocument, RunDocument};
use sokudo_words::text;

use crate::cli::{Format, ShowArguments};
use crate::exit::Exit;
use crate::output;
use crate::recall::{self, Recall, Recalled};
use crate::words;

/// Judges it and prints the difference. The run stays as it was kept.
pub(crate) fn show(arguments: &ShowArguments) -> Result<(), Exit> {
    let rendering = &arguments.rendering;
    let path = rendering.output.as_deref();
    output::check_writable(path)?;
    let kept = Recall::new(&arguments.keeping).kept(&arguments.run)?;
    let document = judged(&recall::only(&arguments.run, kept)?)?;
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

fn judged(recalled: &Recalled<Kept>) -> Result<JudgementDocument, Exit> {
    let (run, lacking) = match &recalled.run {
        Kept::Run(run) => {
            let mut run = run.clone();
            sokudo_analysis::judge(&mut run);
            (*run, Vec::new())
        }
        Kept::Document(document) => {
            let mut run = document.rebuilt().ok_or_else(|| {
                let source = recalled.name();
                Exit::failed(text!(
                    "{source} has more trials than sokudo can make, so it cannot be judged again"
                ))
            })?;
            let lacking = sokudo_analysis::judge_figures(&mut run).ok_or_else(|| {
                let source = recalled.name();
                Exit::failed(text!(
                    "{source} has jobs on several targets, and only figures of one target were kept, so it cannot be judged again"
                ))
            })?;
            (run, lacking)
        }
    };
    let run = words::worded(run);
    let then = recalled.run.document();
    let mut now = RunDocument {
        findings: run.findings,
        inferences: run.inferences,
        disk_assessment: run.disk_assessment,
        ..then.clone()
    };
    for (result, row) in now.results.iter_mut().zip(run.rows) {
        let assessment = row.assessment;
        result.verdict = assessment.as_ref().map(|it| it.verdict);
        result.findings = assessment.map_or_else(Vec::new, |it| it.findings);
    }
    let (source, lacking) = (&recalled.source, &lacking);
    Ok(JudgementDocument::new(source, &then, &now, lacking))
}
