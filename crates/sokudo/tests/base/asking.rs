//! Nothing writes more than 100 GB, or takes more than an hour, unasked.

use std::fs;

use crate::sokudo::sokudo_in;
use crate::store_file::Store;

/// 5,000 s of writes.
const LONG: &str = "--row RND4K,write --size 16MiB --time 1000s --runs 5";
const WITHOUT_CONSENT: [&str; 2] = [" will be written", "use --yes"];

#[test]
fn no_command_writes_much_where_nobody_can_be_asked() {
    let folder = tempfile::tempdir().unwrap();
    let job = "[a]\nrw=write\nsize=16m\ntime_based\nruntime=3601\n";
    fs::write(folder.path().join("long.fio"), job).unwrap();
    let job = "[a]\nrw=randwrite\nsize=16m\nloops=7000\n";
    fs::write(folder.path().join("large.fio"), job).unwrap();
    let before = fs::read_dir(folder.path()).unwrap().count();
    for command in [
        format!("mark . {LONG}"),
        "sweep . --write-only --sizes 4k --runs 9999".to_owned(),
        "load . --row RND4K,write --size 16MiB --time 1000s".to_owned(),
        "peak . --row RND4K,write --size 16MiB --time 1000s".to_owned(),
        "steady . --size 16MiB".to_owned(),
        "fill . --size 16MiB".to_owned(),
        "bonnie . --size 16 --files 0 --runs 9999".to_owned(),
        "run long.fio".to_owned(),
        "run large.fio".to_owned(),
        "run long.fio --runs 2 --format json".to_owned(),
        format!("compare --live 'mark . {LONG}' 'mark . --row RND4K,write --size 16MiB'")
            .replace(" --runs 5", ""),
        "compare --live 'run long.fio' 'run large.fio'".to_owned(),
    ] {
        let ended = sokudo_in(folder.path(), &command);
        assert_eq!(ended.code(), Some(2), "{ended:?}");
        ended.tells(&WITHOUT_CONSENT);
        if !command.starts_with("compare") {
            let dry = sokudo_in(folder.path(), &format!("{command} --dry-run"));
            dry.ok().prints(&["written"]);
        }
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            before,
            "{command}"
        );
    }
}

#[test]
fn a_dry_run_refuses_what_the_run_refuses() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), vec![7; 64 << 20]).unwrap();
    for command in [
        "burn-in data",
        "fill data",
        "steady data --sizes 4K --mixes 0/100",
    ] {
        for dry in ["", " --dry-run"] {
            sokudo_in(folder.path(), &format!("{command}{dry}")).refused(3, &["--overwrite"]);
        }
        let dry = sokudo_in(folder.path(), &format!("{command} --overwrite --dry-run"));
        dry.ok().prints(&["written"]);
    }
    for dry in ["", " --dry-run"] {
        let command = format!("mark . --row RND4K --size 900000GiB --yes{dry}");
        let refused = sokudo_in(folder.path(), &command);
        assert_ne!(refused.code(), Some(0), "{refused:?}");
        refused.tells(&["make room"]);
    }
}

#[test]
fn what_takes_long_is_asked_for_though_it_only_reads() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), vec![1; 16 << 20]).unwrap();
    for command in [
        "mark data --row RND4K,Q1 --time 1000s --runs 5",
        "scan data --runs 9999",
    ] {
        sokudo_in(folder.path(), command).refused(2, &["and nothing is written", "use --yes"]);
    }
    let dry = sokudo_in(folder.path(), "mark data --row RND4K,Q1 --dry-run").ok();
    dry.prints(&["mark/rows: RND4K Q1T1 read", "and nothing is written"]);
    let both = "mark sim:ssd?serial=A1 sim:hdd?serial=B2 --dry-run";
    let both = sokudo_in(folder.path(), both).ok();
    both.prints(&["2 targets, ", "sim:ssd?serial=A1, sim:hdd?serial=B2: "]);
}

#[test]
fn what_was_answered_for_a_baseline_is_asked_again_for_its_check() {
    let store = Store::new();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().display();
    let short = format!("mark {place} --row RND4K,write --size 16MiB --time 20ms --runs 6 --yes");
    let measured = store.ok(&format!("{short} --format json -q"));
    let long = measured.replace("--time 20ms", "--time 1000s");
    let kept = folder.path().join("kept.json");
    fs::write(&kept, long).unwrap();
    let check = format!("check {} --anyway", kept.display());
    store.refuses(&check, 2, &WITHOUT_CONSENT);
    let set = format!("baseline set --anyway -- mark {place} {LONG}");
    store.refuses(&set.replace("--runs 5", "--runs 9"), 2, &WITHOUT_CONSENT);
    let checked = store.run(&format!("{check} --format nagios"));
    checked.ends(3).prints(&["UNKNOWN", "use --yes"]);
}
