//! Texts in a document: English sentences for people, and beside them what they are made of,
//! for scripts and for other languages.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::{Argument, Text};

/// What the texts of one thing are made of.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct TextParts {
    /// What stands in the holes of all texts, by name: a number, a name, a figure with its
    /// unit and how it is written, or a text. Where two texts mean different things by a
    /// name, it has the text's name before it, as in `cause.device`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    arguments: BTreeMap<String, Argument>,
    /// Each text with holes, such as `{device_bytes}`. A text without a template is one that
    /// was read from somewhere and is the same in all languages.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    templates: BTreeMap<String, String>,
}

impl TextParts {
    pub(crate) fn of(texts: &[(&str, &Text)]) -> Self {
        let mut parts = Self::default();
        for (name, text) in texts {
            let is_name = **text == Text::name(text.english());
            if !text.is_empty() && !is_name {
                parts.add(name, text);
            }
        }
        parts
    }

    fn add(&mut self, name: &str, text: &Text) {
        for (hole, argument) in text.arguments() {
            let is_number = hole.bytes().all(|byte| byte.is_ascii_digit());
            let is_taken = self.arguments.get(&hole).is_some_and(|it| it != argument);
            let key = match is_number || is_taken {
                true => format!("{name}.{hole}"),
                false => hole,
            };
            self.arguments.insert(key, argument.clone());
        }
        let template = text.template().to_owned();
        self.templates.insert(name.to_owned(), template);
    }

    /// The text of this name, whose English sentence is known.
    pub(crate) fn text(&self, name: &str, sentence: String) -> Text {
        match self.templates.get(name) {
            Some(template) => Text::of_parts(template, |hole| {
                let own = self.arguments.get(&format!("{name}.{hole}"));
                own.or_else(|| self.arguments.get(hole)).cloned()
            }),
            None if sentence.is_empty() => Text::default(),
            None => Text::name(sentence),
        }
    }
}
