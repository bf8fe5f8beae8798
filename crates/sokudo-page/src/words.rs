//! What the scripts of the page say. The English text is the key by which `say("…")` finds its
//! translation; `{a}` stands for its first argument.

use std::collections::BTreeMap;

use sokudo_words::Language;

/// Texts of the scripts, in order.
const OF_SCRIPTS: &[&str] = &[
    "A range of block sizes, queue depths or threads.",
    "Add to the queue: {a}",
    "All runs",
    "Assess",
    "At {a}, {b} to {c}: {d} I/Os",
    "Automatic",
    "Baseline",
    "Block",
    "Browse",
    "Cached, buffered and direct reads, about 3 s each.",
    "Check",
    "Choose",
    "Choose a job file",
    "Choose another",
    "Choose run {a}",
    "Choose two runs to compare them.",
    "Colours",
    "Command",
    "Compare",
    "Comparison",
    "Copied",
    "Copy",
    "Copy as CrystalDiskMark",
    "Dark",
    "Directory, file or device",
    "Disk",
    "Disks",
    "Drop {a}",
    "Error map",
    "Explain",
    "Failed",
    "Figures",
    "File systems",
    "File systems and RAID levels on disks made of files in the directory, every combination.",
    "Findings",
    "Finds out what the device is from how it behaves.",
    "Finished",
    "Fit",
    "From {a}: {b} MB/s",
    "Go to the terminal where sokudo page runs, press Enter, and open the address that it prints.",
    "Health",
    "History",
    "How many threads and how much depth the device needs to give its most.",
    "INVALID",
    "Is the disk fast enough for etcd, PostgreSQL and others?",
    "Is the disk well, and as fast as it should be?",
    "It ended without saying why; look in the terminal where sokudo page runs.",
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
    "Move {a} down",
    "Move {a} up",
    "No run is kept that these filters let through.",
    "Note",
    "Number of rows",
    "One level up",
    "Open as run {a}",
    "Pages",
    "Peak",
    "Picture",
    "Picture of run {a}; its figures are in the table",
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
    "Run {a}",
    "Run {a} against run {b}",
    "Runs a fio job file. It names its targets itself.",
    "Save note",
    "Save tags",
    "Save {a} as PNG",
    "Saved",
    "Sequential and random reads and writes, as a table.",
    "Serial",
    "Show more",
    "Since",
    "Start now",
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
    "The page itself used {a} % of one processor meanwhile.",
    "The run that goes on",
    "The session has ended, because sokudo page was started anew.",
    "The whole surface: transfer rate and access time over position.",
    "There are more; type the path.",
    "This address can look and not start. What is measured appears here.",
    "This page needs its address",
    "This run has no figures for such a picture.",
    "This run is not kept.",
    "Time",
    "Time left",
    "To the content",
    "Transfer rate and access time over position",
    "Trend",
    "Trend of this disk",
    "Try it on a simulated disk",
    "Type its serial number {a} to allow that. Without it the disk is only read.",
    "UNVERIFIED",
    "Use",
    "VERIFIED",
    "Verdict",
    "What to do",
    "What to measure",
    "When",
    "Why",
    "Write to this disk? All that is on it will be lost.",
    "Writes",
    "Writes until the drive is steady, then measures it. This wears a solid-state drive.",
    "Writes: {a}. Time: about {b}. Start it?",
    "You may not write in this directory.",
    "a day",
    "a month",
    "a test file is made in a directory, and removed",
    "a week",
    "a year",
    "about {a}",
    "access time over distance",
    "all",
    "all rows",
    "bars",
    "card",
    "connected",
    "connecting",
    "connection lost, trying again",
    "curve over position",
    "ever",
    "failing",
    "findings: {a}",
    "finishing",
    "fio job",
    "fio job file: drop it on the page, choose it, or type",
    "flushing",
    "for up to {a}",
    "healthy",
    "heat map",
    "hosts beside each other",
    "hosts over time",
    "latencies of {a} to {b}",
    "latency against load",
    "latency histogram",
    "latency percentiles",
    "level MB/s",
    "making the test file",
    "measuring",
    "mixed",
    "model, serial or name",
    "mounted on {a}",
    "no errors in the {a} % that was read",
    "no errors in {a} of {b} blocks",
    "nothing",
    "nothing was measured yet",
    "one per line",
    "only read",
    "position",
    "rate over time",
    "read",
    "read MB/s",
    "rounds",
    "samples of {a} to {b} MB/s",
    "session ended",
    "simulated, nothing is written",
    "sokudo does not answer; look whether sokudo page still runs",
    "temperature °C",
    "the drive warns from {a} °C",
    "time",
    "trial {a}",
    "trim",
    "unknown",
    "up to {a}",
    "verifying",
    "waiting",
    "warming up",
    "wearing out",
    "whole disk, read only",
    "will be overwritten",
    "write",
    "write MB/s",
    "writes: {a}",
    "{a} % done",
    "{a} access times, {b} to {c} ms",
    "{a} free",
    "{a} is too large for a job file",
    "{a} left",
    "{a} moved",
    "{a} of {b}",
    "{a} of {b} blocks have places that cannot be read",
    "{a} places, {b} to {c} MB/s",
    "{a} runs, last {b} MB/s",
    "{a}, and for up to {b}",
    "★ Baseline: take away",
    "☆ Make it the baseline",
];

/// Every text of the scripts with what is said in a language.
pub(crate) fn said(language: Language) -> BTreeMap<&'static str, String> {
    let texts = OF_SCRIPTS.iter().copied();
    texts
        .map(|text| (text, language.with_holes(text)))
        .collect()
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
        let script = r#"say("Start"); t.say("no"); essay("no"); say( "{a} of \"{b}\"", a, b)"#;
        let found: Vec<String> = said_in(script).into_iter().collect();
        assert_eq!(found, ["Start", "{a} of \"{b}\""]);
    }
}
