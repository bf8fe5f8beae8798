//! Whose affair an error is.

use std::fmt;
use std::io;

use crate::Text;

/// Whose affair an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// What was asked for makes no sense here.
    Usage,
    /// It would endanger data.
    Refused,
    /// It was stopped before anything was measured.
    Interrupted,
    /// The world did not do as it should.
    System,
}

/// Says whose affair it is: as `#[fault(…)]` of a derived error has it.
pub trait HasFault {
    fn fault(&self) -> Fault;
}

/// What this user may not open is a matter of who asks, not of the device.
impl HasFault for io::Error {
    fn fault(&self) -> Fault {
        match self.kind() {
            io::ErrorKind::PermissionDenied => Fault::Usage,
            _ => Fault::System,
        }
    }
}

/// An error that no program tells from others: what it says, and what is behind it.
#[derive(Debug)]
pub struct PlainError {
    fault: Fault,
    text: Text,
    source: Option<io::Error>,
}

impl PlainError {
    pub fn new(fault: Fault, text: Text) -> Self {
        Self {
            fault,
            text,
            source: None,
        }
    }

    /// The same, because of this.
    #[must_use]
    pub fn because(self, source: io::Error) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }
}

impl fmt::Display for PlainError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(formatter)
    }
}

impl std::error::Error for PlainError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|it| it as _)
    }
}

impl HasFault for PlainError {
    fn fault(&self) -> Fault {
        self.fault
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, crate::Error)]
    #[fault(refused)]
    enum Outer {
        #[error("as all")]
        Usual,
        #[error("its own")]
        #[fault(interrupted)]
        Own,
        #[error("because of {source}")]
        #[fault(source)]
        Behind { at: u32, source: io::Error },
        #[error(transparent)]
        Through(#[from] PlainError),
    }

    #[test]
    fn a_variant_has_its_own_fault_or_that_behind_it_or_that_of_its_enum() {
        let behind = |kind: io::ErrorKind| Outer::Behind {
            at: 1,
            source: kind.into(),
        };
        let plain = PlainError::new(Fault::Usage, "wrong".into());
        for (error, expected) in [
            (Outer::Usual, Fault::Refused),
            (Outer::Own, Fault::Interrupted),
            (behind(io::ErrorKind::PermissionDenied), Fault::Usage),
            (behind(io::ErrorKind::NotFound), Fault::System),
            (plain.into(), Fault::Usage),
        ] {
            assert_eq!(error.fault(), expected, "{error}");
        }
    }

    #[test]
    fn a_plain_error_has_its_cause_in_its_chain() {
        let error = PlainError::new(Fault::System, "it failed".into())
            .because(io::ErrorKind::NotFound.into());
        assert_eq!(error.to_string(), "it failed");
        let source = std::error::Error::source(&error).unwrap();
        assert!(source.downcast_ref::<io::Error>().is_some());
    }
}
