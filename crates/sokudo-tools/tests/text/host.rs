//! A machine on which there is what a test says, and nothing else.

use sokudo_model::Bytes;
use sokudo_tools::language::host::{Host, HostPath, HostPathKind};

type Answer<'a, T> = Box<dyn Fn(&str) -> T + 'a>;

/// Answers by path or by name.
pub(crate) struct Made<'a> {
    pub(crate) text: Answer<'a, Result<String, String>>,
    pub(crate) found: Answer<'a, Option<HostPath>>,
    pub(crate) variable: Answer<'a, Option<String>>,
    pub(crate) processors: u32,
}

impl Default for Made<'_> {
    fn default() -> Self {
        Self {
            text: Box::new(|_| Err("there is no such file".to_owned())),
            found: Box::new(|_| None),
            variable: Box::new(|_| None),
            processors: 4,
        }
    }
}

impl<'a> Made<'a> {
    /// Has only this.
    pub(crate) fn with(kind: HostPathKind, path: &'a str, bytes: Bytes) -> Self {
        let found =
            Box::new(move |asked: &str| (asked == path).then_some(HostPath { kind, bytes }));
        Self {
            found,
            ..Self::default()
        }
    }

    /// Has this file to read as well.
    pub(crate) fn file(self, path: &'a str, text: &'a str) -> Self {
        let before = self.text;
        let text = Box::new(move |asked: &str| match asked == path {
            true => Ok(text.to_owned()),
            false => before(asked),
        });
        Self { text, ..self }
    }
}

impl Host for Made<'_> {
    fn read_text(&self, path: &str) -> Result<String, String> {
        (self.text)(path)
    }
    fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name)
    }
    fn found(&self, path: &str) -> Option<HostPath> {
        (self.found)(path)
    }
    fn processors(&self) -> u32 {
        self.processors
    }
    fn page_bytes(&self) -> u64 {
        4096
    }
    fn memory_bytes(&self) -> u64 {
        1 << 30
    }
    fn seed(&self) -> u64 {
        7
    }
}
