//! `sokudo explain`: conclusions, what is asked for before anything is written, and that
//! nothing is claimed of what is no disk.

use std::path::Path;

use crate::sokudo::{Ended, holds, sokudo_on};

fn explain(target: impl AsRef<Path>, arguments: &str) -> Ended {
    sokudo_on("explain", target, arguments)
}

#[test]
fn a_simulated_disk_is_told_for_what_it_is() {
    let ended = explain("sim:hdd?rpm=7200", "--quiet").ok();
    holds(
        &ended.printed,
        &[
            "The figures are consistent with:",
            "platters that turn at 7,200 rpm (high confidence)",
            "a rotating disk with zones",
            "seen: ",
            "a volatile write cache that is on",
        ],
    );
    assert!(!ended.printed.contains("shingled"), "{}", ended.printed);
}

#[test]
fn a_wrong_theme_is_answered_with_all_of_them() {
    let ended = explain("sim:hdd", "--only tape").ends(2);
    holds(&ended.told, &["tape", "zones", "rotation", "shingles"]);
    explain("null:", "").ends(2).tells(&["nothing to explain"]);
}
