//! `--require`: whether the rows are trusted as far as was asked, as an exit code for
//! scripts.
//!
//! It judges nothing: verdicts come from the analysis, and what was measured has been
//! printed before.

use sokudo_analysis::Code;
use sokudo_model::{Row, Run, Verdict};
use sokudo_terminal::arguments::printing::Printing;
use sokudo_terminal::exit::Exit;
use sokudo_words::{Text, text};

/// Ends with 4 where a row is trusted less than `printing` asks for, and names every such
/// row with its first finding.
pub fn check(run: &Run, printing: &Printing) -> Result<(), Exit> {
    let Some(least) = printing.require else {
        return Ok(());
    };
    // What is about the cache on purpose is no figure of a disk that could be trusted less.
    // Where nothing else was measured, nothing of what was asked for is proven.
    let of_disk: Vec<&Row> = run.rows.iter().filter(|row| !is_of_cache(row)).collect();
    let judged: Vec<&Row> = match of_disk.is_empty() {
        true => run.rows.iter().collect(),
        false => of_disk,
    };
    let short: Vec<Text> = judged
        .iter()
        .filter(|row| verdict(row) > least)
        .map(|row| verdict_text(row))
        .collect();
    if short.is_empty() {
        return Ok(());
    }
    let (few, all, rows) = (short.len(), judged.len(), Text::list(short, ", "));
    Err(Exit::not_trusted(match least {
        Verdict::Verified => text!(
            "{few} of {all} rows fell short of --require verified: {rows}; the findings of each row say what to do"
        ),
        _ => text!(
            "{few} of {all} rows fell short of --require unverified: {rows}; the findings of each row say what to do"
        ),
    }))
}

fn is_of_cache(row: &Row) -> bool {
    let findings = row.assessment.iter().flat_map(|it| &it.findings);
    let mut codes = findings.map(|finding| finding.code.as_str());
    codes.any(|code| code == Code::CachedOnPurpose.name())
}

/// A row that nobody has judged is not trusted.
fn verdict(row: &Row) -> Verdict {
    row.assessment
        .as_ref()
        .map_or(Verdict::Invalid, |assessment| assessment.verdict)
}

/// A row with its verdict and the reason that weighs most.
fn verdict_text(row: &Row) -> Text {
    let findings = row.assessment.iter().flat_map(|it| &it.findings);
    let reason = findings.map(|finding| Text::name(&*finding.code)).next();
    text!(
        "{} {} is {} ({})",
        row.workload.name,
        Text::from(row.workload.operations.direction()),
        verdict(row).name(),
        reason.unwrap_or(text!("not measured"))
    )
}
