//! Remedies in the words of the language in which the jobs were written: what `mark`
//! calls `--direct on` is `direct=1` to who writes for fio and `-Sd` to who writes for
//! diskspd. Nothing but these words changes.

use sokudo_model::{Finding, Run};

/// What a `mark` option is called in fio's job files.
const FIO: &[(&str, &str)] = &[
    ("--direct on", "direct=1"),
    ("--engine io_uring", "ioengine=io_uring"),
    ("(--size)", "(size)"),
    ("--direct off", "direct=0"),
    ("(--runs, --time)", "(runtime, or sokudo run --runs)"),
    ("(--runs, --max-time)", "(sokudo run --runs)"),
    ("(--time)", "(runtime)"),
    ("(--time for longer trials)", "(runtime)"),
    ("(--threads)", "(numjobs)"),
    ("with --data random", "without zero_buffers"),
    ("with --runs", "with sokudo run --runs"),
    ("(--runs)", "(sokudo run --runs)"),
    ("(--precision)", "(precision)"),
    ("(--rate)", "(rate_iops or rate)"),
    ("(--depth)", "(iodepth)"),
];

/// What it is called in diskspd's command lines, which know no repetitions.
const DISKSPD: &[(&str, &str)] = &[
    ("--direct on", "-Sd"),
    ("use --engine io_uring or libaio", "use -xk"),
    ("use --engine io_uring", "leave -xk out"),
    ("(--size)", "(-c)"),
    ("--direct off", "-Sb"),
    ("(--runs, --time)", "(-d)"),
    ("(--runs, --max-time)", "(the line run more often)"),
    ("(--time)", "(-d)"),
    ("(--time for longer trials)", "(-d)"),
    ("(--threads)", "(-t)"),
    ("with --data random", "with -Zr"),
    (
        "measure with --runs 6 or more",
        "run the line six times or more",
    ),
    ("(--runs)", "(the line run more often)"),
    ("(--precision)", "(precision)"),
    ("(--rate)", "(-g)"),
    ("(--depth)", "(-o)"),
];

/// Puts all remedies of a run into the words of `language`, as [`Run`]'s schedule calls it.
pub(crate) fn put_into(run: &mut Run, language: &str) {
    let words = match language {
        "diskspd" => DISKSPD,
        _ => FIO,
    };
    let assessments = run
        .rows
        .iter_mut()
        .filter_map(|row| row.assessment.as_mut());
    let of_rows = assessments.flat_map(|assessment| &mut assessment.findings);
    for finding in of_rows.chain(&mut run.findings) {
        translate(finding, words);
    }
}

fn translate(finding: &mut Finding, words: &[(&str, &str)]) {
    for (ours, theirs) in words {
        if finding.remedy.contains(ours) {
            finding.remedy = finding.remedy.replace(ours, theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use sokudo_model::Severity;

    use super::*;

    fn with(remedy: &str) -> Finding {
        Finding {
            code: "buffered-writes".to_owned(),
            severity: Severity::Info,
            symptom: String::new(),
            cause: String::new(),
            remedy: remedy.to_owned(),
        }
    }

    /// Every remedy of the analysis that names an option of `mark`, from its source.
    fn remedies() -> Vec<String> {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../sokudo-analysis/src");
        let files = std::fs::read_dir(directory).unwrap();
        let texts = files
            .map(|file| file.unwrap().path())
            .filter(|path| path.is_file())
            // What is said about disks names options of nobody's but mdadm's.
            .filter(|path| !path.ends_with("disk.rs"))
            // What is said about comparisons is read by users of sokudo compare alone.
            .filter(|path| !path.ends_with("compare.rs"))
            .map(|path| std::fs::read_to_string(path).unwrap());
        let ours: Vec<String> = texts
            .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
            .filter(|line| line.contains('"') && line.contains("--"))
            .filter(|line| !line.trim_start().starts_with("//"))
            .filter(|line| !line.contains("losetup"))
            .map(|line| line.replace("{INTERVAL_TRIALS_MIN}", "6"))
            .collect();
        assert!(ours.len() > 5, "{ours:?}");
        ours
    }

    #[test]
    fn no_option_of_mark_is_named_to_users_of_other_tools() {
        for remedy in remedies() {
            for words in [FIO, DISKSPD] {
                let mut finding = with(&remedy);
                translate(&mut finding, words);
                let rest = finding.remedy.replace("sokudo run --runs", "");
                assert!(!rest.contains("--"), "{}", finding.remedy);
            }
        }
    }

    #[test]
    fn only_the_word_changes() {
        let mut finding = with("measure with direct I/O (--direct on), on a disk");
        translate(&mut finding, DISKSPD);
        assert_eq!(finding.remedy, "measure with direct I/O (-Sd), on a disk");
    }
}
