//! The command line as it was given, so that a shell takes it again.

/// The arguments of this process, after the name of the program.
pub(crate) fn as_given() -> String {
    let mut words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| quoted(&word.to_string_lossy()))
        .collect();
    words.insert(0, "sokudo".to_owned());
    words.join(" ")
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
