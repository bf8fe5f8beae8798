//! One value of an axis: a word, and what programs are told besides where it holds.

use sokudo_model::VolumeOptions;

use crate::matrix::plan::axis::{AxisKind, MatrixError};

/// An axis as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    pub kind: AxisKind,
    pub values: Vec<AxisValue>,
}

/// A value of an axis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AxisValue {
    /// What tables and tags call it.
    pub name: String,
    /// What it is: `ext4`, `0@2`, `noatime`; empty where it is nothing but options.
    pub word: String,
    pub options: VolumeOptions,
    /// What the method is told besides.
    pub method: Vec<String>,
}

impl AxisValue {
    pub fn of_word(word: &str) -> Self {
        Self {
            name: word.to_owned(),
            word: word.to_owned(),
            ..Self::default()
        }
    }

    /// A word, and options behind it, each a word of its own: `xfs`, `mkfs=-m reflink=0`.
    ///
    /// # Errors
    /// When a word is no option.
    pub fn of_words(axis: &AxisKind, words: &[String]) -> Result<Self, MatrixError> {
        let text = words.join(" ");
        let mut value = Self::default();
        let mut name = None;
        for (index, word) in words.iter().enumerate() {
            let option = word.split_once('=');
            let is_taken = option.is_some_and(|(key, argument)| match key {
                "name" => {
                    name = Some(argument.to_owned());
                    true
                }
                key => value.take(key, argument),
            });
            if is_taken {
                continue;
            }
            if index > 0 {
                return Err(MatrixError::UnknownOption {
                    axis: axis.name().to_owned(),
                    text,
                    word: word.clone(),
                });
            }
            word.clone_into(&mut value.word);
        }
        value.name = name.unwrap_or(text);
        Ok(value)
    }

    /// Takes an option; false where there is none of this name.
    pub(super) fn take(&mut self, key: &str, argument: &str) -> bool {
        let words = || argument.split_whitespace().map(str::to_owned);
        match key {
            "mkfs" => self.options.mkfs.extend(words()),
            "mdadm" => self.options.mdadm.extend(words()),
            "zpool" => self.options.zpool.extend(words()),
            "method" => self.method.extend(words()),
            "mount" => {
                let options = argument.split(',').map(str::trim);
                let options = options.filter(|it| !it.is_empty()).map(str::to_owned);
                self.options.mount.extend(options);
            }
            _ => return false,
        }
        true
    }
}

/// The values of an option, several with commas between them. Mount options have commas
/// themselves, and so are never taken apart.
///
/// # Errors
/// When one cannot be read; `words` parts a text as a shell does, and gives nothing where a quote
/// is not closed.
pub fn values(
    axis: &AxisKind,
    texts: &[String],
    words: impl Fn(&str) -> Option<Vec<String>>,
) -> Result<Vec<AxisValue>, MatrixError> {
    let mut values = Vec::new();
    for text in texts {
        let parted = words(text).ok_or_else(|| MatrixError::UnknownOption {
            axis: axis.name().to_owned(),
            text: text.clone(),
            word: text.clone(),
        })?;
        match &parted[..] {
            // A mount option may look like one of ours: it is the first word.
            [first, rest @ ..] if *axis == AxisKind::Mount => {
                let mut value = AxisValue::of_words(axis, rest)?;
                first.clone_into(&mut value.word);
                if rest.iter().all(|word| !word.starts_with("name=")) {
                    value.name.clone_from(text);
                }
                values.push(value);
            }
            parted => {
                for words in apart(parted) {
                    values.push(AxisValue::of_words(axis, &words)?);
                }
            }
        }
    }
    Ok(values)
}

/// The words of each value: a comma behind a word or a name ends one. Other options may hold
/// commas.
fn apart(words: &[String]) -> Vec<Vec<String>> {
    let mut values = vec![Vec::new()];
    for word in words {
        let parts = match word.contains('=') && !word.starts_with("name=") {
            true => vec![word.as_str()],
            false => word.split(',').map(str::trim).collect(),
        };
        for (index, part) in parts.into_iter().enumerate() {
            if index > 0 {
                values.push(Vec::new());
            }
            if let (Some(value), false) = (values.last_mut(), part.is_empty()) {
                value.push(part.to_owned());
            }
        }
    }
    values.retain(|value| !value.is_empty());
    values
}
