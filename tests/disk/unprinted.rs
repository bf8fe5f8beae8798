//! What was measured is kept before it is printed, so that a result that can be printed or
//! written nowhere is not lost.

use std::fs;
use std::path::Path;

use crate::sokudo::{Ended, directory_on_disk, end, shell};

/// Every command that measures and keeps, with how many runs it makes.
fn commands(place: &Path) -> Vec<(String, usize)> {
    let job = place.join("job.fio");
    let text = format!(
        "[a]\ndirectory={}\nsize=1m\nrw=read\nbs=64k\n",
        place.display()
    );
    fs::write(&job, text).unwrap();
    let (place, job) = (place.display(), job.display());
    [
        ("mark sim:ssd --runs 1 --time 20ms", 1),
        ("quick sim:ssd", 1),
        ("scan sim:ssd", 1),
        ("sweep sim:ssd --sizes 4k --runs 1 --time 20ms", 1),
        ("load sim:ssd --time 20ms --runs 1", 1),
        ("peak sim:ssd --time 20ms --runs 2 --max-depth 4", 1),
        ("explain sim:hdd --only rotation", 1),
        (
            "steady sim:ssd --sizes 4K --mixes 0/100 --round-time 50ms --size 64MiB",
            1,
        ),
        (
            "compare --live --pairs 1 'mark sim:ssd --time 20ms' 'mark sim:ssd --time 20ms'",
            2,
        ),
        (
            "baseline set --anyway -- mark sim:ssd --runs 6 --time 20ms",
            1,
        ),
    ]
    .map(|(words, runs)| (words.to_owned(), runs))
    .into_iter()
    .chain([
        (format!("run {job}"), 1),
        (format!("fio {job}"), 1),
        (format!("diskspd -c1M -b64K -d1 -W0 {place}/file.dat"), 1),
        (
            format!("bonnie {place} --size 2 --files 0 --characters 1k"),
            1,
        ),
        (
            format!("bonnie {place} --size 2 --files 0 --characters 1k --bonnie-csv"),
            1,
        ),
    ])
    .collect()
}

/// Carries out `script` with `$COMMAND` and a store, which then holds so many runs, of which
/// the error tells.
fn is_kept(place: &Path, words: &str, runs: usize, script: &str) -> Ended {
    let store = place.join("runs.db");
    let _ = fs::remove_file(&store);
    let script = script.replace("COMMAND", &format!("\"$SOKUDO\" {words}"));
    let ended = end(shell(&script).env("SOKUDO_STORE", &store))
        .ends(1)
        .tells(&["No space left on device"]);
    for run in 1..=runs {
        let way_back = format!("sokudo show {run}");
        assert!(ended.told.contains(&way_back), "{words}: {ended:?}");
        let script = format!("\"$SOKUDO\" show {run}");
        end(shell(&script).env("SOKUDO_STORE", &store)).ok();
    }
    ended
}

#[test]
fn what_cannot_be_printed_is_kept() {
    let place = directory_on_disk();
    for (words, runs) in commands(place.path()) {
        is_kept(place.path(), &words, runs, "COMMAND > /dev/full");
    }
}

#[test]
fn what_nobody_reads_any_more_is_kept_and_said_to_be() {
    let place = directory_on_disk();
    let store = place.path().join("runs.db");
    // The reader has gone before anything is printed.
    let script = "\"$SOKUDO\" mark sim:ssd --runs 1 --time 20ms > >(exec true)";
    end(shell(script).env("SOKUDO_STORE", &store)).tells(&["kept as run 1: sokudo show 1"]);
}

/// What needs root, which alone can mount a file system that is full.
mod root {
    use super::*;

    #[test]
    fn what_cannot_be_written_is_kept_and_the_quiet_are_told() {
        let place = directory_on_disk();
        // A mount of its own, which ends with the shell.
        let script = "exec unshare --mount bash -c 'mkdir -p full; \
                      mount -t tmpfs -o size=4k none full && head -c 4096 /dev/zero > full/all; INNER'";
        for (words, runs) in commands(place.path()) {
            let (tool, rest) = words.split_once(' ').unwrap();
            let words = match tool {
                "fio" => format!("fio --output=full/result {rest}"),
                // It has no option for a file.
                "diskspd" => continue,
                "baseline" => format!("{words} -q -o full/result"),
                _ => format!("{tool} -q -o full/result {rest}"),
            };
            let words = words.replace('\'', "'\\''");
            let inner = script.replace("INNER", "COMMAND");
            let script = format!("cd {}; {inner}", place.path().display());
            is_kept(place.path(), &words, runs, &script);
        }
    }

    #[test]
    fn an_older_result_of_two_names_stays_where_the_new_has_no_room() {
        let place = directory_on_disk();
        let script = format!(
            "cd {}; exec unshare --mount bash -c 'mkdir -p full; \
             mount -t tmpfs -o size=8k,mode=755 none full && printf older > full/a && ln full/a full/b && \
             head -c 4096 /dev/zero > full/all; \
             \"$SOKUDO\" mark null: -q -n 1 -t 20ms -f json -o full/a; code=$?; \
             cat full/a full/b; exit $code'",
            place.path().display()
        );
        let ended = end(&mut shell(&script));
        assert_eq!(ended.printed, "olderolder", "{ended:?}");
        assert_eq!(ended.code(), Some(1), "{ended:?}");
        let fault = "full/a cannot be written: No space left on device";
        assert!(ended.told.contains(fault), "{ended:?}");
    }
}
