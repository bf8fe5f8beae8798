//! Runs that were kept, by whatever name: a number in the store, a file of sokudo's, a
//! file of another tool's, standard input.

use std::path::Path;

use indicatif::ProgressBar;
use sokudo_model::{is_label, label_of_tags, label_tag};
use sokudo_report::document::{JSON_BYTES_MAX, SummaryReader, summary, unpack};
use sokudo_report::pivot::PivotRun;
use sokudo_report::{Report, RunDocument, report};
use sokudo_store::{Entry, Filter, Page, RunId, Store};
use sokudo_terminal::arguments::store::{Keeping, Location};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::parallel;
use sokudo_tools::ImportError;
use sokudo_words::{Text, text};

use crate::{keep, result_file};

/// What somebody has said of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    pub note: String,
    pub tags: Vec<String>,
}

/// A run with its figures, and by what name it was called.
#[derive(Debug)]
pub struct FoundRun {
    /// `run 42`, or the file.
    pub source: String,
    /// Its number in the store, where it is from there.
    pub id: Option<RunId>,
    /// What somebody wrote about it, and its tags.
    pub annotations: Annotations,
    pub run: RunDocument,
}

impl FoundRun {
    /// What it is called in a sentence.
    pub fn name(&self) -> Text {
        match self.id {
            Some(id) => text!("run {id}"),
            None => Text::name(&*self.source),
        }
    }

    /// The same in a matrix of runs.
    pub fn in_pivot(&self) -> PivotRun<'_> {
        PivotRun {
            run: &self.run,
            source: &self.source,
            tags: &self.annotations.tags,
        }
    }

    /// A run of a file.
    fn of_file(source: String, run: RunDocument) -> Self {
        Self {
            source,
            id: None,
            annotations: Annotations::default(),
            run,
        }
    }
}

/// Recalls one run after the other from a store that is opened once, and only if one of
/// them is there.
pub struct Recall<'a> {
    keeping: &'a Keeping,
    store: Option<Box<dyn Store>>,
}

impl<'a> Recall<'a> {
    /// From this store, or from files.
    pub const fn new(keeping: &'a Keeping) -> Self {
        Self {
            keeping,
            store: None,
        }
    }

    pub fn store(&mut self) -> Result<&mut dyn Store, Exit> {
        let store = match self.store.take() {
            Some(store) => store,
            None => keep::store(self.keeping)?,
        };
        Ok(self.store.insert(store).as_mut())
    }

    /// The runs that a name stands for: one, or as many as a file of another tool holds.
    ///
    /// `42` and `run 42` are numbers in the store, `last` and `latest` are the newest there;
    /// anything else is a file (`./42` where it is called so), `-` standard input, and where no such
    /// file is there, a label: of several runs of that label it is the newest.
    pub fn runs(&mut self, name: &str) -> Result<Vec<FoundRun>, Exit> {
        if is_of_store(name) {
            let id = named(name, self.store()?)?;
            return Ok(vec![self.stored(id)?]);
        }
        if Path::new(name).is_file() || !is_label(name) {
            return of_file(name);
        }
        match self.labelled(name)? {
            Some(entry) => Ok(vec![self.of_entry(entry)?]),
            None => of_file(name),
        }
    }

    /// The newest run of this label; `None` where none is, or there is no store.
    fn labelled(&mut self, label: &str) -> Result<Option<Entry>, Exit> {
        if self.store.is_none() && self.keeping.location().map_err(Exit::usage)? == Location::None {
            return Ok(None);
        }
        newest(self.store()?, vec![label_tag(label)])
    }

    pub fn stored(&mut self, id: RunId) -> Result<FoundRun, Exit> {
        let entry = self.store()?.entry(id).map_err(Exit::of_store)?;
        self.of_entry(entry)
    }

    fn of_entry(&mut self, entry: Entry) -> Result<FoundRun, Exit> {
        let id = entry.id;
        let packed = self.store()?.document(id).map_err(Exit::of_store)?;
        Ok(of_store(entry, unpacked(id, &packed)?))
    }

    /// The runs of which these are the facts, in their order.
    pub fn of_entries(&mut self, entries: Vec<Entry>) -> Result<Vec<FoundRun>, Exit> {
        let ids: Vec<RunId> = entries.iter().map(|entry| entry.id).collect();
        let runs = self.documents(&ids)?;
        Ok(all_of_store(entries, runs))
    }

    /// What is compared of the runs of which these are the facts, in their order. It is kept
    /// beside them once it has been computed of many.
    pub fn compared(
        &mut self,
        entries: Vec<Entry>,
        progress: &ProgressBar,
    ) -> Result<Vec<FoundRun>, Exit> {
        let ids: Vec<RunId> = entries.iter().map(|entry| entry.id).collect();
        let mut runs = Vec::new();
        let mut computed: Vec<(RunId, Vec<u8>)> = Vec::new();
        let mut reader = SummaryReader::default();
        for ids in ids.chunks(AT_ONCE) {
            // Where they cannot be read, there are the runs.
            let kept = self.store()?.summaries(ids);
            let kept = kept.unwrap_or_else(|_| vec![None; ids.len()]);
            let read = parallel::map(&kept, |part| {
                let mut reader = reader.another();
                let mut read = |packed: &Option<Vec<u8>>| reader.read(packed.as_ref()?);
                part.iter().map(&mut read).collect()
            });
            let without = ids.iter().zip(&read).filter(|(_, run)| run.is_none());
            let without: Vec<RunId> = without.map(|(id, _)| *id).collect();
            let whole = self.documents(&without)?;
            let summaries = parallel::map(&whole, |part| part.iter().map(summary).collect());
            // A whole run takes much more memory.
            let whole: Vec<RunDocument> = whole
                .into_iter()
                .zip(&summaries)
                .map(|(run, packed): (_, &Vec<u8>)| reader.read(packed).unwrap_or(run))
                .collect();
            computed.extend(without.into_iter().zip(summaries));
            let mut whole = whole.into_iter();
            runs.extend(
                read.into_iter()
                    .filter_map(|run| run.or_else(|| whole.next())),
            );
            progress.inc(ids.len() as u64);
        }
        if computed.len() >= KEPT_FROM {
            computed.retain(|(_, summary)| !summary.is_empty());
            // Nobody waits for it, and it can be computed again.
            let _ = self.store()?.keep_summaries(&computed);
        }
        Ok(all_of_store(entries, runs))
    }

    /// All figures of these runs, in their order.
    fn documents(&mut self, ids: &[RunId]) -> Result<Vec<RunDocument>, Exit> {
        let mut documents = Vec::new();
        let mut rest = ids;
        while !rest.is_empty() {
            let mut packed: Vec<(RunId, Vec<u8>)> = Vec::new();
            let mut bytes = 0;
            while let Some((id, others)) = rest.split_first().filter(|_| bytes < BYTES_AT_ONCE) {
                let run = self.store()?.document(*id).map_err(Exit::of_store)?;
                bytes += run.len();
                packed.push((*id, run));
                rest = others;
            }
            let computed = parallel::map(&packed, |part| {
                let of = |(id, packed): &(RunId, Vec<u8>)| unpacked(*id, packed);
                part.iter().map(of).collect()
            });
            for document in computed {
                documents.push(document?);
            }
        }
        Ok(documents)
    }
}

/// Runs that are read from the store before they are unpacked, and the bytes that they take.
const AT_ONCE: usize = 256;
const BYTES_AT_ONCE: usize = 16 << 20;
/// What is compared of fewer runs is computed in less than a second: it is not worth writing
/// where somebody only looks.
const KEPT_FROM: usize = 100;

fn unpacked(id: RunId, packed: &[u8]) -> Result<RunDocument, Exit> {
    let run = unpack(packed).map_err(|error| Exit::failed(text!("run {id} {error}")))?;
    Ok(RunDocument::new(run))
}

fn of_store(entry: Entry, mut run: RunDocument) -> FoundRun {
    let id = entry.id;
    // Somebody may have given it another one since it was kept.
    run.label = label_of_tags(&entry.tags).map(str::to_owned);
    FoundRun {
        source: format!("run {id}"),
        id: Some(id),
        annotations: Annotations {
            note: entry.note,
            tags: entry.tags,
        },
        run,
    }
}

fn all_of_store(entries: Vec<Entry>, runs: Vec<RunDocument>) -> Vec<FoundRun> {
    let runs = entries.into_iter().zip(runs);
    runs.map(|(entry, run)| of_store(entry, run)).collect()
}

/// The runs that one name stands for.
pub fn runs(name: &str, keeping: &Keeping) -> Result<Vec<FoundRun>, Exit> {
    Recall::new(keeping).runs(name)
}

/// The one run that a name stands for.
pub fn only(name: &str, recalled: Vec<FoundRun>) -> Result<FoundRun, Exit> {
    let [recalled] = <[_; 1]>::try_from(recalled).map_err(|several: Vec<_>| {
        Exit::usage(text!(
            "{name} holds {} runs; keep them with sokudo import, and show one by its number",
            several.len()
        ))
    })?;
    Ok(recalled)
}

fn of_file(name: &str) -> Result<Vec<FoundRun>, Exit> {
    let path = Path::new(name);
    let bytes = kept_bytes(path)?;
    let text = match String::from_utf8(bytes) {
        Ok(text) if report::is_report(&text) => return of_report(name, &text),
        Ok(text) => text,
        // Other tools save other encodings, too.
        Err(error) => {
            let recalled = of_other_tool(path, error.as_bytes());
            return recalled.map_err(|error| Exit::usage(text!("{name} {error}")));
        }
    };
    match RunDocument::from_json(&text) {
        Ok(run) => Ok(vec![FoundRun::of_file(name.to_owned(), run)]),
        Err(error) => of_other_tool(path, text.as_bytes()).map_err(|other| match other {
            // It is of no tool at all, or a damaged result of sokudo's.
            ImportError::Unknown(_) => Exit::usage(text!("{name} {error}")),
            other => Exit::usage(text!("{name} {other}")),
        }),
    }
}

/// The runs of a file that another tool has printed.
fn of_other_tool(path: &Path, bytes: &[u8]) -> Result<Vec<FoundRun>, ImportError> {
    let name = path.display();
    let import = result_file::imported(path, bytes)?;
    for left in &import.left_out {
        exit::note(result_file::left_out(path, left));
    }
    let is_one = import.runs.len() == 1;
    let recalled = (1..).zip(import.runs).map(|(number, run): (u64, _)| {
        let source = match is_one {
            true => name.to_string(),
            false => format!("{name} #{number}"),
        };
        FoundRun::of_file(source, result_file::judged(run, 0))
    });
    Ok(recalled.collect())
}

/// Whether a name is one of the store's: a number, or `last`, which some call `latest`.
pub fn is_of_store(name: &str) -> bool {
    matches!(name, "last" | "latest") || number(name).is_some()
}

/// The number that a name stands for, of a run in the store.
pub fn id(name: &str, keeping: &Keeping) -> Result<RunId, Exit> {
    match number(name) {
        Some(id) => Ok(id),
        None if is_of_store(name) => named(name, keep::store(keeping)?.as_mut()),
        None => {
            let is_label = is_label(name);
            let labelled = is_label.then(|| Recall::new(keeping).labelled(name));
            labelled.transpose()?.flatten().map(|it| it.id).ok_or_else(|| {
                Exit::usage(text!(
                    "there is no kept run {name}; use a number from sokudo list, a label, or last"
                ))
            })
        }
    }
}

/// The same in a store that is open.
fn named(name: &str, store: &mut dyn Store) -> Result<RunId, Exit> {
    if let Some(id) = number(name) {
        return Ok(id);
    }
    let found = newest(store, Vec::new())?.map(|entry| entry.id);
    found.ok_or_else(|| Exit::usage(text!("no run is kept yet; sokudo mark . measures one")))
}

/// The newest run that has these tags.
fn newest(store: &mut dyn Store, tags: Vec<String>) -> Result<Option<Entry>, Exit> {
    let filter = Filter {
        tags,
        ..Filter::default()
    };
    let newest = Page { skip: 0, count: 1 };
    let found = store.list(&filter, newest).map_err(Exit::failed)?;
    Ok(found.into_iter().next())
}

/// The runs of a report that `sokudo show` has written.
fn of_report(name: &str, text: &str) -> Result<Vec<FoundRun>, Exit> {
    let report = Report::from_json(text).map_err(|error| Exit::usage(text!("{name} {error}")))?;
    let recalled = report.runs.into_iter().map(|reported| FoundRun {
        source: reported.source,
        id: None,
        annotations: Annotations {
            note: reported.note,
            tags: reported.tags,
        },
        run: reported.run,
    });
    Ok(recalled.collect())
}

fn number(name: &str) -> Option<RunId> {
    let digits = name.strip_prefix("run ").unwrap_or(name);
    digits.parse().ok().map(RunId)
}

pub fn stored(id: RunId, keeping: &Keeping) -> Result<FoundRun, Exit> {
    Recall::new(keeping).stored(id)
}

/// The bytes of a file; `-` is standard input.
fn kept_bytes(path: &Path) -> Result<Vec<u8>, Exit> {
    let bytes =
        result_file::open(path).and_then(|source| result_file::bounded(source, JSON_BYTES_MAX));
    bytes.map_err(|error| {
        Exit::usage(text!(
            "{} cannot be read: {error}; name a file written with --format json, or the --label of a kept run; sokudo compare --live 'mark DIR1' 'mark DIR2' measures and compares two directories",
            path.display()
        ))
    })
}
