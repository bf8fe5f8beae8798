//! What every reader of a format gives.

use sokudo_model::ImportedRun;
use sokudo_words::{Text, text};

/// What a text held.
#[derive(Debug, Default)]
pub struct Import {
    /// What was whole, in the order of the text.
    pub runs: Vec<ImportedRun>,
    /// What was not, and why.
    pub left_out: Vec<LeftOut>,
}

/// A part of a text that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The line on which it begins; `None` where a format has no lines.
    pub line: Option<u64>,
    /// What is wrong with it, and what was expected.
    pub why: Text,
}

/// Why nothing could be read.
#[derive(Debug, sokudo_words::Error)]
pub enum ImportError {
    /// No reader knows it: the formats that there are readers for.
    #[error("is not from a tool that sokudo knows; it reads {}", .0.join(", "))]
    Unknown(Vec<&'static str>),
    /// It holds nothing, or blanks only.
    #[error("is empty")]
    Empty,
    /// A reader knows it, and nothing in it is whole.
    #[error("looks like {format}, but {why}")]
    Broken { format: &'static str, why: Text },
    /// It cannot be read at all.
    #[error("cannot be read: {0}")]
    Io(#[from] std::io::Error),
}

impl Import {
    /// The same with what another reader found in the same text.
    pub(crate) fn with(mut self, more: Self) -> Self {
        self.runs.extend(more.runs);
        self.left_out.extend(more.left_out);
        self
    }

    /// What was read of a format; an error where nothing was whole: the first thing that was
    /// wrong, or `nothing`.
    pub(crate) fn of(
        format: &'static str,
        runs: Vec<ImportedRun>,
        left_out: Vec<LeftOut>,
        nothing: &'static str,
    ) -> Result<Self, ImportError> {
        if !runs.is_empty() {
            return Ok(Self { runs, left_out });
        }
        let why = match left_out.into_iter().next() {
            Some(LeftOut { line: None, why }) => why,
            Some(LeftOut {
                line: Some(line),
                why,
            }) => text!("line {line}: {why}"),
            None => nothing.into(),
        };
        Err(ImportError::Broken { format, why })
    }
}
