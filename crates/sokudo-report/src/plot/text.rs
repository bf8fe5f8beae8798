//! How much room words take where no font can be asked, and how they are made safe.

use unicode_width::UnicodeWidthChar;

use sokudo_words::is_unseen;

use crate::phrases::phrases;

/// A longer phrase of Japanese is broken between its signs, so that it fits into a line of any picture.
const PHRASE_COLUMNS_MAX: usize = 40;

/// About how wide a text is in a usual sans-serif font, in pixels; rather too wide,
/// because too much room is no harm and too little is.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let per_em: f64 = text.chars().map(width_of_sign).sum();
    per_em * size
}

fn width_of_sign(sign: char) -> f64 {
    match sign {
        'i' | 'j' | 'l' | '\'' | '|' | '!' => 0.30,
        ' ' | '.' | ',' | ':' | ';' | 'f' | 't' | 'I' | '(' | ')' | '[' | ']' | '/' | '·' => 0.38,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.95,
        'A'..='Z' => 0.69,
        '0'..='9' | 'a'..='z' => 0.61,
        sign if sign.is_ascii() => 0.75,
        sign if sign.width() == Some(2) => 1.0,
        '—' | '…' => 1.0,
        _ => 0.66,
    }
}

/// A text that fits into a width: its end is left out where it must.
pub(crate) fn fitted(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let mut shorter = String::new();
    let mut used = width_of_sign('…') * size;
    for sign in text.chars() {
        used += width_of_sign(sign) * size;
        if used > room {
            break;
        }
        shorter.push(sign);
    }
    shorter.trim_end().to_owned() + "…"
}

/// A name that fits into a width: its middle is left out where it must, for names of rows
/// differ at their ends.
pub(crate) fn fitted_name(name: &str, size: f64, room: f64) -> String {
    if width(name, size) <= room {
        return name.to_owned();
    }
    let mut end_room = (room - width("…", size)) / 2.0;
    let fits = |sign: &char| {
        end_room -= width_of_sign(*sign) * size;
        end_room >= 0.0
    };
    let mut end: Vec<char> = name.chars().rev().take_while(fits).collect();
    end.reverse();
    let end: String = end.into_iter().collect();
    let end = end.trim_start();
    let begin = fitted(name, size, room - width(end, size));
    begin + end
}

/// A name in no more than so many lines of a width, broken at its spaces. Only where these
/// are too few is the middle of the last one left out.
pub(crate) fn broken_name(name: &str, size: f64, room: f64, lines_max: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = name;
    while lines.len() + 1 < lines_max && width(rest, size) > room {
        let spaces = rest.match_indices(' ').map(|(at, _)| at);
        let fits = |at: &usize| width(&rest[..*at], size) <= room;
        let Some(at) = spaces.filter(|at| *at > 0).take_while(fits).last() else {
            break;
        };
        lines.push(rest[..at].to_owned());
        rest = rest[at..].trim_start();
    }
    lines.push(fitted_name(rest, size, room));
    lines
}

/// A sentence in as many lines of a width as it needs; only a word may be wider.
pub(crate) fn broken_sentence(sentence: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    for phrase in phrases(sentence, PHRASE_COLUMNS_MAX) {
        let last = lines.last_mut();
        match last.filter(|line| line.is_empty() || fits(line, phrase, size, room)) {
            Some(line) => line.push_str(phrase),
            None => lines.push(phrase.to_owned()),
        }
    }
    lines
}

fn fits(line: &str, phrase: &str, size: f64, room: f64) -> bool {
    width(line, size) + width(phrase.trim_end(), size) <= room
}

/// Text for XML: what a stranger has written ends no element, and holds no sign that
/// XML forbids.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            sign if sign.is_control() || is_invisible(sign) => {
                safe.push(char::REPLACEMENT_CHARACTER)
            }
            sign => safe.push(sign),
        }
    }
    safe
}

/// Signs that turn text around, are not seen, or are no characters, which XML forbids.
const fn is_invisible(sign: char) -> bool {
    is_unseen(sign) || matches!(sign, '\u{fffe}' | '\u{ffff}')
}

/// Text for a terminal: the same, without escapes, and in ASCII where it must.
pub(crate) fn for_terminal(text: &str, ascii: bool) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            sign if sign.is_control() || is_invisible(sign) => safe.push('?'),
            '±' if ascii => safe.push_str("+-"),
            'µ' if ascii => safe.push('u'),
            '×' if ascii => safe.push('x'),
            '·' if ascii => safe.push('|'),
            '–' | '—' if ascii => safe.push('-'),
            '…' if ascii => safe.push_str("..."),
            sign if ascii && !sign.is_ascii() => safe.push('?'),
            sign => safe.push(sign),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_too_long_keep_both_ends() {
        let long = "fio 3.28 · 1 GiB runtime 60 n=1, Hyper-V · SEQ1M Q8T1";
        for room in [10.0, 40.0, 120.0, 300.0] {
            let [read, write] =
                ["read", "write"].map(|word| fitted_name(&format!("{long} {word}"), 15.0, room));
            for name in [&read, &write] {
                assert!(width(name, 15.0) <= room.max(width("…", 15.0)), "{name}");
                assert_eq!(name.matches('…').count(), 1, "{name}");
            }
            assert!(room < 120.0 || read.ends_with("read") && write.ends_with("write"));
        }
        assert_eq!(fitted_name("速度 read", 15.0, 200.0), "速度 read");
        assert_eq!(fitted_name("", 15.0, 0.0), "");
    }

    #[test]
    fn a_name_that_fits_into_its_lines_is_not_cut() {
        let long = "fio 3.28 · 1 GiB runtime 60 n=1, Hyper-V · SEQ1M Q8T1 read";
        for (room, lines_max) in [(300.0, 2), (150.0, 4), (1_000.0, 1)] {
            let lines = broken_name(long, 15.0, room, lines_max);
            assert!(lines.len() <= lines_max, "{lines:?}");
            assert!(lines.iter().all(|line| width(line, 15.0) <= room));
            assert_eq!(lines.join(" "), long);
        }
        let lines = broken_name(long, 15.0, 150.0, 2);
        assert_eq!((lines.len(), lines[1].matches('…').count()), (2, 1));
        assert_eq!(broken_name("", 15.0, 0.0, 3), [""]);
    }

    #[test]
    fn a_sentence_is_broken_and_never_cut() {
        let english = "OK so far (not looked at: health): the link is not the limit of this disk";
        let japanese =
            "ここまでは OK (未確認: 健康状態、全ブロック): ディスクの速度は接続の上限ではない";
        for sentence in [english, japanese, ""] {
            let lines = broken_sentence(sentence, 15.0, 400.0);
            assert_eq!(lines.concat(), sentence);
            let is_within = |line: &String| width(line.trim_end(), 15.0) <= 400.0;
            assert!(lines.iter().all(is_within), "{lines:?}");
        }
        assert!(broken_sentence(english, 15.0, 400.0).len() > 1);
    }

    #[test]
    fn what_a_device_calls_itself_stays_text() {
        assert_eq!(
            escaped("<script>alert('x')</script>\u{1b}[2J\u{0}&\u{202e}"),
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;\u{fffd}[2J\u{fffd}&amp;\u{fffd}"
        );
        assert_eq!(escaped("a\u{200f}b\u{2028}c"), "a\u{fffd}b\u{fffd}c");
        assert_eq!(for_terminal("a\u{200b}b", false), "a?b");
        assert_eq!(for_terminal("a\u{1b}[2J\nb", false), "a?[2J?b");
        assert_eq!(for_terminal("5 µs × 速度", true), "5 us x ??");
    }

    #[test]
    fn a_text_is_cut_to_its_room() {
        assert_eq!(fitted("short", 10.0, 100.0), "short");
        let cut = fitted(&"long ".repeat(50), 10.0, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 10.0) <= 100.0, "{cut}");
        assert_eq!(fitted("速度速度", 10.0, 32.0), "速度…");
    }
}
