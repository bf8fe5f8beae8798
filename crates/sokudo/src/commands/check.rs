//! `sokudo check`: the measurement of a baseline made again, and what has become of its
//! rows since.
//!
//! It chooses what is measured and says what came of it. Whether a row is slower is decided
//! by `sokudo-analysis`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use sokudo_analysis::Comparing;
use sokudo_engine::Control;
use sokudo_history::baselines_here::{of_this_machine, on_its_target, refuse_imported};
use sokudo_history::find::{self, Annotations, FoundRun};
use sokudo_history::keep::{self, KeptRuns};
use sokudo_history::past_runs::Past;
use sokudo_measure::Named;
use sokudo_methods::stored_command::{Leave, StoredCommand};
use sokudo_report::check::CheckOutcome;
use sokudo_report::comparison::Way;
use sokudo_report::document::names_schema;
use sokudo_report::wording::device;
use sokudo_report::{
    BaselineCheck, CheckDocument, ChecksDocument, ComparisonDocument, Forms, RunDocument,
};
use sokudo_store::Baseline;
use sokudo_terminal::arguments::printing::result_file;
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{command_line, event_stream, interrupt, output, print};
use sokudo_words::{Text, text};

use crate::commands::baseline::arguments::{CheckArguments, CheckFormat};
use crate::commands::idle::BusyPolicy;
use crate::commands::{busy, compare};

/// A result of sokudo's says what it is within so many bytes.
const HEADER_BYTES: u64 = 256;

/// A check that was carried out.
struct Checked {
    document: CheckDocument,
    /// What was measured for it.
    run: RunDocument,
    kept: KeptRuns,
    /// What ended the measurement before its end.
    ended_by: Option<Exit>,
}

/// Measures, compares, prints, and says by the exit code what came of it.
pub(crate) fn run(arguments: &CheckArguments) -> Result<(), Exit> {
    let output = result_file(arguments.output.as_deref());
    let ended = checked(arguments);
    match arguments.format {
        CheckFormat::Nagios => print::ended_for_nagios(ended, output),
        _ => ended,
    }
}

fn checked(arguments: &CheckArguments) -> Result<(), Exit> {
    if arguments.dry_run {
        return announce(arguments);
    }
    output::check_writable(result_file(arguments.output.as_deref())).map_err(unwritten)?;
    arguments.notifying.check()?;
    let control = Control::new();
    interrupt::watch(&control)?;
    if arguments.all {
        return all(arguments, &control);
    }
    let (reference, target) = arguments.notifying.tell_failure(reference(arguments))?;
    let side = unchecked(&reference);
    let ended = carry_out(reference, &target, arguments, &control);
    if let Err(exit @ (Exit::Interrupted | Exit::InterruptedEarly(_))) = ended {
        return Err(exit);
    }
    let document = ChecksDocument::new(vec![with_outcome(side, &ended)]);
    let ended = match arguments.format.is_for_monitoring() {
        true => print_all(&document, arguments),
        false => ended.and_then(|checked| print_one(checked, arguments)),
    };
    arguments.notifying.tell(|| document.to_json());
    ended
}

/// Says what would be measured and written, and how long that takes; does nothing.
fn announce(arguments: &CheckArguments) -> Result<(), Exit> {
    let announced = |(reference, target): (FoundRun, String)| {
        repeated(&reference, &target, arguments)?.announce()
    };
    if !arguments.all {
        return announced(reference(arguments)?);
    }
    let mut ended = Ok(());
    for baseline in baselines_here(arguments)? {
        let found = find::stored(baseline.run, &arguments.keeping).and_then(on_its_target);
        if let Err(exit) = found.and_then(announced) {
            ended = Err(Exit::AsReported(exit.report()));
        }
    }
    ended
}

/// A result that cannot be written has a code of its own: 1 says that a row is slower.
fn unwritten(exit: Exit) -> Exit {
    match exit {
        Exit::Failed(error) => Exit::Usage(error),
        exit => exit,
    }
}

/// Writes a result. Where its file cannot be written it is printed, for it took long to make.
fn put(path: Option<&Path>, text: &str, is_for_people: bool) -> Result<(), Exit> {
    output::put(path, text, is_for_people).or_else(|exit| {
        if path.is_some() {
            output::put(None, text, is_for_people)?;
        }
        Err(unwritten(exit))
    })
}

/// Prints one for people or programs, and ends with its code.
fn print_one(checked: Checked, arguments: &CheckArguments) -> Result<(), Exit> {
    let document = &checked.document;
    let printed = checked
        .kept
        .print(arguments.asking.quiet, || match event_stream::wanted() {
            Some(_) => event_stream::checked(document, &checked.run),
            None => print(document, arguments),
        });
    let ended = checked.ended_by.map_or(Ok(()), Err);
    graver(printed, ended.and_then(|()| conclusion(document)))
}

/// That a row is slower is not hidden by a file that cannot be written.
fn graver(printed: Result<(), Exit>, concluded: Result<(), Exit>) -> Result<(), Exit> {
    match (printed, concluded) {
        (Err(unprinted), Err(concluded)) if concluded.code() == 1 => {
            unprinted.tell();
            Err(concluded)
        }
        (printed, concluded) => printed.and(concluded),
    }
}

/// Every baseline of a device of this machine, one after the other. What was judged before
/// somebody interrupts it is told, but not to monitoring, which would take it for all.
fn all(arguments: &CheckArguments, control: &Control) -> Result<(), Exit> {
    let checks = checks_of_all(arguments, control);
    let (checks, is_interrupted) = arguments.notifying.tell_failure(checks)?;
    if is_interrupted && arguments.format.is_for_monitoring() {
        return Err(Exit::Interrupted);
    }
    let document = ChecksDocument::new(checks);
    let ended = print_all(&document, arguments);
    if !is_interrupted {
        arguments.notifying.tell(|| document.to_json());
    }
    ended
}

/// One check of each, and whether somebody has interrupted them.
fn checks_of_all(
    arguments: &CheckArguments,
    control: &Control,
) -> Result<(Vec<BaselineCheck>, bool), Exit> {
    let baselines = baselines_here(arguments)?;
    let mut checks = Vec::new();
    let mut is_interrupted = false;
    for baseline in baselines {
        let reference = find::stored(baseline.run, &arguments.keeping)?;
        let side = unchecked(&reference);
        let ended = match is_interrupted {
            true => Err(Exit::Interrupted),
            false => {
                exit::progress(text!("checking {} ({})", side.target, side.method));
                on_its_target(reference).and_then(|(reference, target)| {
                    carry_out(reference, &target, arguments, control)
                })
            }
        };
        is_interrupted |= matches!(ended, Err(Exit::Interrupted | Exit::InterruptedEarly(_)));
        checks.push(with_outcome(side, &ended));
    }
    Ok((checks, is_interrupted))
}

/// Of what a check is, whatever comes of it.
fn unchecked(reference: &FoundRun) -> BaselineCheck {
    let target = &reference.run.target;
    BaselineCheck {
        device: target.device_name(),
        identity: target.identity(),
        target: target.name.clone(),
        method: reference.run.plan.method.to_string(),
        baseline_run: reference.id.map(|id| id.0),
        exit_code: 0,
        error: None,
        check: None,
    }
}

/// The same with what came of it.
fn with_outcome(side: BaselineCheck, ended: &Result<Checked, Exit>) -> BaselineCheck {
    let (exit_code, error, check) = match ended {
        Err(exit) => (exit.code(), exit.reason(), None),
        Ok(checked) => {
            let exit = match &checked.ended_by {
                Some(exit) => Some((exit.code(), exit.message())),
                None => conclusion(&checked.document)
                    .err()
                    .map(|exit| (exit.code(), None)),
            };
            let (code, error) = exit.unwrap_or_default();
            (code, error, Some(checked.document.clone()))
        }
    };
    BaselineCheck {
        exit_code,
        error,
        check,
        ..side
    }
}

fn carry_out(
    reference: FoundRun,
    target: &str,
    arguments: &CheckArguments,
    control: &Control,
) -> Result<Checked, Exit> {
    let mut repeat = repeated(&reference, target, arguments)?;
    repeat.printing_mut().asking = arguments.asking;
    let before = BusyPolicy::of(arguments.idle.wait_idle, arguments.anyway);
    let was_idle = before.make_sure(&Named::recognise(target)?, control)?;
    let finished = repeat.measure(control, arguments.asking)?;
    let kept = keep::keep([(&finished.run, &finished.document)], &arguments.keeping);
    if finished.document.interrupted {
        return kept
            .print(arguments.asking.quiet, || Ok(()))
            .and(Err(Exit::Interrupted));
    }
    let id = kept.first();
    let source = id.map_or_else(|| "this run".to_owned(), |id| format!("run {id}"));
    let now = FoundRun {
        source,
        id,
        annotations: Annotations::default(),
        run: finished.document.clone(),
    };
    Ok(Checked {
        run: finished.document,
        document: document(reference, now, was_idle, arguments),
        kept,
        ended_by: finished.ended_by,
    })
}

/// The baseline's command on what is called so today, with leave to destroy that is given now.
fn repeated(
    reference: &FoundRun,
    target: &str,
    arguments: &CheckArguments,
) -> Result<StoredCommand, Exit> {
    let mut repeat = StoredCommand::of_run(&reference.run)?
        .aimed_at(target)?
        .with_choices_of(&reference.run);
    repeat.ask_again(&Leave {
        overwrite: arguments.overwrite,
        destroying: &arguments.destroying,
    })?;
    Ok(repeat)
}

/// How a check ends that was carried out to its end.
fn conclusion(document: &CheckDocument) -> Result<(), Exit> {
    match document.outcome {
        CheckOutcome::Failed | CheckOutcome::Slower => Err(Exit::FailedAsReported),
        CheckOutcome::NotJudged => Err(Exit::not_trusted(text!(
            "not every row could be judged, so a slower one may go unnoticed; the result says why"
        ))),
        CheckOutcome::Faster | CheckOutcome::Unchanged | CheckOutcome::NoChangeShown => Ok(()),
    }
}

/// Prints what came of one or several, and ends with the gravest code.
fn print_all(document: &ChecksDocument, arguments: &CheckArguments) -> Result<(), Exit> {
    let path = result_file(arguments.output.as_deref());
    let mut code = document.exit_code;
    let printed = match arguments.format {
        CheckFormat::Table | CheckFormat::Json => print(document, arguments),
        CheckFormat::Prom => put(path, &document.to_prometheus(), false),
        CheckFormat::Nagios => {
            let (text, of_nagios) = document.to_nagios();
            code = of_nagios;
            print::put_for_nagios(path, &text)
        }
    };
    let concluded = match code {
        0 => Ok(()),
        code => Err(Exit::AsReported(code)),
    };
    graver(printed, concluded)
}

fn document(
    reference: FoundRun,
    now: FoundRun,
    was_idle: bool,
    arguments: &CheckArguments,
) -> CheckDocument {
    let disturbed = |run: &FoundRun, was_idle| {
        let sentences = busy::disturbances(&run.run, was_idle);
        let is_disturbed = !sentences.is_empty();
        let (source, sentence) = (&run.source, Text::list(sentences, "; "));
        is_disturbed.then(|| text!("{source} shared the machine with other work: {sentence}."))
    };
    // Whoever took a baseline from a busy machine has been told so then.
    let mut doubts: Vec<Text> = [disturbed(&reference, true), disturbed(&now, was_idle)]
        .into_iter()
        .flatten()
        .collect();
    let limited = busy::limited_rows(&now.run);
    doubts.extend(
        limited
            .iter()
            .map(|(row, symptom)| text!("{row}: {symptom}.")),
    );
    let unproven = match arguments.anyway {
        true => Vec::new(),
        false => {
            let limited = limited.into_iter().map(|(row, _)| row);
            let disturbed = busy::disturbed_rows(&now.run, was_idle);
            disturbed.into_iter().chain(limited).collect()
        }
    };
    if reference.run.target.identity() != now.run.target.identity() {
        doubts.push(text!(
            "another device was measured: {} then, {} now.",
            reference.run.target.identity(),
            now.run.target.identity()
        ));
    }
    let failed = sokudo_analysis::failed_io(&now.run);
    // A full file system says nothing of the drive.
    let is_of_drive = failed.as_ref().is_some_and(|it| it.answer.is_some());
    let failure = failed.map(|point| point.found);
    doubts.extend(failure.clone().filter(|_| !is_of_drive));
    let failure = failure.filter(|_| is_of_drive);
    let ids = [reference.id, now.id].map(|id| id.map(|id| id.0));
    let figure = arguments.table.unit.figure();
    let comparing = Comparing {
        difference_min: arguments.min_difference.0,
        paired: false,
        loads_may_differ: false,
    };
    let comparison = compare::side_by_side(
        &[reference, now],
        Way::Kept,
        figure,
        comparing,
        &mut Past::of(&arguments.keeping),
    );
    let comparison = ComparisonDocument {
        command: command_line::as_given(),
        ..comparison
    };
    let document = CheckDocument::new(comparison, ids, doubts, &unproven);
    match failure {
        Some(failure) => document.failed_by(failure),
        None => document,
    }
}

fn print(document: &impl Forms, arguments: &CheckArguments) -> Result<(), Exit> {
    let path = result_file(arguments.output.as_deref());
    let is_table = arguments.format == CheckFormat::Table;
    let text = match is_table {
        true => document.render(&output::style(path.is_none(), arguments.table.unit)),
        false => document.to_json(),
    };
    put(path, &text, is_table)
}

/// With what is compared, and what is to be measured for it.
fn reference(arguments: &CheckArguments) -> Result<(FoundRun, String), Exit> {
    let Some(what) = arguments.what.as_deref() else {
        let it = only(baselines(arguments)?, &text!("any device"))?;
        return on_its_target(find::stored(it.run, &arguments.keeping)?);
    };
    if find::is_of_store(what) || is_result(what) {
        let runs = find::runs(what, &arguments.keeping)?;
        let [run] = <[_; 1]>::try_from(runs).map_err(|runs| {
            Exit::usage(text!("{what} holds {} runs; name one of them", runs.len()))
        })?;
        return on_its_target(run);
    }
    match Named::recognise(what) {
        Ok(named) => {
            let identity = named.identity(what);
            let all = baselines(arguments)?.into_iter();
            let own = all.filter(|baseline| baseline.device == identity).collect();
            let own = only(own, &Text::name(what))?;
            let run = find::stored(own.run, &arguments.keeping)?;
            refuse_imported(&run.name(), &run.run)?;
            let target = match &named {
                Named::Path(inspected) => inspected.info.path.clone(),
                _ => None,
            };
            Ok((run, target.unwrap_or_else(|| what.to_owned())))
        }
        // A disk that is not here under that word may still be known by it.
        Err(error) => {
            let word = what.to_lowercase();
            let is_meant = |baseline: &Baseline| {
                let texts = [&baseline.device, &baseline.device_name];
                texts.iter().any(|text| text.to_lowercase().contains(&word))
            };
            let meant: Vec<Baseline> = baselines(arguments)?.into_iter().filter(is_meant).collect();
            if meant.is_empty() {
                let id = find::id(what, &arguments.keeping).map_err(|_| error)?;
                return on_its_target(find::stored(id, &arguments.keeping)?);
            }
            let baseline = only(meant, &Text::name(what))?;
            on_its_target(find::stored(baseline.run, &arguments.keeping)?)
        }
    }
}

/// A file that sokudo has written; any other is one to be measured.
fn is_result(name: &str) -> bool {
    let mut begin = Vec::new();
    let read = File::open(name).and_then(|file| {
        let is_file = file.metadata()?.is_file();
        file.take(if is_file { HEADER_BYTES } else { 0 })
            .read_to_end(&mut begin)
    });
    read.is_ok() && names_schema(&String::from_utf8_lossy(&begin))
}

fn baselines(arguments: &CheckArguments) -> Result<Vec<Baseline>, Exit> {
    let mut store = keep::store(&arguments.keeping)?;
    let all = store.baselines().map_err(Exit::failed)?;
    let method = arguments.method.as_deref().unwrap_or_default();
    let wanted = |baseline: &Baseline| baseline.method.starts_with(method);
    Ok(all.into_iter().filter(wanted).collect())
}

/// Those of this machine, of which there is one at least.
fn baselines_here(arguments: &CheckArguments) -> Result<Vec<Baseline>, Exit> {
    let baselines = of_this_machine(baselines(arguments)?, &arguments.keeping)?;
    match baselines.is_empty() {
        true => only(baselines, &text!("any device")).map(|it| vec![it]),
        false => Ok(baselines),
    }
}

/// The one that there is.
fn only(baselines: Vec<Baseline>, what: &Text) -> Result<Baseline, Exit> {
    match <[Baseline; 1]>::try_from(baselines) {
        Ok([baseline]) => Ok(baseline),
        Err(none) if none.is_empty() => Err(Exit::usage(text!(
            "there is no baseline of {what}; measure one with sokudo baseline set -- mark PATH, or take a kept run with sokudo baseline set RUN"
        ))),
        Err(several) => {
            let named = several.iter().map(|baseline| {
                text!(
                    "sokudo check {} ({} of {})",
                    baseline.run,
                    baseline.method,
                    device(&baseline.device, &baseline.device_name)
                )
            });
            Err(Exit::usage(text!(
                "there are {} baselines of {what}; name one: {}",
                several.len(),
                Text::list(named, ", ")
            )))
        }
    }
}
