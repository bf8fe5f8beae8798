//! The command line as it was given, so that a shell takes it again.

/// The arguments of this process, after the name of the program.
pub(crate) fn as_given() -> String {
    let mut words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| quoted(&without_password(&word.to_string_lossy())))
        .collect();
    words.insert(0, "sokudo".to_owned());
    words.join(" ")
}

/// The address of a server without what could be a password: results are passed on.
/// Whatever the server is, for one that is refused may hold a password as well.
pub(crate) fn without_password(word: &str) -> String {
    match word.split_once("://") {
        Some((before, rest)) if rest.contains('@') || rest.contains("password") => {
            format!("{before}://...")
        }
        _ => word.to_owned(),
    }
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words of a text, parted as a shell parts them: by blanks, with quotes and
/// backslashes. Nothing is expanded. `None` where a quote is not closed.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (sign, quote) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
