//! What a person wants measured, as a page may say it: a method, a target and options of the
//! method's form. It becomes words of the command line, and nothing that the form does not hold
//! becomes any. Which forms there are, the program says.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sokudo_words::{Error, Language};

/// More rows than this are a script's work.
const VALUES_MAX: usize = 64;
/// A row, a size or a list of them.
const VALUE_BYTES_MAX: usize = 256;
/// As long as Linux has paths.
const TARGET_BYTES_MAX: usize = 4_096;
/// Longer than every serial number and by-id name.
const SERIAL_BYTES_MAX: usize = 256;
/// fio's own examples have some hundred lines.
pub const JOB_BYTES_MAX: usize = 256 << 10;

/// A method, as the page offers it.
#[derive(Clone, Debug, Serialize)]
pub struct MethodForm {
    pub name: String,
    /// The command that it is.
    pub command: String,
    /// The heading that the help of the program has it under.
    pub group: String,
    pub about: String,
    pub target: TargetForm,
    pub options: Vec<OptionForm>,
}

/// The methods, in a language.
pub type Methods = fn(Language) -> MethodList;

/// The methods that there are.
pub struct MethodList {
    /// Their forms, in the order in which the page offers them.
    pub forms: Vec<MethodForm>,
    /// What kept runs call theirs, or begin to: the list of runs can be narrowed to one.
    pub names: Vec<&'static str>,
    /// What a remedy points at, as it is typed, by its code.
    pub remedies: BTreeMap<&'static str, &'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetForm {
    Needed,
    Optional,
    /// A fio job file, which names its targets itself.
    Job,
    /// A folder, which is the value of an option.
    Folder,
}

/// An option of a method.
#[derive(Clone, Debug, Serialize)]
pub struct OptionForm {
    pub name: String,
    pub kind: OptionKind,
    /// What holds where nothing is given, as people read it; empty where it depends.
    pub default: String,
    pub label: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
    /// It is a word of its own before the target, and begins with a letter.
    #[serde(skip)]
    pub position: bool,
    /// The default is the page's and not the command's: it is a word of the command line, too.
    #[serde(skip)]
    pub is_own_default: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OptionKind {
    Text,
    Number,
    Size,
    Time,
    Flag,
    Choice,
    Repeated,
}

/// What is to be measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    pub method: String,
    #[serde(default)]
    pub target: String,
    #[serde(default)]
    pub options: BTreeMap<String, FormValue>,
    /// The serial number that was typed, of a device that may be destroyed. The measurer compares
    /// it with what `--allow-destroy` named; it becomes no word here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// The text of a fio job file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Much may be written, or for long: the person was asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub yes: bool,
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum FormValue {
    Flag(bool),
    Number(serde_json::Number),
    Text(String),
    Several(Vec<String>),
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WishError {
    #[error("{method} is not a method of this page; choose one from its list")]
    UnknownMethod { method: String },
    #[error("{method} has no option {option} on the page; use the command line for it")]
    UnknownOption { method: String, option: String },
    #[error("{option} is not {wanted}; correct it, or leave it empty")]
    WrongValue { option: String, wanted: String },
    #[error(
        "{target} is not a target; give the full path of a directory or device, sim:MODEL or null:"
    )]
    NoTarget { target: String },
    #[error("no job file is given; drop one on the page")]
    NoJob,
    #[error("the job file is longer than 256 KiB; use sokudo run for it")]
    LongJob,
    #[error("the serial number is too long; type the one that the disk's card shows")]
    LongSerial,
}

impl Wish {
    /// The words of its command line behind `sokudo`, without consent to destroy. `job_file` is
    /// where the measurer keeps the job file of the method `job`.
    ///
    /// # Errors
    /// For an option or a value that is in no form, and a target that is none.
    pub fn words(&self, method: &MethodForm, job_file: &Path) -> Result<Vec<String>, WishError> {
        self.check_extras(method)?;
        let mut words = vec![method.command.clone()];
        let mut positions = Vec::new();
        for (name, given) in &self.options {
            let mut options = method.options.iter();
            let option = options.find(|option| option.name == *name).ok_or_else(|| {
                WishError::UnknownOption {
                    method: self.method.clone(),
                    option: shortened(name),
                }
            })?;
            match option.position {
                true => positions.extend(option.words(given)?),
                false => words.extend(option.words(given)?),
            }
        }
        let unsaid = method.options.iter();
        let unsaid = unsaid.filter(|it| it.is_own_default && !self.options.contains_key(&it.name));
        words.extend(unsaid.map(|it| format!("--{}={}", it.name, it.default)));
        words.extend(self.yes.then(|| "--yes".to_owned()));
        words.extend(positions);
        match method.target {
            TargetForm::Job => words.push(job_file.display().to_string()),
            TargetForm::Folder => words.push(format!("--in={}", self.checked_target()?)),
            TargetForm::Optional if self.target.is_empty() => {}
            TargetForm::Needed | TargetForm::Optional => words.push(self.checked_target()?),
        }
        Ok(words)
    }

    /// The form of its method.
    ///
    /// # Errors
    /// When there is none.
    pub fn form<'a>(&self, methods: &'a [MethodForm]) -> Result<&'a MethodForm, WishError> {
        let named = methods.iter().find(|form| form.name == self.method);
        named.ok_or_else(|| WishError::UnknownMethod {
            method: shortened(&self.method),
        })
    }

    fn check_extras(&self, method: &MethodForm) -> Result<(), WishError> {
        let is_job = method.target == TargetForm::Job;
        let job = self.job.as_deref().unwrap_or_default();
        if is_job && job.trim().is_empty() {
            return Err(WishError::NoJob);
        }
        if job.len() > JOB_BYTES_MAX {
            return Err(WishError::LongJob);
        }
        let serial = self.serial.as_deref().unwrap_or_default();
        match serial.len() <= SERIAL_BYTES_MAX {
            true => Ok(()),
            false => Err(WishError::LongSerial),
        }
    }

    /// A word that can be no option.
    fn checked_target(&self) -> Result<String, WishError> {
        let target = &self.target;
        let begins = ["/", "sim:", "null:"]
            .iter()
            .any(|begin| target.starts_with(begin));
        let fits = target.len() <= TARGET_BYTES_MAX && !target.contains('\0');
        match begins && fits {
            true => Ok(target.clone()),
            false => Err(WishError::NoTarget {
                target: shortened(target),
            }),
        }
    }
}

impl OptionForm {
    /// `--name=value`, so that no value begins an option; none where nothing is given.
    fn words(&self, given: &FormValue) -> Result<Vec<String>, WishError> {
        let values: Vec<String> = match given {
            FormValue::Flag(is_set) => match (self.kind, is_set) {
                (OptionKind::Flag, true) => return Ok(vec![format!("--{}", self.name)]),
                (_, false) => return Ok(Vec::new()),
                (_, true) => return Err(self.wrong()),
            },
            FormValue::Number(number) => vec![number.to_string()],
            FormValue::Text(text) => vec![text.trim().to_owned()],
            FormValue::Several(texts) if self.kind == OptionKind::Repeated => texts.clone(),
            FormValue::Several(_) => return Err(self.wrong()),
        };
        if values.len() > VALUES_MAX {
            return Err(self.wrong());
        }
        let values = values.iter().map(|value| value.trim());
        values
            .filter(|value| !value.is_empty())
            .map(|value| match self.takes(value) {
                true if self.position => Ok(value.to_owned()),
                true => Ok(format!("--{}={value}", self.name)),
                false => Err(self.wrong()),
            })
            .collect()
    }

    /// Whether a value is of its kind, as far as a form can say: the command line reads it again.
    fn takes(&self, value: &str) -> bool {
        let is_plain = value.len() <= VALUE_BYTES_MAX && !value.chars().any(char::is_control);
        let begins_with_digit = value.starts_with(|sign: char| sign.is_ascii_digit());
        let has_choice = self.choices.iter().any(|choice| choice == value);
        let begins_with_letter = value.starts_with(|sign: char| sign.is_ascii_alphabetic());
        is_plain
            && (!self.position || begins_with_letter)
            && match self.kind {
                OptionKind::Flag => false,
                OptionKind::Number => value.parse::<u64>().is_ok() && begins_with_digit,
                OptionKind::Size | OptionKind::Time => begins_with_digit,
                OptionKind::Choice => has_choice,
                OptionKind::Text | OptionKind::Repeated => self.choices.is_empty() || has_choice,
            }
    }

    fn wrong(&self) -> WishError {
        let wanted = match self.kind {
            _ if !self.choices.is_empty() => self.choices.join(", "),
            OptionKind::Flag => "true, false".to_owned(),
            OptionKind::Number => "0, 1, 2, …".to_owned(),
            OptionKind::Size => "4KiB, 1GiB, 500MB".to_owned(),
            OptionKind::Time => "250ms, 5s, 10min".to_owned(),
            OptionKind::Choice | OptionKind::Text | OptionKind::Repeated => {
                format!("≤ {VALUE_BYTES_MAX} B")
            }
        };
        WishError::WrongValue {
            option: self.name.clone(),
            wanted,
        }
    }
}

/// What a stranger sent, as an error quotes it.
fn shortened(text: &str) -> String {
    const CHARACTERS_MAX: usize = 80;
    let mut short: String = text.chars().take(CHARACTERS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short.replace(char::is_control, " ")
}
