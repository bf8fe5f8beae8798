//! Texts in Markdown: in a language, and with nothing in them that is markup.

use sokudo_words::{Language, Text};

use crate::wording::with_code;
use sokudo_words::is_unseen;

/// How texts of a document are written: in a language, with nothing in them that is markup.
#[derive(Clone, Copy)]
pub(crate) struct MarkdownWords(pub(crate) Language);

impl MarkdownWords {
    pub(crate) fn text(self, text: &Text) -> String {
        escaped(&text.in_language(self.0))
    }

    /// A word or phrase of ours.
    pub(crate) fn word(self, word: &'static str) -> String {
        escaped(self.0.word(word))
    }

    /// Text of a finding.
    pub(crate) fn prose(self, text: &Text) -> String {
        let localized = text.in_language(self.0);
        let marked = with_code(&localized).into_iter();
        let marked = marked.map(|(is_code, part)| match is_code {
            true => format!("`{}`", one_line(part)),
            false => escaped(part),
        });
        marked.collect()
    }
}

/// Text in which nothing is markup and no line ends.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            sign if sign.is_control() => escaped.push(' '),
            sign if is_unseen(sign) => escaped.push(char::REPLACEMENT_CHARACTER),
            '\\' | '&' | '|' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' => {
                escaped.push('\\');
                escaped.push(sign);
            }
            _ => escaped.push(sign),
        }
    }
    escaped
}

/// Code in which no line ends and nothing is unseen.
pub(super) fn one_line(code: &str) -> String {
    let safe = |sign: char| match sign.is_control() || is_unseen(sign) {
        true => char::REPLACEMENT_CHARACTER,
        false => sign,
    };
    code.chars().map(safe).collect()
}
