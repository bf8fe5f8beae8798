//! `sokudo baseline`: with which runs later ones are compared.
//!
//! A run that says nothing about its device is refused: what is compared with it would say
//! nothing either.

pub(crate) mod arguments;

use sokudo_analysis::{Comparing, trials_needed};
use sokudo_engine::Control;
use sokudo_history::baselines_here::{of_this_machine, on_its_target, refuse_imported};
use sokudo_history::find::{self, Annotations, FoundRun};
use sokudo_history::keep;
use sokudo_history::past_runs::Past;
use sokudo_history::runs::listed;
use sokudo_measure::Named;
use sokudo_methods::arguments::destroying::Destroying;
use sokudo_methods::stored_command::{Leave, StoredCommand};
use sokudo_model::{Conclusion, MethodTrait, Verdict};
use sokudo_report::comparison::{Figure, Way};
use sokudo_report::wording::device;
use sokudo_report::{Forms, ListDocument, RunDocument, gravest_code};
use sokudo_store::RunId;
use sokudo_terminal::arguments::store::Keeping;
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{event_stream, interrupt, output, print};
use sokudo_words::{Text, text};

use crate::commands::baseline::arguments::{
    BaselineArguments, BaselineCommand, BaselineListArguments, SetArguments, UnsetArguments,
};
use crate::commands::idle::BusyPolicy;
use crate::commands::{busy, compare};

pub(crate) fn run(arguments: BaselineArguments) -> Result<(), Exit> {
    match arguments.command {
        None => show(&arguments.list),
        Some(BaselineCommand::Set(arguments)) => set(&arguments),
        Some(BaselineCommand::Show(arguments)) => show(&arguments),
        Some(BaselineCommand::Unset(arguments)) => unset(&arguments),
    }
}

fn set(arguments: &SetArguments) -> Result<(), Exit> {
    if arguments.all {
        return set_all(arguments);
    }
    if arguments.measured.is_empty() {
        if arguments.idle.wait_idle.is_some() || arguments.dry_run {
            return Err(Exit::usage(text!(
                "--wait-idle and --dry-run need a measurement: sokudo baseline set --wait-idle -- mark PATH"
            )));
        }
        let id = find::id(&arguments.run, &arguments.keeping)?;
        let run = find::stored(id, &arguments.keeping)?.run;
        return output::say(&appoint(id, &run, false, arguments)?);
    }
    let control = Control::new();
    interrupt::watch(&control)?;
    let mut repeat = StoredCommand::of_words(arguments.measured.clone())?;
    if arguments.dry_run {
        return often_enough(repeat)?.announce();
    }
    let is_for_programs = repeat.printing_mut().rendering.is_for_programs();
    let (id, run, was_idle) = measure(repeat, arguments, &control)?;
    let message = appoint(id, &run, was_idle, arguments)?;
    match is_for_programs || event_stream::is_printed() {
        true => exit::note(message),
        false => output::say(&message)?,
    }
    Ok(())
}

/// Measures every baseline of this machine anew, and lists those that there are then. Why one
/// could not be measured is told, and the others go on; the gravest code is that of all.
fn set_all(arguments: &SetArguments) -> Result<(), Exit> {
    let control = Control::new();
    interrupt::watch(&control)?;
    let all = keep::store(&arguments.keeping)?.baselines();
    let all = of_this_machine(all.map_err(Exit::failed)?, &arguments.keeping)?;
    if all.is_empty() {
        return Err(Exit::usage(text!(
            "there is no baseline to measure again; sokudo baseline set -- mark PATH measures one"
        )));
    }
    let count = all.len();
    let (mut runs, mut codes) = (Vec::new(), Vec::new());
    let mut is_interrupted = false;
    for baseline in all {
        let ended = match is_interrupted {
            true => Err(Exit::Interrupted),
            false => set_anew(baseline.run, arguments, &control),
        };
        is_interrupted |= matches!(ended, Err(Exit::Interrupted | Exit::InterruptedEarly(_)));
        let run = ended.unwrap_or_else(|exit| {
            codes.push(exit.code());
            if let Some(why) = exit.message() {
                let name = device(&baseline.device, &baseline.device_name);
                let method = &baseline.method;
                exit::fault(text!("{name} ({method}): {why}"));
            }
            baseline.run
        });
        runs.push(run);
    }
    if !arguments.dry_run {
        let list = listing(runs, &arguments.keeping)?;
        output::print_coloured(&list.render(&output::terminal_style()))?;
        output::say(&text!(
            "{} of {count} baselines were measured again.",
            count - codes.len()
        ))?;
    }
    match gravest_code(&codes) {
        0 => Ok(()),
        code => Err(Exit::AsReported(code)),
    }
}

fn set_anew(id: RunId, arguments: &SetArguments, control: &Control) -> Result<RunId, Exit> {
    let before = find::stored(id, &arguments.keeping)?;
    let (before, target) = on_its_target(before)?;
    let mut repeat = StoredCommand::of_run(&before.run)?.aimed_at(&target)?;
    repeat.ask_again(&Leave {
        overwrite: false,
        destroying: &Destroying::default(),
    })?;
    if arguments.dry_run {
        return often_enough(repeat)?.announce().map(|()| id);
    }
    let (id, run, was_idle) = measure(repeat, arguments, control)?;
    appoint(id, &run, was_idle, arguments)?;
    Ok(id)
}

fn measure(
    repeat: StoredCommand,
    arguments: &SetArguments,
    control: &Control,
) -> Result<(RunId, RunDocument, bool), Exit> {
    // Refused before anything is measured: what cannot be judged or is not kept is no
    // baseline, and a busy machine gives none.
    let mut repeat = often_enough(repeat)?;
    keep::store(&arguments.keeping)?;
    let before = BusyPolicy::of(arguments.idle.wait_idle, arguments.anyway);
    let was_idle = match repeat.target() {
        Some(target) => before.make_sure(&Named::recognise(target)?, control)?,
        None => false,
    };
    let is_alone = !arguments.all;
    let mut asking = arguments.asking;
    let target_paths = repeat.target_paths();
    let printing = repeat.printing_mut();
    // An answer of then is none of now.
    asking.yes |= is_alone && printing.asking.yes;
    asking.quiet |= !is_alone || printing.asking.quiet;
    printing.asking = asking;
    print::check(printing)?;
    for target_path in &target_paths {
        print::check_apart(target_path, printing)?;
    }
    if is_alone {
        event_stream::open(printing)?;
    }
    let mut finished = repeat.measure(control, asking)?;
    let printing = is_alone.then(|| repeat.printing_mut());
    if let Some(printing) = &printing {
        finished.call_as(printing);
    }
    let kept = keep::keep([(&finished.run, &finished.document)], &arguments.keeping);
    kept.print(asking.quiet, || {
        printing.map_or(Ok(()), |printing| {
            finished.tell_or_print(printing, kept.first(), |it, kept| {
                print::write(&it.document, printing, kept)
            })
        })
    })?;
    finished.ended_by.map_or(Ok(()), Err)?;
    let id = kept.first().ok_or_else(|| {
        Exit::failed(text!(
            "the run is not kept, so it cannot be a baseline; name another --store"
        ))
    })?;
    Ok((id, finished.document, was_idle))
}

/// The command with as many trials of each row as `sokudo check` needs, where it makes fewer
/// unasked.
fn often_enough(repeat: StoredCommand) -> Result<StoredCommand, Exit> {
    let Some(planned) = repeat.planned()? else {
        return Ok(repeat);
    };
    let needed = trials_needed(planned.rows.max(1), false);
    if planned.trials >= needed {
        return Ok(repeat.in_any_time(needed));
    }
    if planned.is_requested {
        return Err(Exit::usage(text!(
            "sokudo check needs {needed} trials of each row, and this command makes {}; use --runs {needed}, or leave --runs, --precision and --quick out",
            planned.trials
        )));
    }
    exit::note(text!(
        "each row gets {needed} trials, as many as sokudo check needs"
    ));
    Ok(repeat.with_runs(needed)?.in_any_time(needed))
}

/// Makes it the baseline, if it is a good witness, and says of what.
fn appoint(
    id: RunId,
    run: &RunDocument,
    was_idle: bool,
    arguments: &SetArguments,
) -> Result<Text, Exit> {
    refuse_imported(&text!("run {id}"), run)?;
    StoredCommand::of_run(run)?;
    let doubts = busy::doubts(run, was_idle);
    let judgeable = refuse_unjudgeable(id, run);
    if !doubts.is_empty() && !arguments.anyway {
        let doubts = Text::list(doubts, "; ");
        return Err(Exit::not_trusted(match judgeable {
            Ok(()) => text!(
                "run {id} cannot serve as a baseline: {doubts}; measure again while the machine is idle (sokudo baseline set --wait-idle -- mark PATH), or accept it with --anyway"
            ),
            Err(_) => text!(
                "run {id} cannot serve as a baseline: {doubts}; measure again while the machine is idle (sokudo baseline set --wait-idle -- mark PATH)"
            ),
        }));
    }
    judgeable?;
    for doubt in doubts {
        exit::note(text!("this baseline is doubtful: {doubt}"));
    }
    let mut store = keep::store(&arguments.keeping)?;
    let before = earlier(&arguments.keeping, id)?;
    store.set_baseline(id).map_err(Exit::failed)?;
    let name = device(&run.target.identity(), &run.target.device_name());
    let method = &run.plan.method;
    Ok(match before {
        Some(before) => text!(
            "Run {id} replaces run {before} as the baseline of {name} for {method}. sokudo check {id} measures again and compares."
        ),
        None => text!(
            "Run {id} is the baseline of {name} for {method}. sokudo check {id} measures again and compares."
        ),
    })
}

/// A run of which `sokudo check` could not judge a row is no baseline, whatever is said. It
/// is judged as it will be, against itself.
fn refuse_unjudgeable(id: RunId, run: &RunDocument) -> Result<(), Exit> {
    let itself = || FoundRun {
        source: format!("run {id}"),
        id: Some(id),
        annotations: Annotations::default(),
        run: run.clone(),
    };
    let comparing = Comparing {
        difference_min: 0.0,
        paired: false,
        loads_may_differ: false,
    };
    let sides = [itself(), itself()];
    let comparison = compare::side_by_side(
        &sides,
        Way::Kept,
        Figure::Bandwidth,
        comparing,
        &mut Past::default(),
    );
    let rows = || comparison.rows();
    let came_to =
        |conclusion: Conclusion| rows().filter(move |row| row.compared.conclusion == conclusion);
    let few = came_to(Conclusion::TooFewTrials).count();
    let blocked: Vec<_> = came_to(Conclusion::CannotBeCompared).collect();
    let all = rows().count();
    let made = run.results.iter().map(|row| row.trials.len()).min();
    let made = made.filter(|_| few > 0);
    let needed = trials_needed((all - blocked.len()).max(1), false);
    if few + blocked.len() < all {
        for row in &blocked {
            exit::note(text!("sokudo check will not judge {}", row.row));
        }
        return Ok(());
    }
    let has_runs = !run.plan.method.is(MethodTrait::DecidesTrials);
    let mut verdicts = run.results.iter().map(|row| row.verdict);
    let is_invalid = all > 0 && verdicts.all(|verdict| verdict == Some(Verdict::Invalid));
    Err(Exit::usage(match made {
        _ if is_invalid => text!(
            "run {id} cannot serve as a baseline: all its rows are INVALID (why: sokudo show {id} --why)"
        ),
        Some(made) if has_runs => text!(
            "run {id} cannot serve as a baseline: its rows have {made} trials, and sokudo check needs {needed} to judge one; measure with --runs {needed}"
        ),
        Some(made) => text!(
            "run {id} cannot serve as a baseline: its rows have {made} trials, and sokudo check needs {needed} to judge one; measure the baseline with sokudo mark"
        ),
        None => text!(
            "run {id} cannot serve as a baseline: sokudo check cannot judge any of its rows; measure the baseline with sokudo mark"
        ),
    }))
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

fn show(arguments: &BaselineListArguments) -> Result<(), Exit> {
    let mut store = keep::store(&arguments.keeping)?;
    let baselines = store.baselines().map_err(Exit::failed)?;
    let runs: Vec<RunId> = baselines.into_iter().map(|it| it.run).collect();
    let is_empty = runs.is_empty();
    let document = listing(runs, &arguments.keeping)?;
    if arguments.format.is_json() {
        return output::print(&document.to_json());
    }
    if is_empty {
        return output::say(&text!(
            "There is no baseline yet; sokudo baseline set -- mark PATH measures one."
        ));
    }
    output::print_coloured(&document.render(&output::terminal_style()))
}

fn listing(runs: Vec<RunId>, keeping: &Keeping) -> Result<ListDocument, Exit> {
    let mut store = keep::store(keeping)?;
    let entries = runs.into_iter().map(|id| store.entry(id));
    let listed = entries.map(|entry| entry.map(listed).map_err(Exit::failed));
    listed.collect::<Result<_, _>>().map(ListDocument::new)
}

fn unset(arguments: &UnsetArguments) -> Result<(), Exit> {
    let id = find::id(&arguments.run, &arguments.keeping)?;
    let mut store = keep::store(&arguments.keeping)?;
    if !store.entry(id).map_err(Exit::of_store)?.is_baseline {
        return Err(Exit::usage(text!(
            "run {id} is not a baseline; sokudo baseline show lists the baselines"
        )));
    }
    store.unset_baseline(id).map_err(Exit::failed)
}
