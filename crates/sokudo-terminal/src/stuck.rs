//! Requests that do not come back, in words.

use sokudo_model::{Operation, StuckIo};
use sokudo_words::{Text, text};

/// The oldest request that has not come back in time, with its place and age, and how many more
/// there are, of requests in the order of their age; `None` where there is none.
pub(crate) fn stuck(ios: &[(usize, StuckIo)]) -> Option<Text> {
    let ((_, oldest), others) = ios.split_first()?;
    let (length, offset, age) = (oldest.length, oldest.offset.0, oldest.age.as_secs_f64());
    let operation = Text::from(oldest.operation.name());
    let named = match oldest.operation {
        Operation::Flush => text!("a flush has not come back for {age:.0} s"),
        kind if kind.is_on_files() => {
            let files = offset;
            text!("a {operation} has not come back for {age:.0} s, after {files} files")
        }
        _ => text!("a {operation} of {length} at byte {offset} has not come back for {age:.0} s"),
    };
    let named = match others.len() {
        0 => named,
        count => text!("{named}, and {count} more"),
    };
    Some(match oldest.holds_thread {
        true => text!("{named}; its thread waits in the kernel and cannot give it up"),
        false => named,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_model::{Bytes, Nanos};

    #[test]
    fn the_oldest_is_named() {
        let io = |operation, length, age| StuckIo {
            operation,
            offset: Bytes(length * 3),
            length: Bytes(length),
            age: Nanos::from_secs(age),
            holds_thread: false,
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
        let create = StuckIo {
            holds_thread: true,
            ..io(Operation::Create, 100, 32)
        };
        assert_eq!(
            words(&[(0, create)]).unwrap(),
            "a create has not come back for 32 s, after 300 files; its thread waits in the kernel \
             and cannot give it up"
        );
    }
}
