//! The texts that stand in Rust sources, found as xgettext would: every literal that is not
//! of a test, of an attribute (but those of errors) or of a message that only a bug shows.

use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A text in a source file, with `{}` for its holes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text {
    /// The file, below the folder of the workspace.
    pub(crate) file: PathBuf,
    /// The text as it is a key.
    pub(crate) key: String,
}

/// Macros and methods whose texts only a bug shows, or only programs read.
const NOT_FOR_PEOPLE: [&str; 15] = [
    "json",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "expect",
    "expect_err",
    "include_str",
    "include_bytes",
    "panic",
    "todo",
    "unreachable",
    "concat",
];

/// Macros whose first text has holes.
const WITH_HOLES: [&str; 13] = [
    "format",
    "text",
    "remedies",
    "write",
    "writeln",
    "print",
    "println",
    "eprint",
    "eprintln",
    "bail",
    "ensure",
    "anyhow",
    "format_args",
];

/// The texts of all sources below a folder of the workspace.
pub(crate) fn texts_below(folder: &str) -> Vec<Text> {
    let mut files = Vec::new();
    list(&workspace().join(folder), &mut files);
    files.sort();
    let mut texts: Vec<Text> = files.iter().flat_map(|file| texts_of(file)).collect();
    texts.dedup();
    texts
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn list(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
        return;
    }
    let entries = std::fs::read_dir(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    for entry in entries {
        let path = entry.expect("a folder of the sources is read").path();
        let name = path
            .file_name()
            .expect("an entry has a name")
            .to_string_lossy()
            .into_owned();
        let is_test = matches!(
            name.as_str(),
            "tests.rs" | "tests" | "many_draws.rs" | "sample.rs" | "sample" | "snapshots"
        );
        let is_source = path.is_dir() || name.ends_with(".rs");
        if is_source && !is_test {
            list(&path, files);
        }
    }
}

fn texts_of(file: &Path) -> Vec<Text> {
    let source = std::fs::read_to_string(file).expect("a source is read");
    let tokens: TokenStream = source
        .parse()
        .unwrap_or_else(|error| panic!("{file:?}: {error}"));
    let mut keys = Vec::new();
    walk(tokens, false, &mut keys);
    let shown = file
        .strip_prefix(workspace())
        .expect("it is below the workspace");
    let text = |key| Text {
        file: shown.to_owned(),
        key,
    };
    keys.into_iter().map(text).collect()
}

fn walk(tokens: TokenStream, with_holes: bool, keys: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut of_test = false;
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => match words_before(&tokens[..index], group.delimiter()) {
                Before::Attribute => {
                    of_test |= is_test(group);
                    let text = group.stream().to_string();
                    if text.starts_with("error") {
                        walk(group.stream(), true, keys);
                    }
                }
                Before::Call(name) if NOT_FOR_PEOPLE.contains(&name.as_str()) => continue,
                Before::Call(name) => {
                    let holes = WITH_HOLES.contains(&name.as_str()) || name == "error";
                    walk(group.stream(), holes, keys);
                }
                Before::Other => {
                    let body = group.delimiter() == Delimiter::Brace;
                    if !(of_test && body) {
                        walk(group.stream(), false, keys);
                    }
                    if body {
                        of_test = false;
                    }
                }
            },
            TokenTree::Punct(sign) if sign.as_char() == ';' => {
                of_test = false;
            }
            TokenTree::Literal(literal) => {
                if let syn::Lit::Str(text) = syn::Lit::new(literal.clone()) {
                    let text = text.value();
                    keys.push(if with_holes { key_of(&text) } else { text });
                }
            }
            _ => {}
        }
    }
}

enum Before {
    /// `#` or `#!`.
    Attribute,
    /// The name of a macro or function.
    Call(String),
    Other,
}

fn words_before(tokens: &[TokenTree], delimiter: Delimiter) -> Before {
    match tokens {
        [.., TokenTree::Punct(hash)] if hash.as_char() == '#' => Before::Attribute,
        [.., TokenTree::Punct(hash), TokenTree::Punct(bang)]
            if hash.as_char() == '#' && bang.as_char() == '!' =>
        {
            Before::Attribute
        }
        [.., TokenTree::Ident(name), TokenTree::Punct(bang)] if bang.as_char() == '!' => {
            Before::Call(name.to_string())
        }
        // Before a brace it is a type, whose fields or whose function's body follow.
        [.., TokenTree::Ident(name)] if delimiter != Delimiter::Brace => {
            Before::Call(name.to_string())
        }
        _ => Before::Other,
    }
}

/// `#[cfg(test)]` and `#[test]`.
fn is_test(attribute: &Group) -> bool {
    let text = attribute.stream().to_string().replace(' ', "");
    text == "test" || text.starts_with("cfg(test") || text.starts_with("cfg(any(test")
}

/// A pattern of `format!` as a key: holes have neither names nor formats.
fn key_of(pattern: &str) -> String {
    let mut key = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('{') {
        key.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            key.push('{');
            rest = after;
        } else if let Some((_, after)) = rest.split_once('}') {
            key.push('}');
            rest = after;
        }
    }
    key + rest
}

impl Text {
    /// Whether a person may read it: it has two words, one of them of letters alone.
    pub(crate) fn has_words(&self) -> bool {
        let is_word = |word: &str| {
            let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
            word.len() >= 2 && word.chars().all(|sign| sign.is_ascii_alphabetic())
        };
        let words: Vec<&str> = self.key.split_whitespace().collect();
        words.len() >= 2 && words.into_iter().any(is_word)
    }
}
