//! The quick look: hdparm's two timings and dd.

use std::fs;
use std::path::Path;

use crate::sokudo::{Ended, codes, results, sokudo, sokudo_on};

/// `sokudo quick TARGET ARGUMENTS`, short.
fn quick(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("quick --quiet --time 50ms", target, arguments)
}

fn names(run: &serde_json::Value) -> Vec<(&str, &str)> {
    results(run)
        .iter()
        .map(|row| {
            let (name, direction) = (&row["name"], &row["direction"]);
            (name.as_str().unwrap(), direction.as_str().unwrap())
        })
        .collect()
}

#[test]
fn a_mean_of_the_middle_is_told_where_it_is_asked_for() {
    for (trim, is_reported) in [("--trim 1", true), ("", false)] {
        let arguments = format!("--runs 12 --test direct --format json {trim}");
        let run = quick("sim:hdd", &arguments).json();
        let figures = &results(&run)[0]["bandwidth_bytes_per_s"];
        assert_eq!(figures["trials"].as_array().unwrap().len(), 12);
        assert_eq!(figures["trimmed_mean"].is_number(), is_reported, "{trim}");
    }
}

#[test]
fn what_has_no_page_cache_is_not_read_through_one() {
    for target in ["sim:ssd", "null:"] {
        let run = quick(target, "--format json").json();
        assert_eq!(
            names(&run),
            [("direct (dd)", "read"), ("direct (dd)", "write")]
        );
        quick(target, "--test cached").refused(2, &["no page cache"]);
    }
    assert!(codes(&quick("sim:ssd", "--format json").json()).contains(&"simulated"));
}

#[test]
fn bad_arguments_are_told_in_one_line() {
    for (arguments, words) in [
        ("--runs 4 --trim 2", &["--trim 2", "--runs 5"][..]),
        ("--trim 1", &["--runs 3"]),
        (
            "--test speed",
            &["cached, buffered, direct, write or fdatasync"],
        ),
        ("--pause soon", &["--pause"]),
    ] {
        quick("sim:hdd", arguments).refused(2, words);
    }
    sokudo("quick sim:hdd --time 0s").refused(2, &["--time is 0"]);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("small");
    fs::write(&file, vec![0u8; 512 << 10]).unwrap();
    quick(&file, "").refused(2, &["512 KiB", "2 MiB"]);
}
