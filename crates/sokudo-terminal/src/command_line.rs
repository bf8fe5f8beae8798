//! The command line as it was given, so that a shell takes it again.

use std::borrow::Cow;
use std::path::Path;

pub use sokudo_volume::quoted;

use crate::invocation;

/// The option that names who gets the answer.
pub const NOTIFY: &str = "--notify";

/// The arguments that are carried out, after the name of the program, without who gets the answer:
/// what is kept calls no other program.
pub fn as_given() -> String {
    let given = invocation::current().arguments();
    let words = given.iter().skip(1).map(|word| word.to_string_lossy());
    let words = without_notice(words).map(|word| quoted(&without_password(&word)));
    std::iter::once("sokudo".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

fn without_notice<'a>(
    words: impl Iterator<Item = Cow<'a, str>>,
) -> impl Iterator<Item = Cow<'a, str>> {
    let mut is_command = false;
    words.filter(move |word| {
        let is_left_out = std::mem::replace(&mut is_command, word == NOTIFY);
        let assigned = word.strip_prefix(NOTIFY);
        !is_left_out && !assigned.is_some_and(|it| it.is_empty() || it.starts_with('='))
    })
}

/// The address of a server without what could be a password: results are passed on.
/// Whatever the server is, for one that is refused may hold a password as well.
pub fn without_password(word: &str) -> String {
    match word.split_once("://") {
        Some((before, rest)) if rest.contains('@') || rest.contains("password") => {
            format!("{before}://...")
        }
        _ => word.to_owned(),
    }
}

/// The command that removes what is left in a directory; with `yes` also what is doubtful.
pub fn cleaning(directory: &Path, yes: bool) -> String {
    let yes = if yes { " --yes" } else { "" };
    format!("sokudo clean{yes} {}", quoted(&directory.to_string_lossy()))
}

/// The arguments of a command that may have been written with the program's name.
pub fn without_program(mut words: Vec<String>) -> Vec<String> {
    if words.first().is_some_and(|word| word == "sokudo") {
        words.remove(0);
    }
    words
}

/// The words of a text, parted as a shell parts them: by blanks, with quotes and
/// backslashes. Nothing is expanded. `None` where a quote is not closed.
pub fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (sign, quote) {
            ('$', None) if signs.as_str().starts_with('\'') => {
                signs.next();
                word.get_or_insert_default()
                    .push_str(&unescaped(&mut signs)?);
            }
            (_, Some(open)) if sign == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            ('\\', None | Some('"')) => word.get_or_insert_default().push(signs.next()?),
            (_, None) if sign.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// What stands in `$'…'`, up to and with its end, with the escapes that [`quoted`] writes.
fn unescaped(signs: &mut std::str::Chars<'_>) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        match signs.next()? {
            '\'' => return String::from_utf8(bytes).ok(),
            '\\' => {
                let rest = signs.as_str();
                let octal = rest.get(..3).and_then(|it| u8::from_str_radix(it, 8).ok());
                match octal {
                    Some(byte) => {
                        bytes.push(byte);
                        *signs = rest[3..].chars();
                    }
                    None => bytes.extend(signs.next()?.to_string().bytes()),
                }
            }
            sign => bytes.extend(sign.to_string().bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_survive_the_shell_and_the_terminal() {
        assert_eq!(quoted("a\nb"), "$'a\\012b'");
        for word in [
            "\u{1b}[31mred",
            "it's\ttab \\ 1",
            "\u{9b}é日\n",
            "\u{7f}",
            "\n123",
        ] {
            let shell_word = quoted(word);
            assert!(!shell_word.chars().any(char::is_control), "{shell_word:?}");
            assert_eq!(
                words(&shell_word),
                Some(vec![word.to_owned()]),
                "{shell_word}"
            );
            let printed = std::process::Command::new("bash")
                .args(["-c", &format!("printf %s {shell_word}")])
                .output();
            assert_eq!(printed.unwrap().stdout, word.as_bytes(), "{shell_word}");
        }
        assert_eq!(words("$'a"), None);
        assert_eq!(words("$HOME"), Some(vec!["$HOME".to_owned()]));
    }

    #[test]
    fn what_is_kept_calls_nobody() {
        for (given, kept) in [
            ("checkup --notify sh -x A", "checkup -x A"),
            ("checkup --notify=sh A", "checkup A"),
            ("checkup --notify", "checkup"),
            ("checkup --notifyx A", "checkup --notifyx A"),
        ] {
            let words = given.split(' ').map(Cow::Borrowed);
            let words: Vec<_> = without_notice(words).collect();
            assert_eq!(words.join(" "), kept);
        }
    }

    #[test]
    fn results_hold_no_password() {
        for word in [
            "--store=postgresql://me:se@cret/x@host/runs",
            "postgres://host/runs?password=secret",
            "POSTGRESQL://me:secret@host/runs",
            "--store=mysql://me:secret@host/runs",
        ] {
            assert!(!without_password(word).contains("cret"));
        }
        let plain = "--store=postgresql://host/runs";
        assert_eq!(without_password(plain), plain);
    }

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted("sim:hdd"), "sim:hdd");
        assert_eq!(
            quoted("sim:hdd?size=4TB&rpm=5900"),
            "'sim:hdd?size=4TB&rpm=5900'"
        );
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_text_is_parted_as_a_shell_parts_it() {
        let parted = |text| words(text).map(|words| words.join("|"));
        for (text, expected) in [
            ("mark  . --row RND4K,Q32", Some("mark|.|--row|RND4K,Q32")),
            ("mark 'a b' \"c 'd'\"e", Some("mark|a b|c 'd'e")),
            (r"a\ b '' c", Some("a b||c")),
            ("", Some("")),
            ("a 'b", None),
            ("a\\", None),
        ] {
            assert_eq!(parted(text).as_deref(), expected, "{text}");
        }
        for word in ["it's", "a b", "", "sim:hdd?size=4TB&rpm=5900"] {
            assert_eq!(words(&quoted(word)), Some(vec![word.to_owned()]));
        }
    }
}
