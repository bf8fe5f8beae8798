//! What somebody sees who asks for nothing in particular: a question, a card, an answer.

use rustix::process::{Signal, kill_process};

use crate::signals::{pid, wait_for_io};
use crate::sokudo::{Ended, directory_on_disk, end, has, program, shell, skip, split, start, wait};

/// What waits until the choice has been drawn `$1` times and the terminal gives single keys, or until
/// `$1` is shown where that is no number; and no longer than any machine takes for it.
const WAITING: &str = r#"
is_raw() { stty -F "$(cat terminal)" -a | grep -q -e -icanon; }
is_there() {
    case $1 in
        [0-9]) [ "$(grep -ao '> *[0-9]*  ' shown | wc -l)" -ge "$1" ] && is_raw ;;
        *) grep -aq "$1" shown ;;
    esac
}
wait_for() { for _ in $(seq 6000); do ! is_there "$1" 2>/dev/null || return; sleep 0.05; done; exit 1; }
"#;

/// What bare sokudo shows in a terminal in which these keys are typed, each once this is there, and how
/// it ends; `None` without a program that makes terminals.
fn typed(keys: &[(&str, &str)]) -> Option<Ended> {
    typed_in(80, keys)
}

/// The same in a terminal of so many columns, of which the last line says how it was left.
fn typed_in(columns: u16, keys: &[(&str, &str)]) -> Option<Ended> {
    if !has("script") {
        skip("script (util-linux), which makes a terminal, is not installed");
        return None;
    }
    let directory = directory_on_disk();
    let keys: Vec<String> = keys
        .iter()
        .map(|(shown, key)| format!("wait_for '{shown}'; printf '{key}'"))
        .collect();
    let inside = format!(
        "stty cols {columns} rows 24; tty >terminal; $SOKUDO; code=$?; stty -a; exit $code"
    );
    let keys = keys.join("; ");
    let script = format!("{WAITING}({keys}) | script -qefc '{inside}' shown");
    Some(end(shell(&script)
        .current_dir(&directory)
        .env("TERM", "xterm")))
}

#[test]
fn bare_sokudo_in_a_terminal_asks_what_to_measure() {
    let Some(left) = typed(&[("1", "q")]) else {
        return;
    };
    left.ok().prints(&["Measure which?", ">  1  .  "]);
    // Up from the first is the last, and the number of the first comes back to it.
    let Some(moved) = typed(&[("1", "\\033[A"), ("2", "1"), ("3", "q")]) else {
        return;
    };
    let shown = &moved.ok().printed;
    assert_eq!(shown.matches(">  1  .").count(), 2, "{shown}");
}

#[test]
fn ctrl_c_leaves_the_choice_and_the_terminal_as_it_was() {
    let Some(ended) = typed(&[("1", "\\003")]) else {
        return;
    };
    assert_eq!(ended.code(), Some(130), "{ended:?}");
    let modes = ended.printed.rsplit("Measure which?").next().unwrap();
    assert!(
        modes.contains(" echo ") && modes.contains(" icanon"),
        "{ended:?}"
    );
}

#[test]
fn no_line_of_the_choice_is_wider_than_a_narrow_terminal() {
    let Some(ended) = typed_in(40, &[("1", "1"), ("2", "q")]) else {
        return;
    };
    let ended = ended.ok();
    let asked = ended.printed.split("leaves").nth(1).unwrap();
    let shown: Vec<&str> = asked.split("speed ").next().unwrap().lines().collect();
    assert!(
        shown.iter().any(|line| line.contains(">  1  .")),
        "{ended:?}"
    );
    for line in shown {
        let line = console::strip_ansi_codes(line);
        assert!(line.trim().chars().count() <= 40, "{line}: {ended:?}");
    }
}

#[test]
fn what_is_chosen_is_measured() {
    let Some(ended) = typed(&[("1", "1\\r"), ("trial 1", "\\003")]) else {
        return;
    };
    // It is in its first trial, so that Ctrl-C ends it.
    assert_eq!(ended.code(), Some(130), "{ended:?}");
}

#[test]
fn what_is_chosen_by_c_is_checked() {
    let Some(ended) = typed(&[("1", "1c"), ("trial 1", "\\003")]) else {
        return;
    };
    assert_eq!(ended.code(), Some(130), "{ended:?}");
}

#[test]
fn who_sits_at_a_terminal_is_asked_before_much_is_written_at_every_door() {
    if !has("script") {
        return skip("script (util-linux), which makes a terminal, is not installed");
    }
    let directory = directory_on_disk();
    for command in [
        "$SOKUDO fio --name=a --rw=write --size=16m --loops=7000",
        "./fio --name=a --rw=write --size=16m --time_based --runtime=3601 >printed",
        "$SOKUDO diskspd -c16M -d3601 -w100 written",
        "./diskspd -c16M -d3601 -w100 written",
        "$SOKUDO mark . --row RND4K,write --size 16MiB --time 1000s --runs 5 >printed",
    ] {
        let script = format!(
            "for door in fio diskspd; do ln -sf $SOKUDO $door; done; \
             printf 'n\\n' | script -qefc '{command}' shown"
        );
        let ended = end(shell(&script).current_dir(&directory)).ends(1);
        ended.prints(&[" will be written", "Begin? [y/N]", "nothing was written"]);
        let mut names = directory.path().read_dir().unwrap();
        let made = ["a.0.0", "written"].map(std::ffi::OsStr::new);
        assert!(names.all(|it| !made.contains(&&*it.unwrap().file_name())));
    }
}

#[test]
fn a_script_at_the_door_of_fio_is_asked_nothing() {
    let directory = directory_on_disk();
    let mut command = program();
    let words = split("fio --name=a --rw=write --size=16m --loops=7000 --ioengine=psync");
    let child = start(command.current_dir(&directory).args(words));
    wait_for_io(&child, "wchar", 32 << 20);
    kill_process(pid(&child), Signal::INT).unwrap();
    // As fio ends.
    let ended = wait(child).ends(128);
    assert!(!ended.told.contains("will be written"), "{ended:?}");
    ended.prints(&["Run status group"]);
}

#[test]
fn ctrl_c_at_the_question_before_much_is_written_writes_nothing() {
    if !has("script") {
        return skip("script (util-linux), which makes a terminal, is not installed");
    }
    let directory = directory_on_disk();
    std::fs::create_dir(directory.path().join("disk")).unwrap();
    let keys = "wait_for 'Begin?'; printf '\\003'";
    let inside = "exec $SOKUDO mark disk --size 16MiB --row SEQ1M,Q1,write --runs 1 --time 2h";
    let script = format!("{WAITING}({keys}) | script -qefc '{inside}' shown");
    let mut command = shell(&script);
    let ended = end(command.current_dir(&directory).env("TERM", "xterm"));
    assert_eq!(ended.code(), Some(130), "{ended:?}");
    let ended = ended.prints(&[
        "will be written",
        "Begin?",
        "interrupted, and nothing was written",
    ]);
    let disk = std::fs::read_dir(directory.path().join("disk")).unwrap();
    assert_eq!(disk.count(), 0, "{ended:?}");
}
