//! Shares, as people write them.

use sokudo_words::{Text, text};

/// A share, 1 for 100 %, that people write in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(pub f64);

impl std::fmt::Display for Percent {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}%", (self.0 * 1e4).round() / 100.0)
    }
}

/// Reads `5%` or `0.5 %`; a number without the sign is percent, too.
pub fn percent(text: &str) -> Result<Percent, Text> {
    let number = text.trim_end().trim_end_matches('%').trim_end();
    match number.parse::<f64>() {
        Ok(value) if (0.0..100.0).contains(&value) => Ok(Percent(value / 100.0)),
        _ => Err(text!("use a percentage from 0% to below 100%, such as 5%")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_read_with_and_without_their_sign() {
        for (text, share) in [("5%", 0.05), ("0.5 %", 0.005), ("2", 0.02), ("0", 0.0)] {
            assert_eq!(percent(text), Ok(Percent(share)), "{text}");
        }
        for text in ["", "%", "-1%", "100%", "nan", "x"] {
            assert!(percent(text).is_err(), "{text}");
        }
        assert_eq!(Percent(0.02).to_string(), "2%");
        assert_eq!(Percent(0.005).to_string(), "0.5%");
    }
}
