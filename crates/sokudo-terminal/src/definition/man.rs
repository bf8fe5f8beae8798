//! Manual pages, made of the definition of the command line.

use sokudo_words::Language;
use sokudo_words::text;

use super::command;
use super::spoken::HelpDestination;
use crate::exit::Exit;
use crate::language;

/// Headings that every page has, which its maker knows in English only.
const HEADINGS: [&str; 6] = [
    "NAME",
    "SYNOPSIS",
    "DESCRIPTION",
    "OPTIONS",
    "EXTRA",
    "VERSION",
];

/// Tells the formatter where lines of Japanese may be broken (groff_tmac(5)).
const JAPANESE_LINES: &str = ".mso ja.tmac\n";
/// Lines that have few spaces cannot be filled up to the margin.
const RAGGED_LINES: &str = ".ad l\n";

/// The manual page of sokudo or of one of its commands, in roff, in the current language.
pub fn man_page(name: Option<&str>) -> Result<String, Exit> {
    let root = command(HelpDestination::Manual);
    let page = match name {
        None => root,
        Some(name) => root
            .find_subcommand(name)
            .cloned()
            .ok_or_else(|| Exit::usage(text!("there is no command {name}; see sokudo --help")))?
            .display_name(format!("sokudo-{name}"))
            .bin_name(format!("sokudo {name}")),
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut roff)
        .map_err(Exit::failed)?;
    let roff = String::from_utf8_lossy(&roff);
    Ok(match language::current() {
        Language::English => roff.into_owned(),
        Language::Japanese => {
            let lines = roff.lines().map(|line| match heading(line) {
                Some(heading) => format!(".SH {}\n", Language::Japanese.word(heading)),
                None if line.starts_with(".TH ") => format!("{line}\n{RAGGED_LINES}"),
                None => format!("{line}\n"),
            });
            JAPANESE_LINES.to_owned() + &lines.collect::<String>()
        }
    })
}

fn heading(line: &str) -> Option<&'static str> {
    let heading = line.strip_prefix(".SH ")?;
    HEADINGS.into_iter().find(|known| *known == heading)
}
