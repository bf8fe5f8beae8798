//! How a picture looks and in what language its words are.

use sokudo_words::Language;

/// Which surroundings a picture is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Light, and dark where the viewer asks for it.
    #[default]
    Auto,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// A picture of these colours with words of this language.
    pub const fn in_language(self, language: Language) -> Look {
        Look {
            theme: self,
            language,
        }
    }
}

/// How a picture looks and in what language its words are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Light or dark.
    pub theme: Theme,
    /// In what its words are.
    pub language: Language,
}

impl From<Theme> for Look {
    /// In English.
    fn from(theme: Theme) -> Self {
        theme.in_language(Language::English)
    }
}
