//! A text in another language: looked up whole, by its pattern, or part by part.

use std::borrow::Cow;

use crate::catalogue::{Catalogue, CatalogueEntry};
use crate::pattern::From;

/// Longer texts are no sentences of ours.
const TEXT_BYTES_MAX: usize = 16_384;
/// How deep texts may lie in the holes and parts of others.
const DEPTH_MAX: usize = 8;
/// Looks into the catalogue for one text. Sentences take about ten; a text of a stranger,
/// made to be like many patterns, must not take for ever.
const LOOKS_MAX: usize = 400;
/// Patterns of one text that are tried.
const PATTERNS_MAX: usize = 3;

/// Signs that a remark begins with, in English and in other languages.
const LEADS: [(&str, &str); 3] = [("; ", "; "), (", ", "、"), ("· ", "· ")];

/// A pattern that tells less is not meant where its holes would hold more than one part of a
/// text,
const WEIGHT_ALONE_MIN: usize = 12;
/// but for one that begins with so much text.
const FIRST_ALONE_MIN: usize = 8;
/// A pattern that only joins its holes, such as `{} of {}`, is meant where these are figures
/// or known in full: of a file it would make nonsense.
const WEIGHT_JOINING_MAX: usize = 4;
/// What is left out is the end of a plural or `are`.
const UNSAID_MAX: usize = 3;
/// Parts of a list that may belong together.
const PARTS_JOINED_MAX: usize = 12;

/// What a text became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation<'t> {
    /// The text in the other language, as far as it is known there.
    pub text: Cow<'t, str>,
    /// The parts with letters that the catalogue does not know, such as names.
    pub unknown: Vec<&'t str>,
    /// The keys that were used.
    pub keys: Vec<&'static str>,
}

impl<'t> Translation<'t> {
    /// A text that stays as it is.
    pub(crate) fn unchanged(text: &'t str) -> Self {
        let has_letters = text.bytes().any(|byte| byte.is_ascii_alphabetic());
        Self {
            text: Cow::Borrowed(text),
            unknown: if has_letters { vec![text] } else { Vec::new() },
            keys: Vec::new(),
        }
    }

    /// A text that needs no other words.
    pub(crate) const fn known(text: &'t str) -> Self {
        Self {
            text: Cow::Borrowed(text),
            unknown: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Letters that are still English.
    fn left(&self) -> usize {
        let letters = |text: &&str| text.bytes().filter(u8::is_ascii_alphabetic).count();
        self.unknown.iter().map(letters).sum()
    }

    fn is_translated(&self) -> bool {
        !self.keys.is_empty()
    }
}

/// Says a text with the words of a catalogue.
pub(crate) fn said<'t>(catalogue: &'static Catalogue, text: &'t str) -> Translation<'t> {
    if text.len() > TEXT_BYTES_MAX {
        return Translation::unchanged(text);
    }
    let mut speaker = Speaker {
        catalogue,
        looks_left: LOOKS_MAX,
    };
    speaker.say(text, DEPTH_MAX)
}

struct Speaker {
    catalogue: &'static Catalogue,
    looks_left: usize,
}

impl Speaker {
    fn say<'t>(&mut self, text: &'t str, depth: usize) -> Translation<'t> {
        let core = text.trim();
        // Remarks are hung on with a sign before them.
        let lead = LEADS.into_iter().find(|(sign, _)| core.starts_with(sign));
        let core = lead.map_or(core, |(sign, _)| &core[sign.len()..]);
        let unchanged = Translation::unchanged(text);
        if unchanged.unknown.is_empty() || depth == 0 || self.looks_left == 0 {
            return unchanged;
        }
        self.looks_left -= 1;
        let said = self.say_trimmed(core, depth);
        if !said.is_translated() {
            return unchanged;
        }
        let at = text.find(core).unwrap_or(0);
        let after = &text[at + core.len()..];
        let before = match lead {
            Some((sign, other)) => text[..at].replace(sign, other),
            None => text[..at].to_owned(),
        };
        Translation {
            text: Cow::Owned(format!("{before}{}{after}", said.text)),
            ..said
        }
    }

    fn say_trimmed<'t>(&mut self, text: &'t str, depth: usize) -> Translation<'t> {
        if let Some(entry) = self.catalogue.whole(text) {
            return Translation {
                text: Cow::Owned(entry.filling.filled(&[])),
                unknown: Vec::new(),
                keys: vec![&entry.key],
            };
        }
        // Of several ways the one that leaves least in English is meant, and of those that
        // leave the same the one that does not part a list or a sentence.
        let mut best = (Translation::unchanged(text), false);
        for entry in self.catalogue.alike(text, PATTERNS_MAX) {
            for from in [From::Left, From::Right] {
                let holes = entry.pattern.holes_of(text, from).unwrap_or_default();
                // The full stop of a sentence is nobody's name.
                if holes.contains(&".") {
                    continue;
                }
                let is_clean = !holes.into_iter().any(has_joint);
                let is_vague = entry.pattern.weight() < WEIGHT_ALONE_MIN;
                let is_begun =
                    entry.pattern.is_label() || entry.pattern.first().len() >= FIRST_ALONE_MIN;
                if is_vague && (is_path(text) || !is_clean && !is_begun) {
                    continue;
                }
                let said = self.say_by(entry, text, from, depth);
                best = better(best, (said, is_clean));
                if best.0.left() == 0 && best.1 {
                    return best.0;
                }
            }
        }
        if let Some(said) = self.say_in_parts(text, depth) {
            let is_clean = !best.1;
            best = better(best, (said, is_clean));
        }
        best.0
    }

    fn say_by<'t>(
        &mut self,
        entry: &'static CatalogueEntry,
        text: &'t str,
        from: From,
        depth: usize,
    ) -> Translation<'t> {
        let Some(holes) = entry.pattern.holes_of(text, from) else {
            return Translation::unchanged(text);
        };
        // Of holes that touch each other the wrong one may have the word.
        let mut numbered = holes.iter().enumerate();
        if numbered.any(|(at, hole)| entry.filling.is_unsaid(at) && hole.len() > UNSAID_MAX) {
            return Translation::unchanged(text);
        }
        // What tells little may have taken a sentence for a name.
        let is_vague = entry.pattern.weight() < WEIGHT_ALONE_MIN;
        let said: Vec<Translation<'t>> = holes
            .into_iter()
            .enumerate()
            .map(|(index, hole)| match entry.filling.is_name(index) {
                true if is_vague || hole.contains(' ') => Translation::unchanged(hole),
                true => Translation::known(hole),
                false => self.say(hole, depth - 1),
            })
            .collect();
        let is_sure = |said: &Translation<'t>| said.left() == 0 || is_figure(&said.text);
        let joins = entry.pattern.first().is_empty() && entry.pattern.last().is_empty();
        if joins
            && entry.pattern.weight() <= WEIGHT_JOINING_MAX
            && said.len() > 1
            && !said.iter().all(is_sure)
        {
            return Translation::unchanged(text);
        }
        let texts: Vec<String> = said.iter().map(|said| said.text.to_string()).collect();
        let mut keys = vec![entry.key.as_str()];
        keys.extend(said.iter().flat_map(|said| said.keys.iter().copied()));
        Translation {
            text: Cow::Owned(entry.filling.filled(&texts)),
            unknown: said.into_iter().flat_map(|said| said.unknown).collect(),
            keys,
        }
    }

    /// The parts of a list, where some of them are one text of the catalogue.
    fn together<'t>(&self, text: &'t str, parts: Vec<&'t str>, joint: Joint) -> Vec<&'t str> {
        let is_list = matches!(joint, Joint::Sign("; ") | Joint::Comma);
        if !is_list || parts.len() > PARTS_JOINED_MAX {
            return parts;
        }
        let place = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
        let mut joined = Vec::new();
        let mut from = 0;
        while from < parts.len() {
            let start = place(parts[from]);
            let span = |to: &usize| &text[start..place(parts[*to]) + parts[*to].len()];
            let is_known = |to: &usize| self.is_known(span(to));
            // All of it was tried before.
            let last = if from == 0 {
                parts.len() - 1
            } else {
                parts.len()
            };
            let to = (from + 1..last).rev().find(is_known).unwrap_or(from);
            joined.push(span(&to));
            from = to + 1;
        }
        joined
    }

    /// A label and the sentence behind it, where that is known as a whole though it has parts.
    fn labelled<'t>(&self, text: &'t str) -> Option<(Vec<&'t str>, Joint)> {
        let (label, rest) = text.split_once(": ")?;
        let is_sentence = has_joint(rest) && !label.contains("; ") && self.is_known(rest);
        is_sentence.then(|| (vec![label, rest], Joint::Sign(": ")))
    }

    /// Whether a text has a key that tells enough.
    fn is_known(&self, text: &str) -> bool {
        let known = self.catalogue.whole(text).into_iter();
        let mut known = known.chain(self.catalogue.alike(text, 1));
        known.any(|entry| entry.pattern.weight() >= WEIGHT_ALONE_MIN)
    }

    /// Parts that are put together without a pattern: lines, sentences, lists, remarks in
    /// brackets.
    fn say_in_parts<'t>(&mut self, text: &'t str, depth: usize) -> Option<Translation<'t>> {
        let (parts, joint) = self.labelled(text).or_else(|| parts_of(text))?;
        let parts = self.together(text, parts, joint);
        let mut whole = String::new();
        let (mut unknown, mut keys) = (Vec::new(), Vec::new());
        let mut before = false;
        for (index, part) in parts.into_iter().enumerate() {
            let said = self.say(part, depth - 1);
            let translated = said.is_translated();
            if index > 0 {
                whole.push_str(joint.between(&whole, before, translated));
            }
            whole.push_str(&said.text);
            before = translated;
            unknown.extend(said.unknown);
            keys.extend(said.keys);
        }
        whole.push_str(joint.after(&whole, before));
        Some(Translation {
            text: Cow::Owned(whole),
            unknown,
            keys,
        })
    }
}

/// The better of two ways to say a text; each with whether its parts are whole.
fn better<'t>(
    one: (Translation<'t>, bool),
    other: (Translation<'t>, bool),
) -> (Translation<'t>, bool) {
    if !other.0.is_translated() {
        return one;
    }
    let weight = |way: &(Translation<'t>, bool)| (!way.0.is_translated(), way.0.left(), !way.1);
    if weight(&other) < weight(&one) {
        other
    } else {
        one
    }
}

/// Whether a text begins as figures do.
fn is_figure(text: &str) -> bool {
    text.starts_with(|sign: char| sign.is_ascii_digit() || "+-−×±~".contains(sign))
}

/// Whether a text is a path, whose last name may be anything.
fn is_path(text: &str) -> bool {
    text.starts_with(['/', '.']) && !has_joint(text)
}

/// Whether a text is made of several parts.
fn has_joint(text: &str) -> bool {
    ["; ", ": ", ", ", ". ", " · "]
        .into_iter()
        .any(|sign| text.trim().contains(sign))
}

/// What joins parts of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    /// A sign that is the same in all languages.
    Sign(&'static str),
    /// The full stop between sentences, and whether there is one at the end.
    Stop {
        at_end: bool,
    },
    Comma,
    /// The second part is in brackets.
    Brackets,
}

impl Joint {
    fn between(self, whole: &str, before: bool, after: bool) -> &'static str {
        match self {
            Self::Sign(sign) => sign,
            Self::Stop { .. } if before && whole.ends_with('。') => "",
            Self::Stop { .. } if before => "。",
            Self::Stop { .. } => ". ",
            Self::Comma if before || after => "、",
            Self::Comma => ", ",
            Self::Brackets => " (",
        }
    }

    fn after(self, whole: &str, last: bool) -> &'static str {
        match self {
            Self::Stop { at_end: true } if last && whole.ends_with('。') => "",
            Self::Stop { at_end: true } if last => "。",
            Self::Stop { at_end: true } => ".",
            Self::Brackets => ")",
            _ => "",
        }
    }
}

/// The parts of a text, divided where it is divided most.
fn parts_of(text: &str) -> Option<(Vec<&str>, Joint)> {
    if text.contains('\n') {
        return Some((text.split('\n').collect(), Joint::Sign("\n")));
    }
    let body = text.strip_suffix('.');
    let at_end = body.is_some();
    let body = body.unwrap_or(text);
    if at_end || body.contains(". ") {
        return Some((body.split(". ").collect(), Joint::Stop { at_end }));
    }
    for sign in [" · ", " | ", "; ", ": "] {
        if text.contains(sign) {
            return Some((text.split(sign).collect(), Joint::Sign(sign)));
        }
    }
    if let Some((head, inside)) = in_brackets(text) {
        return Some((vec![head, inside], Joint::Brackets));
    }
    if text.contains(", ") {
        return Some((text.split(", ").collect(), Joint::Comma));
    }
    [" × ", " → ", " = ", "; ", ", "]
        .into_iter()
        .find(|sign| text.contains(*sign))
        .map(|sign| (text.split(sign).collect(), Joint::Sign(sign)))
}

/// `this (that)` in two, where the last bracket closes one that is not the first sign.
fn in_brackets(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_suffix(')')?;
    let mut depth = 1_usize;
    for (at, sign) in inside.char_indices().rev() {
        match sign {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let head = inside[..at].strip_suffix(' ')?;
            return Some((head, &inside[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = r#"msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

msgid "sokudo made {} {} of {}, the devices counted {} requests: {} per I/O"
msgstr "sokudo は {3} の {2}を {1} 回行い、デバイスは {4} 件の要求を数えた: I/O あたり {5}"

msgid "reads"
msgstr "読み出し"

msgid "writes"
msgstr "書き込み"

msgid "{} of {}"
msgstr "{2} の {1}"

msgid "the file"
msgstr "ファイル"

msgid "the end"
msgstr "末尾"

msgid "the file has holes"
msgstr "ファイルに穴がある"

msgid "write cache {}"
msgstr "書き込みキャッシュ {}"

msgid "on"
msgstr "オン"

msgid "{} {}{} lost"
msgstr "{1} {2}{-3}が失われた"

msgid "it is {}; do that"
msgstr "{}。そうする"

msgid "new"
msgstr "新品"

msgid "the value is {{off}}"
msgstr "値は {{off}}"
"#;

    fn catalogue() -> &'static Catalogue {
        Box::leak(Box::new(Catalogue::read(&[("t.po", WORDS)]).0))
    }

    #[test]
    fn texts_are_said_whole_by_pattern_and_in_parts() {
        let catalogue = catalogue();
        for (text, said_text) in [
            ("reads", "読み出し"),
            ("Reads", "読み出し"),
            (" reads ", " 読み出し "),
            ("3.5 ± 2", "3.5 ± 2"),
            (
                "sokudo made 12,000 reads of 4 KiB, the devices counted 24,000 requests: 2.0 per I/O",
                "sokudo は 4 KiB の読み出しを 12,000 回行い、デバイスは 24,000 件の要求を数えた: \
                 I/O あたり 2.0",
            ),
            ("The end of the file", "ファイルの末尾"),
            ("2 of 3", "3 の 2"),
            ("the end of many", "the end of many"),
            (
                "sda: reads; WD Red, write cache on",
                "sda: 読み出し; WD Red、書き込みキャッシュ オン",
            ),
            ("WD Red, 1.0 TB", "WD Red, 1.0 TB"),
            (
                "The file has holes. It lies. The file has holes.",
                "ファイルに穴がある。It lies. ファイルに穴がある。",
            ),
            ("WD (the file)", "WD (ファイル)"),
            ("1 reads lost", "1 読み出しが失われた"),
            ("sda: it is new; do that", "sda: 新品。そうする"),
            ("it is new; do this", "it is new; do this"),
            (
                ", write cache on: reads",
                "、書き込みキャッシュ オン: 読み出し",
            ),
            (" · the file", " · ファイル"),
            ("a\nreads", "a\n読み出し"),
            ("the value is {off}", "値は {off}"),
            ("", ""),
        ] {
            assert_eq!(said(catalogue, text).text, said_text);
        }
    }

    #[test]
    fn what_is_not_known_is_told_and_stays() {
        let said = said(catalogue(), "sda: write cache odd; 12");
        assert_eq!(said.text, "sda: 書き込みキャッシュ odd; 12");
        assert_eq!(said.unknown, ["sda", "odd"]);
        assert_eq!(said.keys, ["write cache {}"]);
    }

    #[test]
    fn a_text_made_to_take_long_does_not() {
        let catalogue = catalogue();
        // Looking at every part of every part would not end.
        for hostile in [
            "a of ".repeat(3000),
            "(".repeat(9000),
            "a, b; c. ".repeat(1000),
        ] {
            let parts = said(catalogue, &hostile).keys.len();
            assert!(parts <= LOOKS_MAX, "{parts} keys for {hostile:.20}");
        }
        assert_eq!(
            said(catalogue, &"reads. ".repeat(9000)).text,
            "reads. ".repeat(9000)
        );
    }
}
