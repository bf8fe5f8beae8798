//! JSON laid out for the eye: what holds only plain values stands on one line,
//! everything else one entry per line. A list of numbers
//! is then one line, however long.

use serde::Serialize;

/// A list or object that is longer than this is broken into lines.
const INLINE_BYTES_MAX: usize = 96;
const INDENT: &str = "  ";

/// A document as text that ends with a line feed.
pub fn written(document: &impl Serialize) -> String {
    let compact = serde_json::to_string(document)
        .expect("a document has no map with keys other than strings and writes to memory");
    lay_out(&compact)
}

/// Lays out JSON that has no white space between its tokens. Tokens are copied,
/// not parsed, so numbers keep their digits and fields their order.
pub fn lay_out(compact: &str) -> String {
    let mut out = String::with_capacity(compact.len() * 2);
    let mut depth = 0;
    let mut rest = compact;
    while !rest.is_empty() {
        if let Some(length) = inline_length(rest) {
            push_inline(&mut out, &rest[..length]);
            rest = &rest[length..];
            continue;
        }
        let (token, tail) = split_token(rest);
        match token {
            "{" | "[" => {
                depth += 1;
                out.push_str(token);
                start_line(&mut out, depth);
            }
            "}" | "]" => {
                depth -= 1;
                start_line(&mut out, depth);
                out.push_str(token);
            }
            "," => {
                out.push_str(token);
                start_line(&mut out, depth);
            }
            _ => push_spaced(&mut out, token),
        }
        rest = tail;
    }
    out.push('\n');
    out
}

/// The length of the list or object that begins here, if it fits on a line and
/// holds no other. Numbers alone stand on one line, however many there are: columns of a run have
/// millions.
fn inline_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.first()? {
        b'{' => {}
        b'[' => {
            let is_of_numbers = |byte: &u8| byte.is_ascii_digit() || b",-+.eE".contains(byte);
            let end = 1 + bytes[1..].iter().position(|byte| !is_of_numbers(byte))?;
            if bytes[end] == b']' {
                return Some(end + 1);
            }
        }
        _ => return None,
    }
    let mut at = 1;
    while at <= INLINE_BYTES_MAX {
        at += match bytes.get(at)? {
            b'{' | b'[' => return None,
            b'}' | b']' => return Some(at + 1),
            b'"' => string_length(&text[at..]),
            _ => 1,
        };
    }
    None
}

fn push_inline(out: &mut String, text: &str) {
    let (mut from, mut at) = (0, 0);
    while let Some(byte) = text.as_bytes().get(at) {
        at += match byte {
            b'"' => string_length(&text[at..]),
            _ => 1,
        };
        if matches!(byte, b',' | b':') {
            push_spaced(out, &text[from..at]);
            from = at;
        }
    }
    out.push_str(&text[from..]);
}

fn push_spaced(out: &mut String, token: &str) {
    out.push_str(token);
    if token.ends_with([',', ':']) {
        out.push(' ');
    }
}

fn start_line(out: &mut String, depth: usize) {
    out.push('\n');
    (0..depth).for_each(|_| out.push_str(INDENT));
}

/// The first token and what follows it.
fn split_token(text: &str) -> (&str, &str) {
    let is_punctuation = |byte: &u8| matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':');
    let length = match text.as_bytes().first() {
        Some(b'"') => string_length(text),
        Some(first) if is_punctuation(first) => 1,
        _ => text
            .bytes()
            .position(|byte| is_punctuation(&byte))
            .unwrap_or(text.len()),
    };
    text.split_at(length)
}

/// With both quotes. The last is the first that no odd number of backslashes stands before.
fn string_length(text: &str) -> usize {
    let mut length = 1;
    while let Some(found) = text[length..].find('"') {
        let before = &text.as_bytes()[length..length + found];
        length += found + 1;
        let escapes = before.iter().rev().take_while(|byte| **byte == b'\\');
        if escapes.count() % 2 == 0 {
            return length;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_plain_values_stands_on_one_line() {
        assert_eq!(
            lay_out(r#"{"a":[[1,2,3],[4,5,6]],"b":{"c":null,"d":1.5},"e":[],"f":"x"}"#),
            "{\n  \"a\": [\n    [1, 2, 3],\n    [4, 5, 6]\n  ],\n  \"b\": {\"c\": null, \"d\": 1.5},\n  \
             \"e\": [],\n  \"f\": \"x\"\n}\n"
        );
    }

    #[test]
    fn punctuation_inside_strings_is_text() {
        let text = r#"{"a \" {[,:]} \\":"},\\\"]","b":[{"ü":"\\"}]}"#;
        let laid_out = lay_out(text);
        let read: serde_json::Value = serde_json::from_str(&laid_out).unwrap();
        assert_eq!(
            read,
            serde_json::from_str::<serde_json::Value>(text).unwrap()
        );
        assert!(
            laid_out.contains(r#""a \" {[,:]} \\": "},\\\"]""#),
            "{laid_out}"
        );
    }

    #[test]
    fn a_long_list_is_broken_into_lines_but_for_one_of_numbers() {
        let lines = |compact: &str| lay_out(compact).lines().count();
        let numbers: Vec<u64> = (1_000_000..1_000_020).collect();
        assert_eq!(lines(&serde_json::to_string(&numbers).unwrap()), 1);
        let names: Vec<String> = numbers.iter().map(u64::to_string).collect();
        assert_eq!(
            lines(&serde_json::to_string(&names).unwrap()),
            names.len() + 2
        );
    }
}
