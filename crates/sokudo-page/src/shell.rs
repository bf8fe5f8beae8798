//! The document that the browser loads: its head, the words of its scripts, and a place for what
//! these draw. It is the same for everybody and holds nothing of any disk.

use maud::{DOCTYPE, PreEscaped, html};
use sokudo_words::Language;

use crate::words;

/// Scripts that the page begins with, so that the browser asks for all of them at once instead of
/// one after the other as they import each other.
const SCRIPTS: &[&str] = &[
    "app", "bar", "charts", "disks", "element", "findings", "form", "heat", "history", "http",
    "live", "measure", "queue", "rows", "run", "sweep", "table", "take", "theme", "tiles", "trend",
    "view", "words",
];

/// The document in a language.
pub(crate) fn shell(language: Language) -> String {
    let words = escaped(&serde_json::json!(words::translations(language)).to_string());
    let page = html! {
        (DOCTYPE)
        html lang=(language.code()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { "sokudo" }
                link rel="icon" type="image/svg+xml" href="/files/icon.svg";
                link rel="stylesheet" href="/files/vendor/uplot/uPlot.min.css";
                link rel="stylesheet" href="/files/style.css";
                @for script in SCRIPTS {
                    link rel="modulepreload" href={ "/files/" (script) ".js" };
                }
                script type="application/json" id="words" { (PreEscaped(words)) }
                script type="module" src="/files/app.js" {}
            }
            body {
                header id="head" {
                    span class="brand" { img src="/files/icon.svg" alt="" width="26" height="26"; "sokudo" }
                }
                main id="page" aria-busy="true" {
                    div.measure-page {
                        div.side { div.card.waiting {} }
                        div.middle { div.card.waiting {} }
                    }
                }
                noscript {
                    p { (language.word("This page draws with JavaScript; switch it on, or use sokudo in the terminal.")) }
                }
            }
        }
    };
    page.into_string()
}

/// JSON that ends no element of HTML, whatever is in it.
fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_a_page_ends_no_element() {
        let json = escaped(r#"{"a":"</script><script>&amp;"}"#);
        assert!(!json.contains(['<', '>', '&']));
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["a"], "</script><script>&amp;");
    }

    #[test]
    fn the_page_begins_with_all_of_its_scripts() {
        let texts = crate::files::scripts().len();
        assert_eq!(SCRIPTS.len(), texts);
        for script in SCRIPTS {
            assert!(
                crate::files::find(&format!("{script}.js")).is_some(),
                "{script}"
            );
        }
    }

    #[test]
    fn the_shell_is_in_its_language_and_loads_only_its_own_files() {
        let page = shell(Language::Japanese);
        assert!(
            page.starts_with("<!DOCTYPE html><html lang=\"ja\">"),
            "{page}"
        );
        assert!(!page.contains("://"), "{page}");
        assert!(!page.contains("style="), "{page}");
    }
}
