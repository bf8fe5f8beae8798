//! Three or more runs side by side: which is the reference, and who is the best of a row.

use std::collections::HashMap;

use sokudo_analysis::{Comparing, Side};
use sokudo_history::find::FoundRun;
use sokudo_history::past_runs::{HistoryKey, Past, PastRow, PastRun, StartTimes};
use sokudo_report::comparison::{Figure, letter, rates};
use sokudo_report::pivot::{PivotRun, SideRow};
use sokudo_report::{ComparisonDocument, PivotDocument, RunDocument};
use sokudo_stats::PastRuns;
use sokudo_terminal::exit::Exit;
use sokudo_words::text;

use super::rows::{self, Common, RowKey, keys};
use crate::commands::compare::arguments::CompareArguments;

/// Puts the side that others are compared with in the first place.
pub(super) fn reference_first(sides: &mut [FoundRun], reference: Option<&str>) -> Result<(), Exit> {
    let Some(word) = reference else {
        return Ok(());
    };
    let index = word.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
    let by_index = index.filter(|index| *index < sides.len());
    // A number of the store is one of what was named, and comes before a place.
    let by_id = sides.iter().position(|side| {
        let id = side.id.map(|id| id.to_string());
        id.as_deref() == Some(word)
    });
    let by_name = sides.iter().position(|side| side.source.contains(word));
    let found = by_id.or(by_index).or(by_name).ok_or_else(|| {
        Exit::usage(text!(
            "--reference {word} names none of the runs; give a position from 1 to {}, or a part of a name",
            sides.len()
        ))
    })?;
    sides[..=found].rotate_right(1);
    Ok(())
}

/// The documents of what is compared.
pub(super) fn documents(sides: &[FoundRun]) -> Vec<&RunDocument> {
    sides.iter().map(|side| &side.run).collect()
}

/// The rows of all sides beside each other where they measured the same, with the best where
/// one is. A row of another load has a line of its own.
pub(super) fn matrix(
    sides: &[FoundRun],
    document: &ComparisonDocument,
    arguments: &CompareArguments,
    past: &mut Past,
) -> PivotDocument {
    let keys: Vec<Vec<RowKey<'_>>> = sides
        .iter()
        .map(|side| keys(&side.run, arguments.live))
        .collect();
    let common = match arguments.live || arguments.by_position {
        true => Common::Nothing,
        false => Common::Load,
    };
    let keys: Vec<&[RowKey<'_>]> = keys.iter().map(Vec::as_slice).collect();
    let table = rows::joined(&keys, common);
    let best = best(sides, &table.lines, arguments, past);
    let rows: Vec<SideRow<'_>> = (table.lines.iter())
        .zip(best)
        .zip(rows::differing(&table, &keys))
        .map(|((line, best), differs)| SideRow {
            results: (line.iter().zip(sides))
                .map(|(row, side)| side.run.results.get((*row)?))
                .collect(),
            differs,
            best,
        })
        .collect();
    let runs: Vec<PivotRun<'_>> = sides.iter().map(FoundRun::in_pivot).collect();
    let unit = arguments.rendering.table.unit;
    PivotDocument::of_sides(&runs, &rows, unit, |row| document.ratios(row))
}

/// The best side of each row, where there is one.
fn best(
    runs: &[FoundRun],
    lines: &[Vec<Option<usize>>],
    arguments: &CompareArguments,
    past: &mut Past,
) -> Vec<Option<usize>> {
    let figure = arguments.rendering.table.unit.figure();
    let letters: Vec<String> = (0..runs.len()).map(letter).collect();
    let begun: Vec<PastRun<'_>> = runs.iter().map(|side| PastRun::of(&side.run)).collect();
    let all = StartTimes::of(&begun);
    let mut known: HashMap<HistoryKey, Option<PastRuns>> = HashMap::new();
    let rows: Vec<Vec<Option<Side<'_>>>> = lines
        .iter()
        .map(|line| {
            let sides = letters.iter().zip(runs).zip(&begun).zip(line);
            sides
                .map(|(((letter, FoundRun { run, .. }), begun), row_index)| {
                    let row = (*row_index)?;
                    let of_past = PastRow {
                        run: begun,
                        result: &run.results[row],
                    };
                    let key = of_past.key(figure);
                    let past = key.and_then(|key| {
                        let known = known.entry(key.clone());
                        *known.or_insert_with(|| past.without(key, &all))
                    });
                    Some(side(letter, run, row, figure, past))
                })
                .collect()
        })
        .collect();
    let comparing = Comparing {
        difference_min: arguments.min_difference.0,
        paired: false,
        loads_may_differ: arguments.by_position,
    };
    sokudo_analysis::best(&rows, comparing)
}

pub(super) fn side<'a>(
    name: &'a str,
    run: &'a RunDocument,
    row: usize,
    figure: Figure,
    past: Option<PastRuns>,
) -> Side<'a> {
    let result = &run.results[row];
    let rates = rates(result, figure);
    Side {
        name,
        values: rates.map_or(&[], |rates| &rates.trials),
        figure: rates.map(|rates| rates.median),
        plan: &result.plan,
        verdict: result.verdict,
        findings: &result.findings,
        kind: run.target.kind,
        past,
    }
}

#[cfg(test)]
mod tests;
