//! What somebody sees who asks for nothing in particular: a question, a card, an answer.

use std::fs;

use serde_json::Value;

use crate::sokudo::{end, program, sokudo, sokudo_in};
use crate::store_file::Store;

#[test]
fn what_exists_under_another_name_of_a_command_is_measured_itself() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["test", "speed", "quick"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let how = "--row RND4K,Q1,read --size 16MiB --time 20ms --runs 1 --quiet --format json";
    let measured = |words: &str| sokudo_in(folder.path(), &format!("{words} {how}")).json();
    assert_eq!(measured("test")["target"]["name"], "test");
    assert_eq!(measured("speed")["target"]["name"], "speed");
    // There is nothing of this name.
    assert_eq!(measured("bench")["target"]["name"], ".");
    // A command of this name comes first.
    sokudo_in(folder.path(), "quick --test nothing").refused(2, &["--test"]);
}

#[test]
fn a_target_alone_is_measured_and_becomes_a_card() {
    let store = Store::new();
    let card = store.ok("sim:ssd --row RND4K,Q1");
    for words in [
        "read",
        "write",
        "RND4K Q1T1",
        "every row is VERIFIED and STEADY",
    ] {
        assert!(card.contains(words), "{words}: {card}");
    }
    for words in ["cause:", "Engine", "Verdict"] {
        assert!(!card.contains(words), "{words}: {card}");
    }
    // What was measured is the same as by `mark`, and is repeated by that.
    let run: Value = serde_json::from_str(&store.ok("show last -f json")).unwrap();
    let command = run["command"].as_str().unwrap();
    assert!(
        command.starts_with("sokudo mark sim:ssd --row RND4K,Q1 --card"),
        "{command}"
    );
    let shown = store.ok("show last --card");
    assert!(
        shown.ends_with(&card.replace("Kept as run 1; w", "W")),
        "{shown}"
    );
    store.ok("baseline set last");
    let check = store.run("check sim:ssd -q");
    assert_eq!(check.code(), Some(0), "{check:?}");
}

#[test]
fn a_language_may_stand_before_a_target() {
    for language in ["--lang ja", "--lang=ja"] {
        let card = sokudo(&format!(
            "{language} sim:const --row RND4K,Q1,read --no-store"
        ))
        .ok();
        assert!(card.printed.contains("読み"), "{card:?}");
    }
}

#[test]
fn how_much_is_told_of_a_target_alone_may_be_said() {
    let store = Store::new();
    for (telling, words) in [("--card", "Kept as run"), ("--why", "Engine")] {
        let told = store.ok(&format!("sim:ssd --row RND4K,Q1,read {telling}"));
        assert!(told.contains(words), "{telling}: {told}");
        let run: Value = serde_json::from_str(&store.ok("show last -f json")).unwrap();
        let command = run["command"].as_str().unwrap();
        assert!(
            command.starts_with(&format!(
                "sokudo mark sim:ssd --row RND4K,Q1,read {telling} --seed"
            )),
            "{command}"
        );
    }
    let both = store.run("sim:ssd --card --why");
    both.refused(2, &["--card", "--why"]);
}

#[test]
fn a_command_is_one_although_a_file_has_its_name_and_no_other_word_is_a_target() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("list"), "").unwrap();
    let ended = end(program().arg("list").current_dir(&directory));
    assert!(!ended.told.contains("mark"), "{ended:?}");
    sokudo("nonsense").refused(2, &["nonsense"]);
    sokudo("/there/is/nothing").refused(2, &["/there/is/nothing"]);
}

#[test]
fn all_that_was_found_is_told_on_request() {
    let short = sokudo("mark sim:ssd --runs 6 --time 20ms").ok().printed;
    let whole = sokudo("mark sim:ssd --runs 6 --time 20ms --why")
        .ok()
        .printed;
    for words in ["Engine", "cause:", "remedy:", "Repeat: ", "95 % interval"] {
        assert!(
            whole.contains(words) && !short.contains(words),
            "{words}: {short}"
        );
    }
    assert!(short.lines().count() <= 25, "{short}");
    assert!(
        short.contains("Not kept") && short.trim_end().ends_with("measures again"),
        "{short}"
    );
    // Of a file it is read again.
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("run.json");
    let file = file.display();
    sokudo(&format!(
        "mark sim:ssd --row RND4K,Q1,read -f json -o {file}"
    ))
    .ok();
    let shown = sokudo(&format!("show {file}")).ok().printed;
    assert!(
        shown.trim_end().ends_with("the same command with --why"),
        "{shown}"
    );
    sokudo("mark sim:ssd --why --card").refused(2, &["--why", "--card"]);
}

#[test]
fn what_no_check_could_repeat_is_no_baseline() {
    let store = Store::new();
    store.ok("fit proxmox sim:ssd");
    let refused = store.run("baseline set last");
    refused.refused(2, &["sokudo fit proxmox sim:ssd", "cannot be repeated"]);
}
