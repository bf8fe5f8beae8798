//! How far local time is from UTC, as the C library knows it.

#![expect(unsafe_code, reason = "localtime_r has no safe wrapper")]

use std::mem::MaybeUninit;

/// Local time less UTC in seconds at an instant, given in seconds since 1970; 0 where
/// the C library cannot say.
pub fn utc_offset_seconds(unix_seconds: i64) -> i32 {
    let mut broken_down = MaybeUninit::<libc::tm>::uninit();
    // SAFETY: both pointers are valid for the call, which keeps neither. It reads the
    // environment, which no thread of this program changes.
    let result = unsafe { libc::localtime_r(&raw const unix_seconds, broken_down.as_mut_ptr()) };
    if result.is_null() {
        return 0;
    }
    // SAFETY: localtime_r fills the structure when it returns it.
    let broken_down = unsafe { broken_down.assume_init() };
    i32::try_from(broken_down.tm_gmtoff).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_place_is_further_from_utc_than_a_day() {
        assert!(utc_offset_seconds(1_800_000_000).abs() < 86_400);
        assert_eq!(utc_offset_seconds(i64::MAX), 0);
    }
}
