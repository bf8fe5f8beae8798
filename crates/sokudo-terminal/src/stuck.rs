//! Requests that do not come back, in words.

use sokudo_model::{Operation, StuckIo};
use sokudo_words::{Text, text};

/// The oldest request that has not come back in time, with its place and age, and how many more
/// there are, of requests in the order of their age; `None` where there is none.
pub(crate) fn stuck(ios: &[(usize, StuckIo)]) -> Option<Text> {
    let ((_, oldest), others) = ios.split_first()?;
    let (length, offset, age) = (oldest.length, oldest.offset.0, oldest.age.as_secs_f64());
    let oldest = match oldest.operation {
        Operation::Flush => text!("a flush has not come back for {age:.0} s"),
        operation => {
            let operation = Text::from(operation.name());
            text!("a {operation} of {length} at byte {offset} has not come back for {age:.0} s")
        }
    };
    Some(match others.len() {
        0 => oldest,
        count => text!("{oldest}, and {count} more"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Bytes, Nanos};

    #[test]
    fn the_oldest_is_named_with_its_place_and_age_and_others_are_counted() {
        let io = |operation, length, age| StuckIo {
            operation,
            offset: Bytes(length * 3),
            length: Bytes(length),
            age: Nanos::from_secs(age),
        };
        let write = io(Operation::Write, 4096, 45);
        let flush = io(Operation::Flush, 0, 31);
        let words = |ios: &[(usize, StuckIo)]| stuck(ios).map(|text| text.to_string());
        assert_eq!(words(&[]), None);
        let alone = words(&[(0, flush)]).unwrap();
        assert_eq!(alone, "a flush has not come back for 31 s");
        let all = words(&[(1, write), (0, flush), (0, flush)]).unwrap();
        assert_eq!(
            all,
            "a write of 4 KiB at byte 12288 has not come back for 45 s, and 2 more"
        );
    }
}
