//! The languages, and how a text is found in one.

use std::borrow::Cow;
use std::sync::OnceLock;

use crate::catalogue::Catalogue;
use crate::speech::{self, Translation};

/// The Japanese catalogue, by theme.
const JAPANESE: [(&str, &str); 6] = [
    ("ja/errors.po", include_str!("../ja/errors.po")),
    ("ja/findings.po", include_str!("../ja/findings.po")),
    ("ja/help.po", include_str!("../ja/help.po")),
    ("ja/pictures.po", include_str!("../ja/pictures.po")),
    ("ja/reports.po", include_str!("../ja/reports.po")),
    ("ja/tables.po", include_str!("../ja/tables.po")),
];

/// A language that sokudo speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English, in which all texts are written.
    #[default]
    English,
    Japanese,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::Japanese];

    /// Its code in ISO 639-1.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Japanese => "ja",
        }
    }

    /// The language of a locale such as `ja_JP.UTF-8` or of a code; English for any that
    /// sokudo does not speak.
    pub fn of_locale(locale: &str) -> Self {
        let code = locale
            .split(['_', '.', '@', '-'])
            .next()
            .unwrap_or_default();
        Self::ALL
            .into_iter()
            .find(|language| language.code().eq_ignore_ascii_case(code))
            .unwrap_or_default()
    }

    /// A text in this language: looked up whole, by a pattern whose holes are said in turn,
    /// or part by part. What is not known, such as names and figures, stays as it is; so a
    /// whole text is said at once, before it is wrapped, filled up or made safe.
    pub fn say(self, text: &str) -> Cow<'_, str> {
        self.said(text).text
    }

    /// A word or phrase without holes, looked up whole.
    pub fn word(self, word: &'static str) -> &'static str {
        let catalogue = self.catalogue();
        let entry = catalogue.and_then(|catalogue| catalogue.whole(word));
        entry.map_or(word, |entry| entry.filling.whole())
    }

    /// The same, with what was found and what was not.
    pub fn said(self, text: &str) -> Translation<'_> {
        match self.catalogue() {
            Some(catalogue) => speech::said(catalogue, text),
            None => Translation::known(text),
        }
    }

    /// Every text of its catalogue as it is written there; none for English.
    pub fn keys(self) -> impl Iterator<Item = &'static str> {
        self.catalogue().into_iter().flat_map(Catalogue::keys)
    }

    pub(crate) fn catalogue(self) -> Option<&'static Catalogue> {
        static READ: OnceLock<Catalogue> = OnceLock::new();
        let read = || Catalogue::read(&JAPANESE).0;
        match self {
            Self::English => None,
            Self::Japanese => Some(READ.get_or_init(read)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_names_its_language_and_a_foreign_one_is_answered_in_english() {
        for (locale, language) in [
            ("ja_JP.UTF-8", Language::Japanese),
            ("ja", Language::Japanese),
            ("JA", Language::Japanese),
            ("en_GB", Language::English),
            ("C.UTF-8", Language::English),
            ("jam_JM", Language::English),
            ("", Language::English),
        ] {
            assert_eq!(Language::of_locale(locale), language, "{locale}");
        }
    }
    #[test]
    fn english_stays_as_it_is() {
        let said = Language::English.said("the file has holes");
        assert_eq!(said.text, "the file has holes");
        assert!(said.unknown.is_empty());
        assert_eq!(Language::English.keys().count(), 0);
    }

    #[test]
    fn the_japanese_catalogue_is_whole() {
        let (catalogue, wrong) = Catalogue::read(&JAPANESE);
        assert_eq!(wrong, [""; 0]);
        assert!(catalogue.keys().count() > 0);
        assert_eq!(Language::Japanese.say("unknown"), "不明");
        assert_eq!(Language::Japanese.say("WDC WD40EFRX"), "WDC WD40EFRX");
        assert_eq!(Language::Japanese.word("Write cache"), "書き込みキャッシュ");
        assert_eq!(Language::Japanese.word("wd"), "wd");
        assert_eq!(Language::English.word("write cache"), "write cache");
    }
}
