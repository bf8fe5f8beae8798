//! The pages that disks answered with, byte by byte: offset, hexadecimal, and signs.

use super::InfoDocument;
use sokudo_words::text;

use crate::style::TableStyle;
use crate::wording::phrase;

/// Every page of every disk.
pub fn render(document: &InfoDocument, style: &TableStyle) -> String {
    let mut text = String::new();
    for entry in &document.disks {
        let disk = &entry.disk;
        if disk.raw.is_empty() {
            text.push_str(&style.text(&text!("{}: no pages were read", disk.name)));
            text.push('\n');
        }
        for (name, page) in &disk.raw {
            text.push_str(&style.text(&text!("{}: {}", disk.name, phrase(name))));
            text.push('\n');
            for (index, line) in page.lines().enumerate() {
                text.push_str(&dump_line(index * 16, line));
            }
            text.push('\n');
        }
    }
    text
}

/// `00000010  57 44 43 …  |WDC …|`; only plain signs are shown as themselves.
fn dump_line(offset: usize, digits: &str) -> String {
    let signs: String = digits
        .split_whitespace()
        .map(|digits| u8::from_str_radix(digits, 16).unwrap_or(0))
        .map(|byte| match byte {
            0x20..=0x7e => char::from(byte),
            _ => '.',
        })
        .collect();
    format!("{offset:08x}  {digits:47}  |{signs}|\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_bytes_and_signs() {
        assert_eq!(
            dump_line(16, "41 1b 00 7e"),
            format!("00000010  {:47}  |A..~|\n", "41 1b 00 7e")
        );
    }
}
