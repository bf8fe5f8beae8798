//! What the scripts of the page say. The English text is the key by which `say("…")` finds its
//! translation; `{1}` stands for its first argument.

use std::collections::BTreeMap;

use sokudo_words::Language;

/// Texts of the scripts, in order.
const OF_SCRIPTS: &[&str] = &[
    "95 % interval",
    "A range of block sizes, queue depths or threads.",
    "Add to the queue",
    "All runs",
    "Assess",
    "At {1}, {2} to {3}: {4} I/Os",
    "Baseline",
    "Block",
    "Browse",
    "Cached, buffered and direct reads, about 3 s each.",
    "Change",
    "Check",
    "Choose",
    "Choose a job file",
    "Choose run {1}",
    "Choose two runs to compare them.",
    "Colours",
    "Colours: as the screen",
    "Command",
    "Compare",
    "Comparison",
    "Conclusion",
    "Copied",
    "Copy",
    "Copy as CrystalDiskMark",
    "Dark",
    "Directory, file or device",
    "Disk",
    "Doubtful",
    "Drop {1}",
    "Error map",
    "Explain",
    "Failed",
    "Figures",
    "Findings",
    "Finds out what the device is from how it behaves.",
    "Finished",
    "Fit",
    "From {1}: {2} MB/s",
    "Go to the terminal where sokudo page runs, press Enter, and open the address that it prints.",
    "Good to know",
    "Health",
    "History",
    "How many threads and how much depth the device needs to give its most.",
    "INVALID",
    "Is the disk fast enough for etcd, PostgreSQL and others?",
    "Is the disk well, and as fast as it should be?",
    "Kept runs",
    "Kept runs, the newest first",
    "Kind of picture",
    "Latencies over time",
    "Latency against load: how much the disk carries before it queues.",
    "Light",
    "Link",
    "Load",
    "MB/s",
    "Mark",
    "Measure",
    "Measure a disk",
    "Measure here",
    "Measuring",
    "Method",
    "More settings",
    "Move {1} down",
    "Move {1} up",
    "No run is kept that these filters let through.",
    "Note",
    "One level up",
    "Open as run {1}",
    "Pages",
    "Peak",
    "Picture",
    "Picture of run {1}; its figures are in the table",
    "Preparing",
    "Progress",
    "Queue",
    "Quick",
    "Rate by block size",
    "Rate over time",
    "Read-only",
    "Repeats the measurement of the baseline, and says whether the disk has become slower.",
    "Report (HTML)",
    "Report of the chosen",
    "Row",
    "Rows",
    "Run",
    "Run {1}",
    "Run {1} against run {2}",
    "Runs a fio job file. It names its targets itself.",
    "Save",
    "Save {1} as PNG",
    "Saved",
    "Sequential and random reads and writes, as a table.",
    "Serial",
    "Show more",
    "Since",
    "Start",
    "Steady",
    "Stop",
    "Stopped early",
    "Stopping",
    "Surface",
    "Sweep",
    "Tag",
    "Tags and notes",
    "Tags, with commas",
    "Take away",
    "Temperature",
    "The address holds a key that nobody else on this machine has. It is valid as long as sokudo page runs.",
    "The first figures appear after the first row.",
    "The session has ended, because sokudo page was started anew.",
    "The whole surface: transfer rate and access time over position.",
    "There are more; type the path.",
    "This page needs its address",
    "Time",
    "Time left",
    "To the content",
    "Transfer rate and access time over position",
    "Trend",
    "Trend of this disk",
    "Try it on a simulated disk",
    "Type its serial number {1} to allow that. Without it the disk is only read.",
    "UNVERIFIED",
    "Use",
    "VERIFIED",
    "Verdict",
    "What differs",
    "What to do",
    "What to measure",
    "When",
    "Why",
    "Write to this disk? All that is on it will be lost.",
    "Writes",
    "Writes until the drive is steady, then measures it. This wears a solid-state drive.",
    "Wrong",
    "You may not write in this directory.",
    "a day",
    "a month",
    "a test file is made here, and removed",
    "a week",
    "a year",
    "about {1}",
    "access time over distance",
    "all",
    "bars",
    "card",
    "connected",
    "connecting",
    "connection lost, the run goes on",
    "curve over position",
    "ever",
    "failing",
    "faster",
    "findings: {1}",
    "finishing",
    "fio job",
    "fio job file: drop it on the page, choose it, or type",
    "flushing",
    "health unknown",
    "healthy",
    "heat map",
    "lately half of the I/Os took less than {1}, 99 % less than {2}",
    "latency against load",
    "latency histogram",
    "latency percentiles",
    "level MB/s",
    "making the test file",
    "measuring",
    "mixed",
    "model, serial or name",
    "mounted on {1}",
    "no difference shown",
    "no errors in {1} of {2} blocks",
    "nothing",
    "nothing was measured yet",
    "one per line",
    "only read",
    "position",
    "rate over time",
    "read",
    "read MB/s",
    "rounds",
    "session ended",
    "simulated, nothing is written",
    "slower",
    "temperature °C",
    "the same",
    "time",
    "too few trials",
    "trial {1}",
    "trim",
    "verifying",
    "waiting",
    "warming up",
    "wearing out",
    "whole disk, read only",
    "will be overwritten",
    "write",
    "write MB/s",
    "writes {1} in all",
    "{1} % done",
    "{1} access times, {2} to {3} ms",
    "{1} free",
    "{1} is too large for a job file",
    "{1} left",
    "{1} moved",
    "{1} of {2}",
    "{1} of {2} blocks have places that cannot be read",
    "{1} places, {2} to {3} MB/s",
    "{1} runs, last {2} MB/s",
    "{1} to {2}",
    "{1} to {2} MB/s, last {3} MB/s",
    "{1}, MB/s",
    "★ Baseline: take away",
    "☆ Make it the baseline",
];

/// Every text of the scripts with what is said in a language.
pub(crate) fn said(language: Language) -> BTreeMap<&'static str, &'static str> {
    let texts = OF_SCRIPTS.iter().copied();
    texts.map(|text| (text, language.word(text))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::files::tests::scripts;

    /// The texts in `say("…")` of a script; what else stands there is an error.
    fn said_in(script: &str) -> BTreeSet<String> {
        let calls = script.match_indices("say(").filter(|(at, _)| {
            let before = script[..*at].chars().next_back();
            !before.is_some_and(|sign| sign.is_alphanumeric() || "_$.".contains(sign))
                && !script[..*at].ends_with("function ")
        });
        let texts = calls.filter_map(|(at, _)| {
            let rest = script[at + 4..].trim_start();
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            values.next()?.ok()
        });
        texts.collect()
    }

    #[test]
    fn every_text_of_the_scripts_is_here_and_no_other() {
        let used: BTreeSet<String> = scripts().into_iter().flat_map(said_in).collect();
        let here: BTreeSet<String> = OF_SCRIPTS.iter().map(|text| (*text).to_owned()).collect();
        let missing: Vec<_> = used.difference(&here).collect();
        let unused: Vec<_> = here.difference(&used).collect();
        assert!(missing.is_empty(), "not in words.rs: {missing:#?}");
        assert!(unused.is_empty(), "in no script: {unused:#?}");
        assert!(OF_SCRIPTS.is_sorted(), "the texts are in order");
    }

    #[test]
    fn texts_are_found_in_scripts() {
        let script = r#"say("Start"); t.say("no"); essay("no"); say( "{1} of \"{2}\"", a, b)"#;
        let found: Vec<String> = said_in(script).into_iter().collect();
        assert_eq!(found, ["Start", "{1} of \"{2}\""]);
    }
}
