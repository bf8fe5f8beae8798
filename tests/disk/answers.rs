//! What somebody sees who asks for nothing in particular: a question, a card, an answer.

use crate::sokudo::{Ended, directory_on_disk, end, has, shell, skip};

/// What bare sokudo shows in a terminal in which these keys are typed once it asks, a second apart,
/// and how it ends; `None` without a program that makes terminals.
fn typed(keys: &[&str]) -> Option<Ended> {
    typed_in(80, keys)
}

/// The same in a terminal of so many columns, of which the last line says how it was left.
fn typed_in(columns: u16, keys: &[&str]) -> Option<Ended> {
    if !has("script") {
        skip("script (util-linux), which makes a terminal, is not installed");
        return None;
    }
    let directory = directory_on_disk();
    let keys: Vec<String> = keys
        .iter()
        .map(|key| format!("sleep 1; printf '{key}'"))
        .collect();
    let inside = format!("stty cols {columns} rows 24; $SOKUDO; code=$?; stty -a; exit $code");
    let asks = "until grep -qs 'Measure which' shown || [ $((tries=tries+1)) -gt 600 ]; do sleep 0.1; done";
    let keys = keys.join("; ");
    let script = format!("({asks}; {keys}) | script -qefc '{inside}' shown");
    Some(end(shell(&script)
        .current_dir(&directory)
        .env("TERM", "xterm")))
}

#[test]
fn bare_sokudo_in_a_terminal_asks_what_to_measure() {
    let Some(left) = typed(&["q"]) else { return };
    left.ok().prints(&["Measure which?", ">  1  .  "]);
    // Up from the first is the last, and the number of the first comes back to it.
    let Some(moved) = typed(&["\\033[A", "1", "q"]) else {
        return;
    };
    let shown = &moved.ok().printed;
    assert_eq!(shown.matches(">  1  .").count(), 2, "{shown}");
}

#[test]
fn ctrl_c_leaves_the_choice_and_the_terminal_as_it_was() {
    let Some(ended) = typed(&["\\003"]) else {
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
    let Some(ended) = typed_in(40, &["1", "q"]) else {
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
    let Some(ended) = typed(&["1\\r", "", "\\003"]) else {
        return;
    };
    // Two seconds are not enough for all rows, so that Ctrl-C ends it.
    assert_eq!(ended.code(), Some(130), "{ended:?}");
}
