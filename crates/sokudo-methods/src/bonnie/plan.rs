//! Bonnie++'s language: `-s size:chunk:seeks:seekers`, `-n number:max:min:directories`,
//! and the phases that they ask for.
//!
//! What a phase does is as Bonnie++ 2.00a does it, seen by tracing its system calls. It
//! has no `-c` (copies of everything at once) and no `-p`, `-y` (several processes in
//! step) here.

use std::str::FromStr;

use sokudo_model::{
    BackendKind, Bytes, DataContent, DirectMode, Durability, FileTree, Files, Limits, Method,
    MethodKind, Operation, OperationMix, Order, Plan, Span, TreeContents, TreeNames, TreeOrder,
    Work, Workload, narrow,
};
use sokudo_words::{Text, text};

pub static METHOD: MethodKind = MethodKind {
    name: "bonnie",
    command: "bonnie",
    is_named: false,
    traits: &[],
};

/// Chunk sizes that Bonnie++ takes.
pub const CHUNK_MIN: Bytes = Bytes(256);
pub const CHUNK_MAX: Bytes = Bytes::mib(1);
/// Chunk that Bonnie++ uses unless told.
pub const CHUNK_DEFAULT: Bytes = Bytes::kib(8);
/// How many seeks Bonnie++ does, all seekers together.
pub const SEEKS_DEFAULT: u64 = 8192;
/// How many seekers Bonnie++ starts.
pub const SEEKERS_DEFAULT: u32 = 5;
/// More seekers than any benchmark is known to use.
pub const SEEKERS_MAX: u32 = 1024;
/// Numbers of files are given in units of so many.
pub const FILES_UNIT: u64 = 1024;
/// A directory name has five digits.
pub const DIRECTORIES_MAX: u32 = 99_999;
/// Of every hundred seeks, so many write back what they have read.
const REWRITTEN_SEEKS_PERCENT: u32 = 10;
/// Names have ten hexadecimal digits, but nobody waits for so many files.
const FILES_MAX: u64 = 1 << 32;

/// One file and what is done to it (`-s`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSpec {
    /// Its size; `None` is the default, and 0 leaves these phases out.
    pub size: Option<Bytes>,
    /// How large one read or write is.
    pub chunk: Bytes,
    /// How many seeks, all seekers together.
    pub seeks: u64,
    /// Seekers at the same time.
    pub seekers: u32,
}

/// Files that are created, looked up and deleted (`-n`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilesSpec {
    /// How many, in units of [`FILES_UNIT`]; 0 leaves these phases out.
    pub number: u64,
    pub contents: TreeContents,
    /// Subdirectories; 0 is none.
    pub directories: u32,
    /// How large one read or write is.
    pub chunk: Bytes,
}

/// Why a specification could not be read.
#[derive(Clone, Debug, PartialEq, Eq, sokudo_words::Error)]
pub enum BonnieSpecError {
    /// A part is no number, or there are too many parts.
    #[error("\"{text}\" is not {what}; write {form}", what = Text::from(*what), form = Text::from(*form))]
    Malformed {
        text: String,
        /// What it should be.
        what: &'static str,
        /// How to write it.
        form: &'static str,
    },
    /// A part is out of its range.
    #[error("{what} is {value}; use {range}", what = Text::from(*what))]
    Range {
        what: &'static str,
        value: String,
        /// What it may be.
        range: Text,
    },
}

impl Default for FileSpec {
    fn default() -> Self {
        Self {
            size: None,
            chunk: CHUNK_DEFAULT,
            seeks: SEEKS_DEFAULT,
            seekers: SEEKERS_DEFAULT,
        }
    }
}

impl Default for FilesSpec {
    /// Bonnie++'s default, `-n 16`: 16 × 1024 empty files in one directory.
    fn default() -> Self {
        Self {
            number: 16,
            contents: TreeContents::Bytes { min: 0, max: 0 },
            directories: 0,
            chunk: CHUNK_DEFAULT,
        }
    }
}

/// Reads `16GiB:8k:8192:5`; what is left out is Bonnie++'s default. A plain number is
/// MiB, as Bonnie++ means it.
impl FromStr for FileSpec {
    type Err = BonnieSpecError;

    fn from_str(text: &str) -> Result<Self, BonnieSpecError> {
        let malformed = || BonnieSpecError::Malformed {
            text: text.to_owned(),
            what: "a file",
            form: "SIZE[:CHUNK[:SEEKS[:SEEKERS]]], such as 16GiB:8k:8192:5",
        };
        let part = parts(text, 4).ok_or_else(malformed)?;
        let mut spec = Self::default();
        if let Some(size) = part(0) {
            spec.size = Some(in_mebibytes(size).ok_or_else(malformed)?);
        }
        spec.chunk = checked_chunk(read_or(part(1), spec.chunk).ok_or_else(malformed)?)?;
        spec.seeks = read_or(part(2), spec.seeks).ok_or_else(malformed)?;
        spec.seekers = read_or(part(3), spec.seekers).ok_or_else(malformed)?;
        in_range(
            "the number of seekers",
            spec.seekers.into(),
            1,
            SEEKERS_MAX.into(),
        )?;
        if let Some(size) = spec.size
            && size.0 > 0
            && (size < Bytes::mib(1) || !size.0.is_multiple_of(spec.chunk.0))
        {
            return Err(BonnieSpecError::Range {
                what: "the file's size",
                value: size.to_string(),
                range: text!(
                    "0, or a multiple of the chunk, {}, from 1 MiB on",
                    spec.chunk
                ),
            });
        }
        Ok(spec)
    }
}

/// Reads `16:1024:0:4`; what is left out is Bonnie++'s default.
impl FromStr for FilesSpec {
    type Err = BonnieSpecError;

    fn from_str(text: &str) -> Result<Self, BonnieSpecError> {
        let malformed = || BonnieSpecError::Malformed {
            text: text.to_owned(),
            what: "a number of files",
            form: "N[:MAX[:MIN[:DIRECTORIES[:CHUNK]]]], N in units of 1024, such as 16:1024:0:4",
        };
        let part = parts(text, 5).ok_or_else(malformed)?;
        let number = part(0).and_then(|number| number.parse().ok());
        let number: u64 = number.ok_or_else(malformed)?;
        in_range(
            "the number of files, in units of 1024,",
            number,
            0,
            FILES_MAX / FILES_UNIT,
        )?;
        let size = |index: usize| -> Result<u32, BonnieSpecError> {
            let bytes = read_or(part(index), Bytes(0)).ok_or_else(malformed)?;
            in_range("the size of a file, in bytes,", bytes.0, 0, u32::MAX.into())?;
            Ok(narrow(bytes.0))
        };
        let contents = match part(1) {
            Some("-1" | "link") => TreeContents::HardLinks,
            Some("-2" | "symlink") => TreeContents::SymbolicLinks,
            _ => TreeContents::Bytes {
                max: size(1)?,
                min: size(2)?,
            },
        };
        if let TreeContents::Bytes { min, max } = contents {
            in_range(
                "the smallest size of a file, in bytes,",
                min.into(),
                0,
                max.into(),
            )?;
        }
        let directories: u32 = read_or(part(3), 0).ok_or_else(malformed)?;
        let most = u64::from(DIRECTORIES_MAX).min(number * FILES_UNIT);
        in_range("the number of directories", u64::from(directories), 0, most)?;
        let chunk = checked_chunk(read_or(part(4), CHUNK_DEFAULT).ok_or_else(malformed)?)?;
        Ok(Self {
            number,
            contents,
            directories,
            chunk,
        })
    }
}

/// What stands between colons by its place, where anything does; `None` of too many.
fn parts<'text>(text: &'text str, most: usize) -> Option<impl Fn(usize) -> Option<&'text str>> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_few = parts.len() <= most;
    is_few.then_some(move |at: usize| parts.get(at).copied().filter(|part| !part.is_empty()))
}

/// What a part says, or what holds without it.
fn read_or<T: FromStr>(part: Option<&str>, default: T) -> Option<T> {
    part.map_or(Some(default), |text| text.parse().ok())
}

/// A size in which a plain number is MiB.
fn in_mebibytes(text: &str) -> Option<Bytes> {
    match text.parse::<u64>() {
        Ok(number) => number.checked_mul(1 << 20).map(Bytes),
        Err(_) => text.parse().ok(),
    }
}

fn checked_chunk(chunk: Bytes) -> Result<Bytes, BonnieSpecError> {
    let possible = chunk.0.is_power_of_two() && (CHUNK_MIN..=CHUNK_MAX).contains(&chunk);
    possible
        .then_some(chunk)
        .ok_or_else(|| BonnieSpecError::Range {
            what: "the chunk",
            value: chunk.to_string(),
            range: text!("a power of two from {CHUNK_MIN} to {CHUNK_MAX}"),
        })
}

fn in_range(what: &'static str, value: u64, min: u64, max: u64) -> Result<(), BonnieSpecError> {
    (min..=max)
        .contains(&value)
        .then_some(())
        .ok_or_else(|| BonnieSpecError::Range {
            what,
            value: value.to_string(),
            range: text!("{min} to {max}"),
        })
}

/// All that decides what the phases are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phases {
    /// Size of the one file; `None` leaves its phases out.
    pub size: Option<Bytes>,
    /// What is done to it.
    pub file: FileSpec,
    /// How much is written and read one byte at a time; `None` leaves that out.
    pub characters: Option<Bytes>,
    pub files: FilesSpec,
    /// Every write is made durable by itself (`-b`).
    pub sync_each: bool,
    /// The page cache is bypassed by the phases that work in chunks (`-D`).
    pub direct: bool,
    /// Where all chance starts from.
    pub seed: u64,
}

impl Phases {
    /// One stage per phase, in Bonnie++'s order.
    pub fn plan(&self) -> Plan {
        let of_file = self.size.into_iter().flat_map(|size| self.of_file(size));
        let of_files = (self.files.number > 0).then(|| self.of_files());
        let workloads = of_file.chain(of_files.into_iter().flatten()).collect();
        Plan::in_turn(Method::new(&METHOD), self.seed, workloads)
    }

    fn of_file(&self, size: Bytes) -> Vec<Workload> {
        let characters = self.characters.map(|characters| characters.min(size));
        let by_character = |name, operation| {
            characters.map(|length| Workload {
                span: Some(Span::from_start(length)),
                direct: DirectMode::Off,
                // One byte is never unlike all others.
                data: DataContent::Repeated,
                ..self.in_file(name, OperationMix::only(operation), Bytes(1), length)
            })
        };
        let by_chunk = |name, operations| self.in_file(name, operations, self.file.chunk, size);
        let seeks_each = self.file.seeks.div_ceil(self.file.seekers.into());
        let seeks = Workload {
            threads: self.file.seekers,
            order: Order::Random { map: false },
            work: Work::Rewriting {
                percent: REWRITTEN_SEEKS_PERCENT,
            },
            limits: Limits {
                ios: Some(seeks_each),
                ..Limits::default()
            },
            // Every seeker of Bonnie++ calls fsync before it takes its time.
            durability: Durability {
                final_flush: true,
                ..Durability::default()
            },
            ..by_chunk("Seeks", rewriting(REWRITTEN_SEEKS_PERCENT))
        };
        let rewrite = Workload {
            work: Work::Rewriting { percent: 100 },
            ..by_chunk("Rewrite", rewriting(100))
        };
        let phases = [
            by_character("Per-char write", Operation::Write),
            Some(by_chunk(
                "Block write",
                OperationMix::only(Operation::Write),
            )),
            Some(rewrite),
            by_character("Per-char read", Operation::Read),
            Some(by_chunk("Block read", OperationMix::only(Operation::Read))),
            (self.file.seeks > 0).then_some(seeks),
        ];
        phases.into_iter().flatten().collect()
    }

    /// A workload that goes through the file once, from start to end.
    fn in_file(
        &self,
        name: &str,
        operations: OperationMix,
        block: Bytes,
        length: Bytes,
    ) -> Workload {
        let writes = operations.changes_data();
        let single = operations.single().is_some();
        Workload {
            // lseek, read and write, as Bonnie++ calls them.
            backend: BackendKind::Sync,
            direct: self.direct.into(),
            files: Files {
                from_empty: writes && single,
                ..Files::default()
            },
            limits: Limits::of_bytes(length),
            durability: Durability {
                fsync_every: (writes && self.sync_each && block.0 > 1).then_some(1),
                final_flush: writes,
                ..Durability::default()
            },
            operations,
            ..Workload::new(name, block)
        }
    }

    fn of_files(&self) -> Vec<Workload> {
        let tree = |names, order| FileTree {
            files: self.files.number * FILES_UNIT,
            contents: self.files.contents,
            directories: self.files.directories,
            names,
            order,
            sync_each: self.sync_each,
        };
        let phase = |name: &str, operation, names, order| Workload {
            backend: BackendKind::Sync,
            direct: DirectMode::Off,
            operations: OperationMix::only(operation),
            work: Work::Tree(tree(names, order)),
            ..Workload::new(name, self.files.chunk)
        };
        use Operation::{Create, Delete, Stat};
        use TreeNames::{NumberFirst, RandomFirst};
        use TreeOrder::{Listed, Numbered, Shuffled};
        vec![
            phase("Sequential create", Create, NumberFirst, Numbered),
            phase("Sequential stat", Stat, NumberFirst, Listed),
            phase("Sequential delete", Delete, NumberFirst, Listed),
            phase("Random create", Create, RandomFirst, Numbered),
            phase("Random stat", Stat, RandomFirst, Shuffled),
            phase("Random delete", Delete, RandomFirst, Shuffled),
        ]
    }
}

fn rewriting(percent: u32) -> OperationMix {
    OperationMix::rewriting(percent).expect("the percentage is a constant from 1 to 100")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phases() -> Phases {
        Phases {
            size: Some(Bytes::mib(64)),
            file: FileSpec::default(),
            characters: Some(Bytes::mib(1)),
            files: FilesSpec::default(),
            sync_each: false,
            direct: false,
            seed: 1,
        }
    }

    fn names(phases: &Phases) -> Vec<String> {
        let plan = phases.plan();
        plan.stages
            .iter()
            .map(|stage| stage.workloads[0].name.clone())
            .collect()
    }

    #[test]
    fn phases_come_in_bonnies_order() {
        let all = names(&phases());
        assert_eq!(
            all,
            [
                "Per-char write",
                "Block write",
                "Rewrite",
                "Per-char read",
                "Block read",
                "Seeks",
                "Sequential create",
                "Sequential stat",
                "Sequential delete",
                "Random create",
                "Random stat",
                "Random delete",
            ]
        );
        let fast = Phases {
            characters: None,
            ..phases()
        };
        assert_eq!(names(&fast).len(), 10);
        let files_only = Phases {
            size: None,
            ..phases()
        };
        assert_eq!(names(&files_only).len(), 6);
        let file_only = Phases {
            files: "0".parse().unwrap(),
            ..phases()
        };
        assert_eq!(names(&file_only).len(), 6);
    }

    #[test]
    fn every_phase_that_writes_the_file_ends_with_a_flush() {
        let plan = phases().plan();
        for index in [0, 1, 2, 5] {
            let workload = &plan.stages[index].workloads[0];
            assert!(workload.operations.changes_data(), "{}", workload.name);
            assert!(workload.durability.final_flush, "{}", workload.name);
        }
        let synced = Phases {
            sync_each: true,
            ..phases()
        };
        let plan = synced.plan();
        assert_eq!(plan.stages[1].workloads[0].durability.fsync_every, Some(1));
        assert!(plan.stages[6].workloads[0].tree().unwrap().sync_each);
    }

    #[test]
    fn sizes_are_read_as_bonnie_reads_them() {
        let spec: FileSpec = "256".parse().unwrap();
        assert_eq!(spec.size, Some(Bytes::mib(256)));
        let spec: FileSpec = "2g:64k:200:3".parse().unwrap();
        assert_eq!(
            (spec.size, spec.chunk, spec.seeks, spec.seekers),
            (Some(Bytes::gib(2)), Bytes::kib(64), 200, 3)
        );
        let spec: FileSpec = "8::64".parse().unwrap();
        assert_eq!((spec.chunk, spec.seeks), (CHUNK_DEFAULT, 64));
    }

    #[test]
    fn files_are_read_as_bonnie_reads_them() {
        let spec: FilesSpec = "4:1000:100:4".parse().unwrap();
        assert_eq!(
            spec.contents,
            TreeContents::Bytes {
                min: 100,
                max: 1000
            }
        );
        assert_eq!((spec.number, spec.directories), (4, 4));
        let links: FilesSpec = "1:-1".parse().unwrap();
        assert_eq!(links.contents, TreeContents::HardLinks);
        let links: FilesSpec = "1:-2::2".parse().unwrap();
        assert_eq!(
            (links.contents, links.directories),
            (TreeContents::SymbolicLinks, 2)
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_would() {
        for text in [
            "x",
            "8:3k",
            "8:128",
            "8:2M",
            "8:8k:many",
            "8:8k:9:0",
            "8:8k:1:1:1",
            "1k",
            "-1",
            "99999999999999999999",
        ] {
            let error = text.parse::<FileSpec>().expect_err(text);
            assert!(error.to_string().contains("; "), "{error}");
        }
        for text in [
            "",
            "x",
            "1:10:20",
            "1:-3",
            "1:1:1:1:1:1",
            "1:9g",
            "1:0:0:2000",
            "99999999999",
            "1:1:1:-1",
        ] {
            let error = text.parse::<FilesSpec>().expect_err(text);
            assert!(error.to_string().contains("; "), "{error}");
        }
    }
}
