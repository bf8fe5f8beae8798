//! In which direction a row is measured.

use sokudo_model::{Operation, OperationMix};

use super::mix::Mix;

/// In which direction a row is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowDirection {
    Read,
    Write,
    /// Reads and writes in shares.
    Mix(Mix),
}

impl RowDirection {
    /// The operations of this direction.
    pub fn operations(self) -> OperationMix {
        match self {
            Self::Read => OperationMix::only(Operation::Read),
            Self::Write => OperationMix::only(Operation::Write),
            Self::Mix(mix) => mix.operations(),
        }
    }
}
