//! What the scripts of the page say. The English text is the key by which `say("…")` finds its
//! translation; `{1}` stands for its first argument.

use std::collections::BTreeMap;

use sokudo_words::Language;

/// Texts of the scripts, in order.
const OF_SCRIPTS: &[&str] = &[];

/// Every text of the scripts with what is said in a language.
pub(crate) fn said(language: Language) -> BTreeMap<&'static str, &'static str> {
    let texts = OF_SCRIPTS.iter().copied();
    texts.map(|text| (text, language.word(text))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::files::tests::scripts;

    /// The texts in `say("…")` of a script; what else stands there is an error.
    fn said_in(script: &str) -> BTreeSet<String> {
        let calls = script.match_indices("say(").filter(|(at, _)| {
            let before = script[..*at].chars().next_back();
            !before.is_some_and(|sign| sign.is_alphanumeric() || "_$.".contains(sign))
                && !script[..*at].ends_with("function ")
        });
        let texts = calls.filter_map(|(at, _)| {
            let rest = script[at + 4..].trim_start();
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            values.next()?.ok()
        });
        texts.collect()
    }

    #[test]
    fn every_text_of_the_scripts_is_here_and_no_other() {
        let used: BTreeSet<String> = scripts().into_iter().flat_map(said_in).collect();
        let here: BTreeSet<String> = OF_SCRIPTS.iter().map(|text| (*text).to_owned()).collect();
        let missing: Vec<_> = used.difference(&here).collect();
        let unused: Vec<_> = here.difference(&used).collect();
        assert!(missing.is_empty(), "not in words.rs: {missing:#?}");
        assert!(unused.is_empty(), "in no script: {unused:#?}");
        assert!(OF_SCRIPTS.is_sorted(), "the texts are in order");
    }

    #[test]
    fn texts_are_found_in_scripts() {
        let script = r#"say("Start"); t.say("no"); essay("no"); say( "{1} of \"{2}\"", a, b)"#;
        let found: Vec<String> = said_in(script).into_iter().collect();
        assert_eq!(found, ["Start", "{1} of \"{2}\""]);
    }
}
