//! A text as data: its English template and what stands in the holes of that. It becomes a
//! sentence, in whatever language is spoken, only where somebody is to read it.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::language::Language;
use crate::template::Template;

/// Sentences of ours have seven at most.
const HOLES_MAX: usize = 64;
/// An argument that stands in several holes is the name of a device, a size and the like.
const REPEATED_BYTES_MAX: usize = 256;

thread_local! {
    static SPOKEN: Cell<Language> = const { Cell::new(Language::English) };
}

/// Does something while texts and errors of this thread are shown in a language.
pub fn speaking<T>(language: Language, shown: impl FnOnce() -> T) -> T {
    struct LanguageGuard(Language);
    impl Drop for LanguageGuard {
        fn drop(&mut self) {
            SPOKEN.set(self.0);
        }
    }
    let _before = LanguageGuard(SPOKEN.replace(language));
    shown()
}

/// The language that is spoken in this thread.
pub fn spoken() -> Language {
    SPOKEN.get()
}

/// A text that is said in a language where it is shown; `text!` makes one. Its `Display` is
/// the sentence in the language that is spoken, which is English but for [`speaking`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "Form", into = "Form")]
pub struct Text {
    /// English with holes, `{name}` or `{}`, by which a translation is found.
    template: Cow<'static, str>,
    /// What stands in the holes, in their order.
    arguments: Vec<Argument>,
}

/// What stands in a hole of a text.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(untagged)]
pub enum Argument {
    /// A whole number, which is never negative.
    Count(u64),
    /// A name or a figure as it is written, the same in all languages.
    Name(String),
    /// A figure with how it is written.
    Figure(WrittenFigure),
    /// A text with a template of its own.
    #[schemars(with = "Form")]
    Text(Text),
    /// Texts one behind the other.
    List(List),
    /// What has its own words in each language, in the order of `Language::ALL`.
    InEach(Vec<String>),
}

/// A number and how it is written.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct WrittenFigure {
    /// The number, as text that keeps it to the last digit.
    pub value: String,
    /// `B`, `ns` and the like; empty for a number without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// As people read it.
    pub text: String,
}

impl WrittenFigure {
    /// The unit of what is no number: words that scripts know options and commands by, which the text
    /// names in the reader's words.
    pub const OPTION: &'static str = "option";
}

/// Texts in a row.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub struct List {
    #[schemars(with = "Vec<Form>")]
    items: Vec<Text>,
    /// What stands between them: `, ` or `; `.
    between: Cow<'static, str>,
}

/// A text as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Form {
    /// English text with a hole in braces for each argument.
    pub template: String,
    /// What stands in the holes, by their names; holes without one are numbered from 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, Argument>,
}

impl Text {
    /// What `text!` makes; as many arguments as the template has holes.
    pub fn new(template: &'static str, arguments: Vec<Argument>) -> Self {
        Self {
            template: Cow::Borrowed(template),
            arguments,
        }
    }

    /// What stays as it is in all languages, such as a path.
    pub fn name(name: impl Into<String>) -> Self {
        Self::new("{}", vec![Argument::Name(name.into())])
    }

    /// What says itself in the language that is spoken, such as an error: in each of them.
    pub fn shown(shown: &impl fmt::Display) -> Self {
        Self::new("{}", vec![in_each_language(shown)])
    }

    /// A word or phrase of a closed set that is not known before it is read; what the
    /// catalogue does not know stays.
    pub fn phrase(words: &str) -> Self {
        Self {
            template: Cow::Owned(without_holes(words)),
            arguments: Vec::new(),
        }
    }

    /// Texts one behind the other, with `", "` or `"; "` between them.
    pub fn list(items: impl IntoIterator<Item = Self>, between: &'static str) -> Self {
        let mut items: Vec<Self> = items.into_iter().collect();
        if items.len() < 2 {
            return items.pop().unwrap_or_default();
        }
        let between = Cow::Borrowed(between);
        Self::new("{}", vec![Argument::List(List { items, between })])
    }

    /// The English template, which says which text it is whatever its figures are.
    pub fn template(&self) -> &str {
        &self.template
    }

    /// Its arguments by the names of the holes; holes without one are numbered from 0.
    pub fn arguments(&self) -> impl Iterator<Item = (String, &Argument)> {
        let template = Template::english(&self.template);
        let names = template.names().into_iter().enumerate();
        let names = names.map(|(index, name)| match name {
            "" => index.to_string(),
            name => name.to_owned(),
        });
        names.collect::<Vec<_>>().into_iter().zip(&self.arguments)
    }

    /// All figures in it, and in the texts within it.
    pub fn figures<'t>(&'t self) -> Vec<&'t WrittenFigure> {
        let in_argument = |argument: &'t Argument| match argument {
            Argument::Figure(figure) => vec![figure],
            Argument::Text(text) => text.figures(),
            Argument::List(list) => list.items.iter().flat_map(Self::figures).collect(),
            _ => Vec::new(),
        };
        self.arguments.iter().flat_map(in_argument).collect()
    }

    /// A template and arguments by the names of its holes; a hole without an argument stays,
    /// and so does one that would repeat more than a short name or figure: what is read may be
    /// made to grow without end. A template of more holes than `HOLES_MAX` is taken for a name.
    pub fn of_parts(template: &str, argument: impl Fn(&str) -> Option<Argument>) -> Self {
        let parsed = Template::english(template);
        let names = parsed.names();
        if names.len() > HOLES_MAX {
            return Self::name(template);
        }
        let before = names.clone();
        let of_hole = |(index, name): (usize, &str)| {
            let found = match name {
                "" => argument(&index.to_string()),
                name => argument(name),
            };
            let is_repeated = !name.is_empty() && before[..index].contains(&name);
            found
                .filter(|argument| !is_repeated || argument.is_short())
                .unwrap_or_else(|| Argument::Name(format!("{{{name}}}")))
        };
        Self {
            arguments: names.into_iter().enumerate().map(of_hole).collect(),
            template: Cow::Owned(template.to_owned()),
        }
    }

    /// In English, for programs.
    pub fn english(&self) -> String {
        self.in_language(Language::English)
    }

    pub fn is_empty(&self) -> bool {
        self.template.is_empty()
    }

    /// The text in this language; English where it is not translated.
    pub fn in_language(&self, language: Language) -> String {
        // Most are names, of which no language has another.
        if let ("{}", [name]) = (&*self.template, &self.arguments[..]) {
            return name.in_language(language);
        }
        let holes = self.arguments.iter().map(|it| it.in_language(language));
        filled(language, &self.template, &holes.collect::<Vec<_>>())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.in_language(SPOKEN.get()))
    }
}

impl std::error::Error for Text {}

/// As it is said in the language that is spoken.
impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.to_string()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.english() == *other
    }
}

impl From<&'static str> for Text {
    fn from(whole: &'static str) -> Self {
        let is_plain = !whole.contains(['{', '}']);
        Self {
            template: match is_plain {
                true => Cow::Borrowed(whole),
                false => Cow::Owned(without_holes(whole)),
            },
            arguments: Vec::new(),
        }
    }
}

/// What the system says, and the number by which it says it.
impl From<&io::Error> for Text {
    fn from(error: &io::Error) -> Self {
        if let Some(inner) = error.get_ref() {
            return Self::new("{}", vec![in_each_language(inner)]);
        }
        let message = without_holes(&error.to_string());
        let number = error.raw_os_error().map(|number| number.to_string());
        let template = match &number {
            Some(number) => message.replace(&format!("error {number})"), "error {})"),
            None => message,
        };
        Self {
            template: Cow::Owned(template),
            arguments: number.into_iter().map(Argument::Name).collect(),
        }
    }
}

fn without_holes(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

impl From<Form> for Text {
    fn from(form: Form) -> Self {
        Self::of_parts(&form.template, |name| form.arguments.get(name).cloned())
    }
}

impl From<Text> for Form {
    fn from(text: Text) -> Self {
        let arguments = text.arguments().map(|(name, it)| (name, it.clone()));
        Self {
            arguments: arguments.collect(),
            template: text.template.clone().into_owned(),
        }
    }
}

impl Argument {
    /// A number with its unit, and as people read it.
    pub fn figure(value: impl ToString, unit: &str, text: impl ToString) -> Self {
        Self::Figure(WrittenFigure {
            value: value.to_string(),
            unit: unit.to_owned(),
            text: text.to_string(),
        })
    }

    /// Whether it may stand in several holes.
    fn is_short(&self) -> bool {
        match self {
            Self::Count(_) => true,
            Self::Name(text) => text.len() <= REPEATED_BYTES_MAX,
            Self::Figure(figure) => {
                figure.value.len() + figure.unit.len() + figure.text.len() <= REPEATED_BYTES_MAX
            }
            Self::Text(_) | Self::List(_) | Self::InEach(_) => false,
        }
    }

    fn in_language(&self, language: Language) -> String {
        match self {
            Self::Count(count) => count.to_string(),
            Self::Name(name) => name.clone(),
            Self::Figure(figure) => figure.text.clone(),
            Self::Text(text) => text.in_language(language),
            Self::List(list) => list.in_language(language),
            Self::InEach(texts) => {
                let text = texts.get(language as usize).or(texts.first());
                text.cloned().unwrap_or_default()
            }
        }
    }
}

impl List {
    fn in_language(&self, language: Language) -> String {
        let between = match (language, &*self.between) {
            (Language::Japanese, ", ") => "、",
            (Language::Japanese, "; ") => "。",
            (_, between) => between,
        };
        let items = self.items.iter().map(|it| it.in_language(language));
        items.collect::<Vec<_>>().join(between)
    }
}

/// Writes a template filled with `arguments` in the language that is spoken; what
/// `#[derive(Error)]` calls.
pub fn write_text(
    f: &mut fmt::Formatter<'_>,
    template: &str,
    arguments: &[Argument],
) -> fmt::Result {
    let language = SPOKEN.get();
    let holes = arguments.iter().map(|it| it.in_language(language));
    f.write_str(&filled(language, template, &holes.collect::<Vec<_>>()))
}

fn filled(language: Language, template: &str, holes: &[String]) -> String {
    let template = Template::english(template);
    match language.translation(&template) {
        Some(translation) => translation.filled_apart(holes),
        None => template.filled(holes),
    }
}

/// A value in a hole of `text!`, whose type says what becomes of it.
#[derive(Debug)]
pub struct Valued<'v, T: ?Sized>(pub &'v T);

/// Values that are arguments by their type.
pub trait Argued {
    /// The argument, written as its type is.
    fn argued(&self) -> Argument;
    /// The same written in another way.
    fn written(&self, text: String) -> Argument {
        match self.argued() {
            Argument::Count(count) => Argument::figure(count, "", text),
            Argument::Figure(figure) => Argument::Figure(WrittenFigure { text, ..figure }),
            _ => Argument::Name(text),
        }
    }
}

/// How `text!` takes a value of a type that is [`Argued`].
pub trait Typed {
    fn argument(&self) -> Argument;
    fn shown(&self, text: String) -> Argument;
}

impl<T: Argued + ?Sized> Typed for Valued<'_, T> {
    fn argument(&self) -> Argument {
        self.0.argued()
    }

    fn shown(&self, text: String) -> Argument {
        self.0.written(text)
    }
}

/// How `text!` takes any other value that can be shown, such as an error: in the words of
/// each language.
pub trait Displayed {
    fn argument(&self) -> Argument;
    fn shown(&self, text: String) -> Argument;
}

impl<T: fmt::Display + ?Sized> Displayed for &Valued<'_, T> {
    fn argument(&self) -> Argument {
        in_each_language(self.0)
    }

    fn shown(&self, text: String) -> Argument {
        Argument::Name(text)
    }
}

fn in_each_language(shown: &(impl fmt::Display + ?Sized)) -> Argument {
    let texts = Language::ALL.map(|language| speaking(language, || shown.to_string()));
    let [english, others @ ..] = &texts;
    match others.iter().all(|other| other == english) {
        true => Argument::Name(english.clone()),
        false => Argument::InEach(texts.to_vec()),
    }
}

macro_rules! argued {
    ($($of:ty: $it:ident => $argument:expr;)+) => {
        $(impl Argued for $of {
            fn argued(&self) -> Argument {
                let $it = self;
                $argument
            }
        })+
    };
}

argued! {
    Text: text => Argument::Text(text.clone());
    io::Error: error => Argument::Text(error.into());
    Argument: argument => argument.clone();
    str: text => Argument::Name(text.to_owned());
    String: text => Argument::Name(text.clone());
    Cow<'_, str>: text => Argument::Name(text.to_string());
    u8: count => Argument::Count((*count).into());
    u16: count => Argument::Count((*count).into());
    u32: count => Argument::Count((*count).into());
    u64: count => Argument::Count(*count);
    usize: count => Argument::Count(*count as u64);
}

impl<T: Argued + ?Sized> Argued for &T {
    fn argued(&self) -> Argument {
        (**self).argued()
    }
}

impl<T: Argued + ?Sized> Argued for Box<T> {
    fn argued(&self) -> Argument {
        (**self).argued()
    }
}

macro_rules! figures {
    ($($of:ty),+) => {
        $(impl Argued for $of {
            fn argued(&self) -> Argument {
                Argument::figure(self, "", self)
            }
        })+
    };
}

figures!(i32, i64, i128, u128, f32, f64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[derive(Debug, crate::Error)]
    enum Trouble {
        #[error("the file was in the page cache")]
        Holes,
        #[error("{path} is {}, not {wanted:?}: {source}", wanted.len(), path = .path.display())]
        Path {
            path: std::path::PathBuf,
            wanted: String,
            source: std::num::ParseIntError,
        },
        #[error("{0} of {}", .0.len())]
        Text(String),
        #[error(transparent)]
        Number(#[from] std::num::ParseIntError),
    }

    fn parsed() -> std::num::ParseIntError {
        "x".parse::<u8>().unwrap_err()
    }

    #[test]
    fn a_text_is_said_in_the_language_that_is_spoken() {
        let (name, most) = ("sda", 3_u32);
        let sentence = text!("the devices under {} could not be found", name);
        assert_eq!(
            sentence.to_string(),
            "the devices under sda could not be found"
        );
        let japanese = speaking(Language::Japanese, || sentence.to_string());
        assert_eq!(japanese, "sda の下のデバイスが見つからなかった");
        assert_eq!(
            sentence.to_string(),
            "the devices under sda could not be found"
        );
        // A name is no word of ours, whatever it is called.
        let named = text!("the devices under {name} could not be found", name = "read");
        assert!(named.in_language(Language::Japanese).starts_with("read の"));
        let unknown = text!("{name:>5} {{{most:02}}} {:.1}", 1.25);
        assert_eq!(unknown.in_language(Language::Japanese), "  sda {03} 1.2");
        assert_eq!(
            unknown
                .arguments()
                .map(|(name, _)| name)
                .collect::<Vec<_>>(),
            ["name", "most", "2"]
        );
    }

    #[test]
    fn texts_stand_in_texts() {
        let inner = Text::from("the file was in the page cache");
        let listed = Text::list([inner.clone(), Text::name("read")], ", ");
        let outer = text!("{listed}: {}", inner);
        assert_eq!(
            outer.english(),
            "the file was in the page cache, read: the file was in the page cache"
        );
        let japanese = outer.in_language(Language::Japanese);
        assert!(japanese.contains("、read: "), "{japanese}");
        assert_eq!(Text::list([inner.clone()], "; "), inner);
    }

    #[test]
    fn a_text_comes_back_from_where_it_is_kept() {
        let size = 7_u64;
        for text in [
            text!("{size} of {} {x:?}", Text::from("read"), x = "a"),
            Text::list([Text::from("a{b}"), Text::name("c")], "; "),
            text!("{:.2} {}", 0.5, Trouble::Holes),
            Text::default(),
        ] {
            let kept = serde_json::to_string(&text).unwrap();
            let back: Text = serde_json::from_str(&kept).unwrap();
            assert_eq!(back, text, "{kept}");
            assert_eq!(back.english(), text.english());
        }
        // Each level would hold the one below twice.
        let mut kept = r#""x""#.to_owned();
        for _ in 0..40 {
            kept = format!(r#"{{"template":"{{a}}{{a}}","arguments":{{"a":{kept}}}}}"#);
        }
        let back: Text = serde_json::from_str(&kept).unwrap();
        assert!(back.english().len() < 200);
        assert_eq!(
            Text::of_parts(&"{}".repeat(65), |_| None),
            Text::name("{}".repeat(65))
        );
        let short = Text::of_parts("{a} of {b}", |_| None);
        assert_eq!(short.english(), "{a} of {b}");
    }

    #[test]
    fn what_the_system_says_is_said_in_each_language() {
        let missing = io::Error::from_raw_os_error(2);
        let error = text!("{}: {missing}", Text::name("a"));
        assert_eq!(error.english(), "a: No such file or directory (os error 2)");
        assert_eq!(
            error.in_language(Language::Japanese),
            "a: そのようなファイルやディレクトリはない (os error 2)"
        );
        let ours = io::Error::other(Text::from("the file was in the page cache"));
        assert!(!Text::from(&ours).in_language(Language::Japanese).is_ascii());
    }

    #[test]
    fn errors_are_said_in_the_language_that_is_spoken() {
        use std::error::Error;
        assert_eq!(Trouble::Holes.to_string(), "the file was in the page cache");
        let japanese = speaking(Language::Japanese, || Trouble::Holes.to_string());
        assert!(!japanese.is_ascii());
        let path = Trouble::Path {
            path: "/a".into(),
            wanted: "b".into(),
            source: parsed(),
        };
        assert_eq!(
            path.to_string(),
            format!("/a is 1, not \"b\": {}", parsed())
        );
        assert!(path.source().is_some());
        assert_eq!(Trouble::Text("abc".into()).to_string(), "abc of 3");
        let number = Trouble::from(parsed());
        assert_eq!(number.to_string(), parsed().to_string());
        assert!(number.source().is_none());
        // An error in a text is said in each language.
        let nested = text!("{}: x", Trouble::Holes);
        let translated = nested.in_language(Language::Japanese);
        assert!(translated.starts_with(&japanese), "{translated}");
    }
}
