//! Bonnie++'s phases, recognised by what a workload does.

use sokudo_model::{Operation, OperationTally, Order, Outcome, TreeNames, Workload};

/// A phase of Bonnie++, in the order of its CSV line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BonniePhase {
    /// Writing byte by byte.
    WriteCharacters,
    /// Writing block by block.
    WriteBlocks,
    /// Reading blocks and writing them back.
    Rewrite,
    /// Reading byte by byte.
    ReadCharacters,
    /// Reading block by block.
    ReadBlocks,
    /// Reading at random places.
    Seeks,
    /// On files whose names begin with a number, or at random.
    Files(TreeNames, Operation),
}

impl BonniePhase {
    /// The phases on one file, in the order of the CSV line.
    pub const ON_ONE_FILE: [Self; 6] = [
        Self::WriteCharacters,
        Self::WriteBlocks,
        Self::Rewrite,
        Self::ReadCharacters,
        Self::ReadBlocks,
        Self::Seeks,
    ];

    /// The phases on many files, likewise.
    pub const ON_FILES: [Self; 6] = [
        Self::Files(TreeNames::NumberFirst, Operation::Create),
        Self::Files(TreeNames::NumberFirst, Operation::Stat),
        Self::Files(TreeNames::NumberFirst, Operation::Delete),
        Self::Files(TreeNames::RandomFirst, Operation::Create),
        Self::Files(TreeNames::RandomFirst, Operation::Stat),
        Self::Files(TreeNames::RandomFirst, Operation::Delete),
    ];

    /// The phase that a workload of `sokudo bonnie` is; `None` for anything else.
    pub fn of(workload: &Workload) -> Option<Self> {
        let by_character = workload.blocks.largest().0 == 1;
        let operation = workload.operations.single();
        if let Some(tree) = workload.tree() {
            return operation.map(|operation| Self::Files(tree.names, operation));
        }
        match (operation, workload.rewritten_percent(), workload.order) {
            (None, 1.., Order::Random { .. }) => Some(Self::Seeks),
            (None, 1.., Order::Sequential { .. }) => Some(Self::Rewrite),
            (Some(Operation::Write), 0, _) if by_character => Some(Self::WriteCharacters),
            (Some(Operation::Read), 0, _) if by_character => Some(Self::ReadCharacters),
            (Some(Operation::Write), 0, _) => Some(Self::WriteBlocks),
            (Some(Operation::Read), 0, _) => Some(Self::ReadBlocks),
            _ => None,
        }
    }

    /// The operation whose figures are the phase's: of a rewrite what has been written
    /// back, of seeks what has been read.
    pub const fn operation(self) -> Operation {
        match self {
            Self::WriteCharacters | Self::WriteBlocks | Self::Rewrite => Operation::Write,
            Self::ReadCharacters | Self::ReadBlocks | Self::Seeks => Operation::Read,
            Self::Files(_, operation) => operation,
        }
    }

    /// What is counted per second: `files` or `seeks`; `None` where bytes are.
    pub const fn counted(self) -> Option<&'static str> {
        match self {
            Self::Seeks => Some("seeks"),
            Self::Files(..) => Some("files"),
            _ => None,
        }
    }

    /// What the phase's operation did in a trial.
    pub fn tally(self, outcome: &Outcome) -> Option<&OperationTally> {
        outcome.operation(self.operation())
    }
}
