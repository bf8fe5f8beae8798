//! Three or more runs side by side: which is the reference, and who is the best of a row.

use anyhow::anyhow;
use sokudo_analysis::{Comparing, Side};
use sokudo_report::comparison::{Figure, letter};
use sokudo_report::document::ResultDocument;
use sokudo_report::pivot::{PivotRun, SideRow};
use sokudo_report::{PivotDocument, RunDocument};

use super::rows::{self, Matched};
use super::{keys, side};
use crate::cli::{CompareArguments, Unit};
use crate::exit::Exit;
use crate::output;
use crate::recall::Recalled;

/// Puts the side that others are compared with in the first place.
pub(super) fn reference_first(sides: &mut [Recalled], reference: Option<&str>) -> Result<(), Exit> {
    let Some(word) = reference else {
        return Ok(());
    };
    let place = word.parse::<usize>().ok().and_then(|it| it.checked_sub(1));
    let by_place = place.filter(|place| *place < sides.len());
    // A number of the store is one of what was named, and comes before a place.
    let by_id = sides.iter().position(|side| {
        let id = side.id.map(|id| id.to_string());
        id.as_deref() == Some(word)
    });
    let by_name = sides.iter().position(|side| side.source.contains(word));
    let found = by_id.or(by_place).or(by_name).ok_or_else(|| {
        Exit::usage(anyhow!(
            "--reference {word} is none of the sides; give a place from 1 to {}, or a part of a name",
            sides.len()
        ))
    })?;
    sides[..=found].rotate_right(1);
    Ok(())
}

/// All sides of every row of the reference, with the best where one is.
pub(super) fn matrix(sides: &[Recalled], arguments: &CompareArguments) -> PivotDocument {
    let (reference, others) = sides.split_first().expect("there are two sides or more");
    let figure = match arguments.rendering.unit {
        Unit::Iops => Figure::Iops,
        Unit::Mb | Unit::Mib => Figure::Bandwidth,
    };
    let matched: Vec<Matched> = others
        .iter()
        .map(|other| {
            let (ours, theirs) = (keys(&reference.run), keys(&other.run));
            rows::matched(&ours, &theirs, arguments.by_position)
        })
        .collect();
    let places: Vec<Vec<Option<usize>>> = (0..reference.run.results.len())
        .map(|row| {
            let partner = |matched: &Matched| {
                let pair = matched.pairs.iter().find(|[ours, _]| *ours == row);
                pair.map(|[_, theirs]| *theirs)
            };
            std::iter::once(Some(row))
                .chain(matched.iter().map(partner))
                .collect()
        })
        .collect();
    let runs: Vec<&RunDocument> = sides.iter().map(|side| &side.run).collect();
    let best = best(&runs, &places, figure, arguments);
    let rows: Vec<SideRow<'_>> = places
        .iter()
        .zip(best)
        .map(|(places, best)| SideRow {
            results: places
                .iter()
                .zip(&runs)
                .map(|(place, run)| place.and_then(|place| run.results.get(place)))
                .collect::<Vec<Option<&ResultDocument>>>(),
            best,
        })
        .collect();
    let runs: Vec<PivotRun<'_>> = sides
        .iter()
        .map(|side| PivotRun {
            run: &side.run,
            source: &side.source,
            tags: &[],
        })
        .collect();
    let unit = output::style(false, arguments.rendering.unit).unit;
    PivotDocument::of_sides(&runs, &rows, unit)
}

/// The best side of each row, where there is one.
fn best(
    runs: &[&RunDocument],
    places: &[Vec<Option<usize>>],
    figure: Figure,
    arguments: &CompareArguments,
) -> Vec<Option<usize>> {
    let letters: Vec<String> = (0..runs.len()).map(letter).collect();
    let rows: Vec<Vec<Option<Side<'_>>>> = places
        .iter()
        .map(|places| {
            let sides = letters.iter().zip(runs).zip(places);
            sides
                .map(|((letter, run), place)| place.map(|row| side(letter, run, row, figure)))
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

#[cfg(test)]
mod tests;
