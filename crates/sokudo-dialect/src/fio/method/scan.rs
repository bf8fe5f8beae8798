//! The lines of a job file, with comments taken off and places kept.
//!
//! Knows no option and no value.

/// One meaningful line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// `[name]`.
    Section(&'a str),
    /// `[` that is not a section.
    BadSection,
    /// `option` or `option=value`.
    Entry(Entry<'a>),
    /// `; sokudo: key=value`.
    Pragma(Entry<'a>),
}

/// A word with its value, if it has one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) key: &'a str,
    pub(super) value: Option<&'a str>,
    /// Column of the value, or of the key when there is no value.
    pub(super) value_column: usize,
}

/// A line and where it starts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Located<'a> {
    /// From 1.
    pub(super) number: usize,
    /// Of the first character that is no blank, from 1.
    pub(super) column: usize,
    pub(super) line: Line<'a>,
}

/// Every line of `text` that says something.
pub(super) fn scan(text: &str) -> impl Iterator<Item = Located<'_>> {
    text.lines().enumerate().filter_map(|(index, raw)| {
        let (line, column) = pragma_line(raw).or_else(|| plain_line(raw))?;
        Some(Located {
            number: index + 1,
            column,
            line,
        })
    })
}

fn pragma_line(raw: &str) -> Option<(Line<'_>, usize)> {
    let comment = raw.trim_start().strip_prefix([';', '#'])?;
    let body = comment.trim_start().strip_prefix("sokudo:")?.trim();
    Some((Line::Pragma(entry(raw, body)), column_of(raw, body)))
}

fn plain_line(raw: &str) -> Option<(Line<'_>, usize)> {
    let end = raw.find([';', '#']).unwrap_or(raw.len());
    let body = raw[..end].trim();
    if body.is_empty() {
        return None;
    }
    let line = match body.strip_prefix('[') {
        None => Line::Entry(entry(raw, body)),
        Some(rest) => match rest.strip_suffix(']').map(str::trim) {
            Some(name) if !name.is_empty() && !name.contains(['[', ']']) => Line::Section(name),
            _ => Line::BadSection,
        },
    };
    Some((line, column_of(raw, body)))
}

fn entry<'a>(raw: &'a str, body: &'a str) -> Entry<'a> {
    let (key, value) = match body.split_once('=') {
        Some((key, value)) => (key.trim_end(), Some(value.trim_start())),
        None => (body, None),
    };
    Entry {
        key,
        value,
        value_column: column_of(raw, value.unwrap_or(key)),
    }
}

/// The column at which `part`, a piece of `raw`, starts.
fn column_of(raw: &str, part: &str) -> usize {
    let byte = part.as_ptr().addr() - raw.as_ptr().addr();
    raw[..byte].chars().count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Line<'_>> {
        scan(text).map(|located| located.line).collect()
    }

    fn pair<'a>(key: &'a str, value: &'a str, value_column: usize) -> Entry<'a> {
        Entry {
            key,
            value: Some(value),
            value_column,
        }
    }

    #[test]
    fn both_comment_signs_end_a_line_anywhere() {
        assert_eq!(
            lines("[a] ; one\nrw=read # two\n; three\n\t# four\nbs=4k;k\n\n"),
            [
                Line::Section("a"),
                Line::Entry(pair("rw", "read", 4)),
                Line::Entry(pair("bs", "4k", 4)),
            ]
        );
    }

    #[test]
    fn a_bare_word_does_not_swallow_what_follows() {
        let found = lines("stonewall\n[global]\n");
        assert_eq!(found.len(), 2);
        assert_eq!(found[1], Line::Section("global"));
    }

    #[test]
    fn a_pragma_is_a_whole_line_and_keeps_comment_signs() {
        assert_eq!(
            lines(" ; sokudo: name=A;B #1"),
            [Line::Pragma(pair("name", "A;B #1", 17))]
        );
        assert_eq!(lines("# sokudo is a benchmark"), []);
        assert_eq!(lines("[a] ; sokudo: name=B"), [Line::Section("a")]);
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        let found: Vec<_> = scan("  名前=値").collect();
        assert_eq!((found[0].number, found[0].column), (1, 3));
        assert_eq!(found[0].line, Line::Entry(pair("名前", "値", 6)));
    }

    #[test]
    fn broken_sections_are_seen() {
        for text in ["[a", "[]", "[a] x", "[a]b]", "[[a]"] {
            assert_eq!(lines(text), [Line::BadSection], "{text}");
        }
    }
}
