//! Texts with holes: English templates, which are the keys of translations, and these.

/// A text and its holes; `{{` and `}}` stand for braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    segments: Vec<TemplatePiece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TemplatePiece {
    Text(String),
    /// The name that it has in English, and which of the key's it is, from 0.
    Hole(String, usize),
    /// One of the key's that is not said, such as the `s` of a plural.
    Unsaid(usize),
}

impl Template {
    /// An English one, whose holes are `{name}` or `{}`.
    pub(crate) fn english(written: &str) -> Self {
        let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        Self::new(written, |inside, next| {
            let is_name = inside.chars().all(is_sign)
                && !inside.starts_with(|sign: char| sign.is_ascii_digit());
            is_name.then(|| TemplatePiece::Hole(inside.to_owned(), next))
        })
    }

    /// A translation: `{}` for the next hole of the key, `{2}` for its second; `{-2}` says that
    /// its second is left out.
    pub(crate) fn translation(written: &str) -> Self {
        let from_zero = |number: &str| number.parse::<usize>().ok()?.checked_sub(1);
        Self::new(written, |inside, next| {
            Some(match inside.strip_prefix('-') {
                Some(number) => TemplatePiece::Unsaid(from_zero(number)?),
                None if inside.is_empty() => TemplatePiece::Hole(String::new(), next),
                None => TemplatePiece::Hole(String::new(), from_zero(inside)?),
            })
        })
    }

    /// What `hole` makes none of stays as it is.
    fn new(written: &str, hole: impl Fn(&str, usize) -> Option<TemplatePiece>) -> Self {
        let mut segments = Vec::new();
        let mut text = String::new();
        let mut holes = 0;
        let mut rest = written;
        while let Some(at) = rest.find(['{', '}']) {
            text.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                text.push_str(brace);
                rest = after;
                continue;
            }
            let closed = rest.split_once('}').filter(|_| brace == "{");
            let found = closed.and_then(|(inside, after)| Some((hole(inside, holes)?, after)));
            if let Some((hole, after)) = found {
                segments.push(TemplatePiece::Text(std::mem::take(&mut text)));
                segments.push(hole);
                holes += 1;
                rest = after;
            } else {
                text.push_str(brace);
            }
        }
        text.push_str(rest);
        segments.push(TemplatePiece::Text(text));
        Self { segments }
    }

    /// The same for all that differ in nothing but the names of their holes.
    pub(crate) fn key(&self) -> String {
        let texts = self.segments.iter().filter_map(|segment| match segment {
            TemplatePiece::Text(text) => Some(text.as_str()),
            TemplatePiece::Hole(..) | TemplatePiece::Unsaid(_) => None,
        });
        texts.collect::<Vec<_>>().join("\u{0}")
    }

    /// The names of its holes in their order, empty for those without one.
    pub(crate) fn names(&self) -> Vec<&str> {
        let names = self.segments.iter().filter_map(|segment| match segment {
            TemplatePiece::Hole(name, _) => Some(name.as_str()),
            TemplatePiece::Text(_) | TemplatePiece::Unsaid(_) => None,
        });
        names.collect()
    }

    /// The holes of the key in the order in which they stand here, from 0.
    pub(crate) fn holes(&self) -> Vec<usize> {
        let holes = self.segments.iter().filter_map(|segment| match segment {
            TemplatePiece::Hole(_, hole) | TemplatePiece::Unsaid(hole) => Some(*hole),
            TemplatePiece::Text(_) => None,
        });
        holes.collect()
    }

    /// The text of one without holes.
    pub(crate) fn whole(&self) -> &str {
        match &self.segments[..] {
            [TemplatePiece::Text(text)] => text,
            _ => "",
        }
    }

    /// The text with its holes filled.
    pub(crate) fn filled(&self, holes: &[String]) -> String {
        self.put_together(holes, String::push_str)
    }

    /// A translation with its holes filled. A space stands between Japanese and Latin signs and
    /// none beside a particle; which signs a hole begins and ends with is known only now.
    pub(crate) fn filled_apart(&self, holes: &[String]) -> String {
        self.put_together(holes, join)
    }

    fn put_together(&self, holes: &[String], join: impl Fn(&mut String, &str)) -> String {
        let mut text = String::new();
        for segment in &self.segments {
            match segment {
                TemplatePiece::Text(part) => join(&mut text, part),
                TemplatePiece::Hole(_, hole) => {
                    join(&mut text, holes.get(*hole).map_or("", String::as_str));
                }
                TemplatePiece::Unsaid(_) => {}
            }
        }
        text
    }
}

/// Puts a part behind others.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_have_names_or_none_and_braces_are_doubled() {
        let template = Template::english("{count} of {}, {{so}} {0} {a b} }");
        assert_eq!(template.names(), ["count", ""]);
        assert_eq!(
            template.key(),
            Template::english("{} of {n}, {{so}} {{0}} {{a b} }").key()
        );
        let filled = template.filled(&["1".into(), "2".into()]);
        assert_eq!(filled, "1 of 2, {so} {0} {a b} }");
        assert_eq!(Template::english("{é} {").names(), [""; 0]);
        assert_eq!(Template::english("{{so}}").whole(), "{so}");
    }

    #[test]
    fn a_translation_may_turn_the_order_round_and_leave_a_hole_unsaid() {
        let turned = Template::translation("{2} の {1}、{{}}");
        assert_eq!(turned.holes(), [1, 0]);
        assert_eq!(turned.filled_apart(&["a".into(), "b".into()]), "b の a、{}");
        assert_eq!(Template::translation("{} {}").holes(), [0, 1]);
        let unsaid = Template::translation("{1} 回{-2}");
        assert_eq!(unsaid.holes(), [0, 1]);
        assert_eq!(unsaid.filled_apart(&["3".into(), "s".into()]), "3 回");
        assert_eq!(Template::translation("{é} {0} {").holes(), [0; 0]);
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
            assert_eq!(
                Template::translation(translation).filled_apart(&holes),
                text
            );
        }
    }
}
