//! `sokudo compare`: two or more results row by row, kept or measured now by turns.
//!
//! It brings the rows together and says what came of comparing them. What a difference
//! is, is decided by `sokudo-analysis`.

pub(crate) mod arguments;

mod live;
mod matrix;
mod plans;
mod rows;
mod sides;

use std::mem::ManuallyDrop;
use std::rc::Rc;

use sokudo_analysis::{Comparing, Side};
use sokudo_history::find::{FoundRun, Recall};
use sokudo_history::keep::KeptRuns;
use sokudo_history::past_runs::{Past, PastRow, PastRun};
use sokudo_model::{Conclusion, TargetKind};
use sokudo_report::comparison::{
    Figure, OtherDocument, RowDocument, SideDocument, Way, letter, row_name,
};
use sokudo_report::{ComparisonDocument, PivotDocument, RunDocument, RunTable, plot};
use sokudo_terminal::exit::{self, Exit};
use sokudo_terminal::{command_line, event_stream, language, picture, print, progress};
use sokudo_words::{Text, text};

use crate::commands::compare::arguments::CompareArguments;
use rows::{Common, RowKey, keys};
use sides::side;

/// So many kinds of runs are remembered by their rows.
const KINDS_KNOWN_MAX: usize = 64;

pub(crate) fn run(arguments: &CompareArguments) -> Result<(), Exit> {
    print::check_rendering(&arguments.rendering, arguments.pictures.destinations.iter())?;
    if let Some(axes) = &arguments.shape.pivot {
        return matrix::run(axes, arguments, &kept(arguments)?);
    }
    if let Some(ratio) = &arguments.shape.ratio {
        return matrix::ratios(ratio, arguments, &kept(arguments)?);
    }
    let (sides, kept, seed, ended_by) = if arguments.live {
        let live = live::measure(arguments)?;
        (live.sides, live.kept, Some(live.seed), live.ended_by)
    } else {
        (kept(arguments)?, KeptRuns::default(), None, None)
    };
    // Both are needed to the end of the program, which frees thousands of rows at once.
    let sides = ManuallyDrop::new(sides);
    let mut past = past(arguments);
    let document = ComparisonDocument {
        command: command(arguments, seed),
        seed,
        ..document(&sides, arguments, &mut past)
    };
    let is_foreign = sides.iter().any(|side| side.run.origin().is_some());
    let beside = sides::matrix(&sides, &document, arguments, &mut past);
    let masking = arguments.masking;
    let (document, beside) = print::masked((document, beside), &sides::documents(&sides), masking)?;
    let mut document = ManuallyDrop::new(document);
    // Two that sokudo has measured have a table that says more of them.
    if sides.len() > 2 || is_foreign {
        document.matrix = Some(beside.clone());
    }
    kept.print(arguments.asking.quiet, || {
        print(&document, arguments)?;
        draw(&sides, &beside, arguments)
    })?;
    ended_by.map_or_else(|| verdict(&document, arguments), Err)
}

/// Scans are drawn over each other, everything else side by side.
fn draw(
    sides: &[FoundRun],
    beside: &PivotDocument,
    arguments: &CompareArguments,
) -> Result<(), Exit> {
    let name = |(number, side): (usize, &FoundRun)| {
        let called = side.run.label.as_ref().unwrap_or(&side.source);
        format!("{} {called}", letter(number))
    };
    let names: Vec<String> = sides.iter().enumerate().map(name).collect();
    let title = sides.first().map(|side| side.run.target.device_name());
    let (runs, named) = (sides::documents(sides), (title.unwrap_or_default(), names));
    let (title, names) = print::masked(named, &runs, arguments.masking)?;
    let runs: Vec<(String, &RunDocument)> = names.into_iter().zip(runs).collect();
    let mut kinds = sides.iter().map(|side| side.run.target.kind);
    let is_simulated = kinds.any(|kind| kind == TargetKind::Simulated);
    let drawn = |language| {
        let figure = plot::overlaid(&title, &runs, language);
        let mut figure = figure.or_else(|| plot::pivot(beside, language))?;
        if is_simulated {
            figure.title += &format!(" · {}", language.word("simulated"));
        }
        Some(figure)
    };
    picture::write_all(drawn, &arguments.pictures)
}

/// The results of the files that are named.
fn kept(arguments: &CompareArguments) -> Result<Vec<FoundRun>, Exit> {
    let from_standard_input = arguments.sides.iter().filter(|name| *name == "-");
    if from_standard_input.count() > 1 {
        return Err(Exit::usage(text!(
            "- is given twice, but standard input holds one result; name files for the others"
        )));
    }
    let output = arguments.rendering.output();
    let output = output.and_then(print::identity);
    let mut recall = Recall::new(&arguments.keeping);
    let progress = progress::bar(arguments.sides.len() as u64, arguments.asking.quiet);
    progress.set_message(text!("reading the runs").in_language(language::current()));
    let mut sides = Vec::new();
    for name in &arguments.sides {
        if output.is_some() && print::identity(name.as_ref()) == output {
            return Err(Exit::refused(text!(
                "the comparison would overwrite {name}, which is to be compared; name another file for --output"
            )));
        }
        sides.extend(matrix::named(name, &mut recall, &progress)?);
    }
    progress.finish_and_clear();
    let is_matrix = arguments.shape.pivot.is_some() || arguments.shape.ratio.is_some();
    if sides.len() < 2 && !is_matrix {
        return Err(Exit::usage(text!(
            "a comparison needs at least two runs; name another"
        )));
    }
    sides::reference_first(&mut sides, arguments.shape.reference.as_deref())?;
    Ok(sides)
}

fn document(
    sides: &[FoundRun],
    arguments: &CompareArguments,
    past: &mut Past,
) -> ComparisonDocument {
    let figure = arguments.rendering.table.unit.figure();
    let way = if arguments.live { Way::Live } else { Way::Kept };
    let comparing = Comparing {
        difference_min: arguments.min_difference.0,
        paired: arguments.live,
        loads_may_differ: arguments.live || arguments.by_position,
    };
    side_by_side(sides, way, figure, comparing, past)
}

/// What is known of how much runs differ; live pairs need none of it.
fn past(arguments: &CompareArguments) -> Past {
    match arguments.live {
        true => Past::default(),
        false => Past::of(&arguments.keeping),
    }
}

/// Compares the rows of each later side with those of the first side, the reference.
///
/// # Panics
///
/// Without a side.
pub(crate) fn side_by_side(
    sides: &[FoundRun],
    way: Way,
    figure: Figure,
    comparing: Comparing,
    past: &mut Past,
) -> ComparisonDocument {
    let (reference, others) = sides.split_first().expect("two or more are compared");
    let common = match comparing.loads_may_differ {
        true => Common::Nothing,
        false => Common::LoadOrName,
    };
    let ours = keys(&reference.run, comparing.paired);
    // Of thousands of runs most have the rows of one of the first.
    let mut known: Vec<(Vec<RowKey<'_>>, Rc<RunTable>)> = Vec::new();
    let tables = others.iter().map(|other| {
        let theirs = keys(&other.run, comparing.paired);
        if let Some((_, table)) = known.iter().find(|(keys, _)| *keys == theirs) {
            return Rc::clone(table);
        }
        let table = Rc::new(rows::joined(&[&ours, &theirs], common));
        if known.len() < KINDS_KNOWN_MAX {
            known.push((theirs, Rc::clone(&table)));
        }
        table
    });
    let tables: Vec<Rc<RunTable>> = tables.collect();
    let letters: Vec<String> = (0..sides.len()).map(letter).collect();
    let runs: Vec<PastRun<'_>> = sides.iter().map(|side| PastRun::of(&side.run)).collect();
    let pairs: Vec<(Side<'_>, Side<'_>)> = (1..)
        .zip(others.iter().zip(&tables))
        .flat_map(|(number, (other, table))| {
            let names = [&*letters[0], &*letters[number]];
            let pairs = table.pairs(1).map(|[a, b]| {
                let rows = [(0, reference, a), (number, other, b)];
                let rows = rows.map(|(number, side, row)| PastRow {
                    run: &runs[number],
                    result: &side.run.results[row],
                });
                let [ours, theirs] = past.of_both(rows, figure);
                (
                    side(names[0], &reference.run, a, figure, ours),
                    side(names[1], &other.run, b, figure, theirs),
                )
            });
            pairs.collect::<Vec<_>>()
        })
        .collect();
    let mut compared = sokudo_analysis::compare(&pairs, comparing).into_iter();
    let first = SideDocument::new(0, &*reference.source, &reference.run);
    let others = (1..)
        .zip(others.iter().zip(&tables))
        .map(|(number, (other, table))| OtherDocument {
            side: SideDocument::new(number, &*other.source, &other.run),
            sentence: Text::default(),
            differs: OtherDocument::differences(&reference.run, &other.run),
            rows: (table.pairs(1))
                .zip(compared.by_ref())
                .map(|([a, b], compared)| {
                    let (ours, theirs) = (&reference.run.results[a], &other.run.results[b]);
                    RowDocument::new(ours, theirs, figure, compared)
                })
                .collect(),
            only_in_reference: names(&reference.run, table.only_in(0, 1)),
            only_in_other: names(&other.run, table.only_in(1, 0)),
        })
        .collect();
    ComparisonDocument::new(first, way, figure, comparing.difference_min).with_others(others)
}

fn names(run: &RunDocument, rows: impl Iterator<Item = usize>) -> Vec<String> {
    rows.map(|row| row_name(&run.results[row])).collect()
}

/// The command line that repeats it, with the seed that was used.
fn command(arguments: &CompareArguments, seed: Option<u64>) -> String {
    let given = command_line::as_given();
    match seed {
        Some(seed) if arguments.seed.is_none() => format!("{given} --seed {seed}"),
        _ => given,
    }
}

fn print(document: &ComparisonDocument, arguments: &CompareArguments) -> Result<(), Exit> {
    if event_stream::wanted().is_some() {
        return event_stream::compared(document);
    }
    print::write_document(document, &arguments.rendering)?;
    let output = arguments.rendering.output();
    if let (Some(path), [other]) = (output.filter(|_| arguments.live), &document.others[..]) {
        let (path, answer) = (path.display(), other.sentence.clone());
        exit::note(text!("the comparison is in {path}: {answer}"));
    }
    Ok(())
}

/// What the comparison means for the exit code.
fn verdict(document: &ComparisonDocument, arguments: &CompareArguments) -> Result<(), Exit> {
    if !arguments.fail_if_slower {
        return Ok(());
    }
    if document.has(Conclusion::Slower) {
        return Err(Exit::FailedAsReported);
    }
    // Silence would pass for proof.
    if !document.has_judgement() {
        return Err(Exit::failed(text!(
            "no row could be judged, so a slower row may go unnoticed; the result says why"
        )));
    }
    Ok(())
}
