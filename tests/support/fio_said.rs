//! What fio 3.33 says to command lines, kept in a file: the base tier compares with it, and the disk tier
//! asks fio whether it still says so.

use std::path::{Path, PathBuf};

/// The folder of the job files that the command lines name, where fio is started.
pub(crate) fn jobs() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut above = here
        .ancestors()
        .map(|it| it.join("crates/sokudo-tools/tests/fio_jobs"));
    above.find(|it| it.is_dir()).unwrap()
}

/// Variables that the job files name.
pub(crate) const VARIABLES: [(&str, &str); 2] =
    [("SOKUDO_SIZE", "2m"), ("SOKUDO_DIRECTORY", "/tmp")];

/// A command line after `fio`, and what fio says: `accepted` or `refused` where it only parses, the line
/// of the default where it is asked for help, and otherwise what it prints.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    pub(crate) line: String,
    pub(crate) answer: String,
}

impl Said {
    pub(crate) fn words(&self) -> Vec<String> {
        self.line.split_whitespace().map(str::to_owned).collect()
    }
}

/// Where they are kept: `$ ` and the command line, then the answer.
pub(crate) fn file() -> PathBuf {
    jobs().join("said.txt")
}

pub(crate) fn kept() -> Vec<Said> {
    let text = std::fs::read_to_string(file()).unwrap();
    let entries = text.strip_prefix("$ ").unwrap().split("\n$ ");
    let said = entries.map(|entry| {
        let (line, answer) = entry.split_once('\n').unwrap_or((entry, ""));
        let (line, answer) = (line.to_owned(), answer.trim_end().to_owned());
        Said { line, answer }
    });
    said.collect()
}
