//! A line of the text.

use std::fmt::Write;

pub(super) fn line(text: &mut String, words: std::fmt::Arguments) {
    writeln!(text, "{words}").expect("a String takes all text");
}
