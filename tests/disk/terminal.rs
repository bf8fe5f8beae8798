//! A name commands no terminal, whoever prints it; what goes to files and pipes is data and
//! stays as it is.

use std::fs;
use std::path::Path;

use crate::loop_device::LoopDevice;
use crate::sokudo::{Ended, directory_on_disk, end, has, shell, skip};

/// Resets a terminal, rings, clears the screen and turns the order of letters. There is no
/// bracket in it, so that it may be the name of a job.
const HOSTILE: &str = "e\u{1b}c\u{7}\u{9b}2J\u{202e}vil";
const COMMANDS: [&str; 4] = ["\u{1b}c", "\u{7}", "\u{9b}", "\u{202e}"];

/// `script` at a terminal, with the hostile name as `$EVIL`.
fn at_terminal(place: &Path, script: &str) -> Ended {
    let mut command = shell("exec script -qec \"$INNER\" /dev/null");
    command
        .env("INNER", format!("exec bash -c '{script}'"))
        .env("EVIL", HOSTILE)
        .env("SOKUDO_STORE", place.join("runs.db"))
        .env("TERM", "xterm-256color")
        .current_dir(place);
    end(&mut command)
}

/// Files of the hostile name, and jobs of it.
fn prepare(place: &Path) {
    fs::write(place.join(HOSTILE), vec![7; 64 << 20]).unwrap();
    fs::create_dir(place.join("folder")).unwrap();
    fs::create_dir(place.join("folder").join(HOSTILE)).unwrap();
    let job = format!("[{HOSTILE}]\nfilename={HOSTILE}\nrw=read\nbs=64k\nsize=1m\n");
    fs::write(place.join("job.fio"), job).unwrap();
    let printed =
        "/dev/EVIL:\n Timing buffered disk reads: 222 MB in  3.01 seconds =  73.79 MB/sec\n";
    fs::write(place.join("hdparm.txt"), printed.replace("EVIL", HOSTILE)).unwrap();
}

#[test]
fn no_command_sends_a_terminal_what_a_name_holds() {
    if !has("script") {
        return skip("script (util-linux), which makes a terminal, is not installed");
    }
    let place = directory_on_disk();
    prepare(place.path());
    let short = "--runs 1 --time 20ms";
    for words in [
        format!("mark \"$EVIL\" {short}"),
        format!("mark \"$EVIL\" {short} --format csv"),
        format!("mark \"$EVIL\" {short} --format json"),
        format!("mark \"$EVIL\" {short} --format markdown --output /dev/stdout"),
        "mark \"$EVIL\" --print-job".to_owned(),
        "mark \"$EVIL\" --as fio".to_owned(),
        "mark \"$EVIL\" --as diskspd".to_owned(),
        format!("mark folder/\"$EVIL\" {short} --size 16MiB --plot -"),
        "quick \"$EVIL\" --time 20ms".to_owned(),
        "scan \"$EVIL\"".to_owned(),
        format!("sweep \"$EVIL\" --sizes 4k {short}"),
        "explain \"$EVIL\" --only rotation".to_owned(),
        "steady folder/\"$EVIL\" --dry-run".to_owned(),
        "bonnie folder/\"$EVIL\" --size 2 --files 0 --characters 1k".to_owned(),
        "bonnie folder/\"$EVIL\" --size 2 --files 0 --characters 1k --bonnie-csv".to_owned(),
        "run job.fio".to_owned(),
        "run job.fio --format csv".to_owned(),
        "fio job.fio".to_owned(),
        "fio job.fio --eta=always --output-format=terse".to_owned(),
        "fio job.fio --showcmd".to_owned(),
        "diskspd -c1M -b64K -d1 -W0 \"$EVIL\"".to_owned(),
        "diskspd -c1M -b64K -d1 -W0 -Rxml \"$EVIL\"".to_owned(),
        "hdparm -t \"$EVIL\"".to_owned(),
        "clean folder/\"$EVIL\"".to_owned(),
        "clean \"$EVIL\"".to_owned(),
        "info \"$EVIL\"".to_owned(),
        "import hdparm.txt".to_owned(),
        "import hdparm.txt --format csv --no-store".to_owned(),
        "edit 1 --note \"$EVIL\"".to_owned(),
        "edit 1 --tag \"$EVIL\"".to_owned(),
        "list".to_owned(),
        "list --format json".to_owned(),
        "show 1".to_owned(),
        "show 1 --format csv".to_owned(),
        "plot 1".to_owned(),
        "report 1 2".to_owned(),
        "report 1 2 --format csv".to_owned(),
        "compare 1 2".to_owned(),
        "compare 1 2 --format csv".to_owned(),
        "compare 1 2 --pivot row:target".to_owned(),
        "trend \"$EVIL\"".to_owned(),
        format!("baseline set --anyway -- mark \"$EVIL\" {short}"),
        "baseline show".to_owned(),
        "check \"$EVIL\"".to_owned(),
        "delete 1 </dev/null".to_owned(),
    ] {
        let ended = at_terminal(place.path(), &format!("\"$SOKUDO\" {words}"));
        for usage in ["unexpected argument", "there is no command", "for '--"] {
            // No tag is called so, and the refusal names it.
            let is_refused = words.contains("--tag");
            assert!(
                is_refused || !ended.printed.contains(usage),
                "{words}: {ended:?}"
            );
        }
        for command in COMMANDS {
            let found = ended.printed.contains(command) || ended.told.contains(command);
            assert!(!found, "{words}: {command:?} in {ended:?}");
        }
    }
}

#[test]
fn files_and_pipes_get_names_as_they_are() {
    let place = directory_on_disk();
    prepare(place.path());
    let script = "\"$SOKUDO\" clean folder/\"$EVIL\"; \"$SOKUDO\" mark \"$EVIL\" --as diskspd; \
                  \"$SOKUDO\" run job.fio --quiet --format csv --output jobs.csv";
    let ended = end(shell(script).env("EVIL", HOSTILE).current_dir(place.path())).ok();
    let cleaned = format!("{HOSTILE}: nothing was left behind");
    for words in [cleaned, format!("{HOSTILE}'")] {
        assert!(ended.printed.contains(&words), "{words:?}: {ended:?}");
    }
    let csv = fs::read_to_string(place.path().join("jobs.csv")).unwrap();
    assert!(csv.contains(HOSTILE), "{csv}");
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn hdparm_shows_a_devices_name_as_what_it_is() {
        if !has("script") {
            return skip("script (util-linux), which makes a terminal, is not installed");
        }
        let Some(device) = LoopDevice::new(4 << 20, false) else {
            return;
        };
        let place = directory_on_disk();
        std::os::unix::fs::symlink(&device.path, place.path().join(HOSTILE)).unwrap();
        let ended = at_terminal(place.path(), "\"$SOKUDO\" hdparm -t \"$EVIL\"")
            .prints(&["e\\u{1b}c\\u{7}"]);
        assert!(!ended.printed.contains("\u{1b}c"), "{ended:?}");
    }
}
