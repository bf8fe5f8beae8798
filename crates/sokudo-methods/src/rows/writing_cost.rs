//! What it costs to write a lot: time, and wear.

use sokudo_model::Nanos;
use sokudo_report::number;
use sokudo_words::{Text, text};

/// Makers rate consumer drives for so many times their capacity, of four bits per cell; of three,
/// for about three times as much.
const RATED_CAPACITIES_MIN: f64 = 200.0;

/// Of what a drive is rated for, less is told as that.
const WEAR_SHOWN_MIN: f64 = 0.001;

/// How long it takes to move so many bytes at a rate.
pub(crate) fn time_of(bytes: u128, bytes_per_s: u64) -> Nanos {
    Nanos::bounded(bytes * 1_000_000_000 / u128::from(bytes_per_s.max(1)))
}

/// What it wears to write a drive so many times.
pub(crate) fn wear(times: f64) -> Text {
    let share = times / RATED_CAPACITIES_MIN;
    let share = match share < WEAR_SHOWN_MIN {
        true => text!("less than {}", number::percent(WEAR_SHOWN_MIN)),
        false => text!("{} at most", number::percent(share)),
    };
    text!(
        "flash wears with it: makers rate drives for {RATED_CAPACITIES_MIN} times their capacity and more, of which this takes {share}"
    )
}
