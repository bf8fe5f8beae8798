//! How a picture looks and in what language its words are.

use sokudo_words::Language;

/// Which surroundings a picture is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureTheme {
    /// Light, and dark where the viewer asks for it.
    #[default]
    Auto,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl PictureTheme {
    /// A picture of these colours with words of this language.
    pub const fn in_language(self, language: Language) -> PictureStyle {
        PictureStyle {
            theme: self,
            language,
        }
    }
}

/// How a picture looks and in what language its words are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PictureStyle {
    /// Light or dark.
    pub theme: PictureTheme,
    /// In what its words are.
    pub language: Language,
}

impl From<PictureTheme> for PictureStyle {
    /// In English.
    fn from(theme: PictureTheme) -> Self {
        theme.in_language(Language::English)
    }
}
