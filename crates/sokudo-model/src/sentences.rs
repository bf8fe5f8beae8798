//! Texts of a run where it is written down: a sentence in English for programs, and what it is
//! made of where the run is kept, so that it can be said in any language later.

use std::cell::Cell;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sokudo_words::{Form, Text};

thread_local! {
    static AS_DATA: Cell<bool> = const { Cell::new(false) };
}

/// Writes something down so that texts keep what they are made of.
pub fn with_texts_as_data<T>(write: impl FnOnce() -> T) -> T {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            AS_DATA.set(self.0);
        }
    }
    let _before = Before(AS_DATA.replace(true));
    write()
}

/// A text as it is written down.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Sentence(String),
    Data(Form),
}

impl From<&Text> for Written {
    fn from(text: &Text) -> Self {
        // What has no holes is found by its own words.
        match AS_DATA.get() && text.arguments().next().is_some() {
            true => Self::Data(text.clone().into()),
            false => Self::Sentence(text.english()),
        }
    }
}

impl From<Written> for Text {
    fn from(written: Written) -> Self {
        match written {
            Written::Data(form) => form.into(),
            Written::Sentence(whole) => Self::phrase(&whole),
        }
    }
}

/// What texts stand in: one of them, or a list.
pub trait Texts: Sized {
    /// Writes them down.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;
    /// Reads what was written down in either form.
    ///
    /// # Errors
    ///
    /// What is neither a sentence nor a text as data.
    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error>;
}

impl Texts for Text {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Written::from(self).serialize(to)
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Written::deserialize(from).map(Self::from)
    }
}

impl Texts for Option<Text> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Written::from).serialize(to)
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = Option::<Written>::deserialize(from)?;
        Ok(written.map(Text::from))
    }
}

impl Texts for Vec<Text> {
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter().map(Written::from))
    }

    fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = Vec::<Written>::deserialize(from)?;
        Ok(written.into_iter().map(Text::from).collect())
    }
}

/// For `#[serde(with)]`.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize<T: Texts, S: Serializer>(texts: &T, to: S) -> Result<S::Ok, S::Error> {
    texts.write(to)
}

/// For `#[serde(with)]`.
///
/// # Errors
///
/// What is neither a sentence nor a text as data.
pub fn deserialize<'de, T: Texts, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::read(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_words::text;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Kept {
        #[serde(with = "super")]
        texts: Vec<Text>,
        #[serde(with = "super")]
        one: Text,
    }

    fn kept() -> Kept {
        Kept {
            texts: vec![
                text!("{} of {what}", 3_u64, what = "sda"),
                "it {hides}".into(),
            ],
            one: Text::name("read"),
        }
    }

    #[test]
    fn programs_read_sentences_and_a_kept_run_has_its_texts_again() {
        let plain = serde_json::to_string(&kept()).unwrap();
        assert_eq!(plain, r#"{"texts":["3 of sda","it {hides}"],"one":"read"}"#);
        let data = with_texts_as_data(|| serde_json::to_string(&kept()).unwrap());
        assert_eq!(serde_json::from_str::<Kept>(&data).unwrap(), kept());
        assert_eq!(serde_json::to_string(&kept()).unwrap(), plain);
        let read: Kept = serde_json::from_str(&plain).unwrap();
        assert_eq!(read.texts[0], "3 of sda");
        assert_eq!(read.texts[1], kept().texts[1]);
    }
}
