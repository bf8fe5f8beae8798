//! Whether a disk is well and as fast as it should be: on simulated devices that are, that are not
//! and of which nothing is known, and on a real directory.

use serde_json::Value;

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
    let says = "NOT OK: a drive of 8 GiB that claims 64 GiB";
    assert!(first_line(&fake).starts_with(says), "{fake:?}");
    let foreign = "blocks beyond its real size are not its own";
    assert!(fake.printed.contains(foreign), "{fake:?}");
    assert!(!fake.printed.contains("can be read\n"), "{fake:?}");
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
    // What allows a device to be destroyed is not taken for the target, and says how it is named.
    let untargeted = checkup(".", "--destroy /dev/sdX");
    untargeted.refused(2, &["sokudo checkup /dev/sdX --destroy /dev/sdX"]);
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
fn a_run_that_ends_with_1_has_no_answer_that_begins_with_ok() {
    let faults = [
        "fail_at=0:EIO",
        "fail_at=1GiB:EIO",
        "fail_at=1GiB:ENOSPC",
        "fail_at=0+4GiB:EIO",
        "fail_at=3GiB+1MiB:EROFS",
        "vanish_after=100ms",
    ];
    for (fault, model) in faults.iter().flat_map(|it| [(it, "hdd"), (it, "ssd")]) {
        let broken = format!("sim:{model}?size=4GiB&{fault}");
        for others in ["", "sim:ssd?size=1GiB"] {
            let disks = format!("--time 100ms --runs 2 {others}");
            let ended = checkup(&broken, &disks);
            let is_ok = first_line(&ended).starts_with("OK");
            let says = format!("{broken} {others}: {ended:?}");
            assert!(ended.code() != Some(1) || !is_ok, "{says}");
            let praises = ended.printed.contains("Good to") || ended.printed.contains("Proven");
            let is_bad = first_line(&ended).starts_with("NOT OK");
            assert!(!is_bad || !praises, "{says}");
        }
    }
    // Of one disk of three the writes alone fail.
    let ended = checkup("sim:hdd", "sim:ssd 'sim:hdd?fail_at=1GiB:EIO'").ends(1);
    let says = "NOT OK: 1 of 3 disks; C: 1 write failed with EIO";
    assert!(first_line(&ended).starts_with(says), "{ended:?}");
    let failed = "real size: a write failed at byte 1073741824";
    assert!(ended.printed.contains(failed), "{ended:?}");
    let answers = ended.printed.matches("NOT OK: 1 of 3").count();
    assert_eq!(answers, 2, "also below the table: {ended:?}");
}

#[test]
fn of_what_nothing_is_known_nothing_is_said() {
    let ended = checkup("sim:raid5", "--time 100ms").ends(4);
    let nothing = "CANNOT SAY: there is no reference for the speed of sim:raid5";
    assert!(first_line(&ended).starts_with(nothing), "{ended:?}");
    let as_ever = sokudo_on("assess --quiet --no-store", "sim:raid5", "--time 100ms").ends(4);
    assert_eq!(first_line(&as_ever), first_line(&ended));
    checkup("null:", "").ends(2);
    checkup("sim:ssd", "--size 1GiB").ends(2);
    checkup("/does/not/exist", "").ends(2);
}

#[test]
fn programs_that_watch_machines_get_their_own_words_and_codes() {
    for (disk, line, code) in [
        ("sim:ssd", "SOKUDO OK - OK so far", 0),
        (
            "sim:const?latency=410us&jitter=0s",
            "SOKUDO WARNING - OK BUT: 2,439 single random",
            1,
        ),
        (
            "sim:const?latency=810us&jitter=0s",
            "SOKUDO CRITICAL - NOT OK: 1,235 single random",
            2,
        ),
        ("sim:raid5", "SOKUDO UNKNOWN - CANNOT SAY: ", 3),
        ("/does/not/exist", "SOKUDO UNKNOWN - ", 3),
    ] {
        let ended = checkup(disk, "--time 100ms --format nagios").ends(code);
        assert!(ended.printed.starts_with(line), "{ended:?}");
        assert_eq!(ended.printed.lines().count(), 1, "{ended:?}");
    }
    let lost = checkup("sim:ssd", "--format nagios --output /does/not/exist/x").ends(3);
    assert!(lost.printed.starts_with("SOKUDO UNKNOWN - "), "{lost:?}");
    let metrics = checkup("sim:ssd", "--format prom").ok().printed;
    assert!(metrics.contains("answer=\"OK\"} 1\n"), "{metrics}");
    assert!(metrics.contains("answer=\"NOT OK\"} 0\n"), "{metrics}");
    let marked = sokudo_on("mark --quiet --no-store", "sim:ssd", "--format nagios");
    marked.refused(2, &["use one of table, json, csv, markdown"]);
}

#[test]
fn what_is_expected_is_told_with_its_source() {
    let ended = checkup("sim:hdd", "--why --time 300ms").ok();
    let words = [
        "1 / (30 s / rpm + seek)",
        "mean latency is half a revolution",
    ];
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

#[test]
fn several_disks_have_one_sentence_one_table_and_the_points_of_each_alone() {
    let slow = "sim:const?latency=810us&jitter=0s";
    let document = |target: &str, more: &str, code| -> Value {
        let ended = checkup(target, &format!("{more} --format json")).ends(code);
        serde_json::from_str(&ended.printed).unwrap()
    };
    let both = document("sim:hdd", &format!("'{slow}'"), 1);
    assert_eq!(both["disk_assessment"], Value::Null);
    let disks = both["assessed_disks"].as_array().unwrap();
    let alone = [document("sim:hdd", "", 0), document(slow, "", 1)];
    for (disk, alone) in disks.iter().zip(&alone) {
        let judged = |assessment: &Value| {
            let points = assessment["points"].as_array().unwrap().iter();
            let points: Vec<_> = points
                .map(|it| (it["code"].clone(), it["answer"].clone()))
                .collect();
            (assessment["answer"].clone(), points)
        };
        let alone = &alone["disk_assessment"];
        assert_eq!(judged(&disk["assessment"]), judged(alone), "{disk}");
    }
    let sentences = [&disks[1]["assessment"], &alone[1]["disk_assessment"]]
        .map(|it| it["points"][0]["found"].clone());
    assert_eq!(sentences[0], sentences[1]);
    let printed = checkup("sim:hdd", &format!("'{slow}'")).ends(1);
    let says = "NOT OK: 1 of 2 disks; B: 1,235 single random reads a second";
    assert!(first_line(&printed).starts_with(says), "{printed:?}");
    for words in ["\nA: sim:hdd\n", &format!("\nB: {slow}\n")] {
        assert!(printed.printed.contains(words), "{printed:?}");
    }
    let good = checkup("sim:hdd", "sim:ssd").ok();
    let says = "OK so far (not looked at: health, all blocks): all 2 disks are as they should be";
    assert_eq!(first_line(&good), says);
    checkup("sim:ssd", "sim:raid5").ends(4);
    checkup("sim:ssd", &format!("sim:raid5 '{slow}'")).ends(1);
    // Each that is not well is named, and the table says which it is and why.
    let more = "sim:hdd 'sim:const?latency=820us&jitter=0s'";
    let ended = checkup(slow, more).ends(1);
    let words: Vec<&str> = ended.printed.split_whitespace().collect();
    let words = words.join(" ");
    for says in ["NOT OK: 2 of 3 disks; A: 1,235", "; C: 1,220 single"] {
        assert!(words.contains(says), "{ended:?}");
    }
    let mut lines = ended.printed.lines();
    let line = lines.find(|line| line.starts_with("C ") && line.contains("NOT OK"));
    let line = line.unwrap_or_default();
    assert!(
        line.contains("sim:con") && line.contains("1,220 single"),
        "{ended:?}"
    );
}

#[test]
fn of_several_disks_each_is_refused_by_its_name() {
    let refused = |target: &str, more: &str, says: &str| {
        let ended = checkup(target, more).ends(2);
        assert!(ended.told.contains(says), "{ended:?}");
    };
    refused("sim:ssd", ". --full", ". is not a device, and --full reads");
    refused("sim:ssd", "null:", "null: is not a disk");
    refused(".", "sim:ssd --size 1MiB", "sim:ssd has its size");
    refused("sim:ssd", "/does/not/exist", "/does/not/exist");
    let same = tempfile::tempdir().unwrap();
    let same = same.path().to_str().unwrap();
    checkup(same, same).ends(2);
}

/// A simulated drive waits for ever, as no drive does.
#[test]
fn a_simulated_disk_that_hangs_ends_what_is_measured_and_is_not_well() {
    let disk = "sim:hdd?size=1GiB&hang_at=100MiB";
    let ended = checkup(disk, "--time 100ms").ends(1);
    assert!(first_line(&ended).starts_with("NOT OK: "), "{ended:?}");
    for method in ["fill --yes", "scan", "scan --write --yes"] {
        let ended = sokudo_on(&format!("{method} --quiet --no-store"), disk, "").ends(1);
        assert!(
            !ended.printed.contains("every row is VERIFIED"),
            "{ended:?}"
        );
        assert!(!ended.printed.contains("none failed"), "{ended:?}");
    }
}
