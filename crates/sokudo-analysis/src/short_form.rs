//! Findings in a few words, for the one sentence of an answer.

use std::collections::BTreeSet;

use sokudo_model::{Finding, Row};
use sokudo_words::{Text, text};

use crate::Code;
use crate::rule::code_named;

/// Why a row is not VERIFIED, in 70 characters at most but for the names of programs; what was
/// seen, of findings that have no such words.
pub(crate) fn short_form(finding: &Finding, row: &Row) -> Text {
    let code = code_named(&finding.code);
    let words = code.and_then(of_code);
    let words = words.unwrap_or_else(|| finding.symptom.clone());
    match code {
        Some(Code::ForeignIo) => match programs(finding, row) {
            names if names.is_empty() => words,
            names => text!("{words}: {}", Text::list(names, ", ")),
        },
        _ => words,
    }
}

/// Names of the programs that the finding accuses, each once.
fn programs(finding: &Finding, row: &Row) -> Vec<Text> {
    let cause = finding.cause.english();
    let seen = row.trials.iter();
    let seen = seen.filter_map(|trial| trial.evidence.foreign.as_ref());
    let users = seen.flat_map(|seen| &seen.users);
    let accused =
        users.filter(|user| cause.contains(&format!("{} (process {})", user.name, user.pid)));
    let names: BTreeSet<&str> = accused.map(|user| &*user.name).collect();
    let names = names.into_iter().map(|name| match name {
        "sokudo" => "another sokudo".into(),
        name => Text::name(name),
    });
    names.collect()
}

fn of_code(code: Code) -> Option<Text> {
    Some(match code {
        Code::ForeignIo => "other programs used the disk".into(),
        Code::ProcessorRefused => "sokudo waited for a CPU".into(),
        Code::ThrottledByCgroup => "a limit of its control group held it back".into(),
        Code::ThrottledByHeat => "a drive slowed down because it became hot".into(),
        Code::TesterLimited => "sokudo itself was the limit, not the disk".into(),
        Code::DatasetInCache => "the data may have come from a cache".into(),
        Code::CachedReads => "the data came from the page cache".into(),
        Code::NotFromDevice => "the disks moved less than was read".into(),
        Code::NotOnDevice => "the disks moved less than was written".into(),
        Code::CannotSeeDevice => "what the disk did cannot be seen from here".into(),
        Code::BufferedWrites => "writes went to memory first".into(),
        Code::FlushTooFast => "flushes returned sooner than any disk makes data durable".into(),
        Code::SmallCoverage => "too little of the file or disk was used".into(),
        Code::DepthNotReached => "fewer I/Os were in flight than planned".into(),
        Code::RateNotReached => "the planned rate was not reached".into(),
        Code::DeviceVanished => "a disk vanished".into(),
        Code::IoErrors => "I/Os failed".into(),
        Code::Unreadable => "some of it cannot be read".into(),
        Code::Hung => "I/Os did not come back".into(),
        Code::CompressedFile => "the file system compresses the file".into(),
        Code::SharedExtents | Code::RepeatedExtents => {
            "parts of the file share the same blocks of the disk".into()
        }
        Code::MemoryDevice | Code::MemoryFileSystem => "this is memory, not a disk".into(),
        Code::SparseFile | Code::UnwrittenExtents => "parts of the file are not on a disk".into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::Verdict;

    #[test]
    fn what_makes_most_rows_unverified_has_few_words() {
        let of_all = Code::OF_ALL.into_iter();
        let texts: Vec<Text> = of_all.clone().filter_map(of_code).collect();
        for text in &texts {
            assert!(text.english().chars().count() <= 70, "{text}");
        }
        let doubts = of_all.filter(|it| it.verdict() == Verdict::Unverified);
        let without = doubts.filter(|it| of_code(*it).is_none()).count();
        assert!(without < texts.len() / 2, "{without} of {}", texts.len());
    }
}
