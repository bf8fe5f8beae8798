//! Texts with holes, `{}`: keys, which are matched, and translations, which are filled.

/// From which end of a text the pieces of a key are looked for. It matters only where a
/// piece occurs more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum From {
    Left,
    Right,
}

/// An English text with holes, by which others like it are recognised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextPattern {
    /// What stands before, between and behind the holes: one more than there are holes.
    pieces: Vec<String>,
}

impl TextPattern {
    /// A key as it is written; `{{` and `}}` stand for braces.
    pub(crate) fn new(key: &str) -> Self {
        let mut pieces = vec![String::new()];
        for part in parts(key) {
            match part {
                TranslationSegment::Text(text) => pieces
                    .last_mut()
                    .expect("there is always a piece")
                    .push_str(&text),
                TranslationSegment::Hole(_)
                | TranslationSegment::Name(_)
                | TranslationSegment::Unsaid(_) => pieces.push(String::new()),
            }
        }
        Self { pieces }
    }

    /// The pieces with nameless holes between them, which no other pattern has.
    pub(crate) fn key(&self) -> String {
        self.pieces.join("\u{0}")
    }

    /// The text with its holes filled.
    pub(crate) fn filled(&self, holes: &[String]) -> String {
        let mut text = self.pieces[0].clone();
        for (index, piece) in self.pieces[1..].iter().enumerate() {
            text.push_str(holes.get(index).map_or("", String::as_str));
            text.push_str(piece);
        }
        text
    }

    pub(crate) fn holes(&self) -> usize {
        self.pieces.len() - 1
    }

    /// Bytes that are told: the more, the surer it is that a text is meant.
    pub(crate) fn weight(&self) -> usize {
        self.pieces.iter().map(String::len).sum()
    }

    pub(crate) fn first(&self) -> &str {
        &self.pieces[0]
    }

    pub(crate) fn last(&self) -> &str {
        &self.pieces[self.pieces.len() - 1]
    }

    /// Whether it is a word before a colon, as in `seen: {}`.
    pub(crate) fn is_label(&self) -> bool {
        self.holes() == 1 && self.first().ends_with(": ") && self.last().is_empty()
    }

    /// What stands in the holes when a text is of this pattern. Of holes that touch each
    /// other, the last one on the way has it all.
    pub(crate) fn holes_of<'t>(&self, text: &'t str, from: From) -> Option<Vec<&'t str>> {
        let rest = strip_prefix(text, self.first())?;
        if self.holes() == 0 {
            return rest.is_empty().then(Vec::new);
        }
        let mut rest = rest.strip_suffix(self.last())?;
        let between = &self.pieces[1..self.pieces.len() - 1];
        let mut holes = Vec::with_capacity(self.holes());
        match from {
            From::Left => {
                for piece in between {
                    let at = rest.find(piece.as_str())?;
                    holes.push(&rest[..at]);
                    rest = &rest[at + piece.len()..];
                }
                holes.push(rest);
            }
            From::Right => {
                for piece in between.iter().rev() {
                    let at = rest.rfind(piece.as_str())?;
                    holes.push(&rest[at + piece.len()..]);
                    rest = &rest[..at];
                }
                holes.push(rest);
                holes.reverse();
            }
        }
        Some(holes)
    }
}

/// A sentence begins with a capital letter only where it stands first.
fn strip_prefix<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let (Some(one), Some(other)) = (text.chars().next(), prefix.chars().next()) else {
        return prefix.is_empty().then_some(text);
    };
    one.eq_ignore_ascii_case(&other)
        .then(|| text[one.len_utf8()..].strip_prefix(&prefix[other.len_utf8()..]))?
}

/// A translation, whose holes are filled with what stood in those of the key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Filling {
    parts: Vec<TranslationSegment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TranslationSegment {
    Text(String),
    /// Which of the key's, from 0.
    Hole(usize),
    /// One of the key's that holds a name, which is the same in all languages.
    Name(usize),
    /// One of the key's that is not said, such as the `s` of a plural.
    Unsaid(usize),
}

impl Filling {
    /// A translation as it is written: `{}` for the next hole of the key, `{2}` for its
    /// second; `{=}` and `{=2}` where it holds a name; `{-2}` says that its second is left
    /// out.
    pub(crate) fn new(translation: &str) -> Self {
        Self {
            parts: parts(translation),
        }
    }

    /// The holes of the key in the order in which they are named here, from 0.
    pub(crate) fn holes(&self) -> Vec<usize> {
        let hole = |part: &TranslationSegment| match part {
            TranslationSegment::Hole(hole)
            | TranslationSegment::Name(hole)
            | TranslationSegment::Unsaid(hole) => Some(*hole),
            TranslationSegment::Text(_) => None,
        };
        self.parts.iter().filter_map(hole).collect()
    }

    /// The names of a template's holes, empty for those without one.
    pub(crate) fn names(template: &str) -> Vec<&str> {
        let mut names = Vec::new();
        let mut rest = template;
        while let Some(at) = rest.find(['{', '}']) {
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                rest = after;
            } else if let Some((name, after)) =
                (brace == "{").then(|| rest.split_once('}')).flatten()
            {
                names.push(name);
                rest = after;
            }
        }
        names
    }

    /// Whether a hole of the key, from 0, holds a name: of a file, a device, or whatever
    /// else somebody was free to call as he liked.
    pub(crate) fn is_name(&self, hole: usize) -> bool {
        self.parts.contains(&TranslationSegment::Name(hole))
    }

    /// Whether a hole of the key, from 0, is left out.
    pub(crate) fn is_unsaid(&self, hole: usize) -> bool {
        self.parts.contains(&TranslationSegment::Unsaid(hole))
    }

    /// The translation of a key without holes.
    pub(crate) fn whole(&self) -> &str {
        match &self.parts[..] {
            [TranslationSegment::Text(text)] => text,
            _ => "",
        }
    }

    /// The translation with its holes filled.
    pub(crate) fn filled(&self, holes: &[String]) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                TranslationSegment::Text(part) => join(&mut text, part),
                TranslationSegment::Hole(hole) | TranslationSegment::Name(hole) => {
                    join(&mut text, holes.get(*hole).map_or("", String::as_str));
                }
                TranslationSegment::Unsaid(_) => {}
            }
        }
        text
    }
}

/// Puts a part behind others. In a translation a space stands between Japanese and Latin
/// signs and none beside a particle; which signs a hole begins and ends with is known only
/// when it is filled.
fn join(text: &mut String, part: &str) {
    let kept = text.trim_end_matches(' ');
    let begun = part.trim_start_matches(' ');
    let between = (text.len() - kept.len()) + (part.len() - begun.len());
    let (before, after) = (kept.chars().next_back(), begun.chars().next());
    match before.zip(after) {
        Some((before, after))
            if between == 1
                && is_japanese(before)
                && is_japanese(after)
                && (is_hiragana(before) || is_hiragana(after)) =>
        {
            text.truncate(kept.len());
            text.push_str(begun);
        }
        Some((before, after)) if between == 0 && are_apart(before, after) => {
            text.push(' ');
            text.push_str(part);
        }
        _ => text.push_str(part),
    }
}

/// Kana and kanji; not the signs that stand between sentences.
const fn is_japanese(sign: char) -> bool {
    matches!(sign, '\u{3041}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// What particles are written with.
const fn is_hiragana(sign: char) -> bool {
    matches!(sign, '\u{3041}'..='\u{309f}')
}

/// Whether a space belongs between two signs.
const fn are_apart(before: char, after: char) -> bool {
    is_japanese(before) && after.is_ascii_alphanumeric()
        || before.is_ascii_alphanumeric() && is_japanese(after)
}

fn parts(written: &str) -> Vec<TranslationSegment> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut next = 0;
    let mut rest = written;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
        } else if let Some((hole, after)) = hole(brace, rest, next) {
            parts.push(TranslationSegment::Text(std::mem::take(&mut text)));
            parts.push(hole);
            next += 1;
            rest = after;
        } else {
            text.push_str(brace);
        }
    }
    text.push_str(rest);
    parts.push(TranslationSegment::Text(text));
    parts
}

/// Whether a hole has a name, as variables have.
fn is_identifier(name: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    name.chars().all(is_sign) && name.starts_with(|sign: char| !sign.is_ascii_digit())
}

/// The hole that begins with a brace, and what follows it.
fn hole<'t>(brace: &str, rest: &'t str, next: usize) -> Option<(TranslationSegment, &'t str)> {
    let (inside, after) = (brace == "{").then(|| rest.split_once('}'))??;
    let from_zero = |number: &str| number.parse::<usize>().ok()?.checked_sub(1);
    let hole = match (inside, inside.get(..1)) {
        ("", _) => TranslationSegment::Hole(next),
        ("=", _) => TranslationSegment::Name(next),
        (_, Some("=")) => TranslationSegment::Name(from_zero(&inside[1..])?),
        (_, Some("-")) => TranslationSegment::Unsaid(from_zero(&inside[1..])?),
        (name, _) if is_identifier(name) => TranslationSegment::Hole(next),
        (number, _) => TranslationSegment::Hole(from_zero(number)?),
    };
    Some((hole, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_what_stands_between_the_pieces() {
        let pattern = TextPattern::new("{} of {}, {{so}}");
        assert_eq!(pattern.holes(), 2);
        for (text, from, holes) in [
            ("1 of 2, {so}", From::Left, Some(vec!["1", "2"])),
            ("a of b of c, {so}", From::Left, Some(vec!["a", "b of c"])),
            ("a of b of c, {so}", From::Right, Some(vec!["a of b", "c"])),
            (" of , {so}", From::Left, Some(vec!["", ""])),
            ("1 of 2", From::Left, None),
            ("1, {so}", From::Right, None),
        ] {
            assert_eq!(pattern.holes_of(text, from), holes, "{text}");
        }
    }

    #[test]
    fn a_capital_letter_at_the_beginning_is_no_difference() {
        let pattern = TextPattern::new("the file is {}");
        assert_eq!(
            pattern.holes_of("The file is here", From::Left),
            Some(vec!["here"])
        );
        assert_eq!(pattern.holes_of("THE file is here", From::Left), None);
        assert_eq!(TextPattern::new("été {}").holes_of("ß", From::Left), None);
    }

    #[test]
    fn pieces_do_not_overlap() {
        assert_eq!(
            TextPattern::new("aba{}aba").holes_of("aba", From::Left),
            None
        );
        assert_eq!(
            TextPattern::new("a {} {} b").holes_of("a b", From::Left),
            None
        );
    }

    #[test]
    fn of_holes_that_touch_the_last_on_the_way_has_all() {
        let pattern = TextPattern::new("<{}{}>");
        assert_eq!(pattern.holes_of("<all>", From::Left), Some(vec!["", "all"]));
        assert_eq!(
            pattern.holes_of("<all>", From::Right),
            Some(vec!["all", ""])
        );
    }

    #[test]
    fn a_translation_may_turn_the_order_round() {
        let filling = Filling::new("{2} の {1}、{{}}");
        assert_eq!(filling.holes(), [1, 0]);
        assert_eq!(filling.filled(&["a".into(), "b".into()]), "b の a、{}");
        assert_eq!(Filling::new("{} {}").holes(), [0, 1]);
        assert_eq!(Filling::new("{").filled(&[]), "{");
    }

    #[test]
    fn a_translation_may_leave_a_hole_unsaid() {
        let filling = Filling::new("{1} 回{-2}");
        assert_eq!(filling.holes(), [0, 1]);
        assert_eq!(filling.filled(&["3".into(), "s".into()]), "3 回");
    }

    #[test]
    fn a_translation_says_which_holes_hold_names() {
        let filling = Filling::new("{=2} の {1}");
        assert_eq!(filling.holes(), [1, 0]);
        assert!(filling.is_name(1) && !filling.is_name(0));
        assert!(Filling::new("{=} は空").is_name(0));
        assert_eq!(Filling::new("{é}").holes(), [0; 0]);
    }

    #[test]
    fn a_space_stands_between_japanese_and_latin_only() {
        for (translation, hole, text) in [
            ("{} を読む", "全体", "全体を読む"),
            ("{} を読む", "/mnt", "/mnt を読む"),
            ("{}を読む", "sda", "sda を読む"),
            ("キャッシュ {}", "オン", "キャッシュ オン"),
            ("位置に対する{}", "MB/s", "位置に対する MB/s"),
            ("項目: {}", "読み出し", "項目: 読み出し"),
            ("({}), {}", "読み出し", "(読み出し), "),
        ] {
            let holes = [hole.to_owned(), String::new()];
            assert_eq!(Filling::new(translation).filled(&holes), text);
        }
    }
}
