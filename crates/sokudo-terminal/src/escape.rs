//! Texts on their way to a terminal, which obeys what it is sent: a file, a device or a job
//! may have any name.
//!
//! It is asked at the last step, where it is known that a terminal follows. What goes to
//! files and pipes is data, and stays as it is.

use std::borrow::Cow;

/// Begins what a terminal obeys.
const ESCAPE: char = '\u{1b}';

/// One line: breaks become spaces.
pub fn line(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '\n' => clean.push(' '),
            _ => push(&mut clean, sign),
        }
    }
    clean
}

/// Escapes control characters of a text, but leaves its line feeds and tabs.
pub fn lines(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return text.into();
    }
    let mut clean = String::with_capacity(text.len());
    text.chars()
        .for_each(|sign| push_of_lines(&mut clean, sign));
    clean.into()
}

/// Lines of our own with colours. Names in them were made harmless before the colours came,
/// as they are part of what is laid out; this holds back what was forgotten.
pub fn coloured(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return text.into();
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let length = match colour_length(rest) {
            Some(length) => {
                clean.push_str(&rest[..length]);
                length
            }
            None => {
                push_of_lines(&mut clean, sign);
                sign.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    clean.into()
}

/// Bytes of the colour that a text begins with.
fn colour_length(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix(ESCAPE)?.strip_prefix('[')?;
    let end = numbers.find(|sign: char| !sign.is_ascii_digit() && sign != ';')?;
    numbers[end..].starts_with('m').then_some(end + 3)
}

fn push_of_lines(clean: &mut String, sign: char) {
    match sign {
        '\n' | '\t' => clean.push(sign),
        _ => push(clean, sign),
    }
}

fn push(clean: &mut String, sign: char) {
    match is_command(sign) || sign.is_control() {
        true => clean.extend(sign.escape_unicode()),
        false => clean.push(sign),
    }
}

/// Whether a sign commands a terminal, or turns the order of those around it.
fn is_command(sign: char) -> bool {
    let is_control = sign.is_control() && !matches!(sign, '\n' | '\t');
    is_control || matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "\u{1b}[2J\u{7}\u{9b}é\u{202e}\r";

    #[test]
    fn a_name_commands_no_terminal() {
        let expected = "\\u{1b}[2J\\u{7}\\u{9b}é\\u{202e}\\u{d}";
        assert_eq!(lines(HOSTILE), expected);
        assert_eq!(coloured(HOSTILE), expected);
        assert_eq!(line(HOSTILE), expected);
        assert_eq!(line("a\nb\tc"), "a b\\u{9}c");
        assert_eq!(lines("a\nb\tc"), "a\nb\tc");
    }

    #[test]
    fn colours_stay_where_they_are_ours() {
        let ours = "\u{1b}[32mfaster\u{1b}[0m\n\u{1b}[38;5;7mx";
        assert_eq!(coloured(ours), ours);
        assert!(!lines(ours).contains(ESCAPE));
        for other in ["\u{1b}[1", "\u{1b}[1;\u{1b}", "\u{1b}]0;m\u{7}", "\u{1b}"] {
            assert!(!coloured(other).contains(ESCAPE), "{other:?}");
        }
    }
}
