//! `--require`: an exit code for scripts that take no figure without proof.

use crate::sokudo::{SHORT, directory_on_disk, end, mark, program, results};

/// One short row on a simulated disk, whose figures are proven.
const PROVEN: [&str; 6] = [
    "--row",
    "RND4K,Q1,T1",
    "--read-only",
    "--runs",
    "6",
    "--quiet",
];

#[test]
fn rows_that_are_proven_pass_every_requirement() {
    for least in ["verified", "unverified"] {
        let arguments = [&PROVEN[..], &["--require", least]].concat();
        let ended = mark("sim:ssd", &arguments);
        assert_eq!(ended.code(), Some(0), "{ended:?}");
        assert_eq!(ended.told, "", "{ended:?}");
    }
}

#[test]
fn a_row_that_falls_short_is_named_after_the_result_was_printed() {
    for least in ["verified", "unverified"] {
        let arguments = [
            "--row",
            "RND4K,Q1,T1",
            "--read-only",
            "--quiet",
            "--format",
            "json",
            "--require",
            least,
        ];
        let ended = mark("null:", &arguments);
        assert_eq!(ended.code(), Some(4), "{ended:?}");
        let document: serde_json::Value = serde_json::from_str(&ended.printed).unwrap();
        assert_eq!(results(&document).len(), 1);
        assert_eq!(ended.told.lines().count(), 1, "{ended:?}");
        for words in [
            "1 of 1 rows is not",
            "RND4K Q1T1 read is INVALID (no-device)",
        ] {
            assert!(ended.told.contains(words), "{words}: {ended:?}");
        }
    }
    // Without the option the same run is a success.
    let ended = mark("null:", &["--row", "RND4K,Q1,T1", "--read-only", "--quiet"]);
    assert_eq!(ended.code(), Some(0), "{ended:?}");
}

#[test]
fn a_run_that_failed_ends_with_1_whatever_was_required() {
    let arguments = [
        "--row",
        "RND4K,Q1,T1",
        "--read-only",
        "--quiet",
        "--require",
        "verified",
    ];
    let ended = mark("sim:const?fail_at=0+16MiB:EIO", &arguments);
    assert_eq!(ended.code(), Some(1), "{ended:?}");
}

#[test]
fn every_command_that_measures_takes_it() {
    for command in ["mark", "quick", "scan", "sweep", "bonnie", "run"] {
        let ended = end(program().args([command, "--help"]));
        assert!(ended.printed.contains("--require <VERDICT>"), "{command}");
    }
    let mut command = program();
    command.args(["sweep", "null:", "--sizes", "4K", "--runs", "1", "--quiet"]);
    command.args(["--require", "unverified"]).args(&SHORT[2..4]);
    let ended = end(&mut command);
    assert_eq!(ended.code(), Some(4), "{ended:?}");
}

#[test]
fn of_what_is_about_the_cache_on_purpose_nothing_is_asked_beside_the_disk() {
    let directory = directory_on_disk();
    let quick = |tests: &[&str]| {
        let mut command = program();
        command.arg("quick").arg(directory.path());
        command.args(["--size", "16MiB", "--time", "50ms", "--quiet"]);
        for test in tests {
            command.args(["--test", test]);
        }
        end(command.args(["--format", "json", "--require", "verified"]))
    };
    let ended = quick(&["cached", "direct"]);
    // The other row may meet somebody else's I/O; the cache is never what falls short.
    assert!(!ended.told.contains("cached (hdparm"), "{ended:?}");
    let document: serde_json::Value = serde_json::from_str(&ended.printed).unwrap();
    let row = &results(&document)[0];
    assert_eq!(row["verdict"], "INVALID", "{row}");
    assert_eq!(row["findings"][0]["code"], "cached-on-purpose", "{row}");
    assert_eq!(row["findings"][0]["severity"], "info", "{row}");
    let ended = quick(&["cached"]);
    assert_eq!(ended.code(), Some(4), "{ended:?}");
    assert!(
        ended.told.contains("INVALID (cached-on-purpose)"),
        "{ended:?}"
    );
}
