//! Remedies that name an option or a command of sokudo's: all of them, so that a test can
//! walk each through the commands that print it.
//!
//! An option stands in brackets behind a sentence that is whole without it, `(--size)` or
//! `(--runs, --time)`, in the words of `sokudo mark`. Whoever prints it for another command
//! or language puts that one's words into the brackets. A command stands in brackets with
//! its name, `(sokudo info)`.

pub(crate) const DIRECT: &str = "measure with direct I/O (--direct on)";
pub(crate) const DIRECT_WHERE_POSSIBLE: &str =
    "measure with direct I/O (--direct on), on a file system that supports it";
pub(crate) const BUFFERED: &str =
    "use blocks that are multiples of 4 KiB, or measure through the page cache (--direct off)";
pub(crate) const FAR_LARGER_PART: &str =
    "measure a part that is far larger than the cache (--size), at least four times as large";
pub(crate) const LARGER_PART: &str = "measure over a larger part (--size)";
pub(crate) const EVEN_PLACES: &str =
    "measure with places that are all alike, or over a larger part (--size)";
pub(crate) const SMALLER_FILE: &str = "make room, or use a smaller test file (--size)";
pub(crate) const LONGER_AND_REST: &str =
    "take the lower speed for what lasts, and measure longer (--time), again after a rest";
pub(crate) const LONGER_AND_SEE: &str = "take the lower speed for what lasts; measure longer (--time) to see whether it falls again, and after a rest to see whether the higher one comes back";
pub(crate) const LONGER_TRIALS: &str =
    "for the speed that lasts use longer trials (--time), in which the beginning counts less";
pub(crate) const MORE_TIME: &str = "give the trials more time (--time)";
pub(crate) const UNTIL_LEVEL: &str = "measure until it levels off (--runs, --time); a median of what still changes depends on when it is taken";
pub(crate) const MORE_TRIALS: &str =
    "use more or longer trials (--runs, --time), and look at the single trials in the JSON output";
pub(crate) const MEDIAN_OR_MORE: &str =
    "trust the median, make more trials (--runs), or measure once more while the disk is warm";
pub(crate) const ALLOW_MORE: &str = "allow more (--runs, --max-time), make the trials longer (--time), or ask for less (--precision)";
/// As many as give an interval, which a test holds.
pub(crate) const SIX_TRIALS: &str = "measure each row six times or more (--runs 6)";
pub(crate) const PERCENTILES_AND_LOG: &str = "read the percentiles, not the mean; look for errors of the device in the kernel's log (dmesg), and measure longer to see how often it happens (--time)";
pub(crate) const LOWER_RATE: &str =
    "ask for a lower rate (--rate), or allow more in flight (--depth)";
pub(crate) const MORE_THREADS: &str =
    "use more threads (--threads), as many as there are processors, or larger blocks";
pub(crate) const QUEUE: &str =
    "use a backend that has a queue (--engine libaio), or as many threads as the depth";
pub(crate) const NO_BLOCKING: &str =
    "use a backend that does not wait (--engine io_uring), or direct I/O (--direct on)";
pub(crate) const RANDOM_DATA: &str =
    "for what real data gets, measure with data that do not repeat themselves (--data random)";
pub(crate) const HEALTH: &str = "save what is on the device, and look at its health (sokudo info)";
pub(crate) const HEALTH_AND_LOG: &str =
    "look for the device's name in the kernel's log (dmesg), and at its health (sokudo info)";
pub(crate) const HEALTH_AND_CABLE: &str = "copy what the disk holds now, then look at its health (sokudo info) and cable, and replace it; figures are of what could be read";
pub(crate) const ORDINARY_BUFFERS: &str =
    "for what a program with ordinary buffers gets, measure with such (sokudo quick)";
pub(crate) const UNTIL_STEADY: &str =
    "for the speed that lasts, have it written until it is steady (sokudo steady)";

pub const REMEDIES_WITH_OPTIONS: [&str; 27] = [
    DIRECT,
    DIRECT_WHERE_POSSIBLE,
    BUFFERED,
    FAR_LARGER_PART,
    LARGER_PART,
    EVEN_PLACES,
    SMALLER_FILE,
    LONGER_AND_REST,
    LONGER_AND_SEE,
    LONGER_TRIALS,
    MORE_TIME,
    UNTIL_LEVEL,
    MORE_TRIALS,
    MEDIAN_OR_MORE,
    ALLOW_MORE,
    SIX_TRIALS,
    PERCENTILES_AND_LOG,
    LOWER_RATE,
    MORE_THREADS,
    QUEUE,
    NO_BLOCKING,
    RANDOM_DATA,
    HEALTH,
    HEALTH_AND_LOG,
    HEALTH_AND_CABLE,
    ORDINARY_BUFFERS,
    UNTIL_STEADY,
];

/// Whether a remedy names no option or command, or is one of those that are walked through
/// every command.
pub(crate) fn is_walked(remedy: &str) -> bool {
    let names_some = ["(--", "(sokudo "].iter().any(|sign| remedy.contains(sign));
    // Options of other programs stand behind their names.
    let is_bare = remedy
        .match_indices(" --")
        .any(|(at, _)| !remedy[..at].ends_with("losetup") && !remedy[..at].contains('('));
    !is_bare && (!names_some || REMEDIES_WITH_OPTIONS.contains(&remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threshold::INTERVAL_TRIALS_MIN;

    #[test]
    fn an_option_that_no_test_walks_through_the_commands_is_noticed() {
        assert!(is_walked("measure a disk"));
        assert!(is_walked(
            "attach the loop device with direct I/O (losetup --direct-io=on)"
        ));
        assert!(REMEDIES_WITH_OPTIONS.into_iter().all(is_walked));
        for unknown in [
            "use --direct on",
            "make it large (--size)",
            "look (sokudo info)",
        ] {
            assert!(!is_walked(unknown), "{unknown}");
        }
    }

    #[test]
    fn six_trials_give_an_interval() {
        assert_eq!(INTERVAL_TRIALS_MIN, 6);
    }
}
