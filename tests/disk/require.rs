//! `--require`: an exit code for scripts that take no figure without proof.

use crate::sokudo::{directory_on_disk, results, sokudo};

#[test]
fn of_what_is_about_the_cache_on_purpose_nothing_is_asked_beside_the_disk() {
    let directory = directory_on_disk();
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
