//! Where a line may end: at spaces, and, of Japanese, between phrases and not within words.
//!
//! A phrase begins where hiragana, which end one, are followed by another script: what `budoux` learns
//! from text, this has as a rule, for the words of a program are few.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// No line begins with these signs.
const NEVER_FIRST: &str =
    "、。，．・：；？！）」』】〕》〉々ーぁぃぅぇぉっゃゅょァィゥェォッャュョ),.:;!?%]}";
/// No line ends with these signs.
const NEVER_LAST: &str = "（「『【〔《〈([{";
/// Behind these a phrase has ended, whatever follows.
const ENDING: &str = "、。，．：；？！";
/// Behind these, too, unless a particle follows.
const CLOSING: &str = "）」』】〕》〉";
/// One of them alone between two kanji is the end of the first part of a verb: 読み出し, 書き込み.
const VERB_STEMS: &str = "いきぎしじちびみりえけげせべめれ";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Hiragana,
    Katakana,
    Kanji,
    Other,
}

impl Script {
    fn of(sign: char) -> Self {
        match sign {
            'ぁ'..='ゟ' => Self::Hiragana,
            'ァ'..='ヿ' => Self::Katakana,
            sign if sign.width() == Some(2) => Self::Kanji,
            _ => Self::Other,
        }
    }
}

/// The parts of a text between which a line of this width may end, each with the spaces behind it.
/// What is written in Latin letters, as a path, is broken at spaces only, so that it can be copied.
pub fn phrases(text: &str, width: usize) -> Vec<&str> {
    let mut phrases = Vec::new();
    for word in words(text) {
        for phrase in cut(word, ends_phrase) {
            match phrase.width() > width {
                true => phrases.extend(cut(phrase, may_be_cut)),
                false => phrases.push(phrase),
            }
        }
    }
    phrases
}

/// What stands between spaces; a number and what it counts, and a name and the particle behind it,
/// are one.
fn words(text: &str) -> Vec<&str> {
    let is_japanese = text.contains(|sign| Script::of(sign) != Script::Other);
    let is_joined = |before: &str, behind: char| match Script::of(behind) {
        Script::Hiragana => true,
        // A unit, as in 507 µs; other signs in Japanese begin what is no unit.
        Script::Other if !is_japanese || !is_unit(behind) => false,
        _ => before.ends_with(|sign: char| sign.is_ascii_digit()),
    };
    let mut words = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(' ') {
        let behind = &text[at + 1..];
        let before = &text[start..at];
        let next = behind.chars().next();
        let goes_on = next.is_none_or(|next| next == ' ' || is_joined(before, next));
        if !goes_on && !before.trim().is_empty() {
            words.push(&text[start..=at]);
            start = at + 1;
        }
    }
    words.push(&text[start..]);
    words
}

/// Whether a unit begins so.
fn is_unit(sign: char) -> bool {
    matches!(sign, '%' | 'µ') || sign.is_ascii_alphabetic()
}

/// The parts of a word, cut where the rule says so of the signs before and the one behind.
fn cut(word: &str, rule: fn(&str, char) -> bool) -> Vec<&str> {
    if word.starts_with('/') || !word.contains(|sign| Script::of(sign) != Script::Other) {
        return vec![word];
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, sign) in word.char_indices() {
        let before = &word[start..at];
        let is_cut = before.ends_with(|sign| !NEVER_LAST.contains(sign) && sign != ' ')
            && !NEVER_FIRST.contains(sign)
            && sign != ' '
            && rule(before, sign);
        if is_cut {
            parts.push(before);
            start = at;
        }
    }
    parts.push(&word[start..]);
    parts
}

/// Whether a phrase ends between these.
fn ends_phrase(before: &str, behind: char) -> bool {
    let mut backwards = before.chars().rev();
    let Some(last) = backwards.next() else {
        return false;
    };
    if ENDING.contains(last) {
        return true;
    }
    if CLOSING.contains(last) {
        return Script::of(behind) != Script::Hiragana;
    }
    let is_verb = VERB_STEMS.contains(last)
        && backwards.next().map(Script::of) == Some(Script::Kanji)
        && Script::of(behind) == Script::Kanji;
    Script::of(last) == Script::Hiragana && Script::of(behind) != Script::Hiragana && !is_verb
}

/// Whether a phrase that is too long for a line may be cut here: beside signs of full width, and not
/// within a word of katakana.
fn may_be_cut(before: &str, behind: char) -> bool {
    let scripts = [
        before.chars().last().map_or(Script::Other, Script::of),
        Script::of(behind),
    ];
    match scripts {
        [Script::Katakana, Script::Katakana] => before.width() >= LONG_WORD,
        [Script::Other, Script::Other] => false,
        _ => true,
    }
}

/// A word of katakana that is as long as no word is may be cut, too.
const LONG_WORD: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> String {
        phrases(text, 80).join("|")
    }

    #[test]
    fn lines_end_between_phrases_and_not_within_words() {
        for text in [
            "ディスクの|速さを|測る。",
            "読み出しと|書き込みを|交互に|行う",
            "約 |3 秒ごとに|プラッタを|1 台ずつ|調べる",
            "clean は、|root では|プールも|消す",
            "（--size）を|指定する",
            "2 % を|超える|507 µs の|遅延",
            "a |plain |text",
        ] {
            assert_eq!(parts(&text.replace('|', "")), text);
        }
    }

    #[test]
    fn a_phrase_that_is_too_long_is_cut_all_the_same_but_no_path() {
        let long = "全面読込速度測定結果一覧表示機能".repeat(3);
        let parts = phrases(&long, 20);
        assert!(parts.iter().all(|part| part.width() <= 20), "{parts:?}");
        let katakana = "ア".repeat(60);
        assert!(phrases(&katakana, 40).iter().all(|part| part.width() <= 40));
        assert_eq!(phrases("/媒体/の/場所", 4), ["/媒体/の/場所"]);
    }
}
