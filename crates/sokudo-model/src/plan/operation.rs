//! What can be asked of a target, and in which shares.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

named! {
    /// What can be asked of a target.
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
    )]
    #[non_exhaustive]
    pub enum Operation {
        /// Read a block of the target.
        Read = "read",
        /// Write a block of the target.
        Write = "write",
        /// Tell the target that a block is no longer needed (discard, punch hole).
        Trim = "trim",
        /// Make earlier writes durable (fsync, fdatasync).
        Flush = "flush",
        /// Create a file, with its contents.
        Create = "create",
        /// Look a file up, and read it if it holds anything.
        Stat = "stat",
        /// Delete a file of the tree.
        Delete = "delete",
    }
}

impl Operation {
    /// Every operation on the contents of one target, in the order of
    /// [`Operation::index`].
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Trim, Self::Flush];

    /// Every operation on whole files; they follow those of [`Operation::ALL`].
    pub const ON_FILES: [Self; 3] = [Self::Create, Self::Stat, Self::Delete];

    /// A small number for tables per operation.
    #[inline]
    pub const fn index(self) -> usize {
        match self {
            Self::Read => 0,
            Self::Write => 1,
            Self::Trim => 2,
            Self::Flush => 3,
            Self::Create => 4,
            Self::Stat => 5,
            Self::Delete => 6,
        }
    }

    /// Whether it changes what the target holds.
    pub const fn changes_data(self) -> bool {
        matches!(self, Self::Write | Self::Trim | Self::Create | Self::Delete)
    }

    /// Whether it is done to a whole file, and not to a block of one.
    pub const fn is_on_files(self) -> bool {
        matches!(self, Self::Create | Self::Stat | Self::Delete)
    }
}

/// Shares of operations in percent. The sum is 100 and no share is 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct OperationMix(Vec<(Operation, u32)>);

impl OperationMix {
    /// A mix of which all I/Os are this operation.
    pub fn only(operation: Operation) -> Self {
        Self(vec![(operation, 100)])
    }

    /// Reads in `read_percent` of the I/Os, writes in the others.
    /// `None` above 100.
    pub fn read_write(read_percent: u32) -> Option<Self> {
        match read_percent {
            0 => Some(Self::only(Operation::Write)),
            1..=99 => Some(Self(vec![
                (Operation::Read, read_percent),
                (Operation::Write, 100 - read_percent),
            ])),
            100 => Some(Self::only(Operation::Read)),
            _ => None,
        }
    }

    /// Reads of which so many percent are written back afterwards, as shares of all
    /// I/Os. `None` for 0 and above 100.
    pub fn rewriting(percent: u32) -> Option<Self> {
        let writes = (1..=100)
            .contains(&percent)
            .then(|| ((percent * 100) + (100 + percent) / 2) / (100 + percent))?;
        Self::read_write(100 - writes)
    }

    /// As many trims as writes: each place is trimmed, then written (with
    /// [`crate::Scatter::trims_first`]).
    pub fn trim_write() -> Self {
        Self(vec![(Operation::Write, 50), (Operation::Trim, 50)])
    }

    /// Each operation with its percentage.
    pub fn shares(&self) -> &[(Operation, u32)] {
        &self.0
    }

    /// The same with the shares in one order.
    pub fn sorted(&self) -> Self {
        let mut shares = self.0.clone();
        shares.sort_unstable();
        Self(shares)
    }

    /// The percentage of one operation; 0 when it does not occur.
    pub fn percent(&self, operation: Operation) -> u32 {
        self.0
            .iter()
            .find(|(o, _)| *o == operation)
            .map_or(0, |(_, share)| *share)
    }

    /// The operation, when there is only one.
    pub fn single(&self) -> Option<Operation> {
        match self.0[..] {
            [(operation, _)] => Some(operation),
            _ => None,
        }
    }

    /// Whether any operation changes what the target holds.
    pub fn changes_data(&self) -> bool {
        self.0.iter().any(|(operation, _)| operation.changes_data())
    }

    /// `read`, `write`, … or `mix`: the column that results are shown in.
    pub fn direction(&self) -> &'static str {
        self.single().map_or("mix", Operation::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_of_nothing_but_one_operation_is_that_operation() {
        assert_eq!(
            OperationMix::read_write(0),
            Some(OperationMix::only(Operation::Write))
        );
        assert_eq!(
            OperationMix::read_write(100),
            Some(OperationMix::only(Operation::Read))
        );
        assert_eq!(OperationMix::read_write(101), None);
        let mix = OperationMix::read_write(70).unwrap();
        assert_eq!(
            (mix.percent(Operation::Read), mix.percent(Operation::Write)),
            (70, 30)
        );
        assert_eq!(mix.direction(), "mix");
    }
}
