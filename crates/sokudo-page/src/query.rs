//! What a page may ask about kept runs and disks, and the command line that answers it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sokudo_words::Error;

/// As many as a list on the page shows, with room.
const LIST_MAX: u64 = 10_000;
/// More runs make a page that no browser likes.
pub(crate) const REPORT_RUNS_MAX: usize = 100;
/// A device, a tag or a time; longer ones are none.
const WORD_BYTES_MAX: usize = 256;
/// As long as the command line takes notes: 10,000 characters.
const NOTE_BYTES_MAX: usize = 40_000;
const TAGS_MAX: usize = 32;
/// A name of so many is none that a file system has no room for, in any script.
const NAME_SIGNS_MAX: usize = 60;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "query", rename_all = "snake_case")]
pub enum Query {
    Disks,
    List(ListFilter),
    Show {
        run: i64,
        #[serde(rename = "as")]
        form: DocumentForm,
    },
    Picture {
        run: i64,
        /// What suits the run, where none is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kind: Option<String>,
        /// Colours of the picture: `light` or `dark`.
        theme: String,
        #[serde(rename = "as")]
        form: PictureForm,
    },
    /// The run as it looked while it was measured: the answer is the `run` of the view.
    View {
        run: i64,
    },
    Report {
        runs: Vec<i64>,
    },
    Compare {
        left: i64,
        right: i64,
    },
    /// Of a device, by a part of its name or serial number.
    Trend {
        device: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        row: Option<String>,
    },
    BaselineList,
    BaselineSet {
        run: i64,
    },
    BaselineUnset {
        run: i64,
    },
    Note {
        run: i64,
        text: String,
    },
    Tag {
        run: i64,
        add: Vec<String>,
        remove: Vec<String>,
    },
    /// What another tool has printed into a file of this name: the bytes behind it.
    Import {
        name: String,
    },
}

/// Conditions on kept runs, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListFilter {
    pub device: Option<String>,
    pub method: Option<String>,
    pub since: Option<String>,
    pub until: Option<String>,
    pub verdict: Option<String>,
    pub tag: Option<String>,
    pub limit: Option<u64>,
    pub skip: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentForm {
    Table,
    Json,
    Csv,
    Markdown,
    /// As CrystalDiskMark saves its text.
    Crystal,
    Card,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PictureForm {
    Svg,
    Png,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum QueryError {
    #[error("{name} is too long, or contains characters that are not allowed; correct it")]
    Long { name: &'static str },
    #[error("{name} is none of {choices}; choose one of them")]
    NoChoice { name: &'static str, choices: String },
    #[error("a report covers 1 to 100 runs; choose fewer")]
    Runs,
}

const VERDICTS: [&str; 3] = ["verified", "unverified", "invalid"];
const THEMES: [&str; 2] = ["light", "dark"];
const KINDS: &str = "load rounds curve seek map access cache hosts host-bars bars heat cdf \
    histogram time card";

impl Query {
    /// The words of its command line behind `sokudo`. `file` is where a picture is written to, or
    /// what is imported lies; everything else goes to standard output.
    ///
    /// # Errors
    /// For names that are none.
    pub fn words(&self, file: &Path) -> Result<Vec<String>, QueryError> {
        let words = match self {
            Self::Disks => vec!["info".to_owned(), "--format=json".to_owned()],
            Self::List(filter) => return filter.words(),
            Self::Show { run, form } => shown(*run, *form),
            Self::Picture {
                run, kind, theme, ..
            } => return drawn(*run, kind.as_deref(), theme, file),
            Self::View { run } => shown(*run, DocumentForm::Json),
            Self::Report { runs } => return reported(runs),
            Self::Compare { left, right } => {
                owned(["compare", &left.to_string(), &right.to_string()])
            }
            Self::Trend { device, row } => {
                let mut words = vec!["trend".to_owned(), "--format=json".to_owned()];
                words.extend(given("row", row.as_deref())?);
                words.extend(["--".to_owned(), plain("device", device)?]);
                words
            }
            Self::BaselineList => owned(["baseline", "show", "--format=json"]),
            Self::BaselineSet { run } => baseline("set", *run),
            Self::BaselineUnset { run } => baseline("unset", *run),
            Self::Note { run, text } => return noted(*run, text),
            Self::Tag { run, add, remove } => return tagged(*run, add, remove),
            Self::Import { .. } => vec!["import".to_owned(), file.display().to_string()],
        };
        Ok(words)
    }

    /// Whether it changes what is kept, so that only who may start runs may ask it.
    pub const fn changes(&self) -> bool {
        matches!(
            self,
            Self::BaselineSet { .. }
                | Self::BaselineUnset { .. }
                | Self::Note { .. }
                | Self::Tag { .. }
                | Self::Import { .. }
        )
    }

    /// The name of the file that its command line reads or writes: no path, and no hidden file.
    pub fn file_name(&self) -> String {
        let name = match self {
            Self::Picture {
                form: PictureForm::Png,
                ..
            } => "picture.png",
            Self::Import { name } => name,
            _ => "picture.svg",
        };
        let is_plain = |sign: &char| sign.is_alphanumeric() || "-_. ".contains(*sign);
        let signs = name
            .chars()
            .filter(is_plain)
            .skip_while(|sign| *sign == '.');
        let name: String = signs.take(NAME_SIGNS_MAX).collect();
        match name.is_empty() {
            true => "file".to_owned(),
            false => name,
        }
    }
}

impl ListFilter {
    fn words(&self) -> Result<Vec<String>, QueryError> {
        let mut words = vec!["list".to_owned(), "--format=json".to_owned()];
        words.extend(given("method", self.method.as_deref())?);
        words.extend(given("since", self.since.as_deref())?);
        words.extend(given("until", self.until.as_deref())?);
        words.extend(given("tag", self.tag.as_deref())?);
        if let Some(verdict) = filled(self.verdict.as_deref()) {
            let verdict = one_of("verdict", verdict, &VERDICTS)?;
            words.push(format!("--verdict={verdict}"));
        }
        // 0 would be all of them.
        let limit = self.limit.unwrap_or(LIST_MAX).clamp(1, LIST_MAX);
        words.push(format!("--limit={limit}"));
        words.extend(self.skip.map(|skip| format!("--skip={skip}")));
        if let Some(device) = filled(self.device.as_deref()) {
            words.extend(["--".to_owned(), plain("device", device)?]);
        }
        Ok(words)
    }
}

fn shown(run: i64, form: DocumentForm) -> Vec<String> {
    let format = match form {
        DocumentForm::Table => "--why",
        DocumentForm::Json => "--format=json",
        DocumentForm::Csv => "--format=csv",
        DocumentForm::Markdown => "--format=markdown",
        DocumentForm::Card => "--card",
        DocumentForm::Crystal => "--format=text",
    };
    owned(["show", format, &run.to_string()])
}

fn drawn(
    run: i64,
    kind: Option<&str>,
    theme: &str,
    picture: &Path,
) -> Result<Vec<String>, QueryError> {
    let mut words = vec!["show".to_owned()];
    if let Some(kind) = filled(kind) {
        let kinds: Vec<&str> = KINDS.split(' ').collect();
        words.push(format!("--plot-kind={}", one_of("kind", kind, &kinds)?));
    }
    words.push(format!("--theme={}", one_of("theme", theme, &THEMES)?));
    words.extend([format!("--output={}", picture.display()), run.to_string()]);
    Ok(words)
}

fn reported(runs: &[i64]) -> Result<Vec<String>, QueryError> {
    if !(1..=REPORT_RUNS_MAX).contains(&runs.len()) {
        return Err(QueryError::Runs);
    }
    let mut words = vec!["show".to_owned(), "--format=html".to_owned()];
    words.extend(runs.iter().map(i64::to_string));
    Ok(words)
}

fn baseline(command: &str, run: i64) -> Vec<String> {
    owned(["baseline", command, &run.to_string()])
}

fn owned(words: [&str; 3]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

fn noted(run: i64, text: &str) -> Result<Vec<String>, QueryError> {
    let text = text.trim();
    if text.len() > NOTE_BYTES_MAX || text.contains('\0') {
        return Err(QueryError::Long { name: "note" });
    }
    Ok(vec![
        "edit".to_owned(),
        run.to_string(),
        format!("--note={text}"),
    ])
}

fn tagged(run: i64, add: &[String], remove: &[String]) -> Result<Vec<String>, QueryError> {
    if add.len() + remove.len() > TAGS_MAX {
        return Err(QueryError::Long { name: "tag" });
    }
    let mut words = vec!["edit".to_owned(), run.to_string()];
    for tag in remove {
        words.push(format!("--untag={}", plain("tag", tag)?));
    }
    for tag in add {
        words.push(format!("--tag={}", plain("tag", tag)?));
    }
    Ok(words)
}

/// `--name=value`, where there is a value.
fn given(name: &'static str, value: Option<&str>) -> Result<Option<String>, QueryError> {
    let value = filled(value).map(|value| plain(name, value)).transpose()?;
    Ok(value.map(|value| format!("--{name}={value}")))
}

fn filled(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty())
}

fn plain(name: &'static str, value: &str) -> Result<String, QueryError> {
    let is_plain = value.len() <= WORD_BYTES_MAX && !value.chars().any(char::is_control);
    match is_plain {
        true => Ok(value.to_owned()),
        false => Err(QueryError::Long { name }),
    }
}

fn one_of(
    name: &'static str,
    value: &str,
    choices: &[&'static str],
) -> Result<&'static str, QueryError> {
    let chosen = choices.iter().copied().find(|choice| *choice == value);
    chosen.ok_or_else(|| QueryError::NoChoice {
        name,
        choices: choices.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(query: &Query) -> Result<String, QueryError> {
        Ok(query.words(Path::new("/tmp/picture.svg"))?.join(" "))
    }

    #[test]
    fn no_value_begins_an_option() {
        let filter = ListFilter {
            device: Some("--store=x".to_owned()),
            method: Some("--since".to_owned()),
            ..ListFilter::default()
        };
        assert_eq!(
            words(&Query::List(filter)),
            Ok("list --format=json --method=--since --limit=10000 -- --store=x".to_owned())
        );
        let note = Query::Note {
            run: 3,
            text: " --clear ".to_owned(),
        };
        assert_eq!(words(&note), Ok("edit 3 --note=--clear".to_owned()));
        let tag = Query::Tag {
            run: 3,
            add: vec!["-r".to_owned()],
            remove: vec!["--yes".to_owned()],
        };
        assert_eq!(words(&tag), Ok("edit 3 --untag=--yes --tag=-r".to_owned()));
    }

    #[test]
    fn a_file_that_is_imported_has_a_name_and_no_path() {
        for (name, expected) in [
            ("fio 3.json", "fio 3.json"),
            ("結果.txt", "結果.txt"),
            ("../../.profile", "profile"),
            ("/etc/shadow", "etcshadow"),
            ("-o\n\0", "-o"),
            ("..", "file"),
        ] {
            let name = name.to_owned();
            assert_eq!(Query::Import { name }.file_name(), expected);
        }
        let name = "x".repeat(10_000);
        assert_eq!(Query::Import { name }.file_name().len(), NAME_SIGNS_MAX);
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let picture = |kind: &str, theme: &str| Query::Picture {
            run: 1,
            kind: Some(kind.to_owned()),
            theme: theme.to_owned(),
            form: PictureForm::Svg,
        };
        assert_eq!(
            words(&picture("bars", "dark")),
            Ok("show --plot-kind=bars --theme=dark --output=/tmp/picture.svg 1".to_owned())
        );
        for query in [
            picture("pie", "dark"),
            picture("bars", "pink"),
            Query::Report { runs: vec![] },
            Query::Report { runs: vec![1; 101] },
            Query::Trend {
                device: "a\nb".to_owned(),
                row: None,
            },
        ] {
            assert!(words(&query).is_err(), "{query:?}");
        }
    }
}
