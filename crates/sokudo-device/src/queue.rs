//! How the kernel queues I/O for a disk: `/sys/block/*/queue`, as `Documentation/ABI/
//! stable/sysfs-block` of the kernel describes it.

use std::path::Path;

use sokudo_model::Bytes;
use sokudo_model::disk::QueueSettings;

use crate::system;

/// The settings of the disk in this directory.
pub(crate) fn queue(directory: &Path) -> QueueSettings {
    let queue = directory.join("queue");
    let bytes = |file: &str| system::number(queue.join(file)).map(Bytes);
    let kib = |file: &str| {
        system::number(queue.join(file))
            .and_then(|kib| kib.checked_mul(Bytes::KIB))
            .map(Bytes)
    };
    let schedulers = system::text(queue.join("scheduler")).unwrap_or_default();
    let hardware_queues = system::names(directory.join("mq")).len() as u64;
    QueueSettings {
        scheduler: chosen(&schedulers),
        schedulers: schedulers
            .split_whitespace()
            .map(|word| word.trim_matches(['[', ']']).to_owned())
            .collect(),
        requests: system::number(queue.join("nr_requests")),
        hardware_queues: (hardware_queues > 0).then_some(hardware_queues),
        device_depth: system::number(directory.join("device/queue_depth")),
        io_bytes_max: kib("max_sectors_kb"),
        hardware_io_bytes_max: kib("max_hw_sectors_kb"),
        read_ahead_bytes: kib("read_ahead_kb"),
        io_bytes_minimum: bytes("minimum_io_size"),
        io_bytes_optimal: bytes("optimal_io_size").filter(|size| size.0 > 0),
        discard_bytes_max: bytes("discard_max_bytes"),
        forced_unit_access: system::flag(queue.join("fua")),
        polls: system::flag(queue.join("io_poll")),
        counts_io: system::flag(queue.join("iostats")),
    }
}

/// The word in brackets of `mq-deadline kyber [none]`, or the only word.
fn chosen(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let only = words.next().filter(|_| words.next().is_none());
    bracketed(text).or(only).map(str::to_owned)
}

/// The word in brackets.
pub(crate) fn bracketed(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    words.find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_brackets_is_the_chosen_one() {
        assert_eq!(chosen("mq-deadline [kyber] none").as_deref(), Some("kyber"));
        assert_eq!(chosen("none").as_deref(), Some("none"));
        assert_eq!(chosen("one two"), None);
        assert_eq!(chosen(""), None);
    }

    #[test]
    fn nothing_there_is_nothing_known() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(queue(directory.path()), QueueSettings::default());
    }

    #[test]
    fn settings_are_read_in_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        std::fs::create_dir_all(path.join("queue")).unwrap();
        for queue in ["mq/0", "mq/1"] {
            std::fs::create_dir_all(path.join(queue)).unwrap();
        }
        for (file, text) in [
            ("scheduler", "[none] mq-deadline"),
            ("max_sectors_kb", "1280"),
            ("optimal_io_size", "0"),
            ("minimum_io_size", "4096"),
            ("fua", "1"),
            ("discard_max_bytes", "0"),
        ] {
            std::fs::write(path.join("queue").join(file), text).unwrap();
        }
        let seen = queue(path);
        assert_eq!(seen.scheduler.as_deref(), Some("none"));
        assert_eq!(seen.schedulers, ["none", "mq-deadline"]);
        assert_eq!(seen.hardware_queues, Some(2));
        assert_eq!(seen.io_bytes_max, Some(Bytes::kib(1280)));
        assert_eq!(seen.io_bytes_optimal, None);
        assert_eq!(seen.discard_bytes_max, Some(Bytes(0)));
        assert_eq!(seen.forced_unit_access, Some(true));
    }
}
