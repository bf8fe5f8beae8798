//! `--require`: an exit code for scripts that take no figure without proof.

use crate::sokudo::{holds, mark, results, sokudo};

/// One short row on a simulated disk, whose figures are proven.
const PROVEN: &str = "--row RND4K,Q1,T1 --read-only --runs 6 --quiet";

#[test]
fn rows_that_are_proven_pass_every_requirement() {
    for least in ["verified", "unverified"] {
        let arguments = format!("{PROVEN} --require {least}");
        let ended = mark("sim:ssd", &arguments).ok();
        assert_eq!(ended.told, "", "{ended:?}");
    }
}

#[test]
fn a_row_that_falls_short_is_named_after_the_result_was_printed() {
    for least in ["verified", "unverified"] {
        let arguments = "--row RND4K,Q1,T1 --read-only --quiet --format json --require";
        let ended = mark("null:", &format!("{arguments} {least}")).ends(4);
        let document: serde_json::Value = serde_json::from_str(&ended.printed).unwrap();
        assert_eq!(results(&document).len(), 1);
        assert_eq!(ended.told.lines().count(), 1, "{ended:?}");
        let row = "RND4K Q1T1 read is INVALID (no-device)";
        holds(&ended.told, &["1 of 1 rows fell short", row]);
    }
    // Without the option the same run is a success.
    mark("null:", "--row RND4K,Q1,T1 --read-only --quiet").ok();
}

#[test]
fn a_run_that_failed_ends_with_1_whatever_was_required() {
    let arguments = "--row RND4K,Q1,T1 --read-only --quiet --require verified";
    mark("sim:const?fail_at=0+16MiB:EIO", arguments).ends(1);
}

#[test]
fn every_command_that_measures_takes_it() {
    for command in ["mark", "quick", "scan", "sweep", "bonnie", "run"] {
        sokudo(&format!("{command} --help")).prints(&["--require <VERDICT>"]);
    }
    sokudo("sweep null: --sizes 4K --runs 1 --quiet --require unverified --time 50ms").ends(4);
}

#[test]
fn of_what_is_about_the_cache_on_purpose_nothing_is_asked_beside_the_disk() {
    let directory = tempfile::tempdir().unwrap();
    let quick = |tests: &str| {
        sokudo(&format!(
            "quick {} --size 16MiB --time 50ms --quiet {tests} --format json --require verified",
            directory.path().display()
        ))
    };
    let ended = quick("--test cached --test direct");
    // The other row may meet somebody else's I/O; the cache is never what falls short.
    assert!(!ended.told.contains("cached (hdparm"), "{ended:?}");
    let document: serde_json::Value = serde_json::from_str(&ended.printed).unwrap();
    let row = &results(&document)[0];
    assert_eq!(row["verdict"], "INVALID", "{row}");
    let findings = row["findings"].as_array().unwrap();
    let told = findings.iter().find(|it| it["code"] == "cached-on-purpose");
    assert_eq!(told.unwrap()["severity"], "info", "{row}");
    quick("--test cached").ends(4).tells(&["INVALID ("]);
}
