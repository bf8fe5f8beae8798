//! The run of a text: of a document, or as a store keeps it. What is too large for memory is
//! refused before it is read, and what cannot be added up before anything is.

use std::borrow::Cow;

use serde::Deserialize;
use sokudo_model::{Logs, Run};

/// What documents of this kind begin their `schema` field with.
const SCHEMA_FAMILY: &str = "sokudo.run/";
/// The version that is written, and the newest that is read.
const SCHEMA_VERSION: u32 = 1;
/// Family and version together, as documents are written.
pub(super) const SCHEMA: &str = "sokudo.run/1";

/// Whether a text that begins so is likely a document of this kind.
pub fn names_schema(begin: &str) -> bool {
    begin.contains(&format!("\"{SCHEMA_FAMILY}"))
}

/// Bytes of a document as JSON: the million points that a scan may have are 210 MB.
pub const JSON_BYTES_MAX: u64 = 256 << 20;

/// Values of a document: each takes memory of its own, of which two bytes of a hostile text
/// would take thirty. A scan of a million points has ten million.
const VALUES_MAX: usize = 16_000_000;

/// Histograms of one run, each with some hundred bytes besides what its text takes. The largest
/// sweeps and steady tests have some thousands, a thousand hosts ten times as many.
pub(super) const HISTOGRAMS_MAX: usize = 200_000;
/// Rows of one run; fio starts no more than 4,096 jobs, the largest sweeps have some thousands.
pub(super) const ROWS_MAX: usize = 20_000;
/// Points of logs in one run, 35 bytes each: `explain`, whose conclusions are drawn from
/// logs, has some thousands.
pub(super) const LOG_POINTS_MAX: usize = 100_000;
/// What each histogram has once, plain or with a letter as `\u…`, which we never write so.
pub(super) const HISTOGRAM_MARKS: [&str; 2] = ["\"sum_of_squares\"", "\\u"];

/// Why a document cannot be read, to be read after its name.
#[derive(Debug, sokudo_words::Error)]
pub enum ReadDocumentError {
    /// The text is no JSON at all, or was cut off.
    #[error("is not valid JSON: {0}; give a file that `sokudo mark --format json` has written")]
    NotJson(serde_json::Error),
    /// It is JSON of something else.
    #[error(
        "is not a run of sokudo: {found}; give a file that `sokudo mark --format json` has written"
    )]
    OtherSchema {
        /// What is there instead.
        found: String,
    },
    /// It was written by a later version.
    #[error(
        "is {found}, which comes from a newer sokudo; this one reads up to {SCHEMA}, so update it"
    )]
    NewerSchema {
        /// The schema that the document names.
        found: String,
    },
    /// It holds more than any run.
    #[error(
        "holds more than any run of sokudo ({} MiB or {VALUES_MAX} values), so it is not one",
        JSON_BYTES_MAX >> 20
    )]
    TooLarge,
    /// Its counts cannot be added up.
    #[error(
        "counts more bytes, I/Os or time than any run does; it was changed, so use the original"
    )]
    Uncountable,
    /// It names the right schema but does not follow it.
    #[error(
        "says {SCHEMA} but does not follow it: {0}; it was changed or cut off, so use the original"
    )]
    Malformed(serde_json::Error),
}

impl ReadDocumentError {
    fn of_header(error: serde_json::Error) -> Self {
        if error.is_data() {
            Self::OtherSchema {
                found: "there is no JSON object with a \"schema\" text".to_owned(),
            }
        } else {
            Self::NotJson(error)
        }
    }
}

/// What is looked at first, because all else depends on it.
#[derive(Deserialize)]
struct DocumentHeader {
    schema: String,
}

/// Whether what is called so can be read.
fn check_schema(found: String) -> Result<(), ReadDocumentError> {
    let version = found.strip_prefix(SCHEMA_FAMILY);
    match version.and_then(|version| version.parse().ok()) {
        Some(SCHEMA_VERSION) => Ok(()),
        Some(version) if version > SCHEMA_VERSION => Err(ReadDocumentError::NewerSchema { found }),
        _ => Err(ReadDocumentError::OtherSchema {
            found: format!("its schema is {found:?}"),
        }),
    }
}

/// The run of a document.
pub(super) fn run_of_document(text: &str) -> Result<Run, ReadDocumentError> {
    if !is_readable(text) {
        return Err(ReadDocumentError::TooLarge);
    }
    let header: DocumentHeader =
        serde_json::from_str(text).map_err(ReadDocumentError::of_header)?;
    check_schema(header.schema)?;
    run_of_json(text)
}

/// Whether a text is no more than a run may be.
pub(crate) fn is_readable(json: &str) -> bool {
    let histograms = HISTOGRAM_MARKS.map(|mark| json.matches(mark).count());
    is_bounded(json) && histograms.iter().sum::<usize>() <= HISTOGRAMS_MAX
}

/// The run of a text that is readable, and of what else stands beside it nothing.
pub(super) fn run_of_json(json: &str) -> Result<Run, ReadDocumentError> {
    checked(serde_json::from_str(json).map_err(ReadDocumentError::Malformed)?)
}

/// The run, if its figures can be computed.
pub(super) fn checked(run: Run) -> Result<Run, ReadDocumentError> {
    if run.rows.len() > ROWS_MAX {
        return Err(ReadDocumentError::TooLarge);
    }
    match run.is_countable() {
        true => Ok(run),
        false => Err(ReadDocumentError::Uncountable),
    }
}

/// Whether a text is no more than a document may be. Between two values stands a comma.
fn is_bounded(text: &str) -> bool {
    let commas = text.bytes().filter(|byte| *byte == b',').count();
    text.len() as u64 <= JSON_BYTES_MAX && commas < VALUES_MAX
}

/// The run, without logs of every I/O: files of their own hold them.
pub(super) fn without_long_logs(run: &Run) -> Cow<'_, Run> {
    let trials = run.rows.iter().flat_map(|row| &row.trials);
    let points: usize = trials.map(|trial| trial.outcome.logs.points()).sum();
    let mut run = Cow::Borrowed(run);
    if points > LOG_POINTS_MAX {
        let rows = run.to_mut().rows.iter_mut();
        let trials = rows.flat_map(|row| &mut row.trials);
        trials.for_each(|trial| trial.outcome.logs = Logs::default());
    }
    run
}
