//! Whether a disk is well and as fast as it should be: on simulated devices that are, that are not
//! and of which nothing is known, and on a real directory.

use crate::sokudo::{Ended, sokudo_on};

/// `sokudo checkup TARGET ARGUMENTS`.
fn checkup(target: &str, arguments: &str) -> Ended {
    sokudo_on("checkup --quiet --no-store", target, arguments)
}

fn first_line(ended: &Ended) -> &str {
    ended.printed.lines().next().unwrap_or_default()
}

#[test]
fn a_good_disk_a_slow_one_and_one_that_is_much_too_slow_are_told_apart() {
    for (device, answer, code) in [
        ("sim:hdd", "OK so far (not looked at", 0),
        ("sim:ssd", "OK so far (not looked at", 0),
        (
            "sim:const?latency=390us&jitter=0s",
            "OK so far (not looked at",
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
        let ended = checkup(device, "").ends(code);
        assert!(
            first_line(&ended).starts_with(answer),
            "{device}: {ended:?}"
        );
    }
}

#[test]
fn what_was_not_looked_at_is_not_called_ok() {
    let fake = "sim:fake-capacity?size=64GiB&real=8GiB";
    let fake = checkup(fake, "").ends(1);
    let says = "NOT OK: a drive of 8 GiB that says it has 64 GiB";
    assert!(first_line(&fake).starts_with(says), "{fake:?}");
    // Of a real disk without leave to write, and of what is read for speed alone.
    let marked = sokudo_on("mark --quiet --no-store", "sim:ssd", "--card").ok();
    let not_looked_at = "OK so far (not looked at: health, all blocks, real size)";
    assert!(marked.printed.contains(not_looked_at), "{marked:?}");
    let unread = checkup("sim:hdd?size=4GiB&fail_at=1GiB:EIO", "").ends(1);
    assert!(first_line(&unread).starts_with("NOT OK: "), "{unread:?}");
    let sampled = checkup("sim:ssd", "").ok();
    assert!(
        sampled
            .printed
            .contains("200 positions of sim:ssd, 0.2 % of it")
    );
    assert!(first_line(&sampled).contains("all blocks"), "{sampled:?}");
    let whole = checkup("sim:ssd?size=1GiB", "--full").ok();
    assert!(!first_line(&whole).contains("all blocks"), "{whole:?}");
    assert!(
        whole
            .printed
            .contains("all 1 GiB of sim:ssd?size=1GiB can be read")
    );
    checkup(".", "--full").ends(2);
    let scattered = sokudo_on("mark --quiet --no-store", "sim:smr", "--card").ok();
    let lines = || scattered.printed.lines();
    assert!(
        !lines().any(|line| line.starts_with("OK so far")),
        "{scattered:?}"
    );
    assert!(lines().any(|line| line.starts_with("OK BUT: speed not judged")));
    assert!(!scattered.printed.contains("Good to"), "{scattered:?}");
    let bad = "sim:hdd?size=4GiB&fail_at=1GiB+64MiB:EIO";
    let scanned = sokudo_on("scan --quiet --no-store --full", bad, "");
    assert!(scanned.printed.contains("NOT OK: "), "{scanned:?}");
    assert!(!scanned.printed.contains("Not proven"), "{scanned:?}");
}

#[test]
fn of_what_nothing_is_known_nothing_is_said() {
    let ended = checkup("sim:raid5", "--time 100ms").ends(4);
    let nothing = "CANNOT SAY: nothing is known of what sim:raid5 should be able to do";
    assert!(first_line(&ended).starts_with(nothing), "{ended:?}");
    let as_ever = sokudo_on("assess --quiet --no-store", "sim:raid5", "--time 100ms").ends(4);
    assert_eq!(first_line(&as_ever), first_line(&ended));
    checkup("null:", "").ends(2);
    checkup("sim:ssd", "--size 1GiB").ends(2);
    checkup("/does/not/exist", "").ends(2);
}

#[test]
fn what_is_expected_is_told_with_its_source() {
    let ended = checkup("sim:hdd", "--why --time 300ms").ok();
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
    let line = lines
        .iter()
        .find(|line| line.starts_with("OK so far (not looked at"));
    assert!(line.is_some(), "{ended:?}");
}
