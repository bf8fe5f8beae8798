//! Texts that a document holds as English.

use sokudo_model::Nanos;
use sokudo_words::{Text, text};

use crate::number::{exact_time, grouped};

/// A word or phrase of a closed set, looked up as it is; what is not known stays.
pub fn phrase(words: &str) -> Text {
    Text::phrase(words)
}

/// The parts of a finding's text, and which are code that readers can copy: those in a pair of
/// backticks.
pub(crate) fn with_code(text: &str) -> Vec<(bool, &str)> {
    let parts: Vec<&str> = text.split('`').collect();
    match parts.len().is_multiple_of(2) {
        true => vec![(false, text)],
        false => [false, true].into_iter().cycle().zip(parts).collect(),
    }
}

/// The names of rows that are words of ours; all others are the same in all languages: they
/// are codes, or somebody has given them.
const ROWS: [&str; 4] = [
    "cached (hdparm -T)",
    "buffered (hdparm -t)",
    "direct (dd)",
    "fdatasync (dd)",
];

/// A row's name without its direction.
pub(crate) fn row_alone(name: &str) -> Text {
    match name.rsplit_once(", ") {
        Some((name, state @ ("cache on" | "cache off"))) => {
            Text::list([word_or_name(name), phrase(state)], ", ")
        }
        _ => match name
            .strip_suffix(" %")
            .and_then(|it| it.rsplit_once(" at "))
        {
            Some((name, percent)) => text!("{name} at {percent} %"),
            None => word_or_name(name),
        },
    }
}

/// What a target is called; of several the first, and how many more there are.
pub(crate) fn target(name: &str) -> Text {
    match name
        .strip_suffix(" more")
        .and_then(|it| it.rsplit_once(" and "))
    {
        Some((name, more)) if more.parse::<u32>().is_ok() => text!("{name} and {more} more"),
        _ => Text::name(name),
    }
}

fn word_or_name(name: &str) -> Text {
    match ROWS.contains(&name) {
        true => phrase(name),
        false => Text::name(name),
    }
}

/// What follows the name of a row.
const DIRECTIONS: [&str; 5] = ["read", "write", "trim", "flush", "mix"];

/// A row's name with its direction, if it has one.
pub fn row(name: &str) -> Text {
    match name.rsplit_once(' ') {
        Some((name, direction)) if DIRECTIONS.contains(&direction) => {
            text!("{} {}", row_alone(name), phrase(direction))
        }
        _ => row_alone(name),
    }
}

/// Names of rows, one after the other.
pub fn rows<N: AsRef<str>>(names: &[N]) -> Text {
    Text::list(names.iter().map(|name| row(name.as_ref())), ", ")
}

/// What a run is called by: its number in the store, or whatever else somebody has named; of
/// a comparison behind the letter of its side.
pub fn source(name: &str) -> Text {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    match name.rsplit_once("run ") {
        Some(("", number)) if is_number(number) => text!("run {number}"),
        Some((letter, number)) if letter.len() < 4 && is_number(number) => {
            text!("{letter}{}", text!("run {number}"))
        }
        _ => Text::name(name),
    }
}

/// The same behind the label of the run, if it has one.
pub fn labelled(label: Option<&str>, source: Text) -> Text {
    match label {
        Some(label) => text!("{} ({source})", Text::name(label)),
        None => source,
    }
}

/// What people call a device, with the end of its serial number where it is known: two of one
/// model are told apart by it. Only what sokudo itself has named has a name in other languages.
pub fn device(identity: &str, name: &str) -> Text {
    if identity.starts_with("sim:") {
        return match identity.split_once("?serial=") {
            Some((_, serial)) if !name.contains(serial) => text!("{} {serial}", phrase(name)),
            _ => phrase(name),
        };
    }
    // Without a serial number its size stands there.
    let behind = identity
        .strip_prefix(name)
        .filter(|it| !it.contains(" bytes"));
    let serial = behind.and_then(|it| it.split(" · ").next());
    match serial.and_then(|it| it.get(it.len().checked_sub(SERIAL_END)?..)) {
        Some(end) => Text::name(format!("{name} …{end}")),
        None => Text::name(name),
    }
}

/// So much of a serial number differs between disks of one model.
const SERIAL_END: usize = 4;

/// A time over which rounds are spread: whole minutes as such.
pub fn minutes(time: Nanos) -> Text {
    const MINUTE: u64 = 60_000_000_000;
    match time.0.is_multiple_of(MINUTE) {
        true => text!("{} min", time.0 / MINUTE),
        false => Text::name(exact_time(time)),
    }
}

/// `5 h 40 min`, `3 min 20 s`, `16 s`.
pub fn duration(Nanos(nanos): Nanos) -> Text {
    let seconds = nanos / 1_000_000_000;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes) {
        (0, 0) if seconds < 10 => text!("{}", Nanos(nanos)),
        (0, 0) => text!("{rest} s"),
        (0, _) => text!("{minutes} min {rest} s"),
        _ => text!("{} h {minutes} min", grouped(&hours.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_device_has_its_serial_number_behind_its_name() {
        let name = |identity| device(identity, "sokudo simulated hard disk");
        let expected = "sokudo simulated hard disk R1";
        assert_eq!(name("sim:hdd?serial=R1"), expected);
        assert_eq!(name("sim:hdd?size=4TB"), "sokudo simulated hard disk");
        let target = "sim:hdd?size=4TB&serial=R1";
        assert_eq!(device("sim:hdd?serial=R1", target), target);
    }

    #[test]
    fn times_are_told_as_people_tell_them() {
        for (nanos, text) in [
            (Nanos::from_millis(1_500), "1.50 s"),
            (Nanos::from_secs(16), "16 s"),
            (Nanos::from_secs(200), "3 min 20 s"),
            (Nanos::from_secs(20_400), "5 h 40 min"),
        ] {
            assert_eq!(duration(nanos), text);
        }
    }
}
