//! Whether a disk is well and as fast as it should be: on simulated devices that are, that are not
//! and of which nothing is known, and on a real directory.

use crate::sokudo::{Ended, sokudo_on};

/// `sokudo assess TARGET ARGUMENTS`.
fn assess(target: &str, arguments: &str) -> Ended {
    sokudo_on("assess --quiet --no-store", target, arguments)
}

fn first_line(ended: &Ended) -> &str {
    ended.printed.lines().next().unwrap_or_default()
}

#[test]
fn a_good_disk_a_slow_one_and_one_that_is_much_too_slow_are_told_apart() {
    for (device, answer, code) in [
        ("sim:hdd", "OK: a disk of 5,900 turns a minute does ", 0),
        ("sim:ssd", "OK: ", 0),
        (
            "sim:const?latency=390us&jitter=0s",
            "OK: 2,564 single random reads",
            0,
        ),
        (
            "sim:const?latency=410us&jitter=0s",
            "OK BUT: 2,439 single random",
            0,
        ),
        (
            "sim:const?latency=810us&jitter=0s",
            "NOT OK: 1,235 single random",
            1,
        ),
    ] {
        let ended = assess(device, "").ends(code);
        assert!(
            first_line(&ended).starts_with(answer),
            "{device}: {ended:?}"
        );
    }
}

#[test]
fn of_what_nothing_is_known_nothing_is_said() {
    let ended = assess("sim:raid5", "--time 100ms").ends(4);
    let nothing = "CANNOT SAY: nothing is known of what sim:raid5 should be able to do";
    assert!(first_line(&ended).starts_with(nothing), "{ended:?}");
    assess("null:", "").ends(2);
    assess("sim:ssd", "--size 1GiB").ends(2);
    assess("/does/not/exist", "").ends(2);
}

#[test]
fn what_is_expected_is_told_with_its_source() {
    let ended = assess("sim:hdd", "--why --time 300ms").ok();
    let words = ["1 / (30 s / rpm + seek)", "mean latency is half a turn"];
    for words in words {
        assert!(
            ended.printed.replace('\n', " ").contains(words),
            "{ended:?}"
        );
    }
}

#[test]
fn a_card_has_a_line_of_it() {
    let ended = sokudo_on("mark --quiet --no-store", "sim:hdd", "--card").ok();
    let lines: Vec<&str> = ended.printed.lines().collect();
    let line = lines.iter().find(|line| line.starts_with("OK: a disk of"));
    assert!(line.is_some(), "{ended:?}");
}
