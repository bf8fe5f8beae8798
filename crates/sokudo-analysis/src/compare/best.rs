//! Which of several measurements of a row is the best, if one is.
//!
//! That none is better is no equality: the rows of two of them, compared, say how far
//! they may be apart.

use sokudo_stats::holm;

use super::{Comparing, Side, change, logarithms, obstacle, of_load, trials_needed};
use crate::threshold::CONFIDENCE;

/// The best side of each row: faster than each other that is there, by what matters.
///
/// Whoever is best must be shown to be faster than the second, the third and all others;
/// each of these must hold, so that the weakest of them is the row's p (an intersection
/// of tests, after Berger 1982, Technometrics 24, 295) and needs no correction for how
/// many there are. All rows together name a best among equal ones with a probability of
/// 5 % at most (Holm). Sides of a row that cannot be compared have no best.
pub fn best(rows: &[Vec<Option<Side<'_>>>], comparing: Comparing) -> Vec<Option<usize>> {
    let found: Vec<Option<Candidate>> = rows.iter().map(|row| candidate(row, comparing)).collect();
    let p_values: Vec<f64> = found.iter().flatten().map(|it| it.p_value).collect();
    let needed = trials_needed(p_values.len().max(1), comparing.paired);
    let mut of_all_rows = holm(&p_values).into_iter();
    found
        .into_iter()
        .map(|candidate| {
            let candidate = candidate?;
            let p_value = of_all_rows.next()?;
            let is_shown = p_value <= 1.0 - CONFIDENCE && candidate.trials >= needed;
            is_shown.then_some(candidate.side)
        })
        .collect()
}

/// The side of a row that may be the best.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    side: usize,
    /// Of the test against the one that it differs least from.
    p_value: f64,
    /// The fewest of a side.
    trials: usize,
}

/// `None` where there is nobody to be better than, or somebody who cannot be compared.
fn candidate(row: &[Option<Side<'_>>], comparing: Comparing) -> Option<Candidate> {
    let there = || {
        let sides = row.iter().enumerate();
        sides.filter_map(|(number, side)| Some((number, side.as_ref()?)))
    };
    // Below all figures where there is none.
    let figure = |side: &Side<'_>| side.figure.unwrap_or(f64::NEG_INFINITY);
    let (number, leader) = there().max_by(|(_, a), (_, b)| figure(a).total_cmp(&figure(b)))?;
    let mut candidate = Candidate {
        side: number,
        p_value: 0.0,
        trials: leader.values.len(),
    };
    let mut others = 0;
    for (_, other) in there().filter(|(other, _)| *other != number) {
        let load = of_load(other.plan, leader.plan);
        if obstacle(other, leader, &load, comparing).is_some() {
            return None;
        }
        // Of who cannot be the best any more nothing is asked but whether all can be compared.
        if candidate.p_value <= 1.0 - CONFIDENCE {
            let change = change(other, leader, comparing)?;
            let p_value = if change.ratio > 1.0 {
                change.p_value
            } else {
                1.0
            };
            candidate.p_value = candidate.p_value.max(p_value);
        } else {
            logarithms(other.values).filter(|values| !values.is_empty())?;
        }
        candidate.trials = candidate.trials.min(other.values.len());
        others += 1;
    }
    (others > 0).then_some(candidate)
}
