//! A row that is measured under one load after the other, as arguments name it.

use sokudo_measure::{Named, TEST_FILE_SIZE};
use sokudo_model::{Bytes, Nanos, Span, TargetKind, Workload};
use sokudo_terminal::exit::Exit;
use sokudo_tools::crystaldiskmark::{RowDirection, RowSpec};
use sokudo_words::text;

use crate::arguments::SharedArguments;
use crate::{argument_checks, consent};

/// What the arguments say of the row.
pub struct OneRow<'a> {
    /// The command that measures it.
    pub command: &'static str,
    pub target: &'a str,
    pub row: &'a RowSpec,
    pub size: Option<Bytes>,
    pub time: Nanos,
    pub shared: &'a SharedArguments,
}

impl OneRow<'_> {
    /// The row in a closed loop; refused where it would write what it may not.
    pub fn workload(&self, named: &Named) -> Result<Workload, Exit> {
        let (name, row) = (self.target, self.row);
        let direction = match row.directions[..] {
            [] if row.durability.is_some() => RowDirection::Write,
            [] => RowDirection::Read,
            [only] => only,
            _ => {
                return Err(Exit::usage(text!(
                    "row {row} names two directions, and sokudo {} measures one; name read or write",
                    self.command
                )));
            }
        };
        let mut workload = row.workload(direction);
        consent::check_overwrite(name, named.kind(), self.shared.overwrite)?;
        let permission = self.shared.permission();
        if workload.operations.changes_data()
            && let Some(refusal) = consent::refusal(name, named.kind(), &permission)
        {
            return Err(Exit::refused(refusal));
        }
        argument_checks::check_time(self.time)?;
        workload.limits.time = Some(self.time);
        self.shared.set_buffers_of(&mut workload);
        self.set_span(&mut workload, named)?;
        Ok(workload)
    }

    /// How much of the target is used.
    fn set_span(&self, workload: &mut Workload, named: &Named) -> Result<(), Exit> {
        let (name, block) = (self.target, workload.blocks.largest());
        let known = named.size();
        let length = self.size.or(known).unwrap_or(TEST_FILE_SIZE);
        argument_checks::check_size(length, known, name)?;
        let is_made = named.kind() == TargetKind::Directory;
        if length < block || is_made && !length.0.is_multiple_of(block.0) {
            return Err(Exit::usage(text!(
                "{length} of {name} is not a multiple of row {}'s block of {block}; use a multiple (--size)",
                workload.name
            )));
        }
        if known.is_some_and(|known| length < known) {
            workload.span = Some(Span::from_start(length));
        }
        Ok(())
    }
}
