//! The languages, and how a text is found in one.

use std::sync::OnceLock;

use crate::catalogue::Catalogue;
use crate::template::Template;

/// The Japanese catalogue, by theme.
const JAPANESE: [(&str, &str); 8] = [
    ("ja/errors.po", include_str!("../ja/errors.po")),
    ("ja/findings.po", include_str!("../ja/findings.po")),
    ("ja/help.po", include_str!("../ja/help.po")),
    ("ja/matrix.po", include_str!("../ja/matrix.po")),
    ("ja/page.po", include_str!("../ja/page.po")),
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

    /// A word or phrase without holes.
    pub fn word(self, word: &'static str) -> &'static str {
        let translation = self.translation(&Template::english(word));
        translation.map_or(word, Template::whole)
    }

    /// A text whose holes somebody else fills, each by its English name.
    pub fn with_holes(self, english: &str) -> String {
        let template = Template::english(english);
        let names = template.names().into_iter();
        let holes: Vec<String> = names.map(|name| format!("{{{name}}}")).collect();
        let translation = self.translation(&template);
        translation.map_or_else(|| english.to_owned(), |it| it.filled(&holes))
    }

    /// Whether its catalogue has a translation of this template.
    pub fn knows(self, template: &str) -> bool {
        self.translation(&Template::english(template)).is_some()
    }

    pub(crate) fn translation(self, template: &Template) -> Option<&'static Template> {
        self.catalogue()?.translation(template)
    }

    fn catalogue(self) -> Option<&'static Catalogue> {
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
    fn the_japanese_catalogue_is_whole() {
        let (catalogue, wrong) = Catalogue::read(&JAPANESE);
        assert_eq!(wrong, [""; 0]);
        assert!(catalogue.len() > 1_000);
        assert_eq!(Language::Japanese.word("Write cache"), "書き込みキャッシュ");
        assert_eq!(Language::Japanese.word("wd"), "wd");
        assert_eq!(Language::English.word("write cache"), "write cache");
    }
}
