//! The language in which the program speaks to people: `--lang`, or that of the user's
//! locale. What programs read (JSON, CSV, what fio and diskspd print) has none.

use std::ffi::OsString;

use sokudo_words::{Language, speaking};

use crate::invocation;

/// The option that names a language; it is looked for before anything else is read, because
/// the complaint about a wrong argument has a language too.
const OPTION: &str = "--lang";
/// Names a language for sokudo alone.
const VARIABLE: &str = "SOKUDO_LANG";

/// Finds the language, once, before anything is said.
pub fn choose(arguments: &[OsString]) -> Language {
    let here = invocation::current();
    *here
        .language
        .get_or_init(|| named(arguments).unwrap_or_else(|| of_variables(invocation::variable)))
}

/// Whether somebody has named a language for sokudo, by the option or its variable.
pub fn is_given() -> bool {
    let by_variable = invocation::variable(VARIABLE).is_some_and(|it| !it.is_empty());
    by_variable || named(&invocation::current().arguments()).is_some()
}

/// The language in which the program speaks; English until it was chosen.
pub fn current() -> Language {
    let here = invocation::current();
    here.language.get().copied().unwrap_or_default()
}

/// Shows something in that language.
pub fn spoken<T>(shown: impl FnOnce() -> T) -> T {
    speaking(current(), shown)
}

/// What `--lang` names, where it names a language: clap complains about other words.
fn named(arguments: &[OsString]) -> Option<Language> {
    let words: Vec<&str> = arguments
        .iter()
        .skip(1)
        .map_while(|word| word.to_str().or(Some("")))
        .take_while(|word| *word != "--")
        .collect();
    let mut values = words.iter().enumerate().filter_map(|(index, word)| {
        let rest = word.strip_prefix(OPTION)?;
        match rest.strip_prefix('=') {
            Some(value) => Some(value),
            None if rest.is_empty() => words.get(index + 1).copied(),
            None => None,
        }
    });
    values.next_back().and_then(of_code)
}

/// The arguments of `help`, which takes nothing but names of commands, with `--lang` before
/// all others; any other arguments as they are.
pub fn before_help(arguments: Vec<OsString>, command: &clap::Command) -> Vec<OsString> {
    let mut of_language = Vec::new();
    let mut others = Vec::new();
    let mut words = arguments.iter().skip(1);
    while let Some(word) = words.next() {
        match word.to_str().and_then(|word| word.strip_prefix(OPTION)) {
            Some("") => of_language.extend([word].into_iter().chain(words.next())),
            Some(rest) if rest.starts_with('=') => of_language.push(word),
            _ => others.push(word),
        }
    }
    let mut command = Some(command);
    let asks_for_help = others.iter().any(|word| {
        let inside = command.filter(|command| command.has_subcommands());
        command = inside.and_then(|inside| inside.find_subcommand(word));
        inside.is_some() && *word == "help"
    });
    if !asks_for_help || of_language.is_empty() {
        return arguments;
    }
    let name = arguments.iter().take(1);
    let sorted = name.chain(of_language).chain(others);
    sorted.cloned().collect()
}

/// The language that has this code.
pub fn of_code(code: &str) -> Option<Language> {
    Language::ALL
        .into_iter()
        .find(|language| language.code() == code)
}

/// The language of the variables: sokudo's own, or that of messages in their order of
/// precedence. A locale whose characters are not UTF-8 is spoken to in English, which it
/// can show.
fn of_variables(value: impl Fn(&str) -> Option<String>) -> Language {
    let first = |names: [&str; 3]| {
        let values = names.into_iter().filter_map(&value);
        values.into_iter().find(|value| !value.is_empty())
    };
    if let Some(own) = value(VARIABLE).filter(|own| !own.is_empty()) {
        return Language::of_locale(&own);
    }
    let of_messages = first(["LC_ALL", "LC_MESSAGES", "LANG"]).unwrap_or_default();
    let of_characters = first(["LC_ALL", "LC_CTYPE", "LANG"]).unwrap_or_default();
    if is_utf8(&of_characters) {
        Language::of_locale(&of_messages)
    } else {
        Language::English
    }
}

/// Whether the characters of the user's locale are UTF-8.
pub(crate) fn speaks_utf8() -> bool {
    ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(invocation::variable)
        .find(|value| !value.is_empty())
        .is_some_and(|locale| is_utf8(&locale))
}

fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_arguments(words: &[&str]) -> Option<Language> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        named(&words)
    }

    fn by_variables(variables: &[(&str, &str)]) -> Language {
        of_variables(|name| {
            let found = variables.iter().find(|(known, _)| *known == name)?;
            Some(found.1.to_owned())
        })
    }

    #[test]
    fn the_option_is_found_before_and_behind_the_command() {
        let japanese = Some(Language::Japanese);
        assert_eq!(by_arguments(&["sokudo", "--lang", "ja", "mark"]), japanese);
        assert_eq!(
            by_arguments(&["sokudo", "mark", ".", "--lang=ja"]),
            japanese
        );
        assert_eq!(
            by_arguments(&["sokudo", "--lang=ja", "--lang=en"]),
            Some(Language::English)
        );
    }

    #[test]
    fn what_names_no_language_is_left_to_clap() {
        for words in [
            &["sokudo", "--lang"][..],
            &["sokudo", "--lang", "jp"],
            &["sokudo", "--language=ja"],
            &["sokudo", "mark", "--", "--lang=ja"],
            &["--lang=ja"],
        ] {
            assert_eq!(by_arguments(words), None, "{words:?}");
        }
    }

    #[test]
    fn variables_come_in_their_order_of_precedence() {
        let japanese = ("LANG", "ja_JP.UTF-8");
        for (variables, language) in [
            (&[japanese][..], Language::Japanese),
            (&[japanese, ("LC_ALL", "")], Language::Japanese),
            (&[japanese, ("LC_ALL", "C")], Language::English),
            (
                &[japanese, ("LC_MESSAGES", "en_US.UTF-8")],
                Language::English,
            ),
            (
                &[("LC_MESSAGES", "ja_JP.UTF-8"), ("LANG", "C.UTF-8")],
                Language::Japanese,
            ),
            (&[japanese, ("SOKUDO_LANG", "en")], Language::English),
            (&[("SOKUDO_LANG", "ja")], Language::Japanese),
            (&[], Language::English),
        ] {
            assert_eq!(by_variables(variables), language, "{variables:?}");
        }
    }

    #[test]
    fn a_locale_that_cannot_show_japanese_is_spoken_to_in_english() {
        for variables in [
            &[("LANG", "ja_JP.eucJP")][..],
            &[("LANG", "ja")],
            &[("LANG", "ja_JP")],
            &[("LANG", "ja_JP.SJIS")],
            &[("LANG", "POSIX")],
            &[("LANG", "ja_JP.UTF-8"), ("LC_ALL", "ja_JP.eucJP")],
            &[("LANG", "ja_JP.UTF-8"), ("LC_CTYPE", "C")],
        ] {
            assert_eq!(by_variables(variables), Language::English, "{variables:?}");
        }
    }
}
