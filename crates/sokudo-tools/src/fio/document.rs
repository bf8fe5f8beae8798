//! `docs/FIO.md`: the tables, in words.

use std::fmt::Write as _;

use super::option::{FioOption, FioSupport};
use super::switches::switches;
use super::table::options;

/// A word for how much of an option is here, and more of it.
fn support(option: &FioOption) -> (&'static str, String) {
    match option.support {
        FioSupport::Full => ("accepted", "as fio".to_owned()),
        FioSupport::Differs(how) => ("differs", how.to_owned()),
        FioSupport::NoEffect(why) => ("no effect", why.to_owned()),
        FioSupport::Refused { needs, .. } => {
            let idle = match &option.idle_values()[..] {
                [] => String::new(),
                values => {
                    let values = values.join(" or ");
                    format!("; accepted with the value {values}, which asks for nothing")
                }
            };
            ("refused", format!("it would need {needs}{idle}"))
        }
    }
}

/// Text of `docs/FIO.md`, made from the table of options.
pub fn document() -> String {
    let mut text = HEAD.to_owned();
    text += "\n## Options of jobs\n\n| option | means | here |\n|--|--|--|\n";
    let mut sorted: Vec<&FioOption> = options().iter().collect();
    sorted.sort_by_key(|option| option.name);
    for option in sorted {
        let names: Vec<String> = option.names().map(|name| format!("`{name}`")).collect();
        let (title, words) = support(option);
        let here = match title {
            "accepted" => title.to_owned(),
            title => format!("{title}: {words}"),
        };
        let row = format!("| {} | {} | {here} |\n", names.join(" "), option.meaning);
        text += &row.replace("$", "\\$");
    }
    text += "\n## Switches of the command line\n\n| switch | means | here |\n|--|--|--|\n";
    for switch in switches() {
        let here = match switch.refused() {
            None if switch.letter.is_none() => "sokudo's own".to_owned(),
            None => "accepted".to_owned(),
            Some(reason) => format!("refused: {reason}"),
        };
        let _ = writeln!(
            text,
            "| `--{}` | {} | {here} |",
            switch.name, switch.meaning
        );
    }
    text
}

const HEAD: &str = "\
# fio's options

sokudo runs fio's job files and command lines as fio 3.33 reads them. This table is
made from the one that the program itself reads with; `sokudo fio --cmdhelp=OPTION`
says the same of one option.

- **accepted**: it means what it means to fio.
- **differs**: it works, with the difference that is named.
- **no effect**: it is accepted; it changes nothing that is measured. `--warnings`
  lists what of this a run has met.
- **refused**: it would change what is measured, and sokudo cannot do it. The run ends
  with exit code 1 before anything is touched, and names every option that is unknown,
  not supported or not valid; `--lenient` runs without it and says so in the result.

## Around a run

- A job that cannot start, or that sokudo refuses for safety, ends with exit code 1, as
  with fio. JSON, json+ and terse results are printed all the same: nothing was done, and
  `error` is the system's number, or 1 (EPERM) where sokudo has refused.
- SIGUSR1 prints results so far, and the run goes on.
- What is missing of the directories in a file's name is made (for its owner alone), as
  fio does; what `directory` names must be there.

## Where fio misreads, sokudo refuses

fio reads as many digits as there are and guesses at the rest. These are errors here:
`size=1.5m` (1 byte to fio), `size=10 k` (10 bytes), `runtime=10sec` and `runtime=1min`
(10 and 1 µs), `runtime=1h30m` (1 µs), `bs=4k-8k` and `bs=4k:8k` (two directions; write
`bsrange` or `bssplit`), `iodepth=4,8` (4), `numjobs=0` (endless), percentages above 100,
percentages of `bssplit` that do not sum up to 100, unknown words in `cpus_allowed`.

## Where sokudo reads more than fio

Blanks after `=` before a word (`rw = read`), which fio 3.33 refuses; expressions
(`size=(1+2)*3k`, `iodepth=128*8`, `runtime=30*5`), of which fio reads the first number
alone, or those in parentheses when it was built with them;
`--section` holds for every job file of a command line, not for the first alone.
";
