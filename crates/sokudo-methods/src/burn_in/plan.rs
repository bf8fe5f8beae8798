//! Disks worn in before they are trusted: every block written and read back, pass after pass, then
//! a scan, all disks at the same time.

use sokudo_model::{
    Bytes, Method, MethodKind, MethodTrait, Operation, OperationMix, Plan, Span, Stage, Verify,
    Work, Workload,
};

use crate::rows::sequential_writes::{SAMPLES_MAX, whole_survey};
use crate::rows::several::on_disk;
use crate::rows::surface::{self, SurfacePreset, SurfaceRequest};

pub static METHOD: MethodKind = MethodKind {
    name: "burn-in",
    command: "burn-in",
    is_named: false,
    traits: &[
        MethodTrait::DecidesTrials,
        MethodTrait::Resumes,
        MethodTrait::RepeatsSlow,
    ],
};

/// Disks have no larger logical blocks, and reach their full rate with them.
const BLOCK: Bytes = Bytes::mib(1);
/// Enough in flight that the drive never waits.
const DEPTH: u32 = 8;

/// More would take months.
pub const PASSES_MAX: u32 = 64;

/// Which disks, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BurnInRequest {
    /// The disks, in the order of the targets.
    pub disks: Vec<DiskToBurnIn>,
    /// How often everything is written and read back. At least 1.
    pub passes: u32,
    /// What is written follows from this, the pass and the place: no other burn-in has the same, so
    /// that its blocks are not taken for those of this one.
    pub seal: u64,
}

/// A disk that is to be worn in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskToBurnIn {
    /// What it is called in the names of rows.
    pub label: String,
    /// Its size, at least [`DiskToBurnIn::SIZE_MIN`].
    pub size: Bytes,
    /// The smallest block that it takes.
    pub block_min: Bytes,
}

impl DiskToBurnIn {
    /// What has no block of the size that is written is not worn in.
    pub const SIZE_MIN: Bytes = BLOCK;

    /// What is written in one pass: all but a rest that is no block of the device.
    pub fn written(&self) -> Bytes {
        Bytes(self.size.0 / self.block_min.0 * self.block_min.0)
    }

    /// One row that writes all of it, or reads it back.
    fn row(&self, name: &str, operation: Operation, sealed: u64) -> Workload {
        let length = self.written();
        let mut workload = Workload::new(name, BLOCK);
        workload.operations = OperationMix::only(operation);
        workload.depth = DEPTH;
        workload.span = Some(Span::from_start(length));
        workload.work = Work::Survey(whole_survey(length, SAMPLES_MAX));
        workload.verify = Some(Verify::Seals(sealed));
        workload
    }

    /// The rows of `sokudo scan`; of what is too small for them there are none.
    fn scan(&self) -> Vec<Workload> {
        let preset = SurfacePreset::Surface;
        let request = SurfaceRequest::reading(preset, self.size, self.block_min);
        surface::plan(&request).map_or_else(|_| Vec::new(), |planned| planned.workloads)
    }
}

impl BurnInRequest {
    /// Stages in which all disks do the same at the same time: each pass writes and reads back, and
    /// at the end they are scanned.
    pub fn plan(&self, seed: u64) -> Plan {
        let mut stages = Vec::new();
        for pass in 1..=self.passes {
            let sealed = self.seal.wrapping_add(pass.into());
            for (name, operation) in [("WRITE", Operation::Write), ("READ BACK", Operation::Read)] {
                let name = match self.passes {
                    1 => name.to_owned(),
                    _ => format!("{name} {pass}"),
                };
                let rows = self.disks.iter();
                let rows = rows.map(|disk| Some(disk.row(&name, operation, sealed)));
                stages.extend(self.together(rows));
            }
        }
        let scans: Vec<Vec<Workload>> = self.disks.iter().map(|disk| disk.scan()).collect();
        let longest = scans.iter().map(Vec::len).max().unwrap_or(0);
        for number in 0..longest {
            // Small disks have fewer rows: what is there is scanned.
            let rows = scans.iter().map(|rows| rows.get(number).cloned());
            stages.extend(self.together(rows));
        }
        Plan {
            method: Method::new(&METHOD),
            seed,
            stages,
        }
    }

    /// One workload for each disk that has one; `None` without any.
    fn together(&self, rows: impl Iterator<Item = Option<Workload>>) -> Option<Stage> {
        let of_disk = |(index, row): (usize, Option<Workload>)| {
            let workload = row?;
            Some(match &self.disks[..] {
                [_] => workload,
                disks => on_disk(workload, index, &disks[index].label, disks.len() - 1),
            })
        };
        let workloads: Vec<Workload> = rows.enumerate().filter_map(of_disk).collect();
        (!workloads.is_empty()).then_some(Stage { workloads })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(label: &str, size: Bytes) -> DiskToBurnIn {
        DiskToBurnIn {
            label: label.to_owned(),
            size,
            block_min: Bytes(512),
        }
    }

    fn names(request: &BurnInRequest) -> Vec<String> {
        let stages = request.plan(7).stages;
        let names = stages.iter().map(|stage| {
            let names = stage.workloads.iter().map(|it| it.name.as_str());
            names.collect::<Vec<_>>().join(" & ")
        });
        names.collect()
    }

    #[test]
    fn all_disks_are_written_then_read_back_and_scanned_at_the_end() {
        let request = BurnInRequest {
            disks: vec![disk("sdb", Bytes::gib(8)), disk("sdc", Bytes::gib(4))],
            passes: 2,
            seal: 1,
        };
        assert_eq!(
            names(&request),
            [
                "WRITE 1 @sdb+1 & WRITE 1 @sdc+1",
                "READ BACK 1 @sdb+1 & READ BACK 1 @sdc+1",
                "WRITE 2 @sdb+1 & WRITE 2 @sdc+1",
                "READ BACK 2 @sdb+1 & READ BACK 2 @sdc+1",
                "TRANSFER @sdb+1 & TRANSFER @sdc+1",
                "ACCESS 4K @sdb+1 & ACCESS 4K @sdc+1",
            ]
        );
        let sealed = |stage: &Stage| stage.workloads[0].seal();
        let stages = request.plan(7).stages;
        let sealed: Vec<Option<u64>> = stages.iter().map(sealed).collect();
        assert_eq!(sealed[0], sealed[1]);
        assert_eq!(sealed[2], sealed[3]);
        assert_ne!(sealed[0], sealed[2]);
        assert_eq!(sealed[4], None);
    }

    #[test]
    fn one_disk_has_no_letter_and_what_is_no_whole_block_is_left_out() {
        let one = BurnInRequest {
            disks: vec![disk("sdb", Bytes(Bytes::gib(1).0 + 100))],
            passes: 1,
            seal: 1,
        };
        assert_eq!(names(&one)[..2], ["WRITE", "READ BACK"]);
        let row = &one.plan(1).stages[0].workloads[0];
        assert_eq!(row.span.unwrap().length, Bytes::gib(1));
        assert_eq!(row.survey().unwrap().sample_count, 256);
    }

    #[test]
    fn what_is_small_has_the_rows_that_find_room() {
        let small = BurnInRequest {
            disks: vec![disk("a", Bytes::mib(1)), disk("b", Bytes::gib(1))],
            passes: 1,
            seal: 1,
        };
        let names = names(&small);
        assert_eq!(names[0], "WRITE @a+1 & WRITE @b+1");
        assert!(names.last().unwrap().contains("@b+1"), "{names:?}");
    }
}
