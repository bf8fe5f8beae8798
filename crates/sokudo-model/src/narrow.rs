//! Numbers of a narrower type.

use std::any::type_name;
use std::fmt::Display;

/// A number in a type that holds fewer values, where only a bug could make it too large:
/// a length of what is in memory, a share of a whole that fits. What a user, a file, a
/// device or another program decides has a limit of its own instead.
///
/// # Panics
/// When it does not fit, with the number.
#[track_caller]
pub fn narrow<Wide, Narrow>(number: Wide) -> Narrow
where
    Wide: Copy + Display,
    Narrow: TryFrom<Wide>,
{
    match Narrow::try_from(number) {
        Ok(number) => number,
        Err(_) => panic!("{number} does not fit into {}", type_name::<Narrow>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_stays_what_it_is() {
        assert_eq!(narrow::<u64, u32>(u64::from(u32::MAX)), u32::MAX);
        assert_eq!(narrow::<usize, i32>(7), 7);
    }

    #[test]
    #[should_panic(expected = "4294967296 does not fit into u32")]
    fn what_does_not_fit_is_a_bug() {
        narrow::<u64, u32>(1 << 32);
    }
}
