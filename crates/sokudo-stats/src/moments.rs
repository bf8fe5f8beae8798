//! Mean and spread of some values.

/// The arithmetic mean; no number of no values.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean, and the sum of squared distances from it.
pub(crate) fn mean_and_squares(values: &[f64]) -> (f64, f64) {
    let mean = mean(values);
    let squares = values.iter().map(|value| (value - mean).powi(2));
    (mean, squares.sum())
}
