//! Under the limits that shells and containers set.

use std::fs;

use crate::sokudo::{end, shell};

#[test]
fn a_file_size_limit_is_told_with_its_way_out() {
    let directory = tempfile::tempdir().unwrap();
    let script = "ulimit -f 8; \"$SOKUDO\" mark . --size 16MiB";
    let ended = end(shell(script).current_dir(directory.path()));
    ended.refused(1, &["File too large", "ulimit -f"]);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn closed_standard_streams_are_survived() {
    for streams in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let script = format!("\"$SOKUDO\" mark null: -t 20ms -n 1 {streams}");
        end(&mut shell(&script)).ok();
    }
}

/// The commands that measure nothing are not killed by the limit either.
#[test]
fn a_report_that_does_not_fit_is_told_and_leaves_the_older_one() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let json = at("run.json");
    let arguments = format!("--format json --output {}", json.display());
    crate::sokudo::mark("sim:ssd", &arguments).ok();
    std::fs::write(at("report.html"), "the old one").unwrap();
    let script = "ulimit -f 1; \"$SOKUDO\" report run.json --output report.html";
    let ended = end(shell(script).current_dir(directory.path()));
    ended.refused(1, &["report.html cannot be written", "ulimit -f"]);
    assert_eq!(
        std::fs::read_to_string(at("report.html")).unwrap(),
        "the old one"
    );
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
    // What the disk refuses is no wrong argument.
    let keep = "\"$SOKUDO\" import run.json -q --store runs.db";
    end(shell(keep).current_dir(directory.path())).ok();
    let script = "ulimit -f 1; \"$SOKUDO\" edit 1 --note x --store runs.db";
    end(shell(script).current_dir(directory.path())).refused(1, &["runs.db", "--store"]);
    let script = "\"$SOKUDO\" edit 9 --note x --store runs.db";
    end(shell(script).current_dir(directory.path())).refused(2, &["no run 9"]);
}

#[test]
fn a_result_that_does_not_fit_leaves_no_part_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let script = "ulimit -f 1; \"$SOKUDO\" scan sim:hdd --quiet --format json --output result.json";
    let ended = end(shell(script).current_dir(directory.path()));
    ended.refused(1, &["result.json cannot be written", "ulimit -f"]);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_directory_that_is_gone_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let script = "mkdir gone; cd gone; rmdir ../gone; \"$SOKUDO\" mark .";
    let ended = end(shell(script).current_dir(directory.path()));
    ended.refused(2, &["does not exist"]);
}

#[test]
fn a_small_stack_is_enough() {
    let script = "ulimit -s 96; exec \"$SOKUDO\" mark sim:ssd --runs 1 --time 20ms --quiet";
    assert_eq!(end(&mut shell(script)).code(), Some(0));
}

#[test]
fn xml_that_would_keep_its_reader_busy_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let attributes: String = (0..50_000).map(|number| format!(" a{number}=''")).collect();
    let profile = format!("<Profile><TimeSpans{attributes}/></Profile>");
    let result = format!("<Results><TimeSpan{attributes}/></Results>");
    fs::write(place.path().join("profile.xml"), profile).unwrap();
    fs::write(place.path().join("result.xml"), result).unwrap();
    for arguments in ["diskspd -Xprofile.xml", "import result.xml"] {
        let script = format!("\"$SOKUDO\" {arguments}");
        let ended = end(shell(&script).current_dir(place.path()));
        ended.refused(1, &["more than 64 attributes"]);
    }
}

/// Each trial took as much memory as its histograms can ever hold: 2,000 took 450 MB.
#[test]
fn two_thousand_trials_take_no_more_memory_than_what_they_tell() {
    let script = "ulimit -d 200000; \
                  exec \"$SOKUDO\" mark sim:const --row RND4K,Q1,read --runs 2000 --time 1ms --quiet";
    let ended = end(&mut shell(script));
    assert_eq!(ended.code(), Some(0), "{ended:?}");
}
