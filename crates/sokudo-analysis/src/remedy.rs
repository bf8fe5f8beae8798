//! Remedies that point at an option or a command of sokudo's. They hold which one, and each
//! front end names it in its own language where the remedy is shown: `--direct on` of `mark`
//! is `direct=1` in a job file of fio's.

use sokudo_words::{Argument, Text, WrittenFigure, text};

/// For a loop device whose file goes through the page cache.
pub(crate) const DIRECT_LOOP: &str =
    "attach the loop device with direct I/O (losetup --direct-io=on)";

/// Each with its word for scripts and its name in the words of `sokudo mark`.
macro_rules! means {
    ($($means:ident => $code:literal, $name:literal;)+) => {
        /// An option or a command that a remedy points at.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Means {
            $($means,)+
        }

        impl Means {
            pub const ALL: [Self; [$($code),+].len()] = [$(Self::$means),+];

            /// The word that scripts know it by.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$means => $code,)+
                }
            }

            /// In the words of `sokudo mark`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$means => $name,)+
                }
            }
        }
    };
}

means! {
    Direct => "direct", "--direct on";
    Buffered => "buffered", "--direct off";
    Size => "size", "--size";
    Time => "time", "--time";
    MaxTime => "max-time", "--max-time";
    Runs => "runs", "--runs";
    SixRuns => "six-runs", "--runs 6";
    Precision => "precision", "--precision";
    Rate => "rate", "--rate";
    Depth => "depth", "--depth";
    Threads => "threads", "--threads";
    Libaio => "libaio", "--engine libaio";
    IoUring => "io-uring", "--engine io_uring";
    RandomData => "random-data", "--data random";
    SmallPages => "small-pages", "--pages small";
    HugePages => "huge-pages", "--pages huge";
    Info => "info", "sokudo info";
    Quick => "quick", "sokudo quick";
    Steady => "steady", "sokudo steady";
}

impl Means {
    /// Whether it is a command of sokudo's, which everybody has.
    pub const fn is_command(self) -> bool {
        matches!(self, Self::Info | Self::Quick | Self::Steady)
    }

    /// What an argument of a remedy points at; nothing where it is another kind of argument.
    pub fn of(argument: &Argument) -> Vec<Self> {
        let Argument::Figure(WrittenFigure { value, unit, .. }) = argument else {
            return Vec::new();
        };
        let codes = value.split(' ').filter(|_| unit == WrittenFigure::OPTION);
        codes
            .filter_map(|code| Self::ALL.into_iter().find(|it| it.code() == code))
            .collect()
    }

    /// An argument that points at these, as somebody calls them.
    pub fn called(means: &[Self], text: String) -> Argument {
        let codes: Vec<&str> = means.iter().map(|it| it.code()).collect();
        Argument::figure(codes.join(" "), WrittenFigure::OPTION, text)
    }
}

fn pointing_at(means: &[Means]) -> Argument {
    let names: Vec<&str> = means.iter().map(|it| it.name()).collect();
    Means::called(means, names.join(", "))
}

macro_rules! remedies {
    ($($remedy:ident: $template:literal, $($hole:ident: [$($means:ident),+]),+;)+) => {
        $(pub fn $remedy() -> Text {
            text!($template, $($hole = pointing_at(&[$(Means::$means),+])),+)
        })+

        pub fn remedies_with_options() -> Vec<Text> {
            vec![$($remedy()),+]
        }
    };
}

remedies! {
    direct: "measure with direct I/O ({options})", options: [Direct];
    direct_where_possible: "measure with direct I/O ({options}), on a file system that supports it", options: [Direct];
    block_layer: "measure as root, make trials longer ({time}), or measure through the block layer ({options})", time: [Time], options: [IoUring];
    buffered: "use blocks that are multiples of 4 KiB, or measure through the page cache ({options})", options: [Buffered];
    far_larger_part: "measure a part that is far larger than the cache ({options}), at least four times as large", options: [Size];
    larger_part: "measure over a larger part ({options})", options: [Size];
    even_offsets: "measure with every position equally likely, or over a larger part ({options})", options: [Size];
    smaller_file: "make room, or use a smaller test file ({options})", options: [Size];
    longer_and_rest: "take the lower speed as the sustained one; measure longer ({options}), and again after a rest", options: [Time];
    longer_and_see: "take the lower speed as the sustained one; measure longer ({options}) to see whether it falls again, and after a rest to see whether the higher one comes back", options: [Time];
    longer_trials: "for the sustained speed, use longer trials ({options})", options: [Time];
    more_time: "give the trials more time ({options})", options: [Time];
    until_level: "measure until the rate levels off ({options}); the median of a changing rate depends on when it is taken", options: [Runs, Time];
    more_trials: "use more or longer trials ({options}), and look at each trial in the JSON output", options: [Runs, Time];
    median_or_more: "trust the median, make more trials ({options}), or measure once more while the disk is warm", options: [Runs];
    allow_more: "allow more trials ({runs}), make them longer ({time}), or ask for less precision ({precision})", runs: [Runs, MaxTime], time: [Time], precision: [Precision];
    six_trials: "measure each row six times or more ({options})", options: [SixRuns];
    percentiles_and_log: "read the percentiles, not the mean; look for errors of the device in the kernel's log (dmesg), and measure longer to see how often it happens ({options})", options: [Time];
    lower_rate: "ask for a lower rate ({rate}), or allow more in flight ({depth})", rate: [Rate], depth: [Depth];
    more_threads: "use more threads ({options}), as many as there are CPUs, or larger blocks", options: [Threads];
    queue: "use a backend that has a queue ({options}), or as many threads as the depth", options: [Libaio];
    no_kernel_workers: "nothing to do; compare IOPS per CPU, or let sokudo's own threads do the I/O ({options})", options: [Libaio];
    no_blocking: "use a backend that does not wait ({io_uring}), or direct I/O ({direct})", io_uring: [IoUring], direct: [Direct];
    random_data: "for the speed with real data, use data that does not repeat ({options})", options: [RandomData];
    health: "back up the device, and check its health ({command})", command: [Info];
    health_and_log: "look for the device's name in the kernel's log (dmesg), and at its health ({command})", command: [Info];
    health_and_cable: "back up the disk now, then check its health ({command}) and its cable, and replace it; the figures cover only what could be read", command: [Info];
    ordinary_buffers: "for the speed of programs with ordinary buffers, measure with those ({options})", options: [SmallPages];
    huge_pages: "nothing to do: this is what most programs get. For the disk's maximum, measure with buffers in huge pages ({options})", options: [HugePages];
    huge_pages_or_smaller: "measure with buffers in huge pages ({options}), or use smaller blocks", options: [HugePages];
    until_steady: "for the sustained speed, write to the drive until it is steady ({command})", command: [Steady];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threshold::INTERVAL_TRIALS_MIN;

    #[test]
    fn a_remedy_holds_which_options_it_points_at() {
        let remedy = more_trials();
        let arguments: Vec<_> = remedy.arguments().collect();
        assert_eq!(arguments[0].0, "options");
        assert_eq!(Means::of(arguments[0].1), [Means::Runs, Means::Time]);
        assert!(remedy.english().contains("(--runs, --time)"));
        let seven = Argument::Figure(WrittenFigure {
            value: "size".to_owned(),
            unit: "B".to_owned(),
            text: String::new(),
        });
        assert!(Means::of(&seven).is_empty());
    }

    #[test]
    fn six_trials_give_an_interval() {
        assert_eq!(INTERVAL_TRIALS_MIN, 6);
    }
}
