//! The tables of options in docs/FIO.md and docs/DISKSPD.md are the ones that the readers go by.

use std::path::Path;

use sokudo_tools::diskspd::{DiskspdSupport, OPTIONS, OptionOrigin};
use sokudo_tools::fio::{FioOption, FioSupport, options, switches};

const BEGIN: &str = "cargo test -p sokudo-tools --test text option_pages` -->\n";
const END: &str = "<!-- end of options -->";

/// What stands between the two lines of a page is this, and is written so if that is asked for.
fn assert_has(page: &str, tables: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/{page}"));
    let found = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = found
        .split_once(BEGIN)
        .expect("the page has a line before its options");
    let (_, after) = rest.split_once(END).expect("the options have an end");
    let expected = format!("{before}{BEGIN}\n{tables}\n{END}{after}");
    if std::env::var_os("SOKUDO_BLESS").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(
        found == expected,
        "docs/{page} is not what the options say; run SOKUDO_BLESS=1 cargo test -p sokudo-tools --test text option_pages"
    );
}

#[test]
fn the_page_of_fio_has_the_tables_of_options_and_switches() {
    let mut sorted: Vec<&FioOption> = options().iter().collect();
    sorted.sort_by_key(|option| option.name);
    let of_jobs = sorted.into_iter().map(|option| {
        let names: Vec<String> = option.names().map(|name| format!("`{name}`")).collect();
        let here = match option.support {
            FioSupport::Full => "accepted".to_owned(),
            FioSupport::Differs(how) => format!("differs: {how}"),
            FioSupport::NoEffect(why) => format!("no effect: {why}"),
            FioSupport::Refused { needs, .. } => {
                let idle = match &option.idle_values()[..] {
                    [] => String::new(),
                    values => {
                        let values = values.join(" or ");
                        format!("; accepted with the value {values}, which asks for nothing")
                    }
                };
                format!("refused: it would need {needs}{idle}")
            }
        };
        let line = format!("| {} | {} | {here} |\n", names.join(" "), option.meaning);
        line.replace('$', "\\$")
    });
    let of_line = switches().iter().map(|switch| {
        let here = match switch.refused() {
            None if switch.letter.is_none() => "sokudo's own".to_owned(),
            None => "accepted".to_owned(),
            Some(reason) => format!("refused: {reason}"),
        };
        format!("| `--{}` | {} | {here} |\n", switch.name, switch.meaning)
    });
    let tables = format!(
        "## Options of jobs\n\n| option | means | here |\n|--|--|--|\n{}\n\
         ## Switches of the command line\n\n| switch | means | here |\n|--|--|--|\n{}",
        of_jobs.collect::<String>(),
        of_line.collect::<String>()
    );
    assert_has("FIO.md", &tables);
}

#[test]
fn the_page_of_diskspd_has_the_table_of_options() {
    let lines = OPTIONS.iter().map(|option| {
        let long = option.long.map(|long| format!("`--{long}`"));
        let origin = match option.origin {
            OptionOrigin::Both => "both",
            OptionOrigin::Linux => "Linux",
            OptionOrigin::Windows => "Windows",
            OptionOrigin::Sokudo => "sokudo",
        };
        let support = match option.support {
            DiskspdSupport::Accepted => "accepted".to_owned(),
            DiskspdSupport::Differs(how) => format!("**differs**: {how}"),
            DiskspdSupport::NoEffect(why) => format!("accepted, changes nothing: {why}"),
            DiskspdSupport::Refused(needs) => format!("**refused**: {needs}"),
        };
        let cells = [
            format!("`-{}{}`", option.key, option.value),
            long.unwrap_or_default(),
            origin.to_owned(),
            option.meaning.to_owned(),
            support,
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        format!("| {} |\n", cells.join(" | "))
    });
    let table = format!(
        "| option | long name | of | means | in sokudo |\n|---|---|---|---|---|\n{}",
        lines.collect::<String>()
    );
    assert_has("DISKSPD.md", &table);
}
