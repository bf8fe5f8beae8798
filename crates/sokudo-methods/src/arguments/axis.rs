//! The axes of a sweep as people write them: `4K,12K,48M`, `1..256`, `1,2,8`.

mod error;

use std::fmt;
use std::str::FromStr;

use sokudo_model::{Bytes, narrow};

pub use error::{CELLS_MAX, SweepError};
use sokudo_tools::crystaldiskmark::{BLOCK_MAX, BLOCK_MIN, DEPTH_MAX};

/// Block sizes in bytes, each once, in the order in which they are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<Bytes>);

impl Sizes {
    /// Every power of two from `from` to `to`, both included.
    ///
    /// # Errors
    /// When an end is no block size or no power of two, or the range goes backwards.
    pub fn between(from: Bytes, to: Bytes) -> Result<Self, SweepError> {
        check_size(from, &from.to_string())?;
        if from.0.is_power_of_two() {
            check_size(to, &to.to_string())?;
        }
        doubled(from, to, |size| size.0).map(|sizes| Self(sizes.map(Bytes).collect()))
    }
}

/// A list such as `4K,12K,48M`, in any order; it is measured in that order.
impl FromStr for Sizes {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let mut sizes = Vec::new();
        for part in parts(text) {
            let size = part.parse().map_err(|_| SweepError::Size {
                size: format!("\"{part}\""),
            })?;
            check_size(size, part)?;
            push_once(&mut sizes, size, part)?;
        }
        not_empty(sizes).map(Self)
    }
}

/// Depths or numbers of threads, each once, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountList(pub Vec<u32>);

/// A list such as `1,2,8`, or all powers of two of a range such as `1..256`.
impl FromStr for CountList {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        if let Some((from, to)) = text.split_once("..") {
            let (from, to) = (count(from)?, count(to)?);
            return doubled(from, to, u64::from).map(|counts| Self(counts.map(narrow).collect()));
        }
        let mut counts = Vec::new();
        for part in parts(text) {
            push_once(&mut counts, count(part)?, part)?;
        }
        not_empty(counts).map(Self)
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
}

/// Every power of two of a range.
fn doubled<T: Copy + fmt::Display>(
    from: T,
    to: T,
    number: fn(T) -> u64,
) -> Result<impl Iterator<Item = u64>, SweepError> {
    for end in [from, to] {
        if !number(end).is_power_of_two() {
            let size = end.to_string();
            return Err(SweepError::NoPower { size });
        }
    }
    let (first, last) = (number(from), number(to));
    if first > last {
        let (from, to) = (from.to_string(), to.to_string());
        return Err(SweepError::Backwards { from, to });
    }
    let sizes = std::iter::successors(Some(first), |size| size.checked_mul(2));
    Ok(sizes.take_while(move |size| *size <= last))
}

fn check_size(size: Bytes, written: &str) -> Result<(), SweepError> {
    let is_block = (BLOCK_MIN..=BLOCK_MAX).contains(&size) && size.0.is_multiple_of(BLOCK_MIN.0);
    if is_block {
        return Ok(());
    }
    Err(SweepError::Size {
        size: written.to_owned(),
    })
}

/// What is no count of anything is refused; how many threads there may be is told by
/// whoever knows which of both is counted.
fn count(text: &str) -> Result<u32, SweepError> {
    let text = text.trim();
    let number = text
        .parse()
        .ok()
        .filter(|count| (1..=DEPTH_MAX).contains(count));
    number.ok_or_else(|| SweepError::Count {
        count: text.to_owned(),
        max: DEPTH_MAX,
    })
}

fn push_once<T: PartialEq>(list: &mut Vec<T>, value: T, written: &str) -> Result<(), SweepError> {
    if list.contains(&value) {
        return Err(SweepError::Twice {
            value: written.to_owned(),
        });
    }
    list.push(value);
    Ok(())
}

fn not_empty<T>(list: Vec<T>) -> Result<Vec<T>, SweepError> {
    if list.is_empty() {
        Err(SweepError::Empty)
    } else {
        Ok(list)
    }
}

impl fmt::Display for CountList {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = self.0.iter().map(u32::to_string).collect();
        out.pad(&counts.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wrong(text: &str) -> String {
        text.parse::<Sizes>().unwrap_err().to_string()
    }

    #[test]
    fn a_range_doubles_and_has_both_ends() {
        let sizes = Sizes::between(Bytes(512), Bytes::mib(64)).unwrap().0;
        assert_eq!(sizes.len(), 18);
        assert_eq!((sizes[0], sizes[17]), (Bytes(512), Bytes::mib(64)));
        let one = Sizes::between(Bytes::kib(4), Bytes::kib(4)).unwrap();
        assert_eq!(one.0, [Bytes::kib(4)]);
        let depths = "1..256".parse::<CountList>().unwrap();
        assert_eq!(depths.to_string(), "1,2,4,8,16,32,64,128,256");
    }

    #[test]
    fn a_list_is_taken_as_it_is() {
        let sizes = "4K, 12K,48M".parse::<Sizes>().unwrap();
        assert_eq!(sizes.0, [Bytes::kib(4), Bytes::kib(12), Bytes::mib(48)]);
        assert_eq!("8,1".parse::<CountList>().unwrap().0, [8, 1]);
    }

    #[test]
    fn sizes_that_cannot_be_are_refused_by_name() {
        for (text, word) in [
            ("0", "0 is no block size"),
            ("100", "100 is no block size"),
            ("513", "multiple of 512 B"),
            ("128M", "to 64 MiB"),
            ("4K,x", "\"x\" is no block size"),
            ("", "empty"),
            (",", "empty"),
            ("4K,4096", "4096 is there twice"),
        ] {
            assert!(wrong(text).contains(word), "{text}: {}", wrong(text));
        }
        let between = |from, to| Sizes::between(Bytes(from), Bytes(to)).unwrap_err();
        assert!(between(8192, 4096).to_string().contains("backwards"));
        assert!(
            between(1536, 4096)
                .to_string()
                .contains("not a power of two")
        );
        assert!(between(0, 4096).to_string().contains("no block size"));
        assert!(between(512, 1 << 40).to_string().contains("no block size"));
    }

    #[test]
    fn counts_that_cannot_be_are_refused_by_name() {
        for (text, word) in [
            ("0", "no number from 1"),
            ("1,0", "no number from 1"),
            ("4096", "to 1024"),
            ("3..8", "not a power of two"),
            ("8..2", "backwards"),
            ("1..", "no number"),
            ("..", "no number"),
            ("two", "\"two\""),
            ("1,1", "twice"),
            ("", "empty"),
        ] {
            let error = text.parse::<CountList>().unwrap_err().to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused_and_what_is_read_is_within_bounds(text in "[0-9KMx.,]{0,12}") {
            if let Ok(Sizes(sizes)) = text.parse::<Sizes>() {
                prop_assert!(sizes.iter().all(|size| (BLOCK_MIN..=BLOCK_MAX).contains(size)));
            }
            if let Ok(CountList(counts)) = text.parse::<CountList>() {
                prop_assert!(counts.iter().all(|count| (1..=DEPTH_MAX).contains(count)));
            }
        }
    }
}
