//! What `--help` and `--cmdhelp` print, from the dialect's tables.

use std::fmt::Write as _;

use sokudo_tools::fio::output::FIO_VERSION;
use sokudo_tools::fio::{FioOption, FioSupport, Switch, options, switches};

/// `--help`: every switch of the command line.
pub(crate) fn help() -> String {
    let mut text = format!("{FIO_VERSION}\nfio [options] [job options] <job file(s)>\n");
    for switch in switches()
        .iter()
        .filter(|switch| switch.refused().is_none())
    {
        let Switch { name, meaning, .. } = switch;
        let _ = writeln!(text, "  --{name:<20}\t{meaning}");
    }
    text.push_str(
        "\nEvery option of a job is one of the command line too; --cmdhelp=all lists them.\n\
         This is sokudo. A device is written only if --destroy or SOKUDO_DESTROY names it, and\n\
         a file that no job has laid out only with --overwrite=1 or SOKUDO_OVERWRITE=files.\n",
    );
    text
}

/// `--cmdhelp=NAME`, or of `all`; `None` if there is no such option.
pub(crate) fn command_help(name: &str) -> Option<String> {
    if name == "all" || name.is_empty() {
        let mut text = String::new();
        for option in options() {
            let _ = writeln!(text, "{:<24}: {}", option.name, option.meaning);
        }
        return Some(text);
    }
    let is_it = |option: &&FioOption| option.name == name || option.aliases.contains(&name);
    options().iter().find(is_it).map(one)
}

fn one(option: &FioOption) -> String {
    let mut text = format!("{:>20}: {}\n", option.name, option.meaning);
    for alias in option.aliases {
        let _ = writeln!(text, "{:>20}: {alias}", "alias");
    }
    let default = match option.default {
        "" => "no default",
        default => default,
    };
    let _ = writeln!(text, "{:>20}: {default}", "default");
    match option.support {
        FioSupport::Full => {}
        FioSupport::Differs(how) => {
            let _ = writeln!(text, "{:>20}: {how}", "differs");
        }
        FioSupport::NoEffect(why) => {
            let _ = writeln!(text, "{:>20}: {why}", "no effect");
        }
        FioSupport::Refused { needs, .. } => {
            let _ = writeln!(text, "{:>20}: it would need {needs}", "refused");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_can_be_explained() {
        for option in options() {
            let text = command_help(option.name).unwrap();
            assert!(text.contains(option.meaning), "{text}");
        }
        assert!(command_help("blocksize").unwrap().contains("bs:"));
        assert_eq!(command_help("no-such-option"), None);
    }

    #[test]
    fn help_names_the_switches() {
        assert!(help().contains("--output-format"));
        assert!(command_help("all").unwrap().lines().count() > 100);
    }
}
