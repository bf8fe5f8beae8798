//! What fio says today to the command lines whose answers the base tier compares with.

use std::process::{Child, Command, Stdio};

use crate::fio_said::{Said, VARIABLES, file, jobs, kept};
use crate::sokudo::skip;

fn ask(said: &Said) -> Child {
    let mut fio = Command::new("fio");
    fio.args(said.words()).current_dir(jobs()).envs(VARIABLES);
    fio.stdout(Stdio::piped()).stderr(Stdio::null());
    fio.spawn().unwrap()
}

fn answer(said: &Said, asked: Child) -> String {
    let output = asked.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    if said.line.starts_with("--parse-only") {
        let accepted = output.status.success();
        return if accepted { "accepted" } else { "refused" }.to_owned();
    }
    if said.line.starts_with("--cmdhelp") {
        let mut lines = printed.lines();
        let default = lines.find_map(|line| line.trim().strip_prefix("default: "));
        let default = default.filter(|default| *default != "no default");
        return default.unwrap_or_default().trim().to_owned();
    }
    assert!(output.status.success(), "{}", said.line);
    printed.trim_end().to_owned()
}

/// `SOKUDO_BLESS=1 tests/run disk fio_says` keeps what it says.
#[test]
fn fio_says_what_is_kept() {
    let version = Command::new("fio").arg("--version").output();
    if !version.is_ok_and(|output| output.stdout.starts_with(b"fio-3.33")) {
        return skip("fio 3.33 is not installed, which the rules were taken from");
    }
    let kept = kept();
    // fio sleeps for 0.1 s before it ends, so that many are asked at once.
    let said = kept.chunks(16).flat_map(|some| {
        let asked: Vec<Child> = some.iter().map(ask).collect();
        let answers = some.iter().zip(asked).map(|(said, asked)| Said {
            answer: answer(said, asked),
            ..said.clone()
        });
        answers.collect::<Vec<_>>()
    });
    let said: Vec<Said> = said.collect();
    if std::env::var_os("SOKUDO_BLESS").is_some() {
        let text = said.iter().map(|said| match &*said.answer {
            "" => format!("$ {}\n", said.line),
            answer => format!("$ {}\n{answer}\n", said.line),
        });
        std::fs::write(file(), text.collect::<String>()).unwrap();
        return;
    }
    for (said, kept) in said.iter().zip(&kept) {
        assert_eq!(said, kept);
    }
}
