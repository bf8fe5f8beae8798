//! Runs on their way into the store: what they are called by there, and what happens where
//! one cannot be kept.
//!
//! A run is kept before it is printed ([`KeptRuns`]): what cannot be printed or written (a full
//! disk) would be lost otherwise.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use sokudo_model::{ListedRow, Nanos, Run, hosts_tag, label_of_tags, label_tag, narrow};
use sokudo_report::document::{ResultDocument, pack, summary};
use sokudo_report::{RunDocument, run};
use sokudo_store::{Filter, NewRun, Page, RunId, Sqlite, Store, StoreError};
use sokudo_terminal::arguments::printing;
use sokudo_terminal::arguments::store::{Keeping, Location, data_folder};
use sokudo_terminal::command_line::quoted;
use sokudo_terminal::exit::{self, Exit, WithCauses};
use sokudo_terminal::{event_stream, interrupt, invocation, output};
use sokudo_words::{Text, text};

/// Runs that have been kept, as far as a store was there to take them. What a command has
/// measured is printed through it, and so never before.
#[must_use = "what was kept is yet to be printed"]
#[derive(Debug, Default)]
pub struct KeptRuns {
    runs: Vec<KeptRun>,
    is_store_silent: bool,
}

#[derive(Clone, Copy, Debug)]
struct KeptRun {
    id: RunId,
    /// The run that is `last`, where that is another: the clock was set back since it began.
    last: Option<RunId>,
}

impl KeptRun {
    fn note(self) -> Text {
        let id = self.id;
        match self.last {
            Some(last) => text!(
                "kept as run {id}: sokudo show {id}; the name last still means run {last}, which by the clock began later"
            ),
            None => text!("kept as run {id}: sokudo show {id}"),
        }
    }
}

impl KeptRuns {
    /// The number of the first.
    pub fn first(&self) -> Option<RunId> {
        self.runs.first().map(|run| run.id)
    }

    /// Whether the store was waited for in vain, so that nothing more is asked of it.
    pub fn is_store_silent(&self) -> bool {
        self.is_store_silent
    }

    /// Whether `last` means what was kept here.
    pub fn is_last(&self) -> bool {
        self.runs.iter().all(|run| run.last.is_none())
    }

    /// Prints. Where that fails, the error says under which numbers the runs are kept, also
    /// to the quiet.
    pub fn print<T>(
        &self,
        quiet: bool,
        print: impl FnOnce() -> Result<T, Exit>,
    ) -> Result<T, Exit> {
        let printed = print().map_err(|error| self.way_back(error))?;
        // The page has its own link to it.
        if !quiet && !event_stream::is_for_page() {
            for run in &self.runs {
                exit::note(run.note());
            }
        }
        Ok(printed)
    }

    fn add(&mut self, run: &Run, document: &RunDocument, keeping: &Keeping, before: Option<RunId>) {
        match kept(run, document, keeping, before, Patience::of(run)) {
            Ok(kept) => self.runs.extend(kept),
            Err(error) => {
                exit::note(match before {
                    None => text!("this run is not kept: {error}"),
                    Some(_) => text!("only a part of this run is kept: {error}"),
                });
                if matches!(error.downcast_ref(), Some(StoreError::Silent { .. })) {
                    self.is_store_silent = true;
                    put_beside(document, keeping);
                }
            }
        }
    }

    fn way_back(&self, error: Exit) -> Exit {
        if self.runs.is_empty() {
            return error;
        }
        let commands: Vec<String> = self
            .runs
            .iter()
            .map(|run| format!("sokudo show {}", run.id))
            .collect();
        let commands = commands.join(", ");
        error.map(|error| {
            let causes = WithCauses(&error);
            let message = text!("{causes}; what was measured is kept: {commands}");
            error.context(message)
        })
    }
}

/// Keeps what was measured, with its figures. A store that cannot take it is told in one line
/// and changes nothing else: the measurement is done.
pub fn keep<'a>(
    runs: impl IntoIterator<Item = (&'a Run, &'a RunDocument)>,
    keeping: &Keeping,
) -> KeptRuns {
    let mut all = KeptRuns::default();
    for (run, document) in runs {
        all.add(run, document, keeping, None);
    }
    all
}

/// The same of a run of which a part may have been kept before.
pub fn keep_whole(
    run: &Run,
    document: &RunDocument,
    keeping: &Keeping,
    before: Option<RunId>,
) -> KeptRuns {
    let mut all = KeptRuns::default();
    all.add(run, document, keeping, before);
    all
}

/// What a store that others use or that says nothing has not taken is kept in a file, from which
/// it is brought in later.
fn put_beside(document: &RunDocument, keeping: &Keeping) {
    let folder = match keeping.location() {
        Ok(Location::File(path)) => path.parent().map(Path::to_owned),
        Ok(Location::Server(_)) => data_folder().map(|folder| folder.join("sokudo")),
        Ok(Location::None) | Err(_) => None,
    };
    let folder = folder.unwrap_or_default();
    let began_at = document.started_at.unwrap_or(Nanos(0)).0;
    let path = folder.join(format!("run-{began_at}-{}.json", std::process::id()));
    // Where there is no folder, the error of writing says so.
    let _ = std::fs::create_dir_all(&folder);
    match output::write_file(&path, document.to_json()) {
        Ok(()) => exit::note(text!(
            "what was measured is in {}; sokudo import {} keeps it",
            path.display(),
            quoted(&path.to_string_lossy())
        )),
        Err(exit) => exit::note(exit.message().unwrap_or_default()),
    }
}

/// What runs of drop-ins are called.
const LABEL: &str = "SOKUDO_LABEL";

/// Keeps a run of a drop-in. Drop-ins do what their tools do, so that a run is kept only
/// where the variable names a store, and nothing is said but that it could not be. Their options
/// are those of their tools, so that another variable is the run's label.
pub fn keep_at_door(run: impl FnOnce() -> Run) -> KeptRuns {
    let keeping = Keeping::of_variable();
    let kept = keeping.map(|keeping| {
        let label = invocation::variable(LABEL)
            .map(|it| printing::label(&it))
            .transpose();
        let run = Run {
            label: label.unwrap_or_else(|why| {
                exit::note(text!("{LABEL} is left out: {why}"));
                None
            }),
            ..run()
        };
        keep([(&run, &RunDocument::from_run(&run))], &keeping)
    });
    kept.unwrap_or_default()
}

/// Keeps a run that goes on, in the place of what was kept of it before.
pub(crate) fn keep_again(
    run: &Run,
    document: &RunDocument,
    keeping: &Keeping,
    before: Option<RunId>,
) -> Result<Option<RunId>, Text> {
    let kept = kept(run, document, keeping, before, Patience::SHORT);
    let kept = kept.map_err(|error| text!("this run is not kept: {error}"))?;
    Ok(kept.map(|run| run.id))
}

/// How long a store is waited for that others use or that says nothing.
#[derive(Clone, Copy)]
struct Patience(Duration);

impl Patience {
    const SHORT: Self = Self(Duration::from_secs(10));
    const LONG: Self = Self(Duration::from_secs(600));
    /// A tenth of the run: what took longer is worth a longer wait.
    const PART: u32 = 10;

    fn of(run: &Run) -> Self {
        let began_at = run.started_at.unwrap_or(Nanos(u64::MAX));
        let elapsed = invocation::now().0.saturating_sub(began_at.0);
        let part = Duration::from_nanos(elapsed) / Self::PART;
        Self(part.clamp(Self::SHORT.0, Self::LONG.0))
    }
}

/// After so long it is told that a store is waited for.
const REPORTED_AFTER: Duration = Duration::from_secs(2);
/// A store answers in several parts, each of which may take nearly as long as is waited.
const ANSWERS: u32 = 3;
const LOOK: Duration = Duration::from_millis(100);

fn kept(
    run: &Run,
    document: &RunDocument,
    keeping: &Keeping,
    before: Option<RunId>,
    patience: Patience,
) -> anyhow::Result<Option<KeptRun>> {
    let location = keeping.location()?;
    if location == Location::None {
        return Ok(None);
    }
    let packed = pack(run)?;
    let mut tags: Vec<String> = run.label.as_deref().map(label_tag).into_iter().collect();
    tags.extend((!run.hosts.is_empty()).then(|| hosts_tag(run.hosts.len())));
    let new = new_run(document, packed);
    in_time(patience, move || {
        put(location, patience, &new, before, &tags)
    })
}

/// The work of a thread of its own, which is left to itself where it takes too long or somebody
/// interrupts.
fn in_time<T: Send + 'static>(
    patience: Patience,
    work: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        // Nobody listens any more where it took too long.
        let _ = sender.send(work());
    })?;
    let began_at = Instant::now();
    let longest = patience.0 * ANSWERS;
    let seconds = longest.as_secs();
    let mut is_reported = false;
    let silent = |reason| StoreError::Silent {
        store: text!("the store"),
        reason,
    };
    interrupt::KEEPING.during(|is_interrupted| {
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok(done) => return done,
                Err(RecvTimeoutError::Disconnected) => anyhow::bail!(text!("its thread has ended")),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if is_interrupted() {
                anyhow::bail!(silent(text!("the wait for it was interrupted")));
            }
            let elapsed = began_at.elapsed();
            if elapsed > longest {
                anyhow::bail!(silent(text!("it has not answered within {seconds} s")));
            }
            if elapsed > REPORTED_AFTER && !is_reported {
                is_reported = true;
                exit::note(text!(
                    "waiting for the store, {seconds} s at most; Ctrl-C prints the result at once"
                ));
            }
        }
    })
}

/// Keeps a run in the store of this location.
fn put(
    location: Location,
    patience: Patience,
    new: &NewRun,
    before: Option<RunId>,
    tags: &[String],
) -> anyhow::Result<Option<KeptRun>> {
    let Some(mut store) = opened_at(location, patience)? else {
        return Ok(None);
    };
    let id = match before {
        None => store.keep(new)?,
        Some(id) => {
            store.replace(id, new)?;
            id
        }
    };
    if !tags.is_empty() {
        relabelled(store.as_mut(), id, tags, &[])?;
    }
    let newest = Page { skip: 0, count: 1 };
    // It is kept, whatever becomes of this question.
    let newest = store.list(&Filter::default(), newest).unwrap_or_default();
    let later = newest
        .first()
        .filter(|it| it.run.started_at > new.started_at);
    let last = later.map(|it| it.id);
    Ok(Some(KeptRun { id, last }))
}

/// Gives a kept run a label in the place of another.
pub fn label(store: &mut dyn Store, id: RunId, label: &str) -> Result<(), StoreError> {
    relabelled(store, id, &[label_tag(label)], &[])
}

/// Tags a run that was just kept. A store that cannot take it is told in one line.
pub fn tag(id: RunId, tags: &[String], keeping: &Keeping) {
    let tagged = store(keeping)
        .and_then(|mut store| relabelled(store.as_mut(), id, tags, &[]).map_err(Exit::of_store));
    if let Err(exit) = tagged {
        exit::note(text!(
            "run {id} is not tagged: {}",
            exit.message().unwrap_or_default()
        ));
    }
}

/// Adds and removes tags of a kept run. One that is a label takes the place of another.
pub(crate) fn relabelled(
    store: &mut dyn Store,
    id: RunId,
    add: &[String],
    remove: &[String],
) -> Result<(), StoreError> {
    let mut remove = remove.to_vec();
    if label_of_tags(add).is_some() {
        let kept = store.entry(id)?.tags;
        let labels = kept
            .into_iter()
            .filter(|tag| label_of_tags(&[tag]).is_some());
        remove.extend(labels);
    }
    store.tag(id, add, &remove)
}

/// The store; an error where none is to be used, for commands that are about nothing else.
pub fn store(keeping: &Keeping) -> Result<Box<dyn Store>, Exit> {
    opened(keeping).map_err(Exit::Failed)?.ok_or_else(|| {
        Exit::usage(text!(
            "no store is given, so there is nothing to show; name one with --store, or remove what switches it off (--store none, SOKUDO_STORE=none)"
        ))
    })
}

/// The store; `None` where none is to be used.
pub fn opened(keeping: &Keeping) -> anyhow::Result<Option<Box<dyn Store>>> {
    opened_at(keeping.location()?, Patience::SHORT)
}

fn opened_at(location: Location, patience: Patience) -> anyhow::Result<Option<Box<dyn Store>>> {
    Ok(match location {
        Location::None => None,
        Location::File(path) => Some(Box::new(Sqlite::open_with(&path, patience.0)?)),
        #[cfg(feature = "postgres")]
        Location::Server(address) => Some(Box::new(sokudo_store::Postgres::open(&address)?)),
        #[cfg(not(feature = "postgres"))]
        Location::Server(_) => anyhow::bail!(text!(
            "this sokudo was built without PostgreSQL (cargo feature postgres); build it with cargo install --features postgres, or name a file with --store"
        )),
    })
}

/// A run as it is packed, with the facts by which it is found again.
pub fn new_run(document: &RunDocument, packed: Vec<u8>) -> NewRun {
    let target = &document.target;
    let results = &document.results;
    let verdict_of = |is_counted: fn(&ResultDocument) -> bool| {
        let counted = results.iter().filter(|it| is_counted(it));
        counted.filter_map(|it| it.verdict).max()
    };
    NewRun {
        started_at: document.started_at.unwrap_or(Nanos(0)),
        method: document.plan.method.to_string(),
        target: target.name.clone(),
        device: target.identity(),
        device_name: target.device_name(),
        host: document.environment.host.clone(),
        verdict: verdict_of(|it| !it.is_of_cache_on_purpose()).or_else(|| verdict_of(|_| true)),
        fingerprint: document.fingerprint.clone(),
        sokudo_version: document.sokudo_version.clone(),
        origin: document.origin().map(|origin| origin.tool.clone()),
        command: document.command.clone(),
        interrupted: document.interrupted,
        answer: run::listed_answer(document).filter(|_| !document.interrupted),
        rows: results.iter().map(new_row).collect(),
        document: packed,
        summary: summary(document),
    }
}

fn new_row(result: &ResultDocument) -> ListedRow {
    let bandwidth = result.bandwidth_bytes_per_s.as_ref();
    let bandwidth = bandwidth.map(|figures| figures.bytes_per_s.median);
    // Of places the figure is the one that their table shows.
    let from_samples = result
        .surface
        .as_ref()
        .and_then(|it| it.rate_bytes_per_s.as_ref());
    let from_samples = from_samples.map(|rate| rate.median);
    ListedRow {
        name: result.name.clone(),
        direction: result.direction_label(),
        fingerprint: result.fingerprint.clone(),
        verdict: result.verdict,
        bytes_per_s: from_samples.or(bandwidth),
        ios_per_s: result.iops.as_ref().map(|figures| figures.median),
        latency_ns: result.latency_ns.as_ref().map(|figures| figures.mean),
        trials: narrow(result.trials.len()),
        stands_for_disk: Some(result.stands_for_disk()),
    }
}
