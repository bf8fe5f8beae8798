//! `sokudo baseline`: with which runs later ones are compared.
//!
//! A run that says nothing about its device is refused: what is compared with it would say
//! nothing either.

use anyhow::anyhow;
use sokudo_analysis::trials_needed;
use sokudo_engine::Control;
use sokudo_report::{ListDocument, RunDocument};
use sokudo_store::RunId;

use crate::cli::{
    BaselineArguments, BaselineCommand, BaselineListArguments, Keeping, SetArguments,
    UnsetArguments,
};
use crate::exit::{self, Exit};
use crate::history::listed;
use crate::repeat::Repeat;
use crate::subject::Named;
use crate::{busy, idle, interrupt, keep, language, output, recall};

/// Methods that have no `--runs`: they decide by themselves how often they measure.
const WITHOUT_RUNS: [&str; 2] = ["explain", "steady"];

/// Sets, shows or unsets.
pub(crate) fn run(arguments: BaselineArguments) -> Result<(), Exit> {
    match arguments.command {
        BaselineCommand::Set(arguments) => set(&arguments),
        BaselineCommand::Show(arguments) => show(&arguments),
        BaselineCommand::Unset(arguments) => unset(&arguments),
    }
}

fn set(arguments: &SetArguments) -> Result<(), Exit> {
    if arguments.measured.is_empty() {
        if arguments.idle.wait_idle.is_some() {
            return Err(Exit::usage(anyhow!(
                "--wait-idle waits before a measurement; say which: sokudo baseline set --wait-idle -- mark PATH"
            )));
        }
        let id = recall::id(&arguments.run, &arguments.keeping)?;
        let run = recall::stored(id, &arguments.keeping)?.run;
        return appoint(id, &run, false, arguments);
    }
    let (id, run) = measure(arguments)?;
    appoint(id, &run, arguments.idle.wait_idle.is_some(), arguments)
}

/// Measures, prints and keeps.
fn measure(arguments: &SetArguments) -> Result<(RunId, RunDocument), Exit> {
    let mut repeat = Repeat::of_words(arguments.measured.clone())?;
    // Refused before anything is measured: what is not kept is no baseline.
    keep::store(&arguments.keeping)?;
    let control = Control::new();
    interrupt::watch(&control)?;
    if let Some(limit) = arguments.idle.wait_idle
        && let Some(target) = repeat.target()
    {
        idle::wait(&Named::recognise(target)?, limit, &control)?;
    }
    if let Some(printing) = repeat.printing_mut() {
        output::check(printing)?;
    }
    let quiet = repeat.printing_mut().is_some_and(|printing| printing.quiet);
    let finished = repeat.measure(&control, quiet)?;
    if let Some(printing) = repeat.printing_mut() {
        output::write(&finished.document, printing)?;
    }
    let id = keep::keep(&finished.document, &arguments.keeping, quiet);
    finished.ended_by.map_or(Ok(()), Err)?;
    let id = id.ok_or_else(|| {
        Exit::Failed(anyhow!(
            "the run is not kept, so that nothing can be compared with it; name another --store"
        ))
    })?;
    Ok((id, finished.document))
}

/// Makes it the baseline, if it is a good witness.
fn appoint(
    id: RunId,
    run: &RunDocument,
    was_idle: bool,
    arguments: &SetArguments,
) -> Result<(), Exit> {
    refuse_imported(&format!("run {id}"), run)?;
    let doubts = busy::doubts(run, was_idle);
    if !doubts.is_empty() && !arguments.anyway {
        return Err(Exit::NotTrusted(anyhow!(
            "run {id} is no good baseline: {}; measure again while the machine is idle (sokudo \
             baseline set --wait-idle -- mark PATH), or take it as it is with --anyway",
            doubts.join("; ")
        )));
    }
    for doubt in doubts {
        exit::note(format_args!("the baseline is a doubtful one: {doubt}"));
    }
    let rows = run.results.len();
    let least = run.results.iter().map(|row| row.trials.len()).min();
    let needed = trials_needed(rows.max(1), false);
    if let Some(least) = least.filter(|least| *least < needed) {
        let has_runs = !WITHOUT_RUNS.iter().any(|it| run.method.starts_with(it));
        exit::note(match has_runs {
            true => format!(
                "a row has {least} of the {needed} trials that {rows} rows need to be compared, so that \
                 sokudo check will not judge it; measure with --runs {needed}"
            ),
            false => format!(
                "a row has {least} of the {needed} trials that {rows} rows need to be compared, so that \
                 sokudo check will not judge it; let sokudo mark measure the baseline"
            ),
        });
    }
    let mut store = keep::store(&arguments.keeping)?;
    let before = earlier(&arguments.keeping, id)?;
    store.set_baseline(id).map_err(Exit::failed)?;
    let name = run.target.device_name();
    let method = &run.method;
    let told = match before {
        Some(before) => format!(
            "Run {id} is the baseline of {name} for {method}, in the place of run {before}. sokudo check {id} measures again and compares."
        ),
        None => format!(
            "Run {id} is the baseline of {name} for {method}. sokudo check {id} measures again and compares."
        ),
    };
    output::print(&(printable(&language::say(&told)) + "\n"))
}

/// A run of another tool is no baseline, whatever is said: nothing could be checked against
/// it.
pub(crate) fn refuse_imported(name: &str, run: &RunDocument) -> Result<(), Exit> {
    match &run.origin {
        None => Ok(()),
        Some(origin) => Err(Exit::usage(anyhow!(
            "{name} is one of {}, which sokudo cannot measure again; make a baseline of sokudo's own: \
             sokudo baseline set -- mark PATH",
            origin.tool
        ))),
    }
}

/// The baseline that this run will replace.
fn earlier(keeping: &Keeping, id: RunId) -> Result<Option<RunId>, Exit> {
    let mut store = keep::store(keeping)?;
    let run = store.entry(id).map_err(Exit::failed)?.run;
    let baselines = store.baselines().map_err(Exit::failed)?;
    let same = baselines
        .into_iter()
        .find(|it| it.device == run.device && it.method == run.method);
    Ok(same.map(|it| it.run).filter(|before| *before != id))
}

/// A name of a stranger's commands no terminal.
fn printable(text: &str) -> String {
    let harmless = |sign: char| match sign {
        sign if sign.is_control() && sign != '\n' => char::REPLACEMENT_CHARACTER,
        sign => sign,
    };
    text.chars().map(harmless).collect()
}

fn show(arguments: &BaselineListArguments) -> Result<(), Exit> {
    let mut store = keep::store(&arguments.keeping)?;
    let baselines = store.baselines().map_err(Exit::failed)?;
    let mut runs = Vec::new();
    for baseline in baselines {
        runs.push(listed(&store.entry(baseline.run).map_err(Exit::failed)?));
    }
    let is_empty = runs.is_empty();
    let document = ListDocument::new(runs);
    if arguments.format.is_json() {
        return output::print(&document.to_json());
    }
    if is_empty {
        return output::print(&language::say(
            "There is no baseline yet; sokudo baseline set -- mark PATH measures one.\n",
        ));
    }
    output::print(&document.render(&output::terminal_style()))
}

fn unset(arguments: &UnsetArguments) -> Result<(), Exit> {
    let id = recall::id(&arguments.run, &arguments.keeping)?;
    let mut store = keep::store(&arguments.keeping)?;
    if !store.entry(id).map_err(Exit::of_store)?.is_baseline {
        return Err(Exit::usage(anyhow!(
            "run {id} is no baseline; sokudo baseline show lists those that are"
        )));
    }
    store.unset_baseline(id).map_err(Exit::failed)
}
