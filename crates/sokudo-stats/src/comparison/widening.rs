//! Values that follow one another in time are alike, and then tell less than as many
//! independent ones: how much wider that makes an interval.

use crate::moments::mean_and_squares;

/// Correlation of neighbouring trials that is assumed of short samples. With it, of
/// identical systems whose noise has a correlation of 0.6 no more than 5 % are called
/// different, from 5 values on and for normal and skewed noise (simulated; tests count).
/// A short sample cannot show its own: of six values the estimate is off by 0.3.
pub const CORRELATION_ASSUMED: f64 = 0.65;

/// From more values of a sample than this on, less is assumed the longer it is: in
/// proportion to 1/n, as the error of the estimate falls.
pub const CORRELATION_TRIALS: usize = 12;

/// No correlation above this is reckoned with: the formula ends there.
const CORRELATION_MAX: f64 = 0.95;

/// How many times as wide as for independent values the interval of a shift between two
/// samples is, which are in order of time: √(Σ cᵢ/nᵢ ÷ Σ 1/nᵢ) over both, where
/// c = f (n − 1) ÷ (n − f) and f = 1 + 2 Σ (1 − k/n) ρᵏ is n times the variance of the
/// mean of an AR(1) process over that of a value. The second factor of c says that
/// correlated values also look more alike than they are.
///
/// ρ is the lag-1 correlation of both samples together, plus its bias (1 + 3r)/n̄ (Kendall
/// 1954) and one standard error 1/√(n + m), and at least `assumed`, less in samples of more
/// than [`CORRELATION_TRIALS`]: [`CORRELATION_ASSUMED`] where nothing else is known. 1 for fewer
/// than two values in either.
pub fn widening(first: &[f64], second: &[f64], assumed: f64) -> f64 {
    let shorter = first.len().min(second.len());
    if shorter < 2 {
        return 1.0;
    }
    let all = (first.len() + second.len()) as f64;
    let estimate = lag_one(first, second);
    let corrected = estimate + (1.0 + 3.0 * estimate) * 2.0 / all + all.sqrt().recip();
    let assumed = assumed * (CORRELATION_TRIALS as f64 / shorter as f64).min(1.0);
    let correlation = corrected.max(assumed).clamp(0.0, CORRELATION_MAX);
    let parts = [first.len(), second.len()].map(|count| {
        let count = count as f64;
        (variance_factor(correlation, count) / count, 1.0 / count)
    });
    let inflated: f64 = parts.iter().map(|(inflated, _)| inflated).sum();
    let plain: f64 = parts.iter().map(|(_, plain)| plain).sum();
    (inflated / plain).sqrt().max(1.0)
}

/// The lag-1 correlation of both samples, each about its own mean. 0 where nothing varies.
fn lag_one(first: &[f64], second: &[f64]) -> f64 {
    let (mut products, mut squares) = (0.0, 0.0);
    for sample in [first, second] {
        let (mean, about_mean) = mean_and_squares(sample);
        let apart = |value: f64| value - mean;
        products += sample
            .windows(2)
            .map(|pair| apart(pair[0]) * apart(pair[1]))
            .sum::<f64>();
        squares += about_mean;
    }
    if squares > 0.0 {
        products / squares
    } else {
        0.0
    }
}

/// c of [`widening`] for so many values.
fn variance_factor(correlation: f64, count: f64) -> f64 {
    let mut factor = 1.0;
    let mut power = correlation;
    let mut lag = 1.0;
    while lag < count && power > 1e-9 {
        factor += 2.0 * (1.0 - lag / count) * power;
        power *= correlation;
        lag += 1.0;
    }
    // A sample is never worth less than half a value more than none.
    let factor = factor.min(count - 0.5);
    factor * (count - 1.0) / (count - factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn independent_values_need_no_widening_once_there_are_many() {
        let mut random = Random::new(4);
        let mut many = || -> Vec<f64> { (0..2_000).map(|_| random.fraction()).collect() };
        let factor = widening(&many(), &many(), CORRELATION_ASSUMED);
        assert!((1.0..1.1).contains(&factor), "{factor}");
    }

    #[test]
    fn few_values_are_taken_for_correlated() {
        let few = [1.0, 2.0, 1.0, 2.0, 1.0, 2.0];
        let factor = widening(&few, &few, CORRELATION_ASSUMED);
        // f = 1 + 2 (5/6·0.65 + 4/6·0.65² + …) = 3.08, c = f·5/(6 − f), √c = 2.30.
        assert!((factor - 2.30).abs() < 0.01, "{factor}");
        assert_eq!(widening(&[1.0], &few, CORRELATION_ASSUMED), 1.0);
        assert!((widening(&[3.0; 6], &[3.0; 6], CORRELATION_ASSUMED) - factor).abs() < 1e-12);
    }

    #[test]
    fn a_long_correlated_sample_is_widened_by_its_own_correlation() {
        let mut random = Random::new(8);
        let mut value = 0.0;
        let mut sample = || -> Vec<f64> {
            (0..3_000)
                .map(|_| {
                    value = 0.6 * value + random.fraction() - 0.5;
                    value
                })
                .collect()
        };
        let factor = widening(&sample(), &sample(), CORRELATION_ASSUMED);
        // √((1 + 0.6) ÷ (1 − 0.6)) = 2.
        assert!((1.9..2.25).contains(&factor), "{factor}");
    }
}
