//! What a drive can be told about a test that it makes of itself, in whatever language.

/// An order about a self-test. It runs beside the drive's other work, and writes nothing of
/// anybody's; tests for which a drive leaves its work undone cannot be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelfTestOrder {
    /// Begin the short one.
    Short,
    /// Begin the one that goes over the whole medium.
    Extended,
    /// End the one that is under way.
    Stop,
}

impl SelfTestOrder {
    /// What a language has for it, of its codes for the short test, the extended one and the end.
    pub(crate) fn of<Code>(self, [short, extended, stop]: [Code; 3]) -> Code {
        match self {
            Self::Short => short,
            Self::Extended => extended,
            Self::Stop => stop,
        }
    }
}
