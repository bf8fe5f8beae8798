//! What the scripts of the page say. The English text in `say("…")` is the key by which its
//! translation is found; `{a}` stands for its first argument.

use std::collections::BTreeMap;

use sokudo_words::Language;

use crate::files::scripts;

/// Every text of the scripts with what is said in a language.
pub(crate) fn translations(language: Language) -> BTreeMap<String, String> {
    let texts = scripts().into_iter().flat_map(texts_in);
    texts
        .map(|text| (text.clone(), language.with_holes(&text)))
        .collect()
}

/// The texts in `say("…")` of a script.
fn texts_in(script: &str) -> impl Iterator<Item = String> {
    let calls = script.match_indices("say(").filter(|(at, _)| {
        let before = script[..*at].chars().next_back();
        !before.is_some_and(|sign| sign.is_alphanumeric() || "_$.".contains(sign))
            && !script[..*at].ends_with("function ")
    });
    calls.filter_map(|(at, _)| {
        let rest = script[at + 4..].trim_start();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        values.next()?.ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_of_the_scripts_is_translated() {
        let translated = translations(Language::Japanese);
        assert!(translated.len() > 100, "{translated:?}");
        // A unit and a name are the same in both.
        let texts = translated.keys().filter(|text| text.contains(' '));
        let missing: Vec<_> = texts
            .filter(|text| !Language::Japanese.knows(text))
            .collect();
        assert!(missing.is_empty(), "not in page.po: {missing:#?}");
    }

    #[test]
    fn texts_are_found_in_scripts() {
        let script = r#"say("Start"); t.say("no"); essay("no"); say( "{a} of \"{b}\"", a, b)"#;
        let found: Vec<String> = texts_in(script).collect();
        assert_eq!(found, ["Start", "{a} of \"{b}\""]);
    }
}
