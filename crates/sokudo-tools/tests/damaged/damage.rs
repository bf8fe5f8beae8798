//! Texts with some damage: the same number gives the same text.

#![expect(
    clippy::cast_possible_truncation,
    reason = "random numbers below bounds that are small"
)]

/// No damaged text is longer: what is long is the affair of `bench/import`.
const BYTES_MAX: usize = 64 << 10;
/// Damages of one text at most.
const DAMAGES_MAX: u64 = 8;
/// What formats tell apart, and numbers that break arithmetic.
const TOKENS: &[&str] = &[
    "0",
    "-1",
    "1",
    "255",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "1e999",
    "-0.0",
    "NaN",
    "inf",
    "0x7f",
    "1.7976931348623157e308",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    ";",
    "|",
    "<",
    ">",
    "&",
    "%",
    "\n",
    "\r\n",
    "\0",
    "\u{feff}",
    "null",
    "true",
    "\\u0000",
    "\\ud800",
    "MiB/s",
    "MB/s",
    "KB/s",
    "read",
    "write",
    "\"bins\"",
    "\"jobs\"",
    "&lt;",
    "<!--",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE a [",
    "1970-01-01T00:00:00",
    "9999-12-31 23:59:59",
    "total:",
    "速度",
    "\u{1b}[31m",
    "(",
    ")",
    "=",
    "/",
];

/// One of these texts with some damage, which one and what is the number's to say.
pub(crate) fn damaged(texts: &[(String, Vec<u8>)], number: u64) -> (&str, Vec<u8>) {
    let random = &mut Random(number);
    // Long texts take most of the time, and say little more than short ones.
    let picks = [(); 3].map(|()| &texts[random.below(texts.len())]);
    let (name, text) = picks
        .into_iter()
        .min_by_key(|(_, text)| text.len())
        .unwrap_or(&texts[0]);
    let mut text = text.clone();
    // Whole texts hide what is at their beginning: many are made short first.
    if random.below(3) == 0 && text.len() > 64 {
        let (from, length) = (random.below(text.len()), random.below(4_096) + 1);
        let end = (from + length).min(text.len());
        text.drain(from..end);
    }
    for _ in 0..=random.below(DAMAGES_MAX as usize) {
        damage(&mut text, texts, random);
    }
    text.truncate(BYTES_MAX);
    (name, text)
}

fn damage(text: &mut Vec<u8>, texts: &[(String, Vec<u8>)], random: &mut Random) {
    let at = random.below(text.len() + 1);
    let end = (at + random.below(32)).min(text.len());
    match random.below(9) {
        0 => {
            if let Some(byte) = text.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => text.truncate(at),
        2 => drop(text.drain(at..end)),
        3 => {
            let token = TOKENS[random.below(TOKENS.len())];
            text.splice(at..at, token.bytes());
        }
        4 => {
            let token = TOKENS[random.below(TOKENS.len())];
            text.splice(at..end, token.bytes());
        }
        // Another place of the same text once more.
        5 => {
            let from = random.below(text.len() + 1);
            let piece = text[from..(from + random.below(512)).min(text.len())].to_vec();
            text.splice(at..at, piece);
        }
        // A piece of another.
        6 => {
            let other = &texts[random.below(texts.len())].1;
            let from = random.below(other.len() + 1);
            let piece = other[from..(from + random.below(2_048)).min(other.len())].to_vec();
            text.splice(at..end, piece);
        }
        7 => number(text, at, random),
        _ => {
            let count = random.below(64);
            let byte = random.below(256) as u8;
            text.splice(at..at, std::iter::repeat_n(byte, count));
        }
    }
}

/// Another number in the place of the next one.
fn number(text: &mut Vec<u8>, from: usize, random: &mut Random) {
    let Some(start) = text[from..].iter().position(u8::is_ascii_digit) else {
        return;
    };
    let start = from + start;
    let length = text[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let value = match random.below(3) {
        0 => TOKENS[random.below(18)].to_owned(),
        1 => random.next().to_string(),
        _ => random.below(1_000).to_string(),
    };
    text.splice(start..start + length, value.bytes());
}

/// SplitMix64.
struct Random(u64);

impl Random {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    const fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
