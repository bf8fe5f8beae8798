//! `sokudo list`, `edit` and `delete`: the runs that are kept.
//!
//! It measures nothing and changes no figure: a run stays as it was kept, and only what
//! somebody says of it changes.

pub mod arguments;

use sokudo_device::{System, look};
use sokudo_model::{Nanos, label_tag};
use sokudo_report::table::Tone;
use sokudo_report::{Forms, ListDocument, ListedRun, rfc3339};
use sokudo_store::{Entry, Filter, Page, RunId, Store};
use sokudo_terminal::exit::Exit;
use sokudo_terminal::{invocation, output};
use sokudo_words::text;

use crate::arguments::which::RunFilterArguments;
use crate::runs::arguments::{DeleteArguments, EditArguments, ListArguments};
use crate::{find, keep};

/// More runs than any store holds. Databases count with a sign, and two of these can be
/// added.
const COUNT_MAX: u64 = u64::MAX >> 2;

/// Prints a line for each run.
pub fn list(arguments: &ListArguments) -> Result<(), Exit> {
    let mut store = keep::store(&arguments.keeping)?;
    let entries = listed_entries(store.as_mut(), arguments)?;
    print_list(entries, arguments)
}

fn listed_entries(store: &mut dyn Store, arguments: &ListArguments) -> Result<Vec<Entry>, Exit> {
    let page = Page {
        skip: arguments.skip.min(COUNT_MAX),
        count: match arguments.limit {
            0 => COUNT_MAX,
            limit => limit.min(COUNT_MAX),
        },
    };
    found(store, arguments.device.as_deref(), &arguments.which, page)
}

/// The runs that are meant, the newest first. A device is known by its identity where it
/// is here under that name, and by its names else.
pub fn found(
    store: &mut dyn Store,
    device: Option<&str>,
    which: &RunFilterArguments,
    page: Page,
) -> Result<Vec<Entry>, Exit> {
    let [since, until] = which.period.bounds(invocation::now());
    let by_name = Filter {
        device: device.map(str::to_owned),
        method: which.method.clone(),
        since,
        until,
        verdict: which.verdict,
        tags: which.tags.clone(),
        device_identity: None,
    };
    let here = device.filter(|name| name.contains('/') || *name == ".");
    if let Some(inspected) = here.and_then(|name| look(&System::host(), name).ok()) {
        let by_identity = Filter {
            device: None,
            device_identity: Some(inspected.info.identity()),
            ..by_name.clone()
        };
        let entries = store.list(&by_identity, page).map_err(Exit::failed)?;
        if !entries.is_empty() {
            return Ok(entries);
        }
    }
    store.list(&by_name, page).map_err(Exit::failed)
}

fn print_list(entries: Vec<Entry>, arguments: &ListArguments) -> Result<(), Exit> {
    let document = ListDocument::new(entries.into_iter().map(listed).collect());
    if arguments.format.is_json() {
        return output::print(&document.to_json());
    }
    if !document.runs.is_empty() {
        return output::print_coloured(&document.render(&output::terminal_style()));
    }
    let is_filtered =
        arguments.device.is_some() || arguments.which.is_given() || arguments.skip > 0;
    output::say(&match is_filtered {
        true => text!("No kept run matches; sokudo list without options shows the newest."),
        false => text!(
            "No run is kept yet; sokudo mark . measures the disk under this directory and keeps the run."
        ),
    })
}

/// A run of the store as lists show it.
pub fn listed(entry: Entry) -> ListedRun {
    let run = entry.run;
    ListedRun {
        id: entry.id.0,
        // Of what others have measured it may be unknown when it was.
        started_at: match run.started_at {
            Nanos(0) => String::new(),
            started_at => rfc3339(started_at),
        },
        method: run.method,
        target: run.target,
        device: run.device,
        device_name: run.device_name,
        host: run.host,
        verdict: run.verdict,
        fingerprint: run.fingerprint,
        sokudo_version: run.sokudo_version,
        origin: run.origin,
        command: run.command,
        interrupted: run.interrupted,
        note: entry.note,
        tags: entry.tags,
        answer: run.answer.map(|answer| answer.name().to_owned()),
        tone: run.answer.map_or(Tone::of(run.verdict), Tone::of_answer),
        is_baseline: entry.is_baseline,
        rows: run.rows,
    }
}

/// Says of runs what is known of them beside their figures.
pub fn edit(arguments: &EditArguments) -> Result<(), Exit> {
    let ids = arguments.runs.iter();
    let ids = ids.map(|name| find::id(name, &arguments.keeping));
    let ids: Vec<RunId> = ids.collect::<Result<_, _>>()?;
    let label = arguments.label.iter().map(|name| label_tag(name));
    let add: Vec<String> = arguments.add.iter().cloned().chain(label).collect();
    let mut store = keep::store(&arguments.keeping)?;
    // All must be there, or none is changed.
    for id in &ids {
        store.entry(*id).map_err(Exit::of_store)?;
    }
    for id in ids {
        if let Some(note) = &arguments.note {
            store.note(id, note).map_err(Exit::of_store)?;
        }
        if !(add.is_empty() && arguments.remove.is_empty()) {
            keep::relabelled(store.as_mut(), id, &add, &arguments.remove)
                .map_err(Exit::of_store)?;
        }
    }
    Ok(())
}

/// Deletes runs, all of which must be there, and none of which may be a baseline.
pub fn delete(arguments: &DeleteArguments) -> Result<(), Exit> {
    let ids = arguments
        .runs
        .iter()
        .map(|name| find::id(name, &arguments.keeping));
    let mut ids: Vec<RunId> = ids.collect::<Result<_, _>>()?;
    ids.sort_unstable();
    ids.dedup();
    let mut store = keep::store(&arguments.keeping)?;
    let mut entries = Vec::new();
    for id in &ids {
        entries.push(store.entry(*id).map_err(Exit::of_store)?);
    }
    if let Some(baseline) = entries.iter().find(|entry| entry.is_baseline) {
        return Err(Exit::refused(text!(
            "run {id} is the baseline of {}; unset it before you delete it: sokudo baseline unset {id}",
            baseline.run.device_name,
            id = baseline.id
        )));
    }
    if !arguments.yes && !is_wanted(&entries)? {
        return Err(Exit::failed(text!("nothing was deleted")));
    }
    for id in ids {
        store.delete(id).map_err(Exit::failed)?;
    }
    Ok(())
}

/// Asks at the terminal.
fn is_wanted(entries: &[Entry]) -> Result<bool, Exit> {
    if !invocation::is_somebody_there() {
        return Err(Exit::usage(text!(
            "deleting cannot be undone, and there is no terminal to ask on; use --yes"
        )));
    }
    let runs: Vec<ListedRun> = entries.iter().cloned().map(listed).collect();
    output::print_coloured(&ListDocument::new(runs).render(&output::terminal_style()))?;
    output::print("\n")?;
    output::ask(&text!("Delete permanently? [y/N]"))
}
