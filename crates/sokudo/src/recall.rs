//! Runs that were kept, by whatever name: a number in the store, a file of sokudo's, a
//! file of another tool's, standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::anyhow;
use sokudo_report::{ReadDocumentError, Report, RunDocument, report};
use sokudo_store::{Filter, Page, RunId};

use crate::cli::Keeping;
use crate::exit::Exit;
use crate::keep;

/// No kept result has more: the million points that a scan may have are 210 MB. Without a
/// bound, /dev/zero would be read until no memory is left.
const RESULT_BYTES_MAX: u64 = 1 << 30;

/// A run and by what name it was called.
#[derive(Debug)]
pub(crate) struct Recalled {
    /// `run 42`, or the file.
    pub(crate) source: String,
    /// Its number in the store, where it is from there.
    pub(crate) id: Option<RunId>,
    pub(crate) run: RunDocument,
}

/// The runs that a name stands for: one, or as many as a file of another tool holds.
///
/// `42` and `run 42` are numbers in the store, `last` is the newest there; anything else is
/// a file (`./42` where it is called so), and `-` standard input.
pub(crate) fn runs(name: &str, keeping: &Keeping) -> Result<Vec<Recalled>, Exit> {
    if name == "last" {
        let newest = Page { skip: 0, count: 1 };
        let mut store = keep::store(keeping)?;
        let found = store
            .list(&Filter::default(), newest)
            .map_err(Exit::failed)?;
        let entry = found.first().ok_or_else(|| {
            Exit::usage(anyhow!("no run is kept yet; sokudo mark . measures one"))
        })?;
        return stored(entry.id, keeping).map(|recalled| vec![recalled]);
    }
    if let Some(id) = number(name) {
        return stored(id, keeping).map(|recalled| vec![recalled]);
    }
    let path = Path::new(name);
    let text = kept_text(path)?;
    if report::is_report(&text) {
        return of_report(name, &text);
    }
    Ok(vec![Recalled {
        source: name.to_owned(),
        id: None,
        run: result_of(path, &text)?,
    }])
}

/// The runs of a report that `sokudo report` has written.
fn of_report(name: &str, text: &str) -> Result<Vec<Recalled>, Exit> {
    let report = Report::from_json(text).map_err(|error| Exit::usage(anyhow!("{name} {error}")))?;
    let recalled = report.runs.into_iter().map(|reported| Recalled {
        source: reported.source,
        id: None,
        run: reported.run,
    });
    Ok(recalled.collect())
}

fn number(name: &str) -> Option<RunId> {
    let digits = name.strip_prefix("run ").unwrap_or(name);
    digits.parse().ok().map(RunId)
}

/// A run of the store.
pub(crate) fn stored(id: RunId, keeping: &Keeping) -> Result<Recalled, Exit> {
    let mut store = keep::store(keeping)?;
    let packed = store.document(id).map_err(Exit::usage)?;
    let run =
        RunDocument::unpack(&packed).map_err(|error| Exit::failed(anyhow!("run {id} {error}")))?;
    Ok(Recalled {
        source: format!("run {id}"),
        id: Some(id),
        run,
    })
}

fn result_of(path: &Path, text: &str) -> Result<RunDocument, Exit> {
    let read: Result<_, ReadDocumentError> = RunDocument::from_json(text);
    read.map_err(|error| Exit::usage(anyhow!("{} {error}", path.display())))
}

/// The text of a file; `-` is standard input.
fn kept_text(path: &Path) -> Result<String, Exit> {
    let name = path.display();
    let is_standard_input = path.as_os_str() == "-";
    let text = if is_standard_input {
        read_bounded(io::stdin(), RESULT_BYTES_MAX)
    } else {
        File::open(path).and_then(|file| read_bounded(file, RESULT_BYTES_MAX))
    };
    text.map_err(|error| {
        Exit::usage(anyhow!(
            "{name} cannot be read: {error}; name a file that --format json has written"
        ))
    })
}

/// All of a text that has `bytes_max` bytes at most.
fn read_bounded(reader: impl Read, bytes_max: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    reader.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it goes on after {bytes_max} bytes"),
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is no text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_not_read_for_ever() {
        let error = read_bounded(io::repeat(b' '), 64).unwrap_err();
        assert_eq!(error.to_string(), "it goes on after 64 bytes");
        assert_eq!(read_bounded(&b"four"[..], 4).unwrap(), "four");
        assert!(read_bounded(&b"\xff"[..], 4).is_err());
    }
}
