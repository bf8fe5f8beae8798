//! The first damaged texts that `examples/fuzz.rs` makes of every format; it makes
//! millions.

#[path = "../examples/fuzz.rs"]
#[allow(dead_code, reason = "the program around it is not used")]
mod fuzz;

use std::process::ExitCode;

#[test]
fn no_damaged_text_panics_or_costs_much() {
    let formats = fuzz::formats();
    assert!(formats.len() > 10, "{formats:?}");
    for format in formats {
        let all = fuzz::Share {
            count: 2_000,
            seed: 1,
            share: 0,
            shares: 1,
        };
        assert_eq!(fuzz::work(&format, all), ExitCode::SUCCESS, "{format}");
    }
}
