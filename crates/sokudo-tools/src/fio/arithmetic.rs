//! Whole-number arithmetic inside values: `10*1024*4096`, `(1+2)*3k`.
//!
//! fio hands a value with `$pagesize`, `$mb_memory` or `$ncpus` to bc(1), which knows no
//! units, and computes one that begins with `(` by itself, with units.

/// Parentheses and signs inside one another; deeper is nonsense.
const DEPTH_MAX: u32 = 32;

/// What units mean: the factor of the letters after a number.
pub(super) type Units<'a> = &'a dyn Fn(&str) -> Option<i128>;

/// The value of an expression; `None` when it is none, overflows or divides by 0.
pub(super) fn evaluate(text: &str, units: Units<'_>) -> Option<i128> {
    let mut reader = ExpressionReader {
        rest: text.trim(),
        units,
    };
    let value = reader.sum(0)?;
    reader.rest.is_empty().then_some(value)
}

struct ExpressionReader<'a> {
    rest: &'a str,
    units: Units<'a>,
}

impl<'a> ExpressionReader<'a> {
    fn sum(&mut self, depth: u32) -> Option<i128> {
        let mut value = self.product(depth)?;
        loop {
            if self.take('+') {
                value = value.checked_add(self.product(depth)?)?;
            } else if self.take('-') {
                value = value.checked_sub(self.product(depth)?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self, depth: u32) -> Option<i128> {
        let mut value = self.factor(depth)?;
        loop {
            if self.take('*') {
                value = value.checked_mul(self.factor(depth)?)?;
            } else if self.take('/') {
                value = value.checked_div(self.factor(depth)?)?;
            } else if self.take('%') {
                value = value.checked_rem(self.factor(depth)?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn factor(&mut self, depth: u32) -> Option<i128> {
        if depth == DEPTH_MAX {
            return None;
        }
        if self.take('-') {
            return self.factor(depth + 1)?.checked_neg();
        }
        let value = if self.take('(') {
            let value = self.sum(depth + 1)?;
            self.take(')').then_some(value)?
        } else {
            let digits = self.word(|c| c.is_ascii_digit());
            digits.parse().ok()?
        };
        match self.word(|c| c.is_ascii_alphabetic()) {
            "" => Some(value),
            unit => value.checked_mul((self.units)(unit)?),
        }
    }

    fn take(&mut self, sign: char) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Option<i128> {
        evaluate(text, &|unit| (unit == "k").then_some(1024))
    }

    #[test]
    fn products_bind_before_sums() {
        assert_eq!(plain("10*1024*4096"), Some(41_943_040));
        assert_eq!(plain("1+2*3"), Some(7));
        assert_eq!(plain("(1+2)*3k"), Some(9216));
        assert_eq!(plain("7/2 - 1"), Some(2));
        assert_eq!(plain("-(2+3)"), Some(-5));
    }

    #[test]
    fn what_is_no_expression_has_no_value() {
        for text in ["", "1+", "(1", "1/0", "2.x", "1 2", "3q", "/dev/4"] {
            assert_eq!(plain(text), None, "{text}");
        }
        assert_eq!(plain(&"(".repeat(10_000)), None);
        assert_eq!(plain(&"9*".repeat(200).add_one()), None);
    }

    trait AddOne {
        fn add_one(self) -> String;
    }

    impl AddOne for String {
        fn add_one(mut self) -> String {
            self.push('1');
            self
        }
    }
}
