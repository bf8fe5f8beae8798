//! Quantiles of Student's t distribution, for intervals of means of few batches.

use std::cell::RefCell;
use std::collections::HashMap;

/// Halvings of the range in which a quantile is looked for: beyond 60, a double has no more
/// digits to find.
const HALVINGS: u32 = 60;
/// Quantiles that are remembered.
const KNOWN_MAX: usize = 1_000;

/// How many standard errors an interval with this confidence reaches to either side, with so
/// many degrees of freedom: 12.71 for 95 % and 1, 2.262 for 9, 1.96 for many. `None` for 0
/// degrees, and for a confidence that is not between 0 and 1.
pub fn student_t(confidence: f64, degrees: u32) -> Option<f64> {
    thread_local! {
        // A comparison of many runs asks for the same few ten thousands of times.
        static KNOWN: RefCell<HashMap<(u64, u32), f64>> = RefCell::default();
    }
    if degrees == 0 || !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let key = (confidence.to_bits(), degrees);
    if let Some(known) = KNOWN.with_borrow(|known| known.get(&key).copied()) {
        return Some(known);
    }
    let reach = halved(confidence, degrees);
    KNOWN.with_borrow_mut(|known| {
        if known.len() < KNOWN_MAX {
            known.insert(key, reach);
        }
    });
    Some(reach)
}

fn halved(confidence: f64, degrees: u32) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while probability_within(high, degrees) < confidence {
        (low, high) = (high, high * 2.0);
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if probability_within(middle, degrees) < confidence {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// P(t ≥ x): how likely a value so many standard errors above the truth or more is, with so
/// many degrees of freedom. `None` for 0 degrees.
pub fn student_tail(x: f64, degrees: u32) -> Option<f64> {
    let beyond = f64::midpoint(1.0, -probability_within(x.abs(), degrees));
    (degrees > 0).then_some(if x < 0.0 { 1.0 - beyond } else { beyond })
}

/// P(|t| ≤ x), by the finite series for whole degrees of freedom (Abramowitz and Stegun 1964,
/// 26.7.3 and 26.7.4).
fn probability_within(x: f64, degrees: u32) -> f64 {
    let angle = (x / f64::from(degrees).sqrt()).atan();
    let (sine, cosine) = angle.sin_cos();
    let is_odd = degrees % 2 == 1;
    // Powers of the cosine, each with the quotient of its neighbours' factors.
    let (mut term, mut sum) = if is_odd { (cosine, 0.0) } else { (1.0, 0.0) };
    let mut power = if is_odd { 1 } else { 0 };
    while power + 2 <= degrees {
        sum += term;
        power += 2;
        term *= cosine * cosine * f64::from(power - 1) / f64::from(power);
    }
    if is_odd {
        std::f64::consts::FRAC_2_PI * (angle + sine * sum)
    } else {
        sine * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, StudentsT};

    #[test]
    fn quantiles_are_those_of_another_implementation() {
        for degrees in [1, 2, 3, 4, 5, 9, 10, 19, 30, 31, 99, 100] {
            let theirs = StudentsT::new(0.0, 1.0, f64::from(degrees)).unwrap();
            for confidence in [0.5, 0.9, 0.95, 0.99] {
                let expected = theirs.inverse_cdf(f64::midpoint(1.0, confidence));
                let found = student_t(confidence, degrees).unwrap();
                assert!(
                    (found / expected - 1.0).abs() < 1e-6,
                    "{degrees} {confidence}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn tails_are_those_of_another_implementation() {
        for degrees in [1, 2, 5, 11, 40] {
            let theirs = StudentsT::new(0.0, 1.0, f64::from(degrees)).unwrap();
            for x in [-3.0, -0.5, 0.0, 0.7, 2.0, 8.0] {
                let found = student_tail(x, degrees).unwrap();
                assert!(
                    (found - (1.0 - theirs.cdf(x))).abs() < 1e-9,
                    "{degrees} {x}"
                );
            }
        }
        assert_eq!(student_tail(1.0, 0), None);
    }

    #[test]
    fn there_is_none_without_freedom_or_with_certainty() {
        assert_eq!(student_t(0.95, 0), None);
        assert_eq!(student_t(1.0, 5), None);
        assert_eq!(student_t(f64::NAN, 5), None);
    }
}
