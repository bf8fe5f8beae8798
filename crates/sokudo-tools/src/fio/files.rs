//! Which files a job uses, and which part of each: fio's rules for names and sizes.

use std::collections::HashMap;
use std::fmt::{Display, Write as _};

use sokudo_model::{Bytes, FileUse, JobTargetKind, Span};

use crate::language::host::{Host, HostPathKind};

use super::failure::FioError;
use super::job::Job;
use super::numbers::Amount;
use super::planned::FioTargetSpec;

/// Files of all jobs together; each costs a descriptor and a name.
const USES_MAX: usize = 1 << 17;
/// fio's longest path (PATH_MAX).
const PATH_BYTES_MAX: usize = 4096;

/// Paths separated by colons; a colon in a name is `\:`.
pub(super) fn path_list(text: &str) -> Vec<String> {
    let mut paths = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, paths.last_mut()) {
            (':', _) => paths.push(String::new()),
            ('\\', Some(path)) if letters.peek() == Some(&':') => {
                letters.next();
                path.push(':');
            }
            (letter, Some(path)) => path.push(letter),
            (_, None) => {}
        }
    }
    let trimmed = paths.iter().map(|path| path.trim().to_owned());
    trimmed.filter(|path| !path.is_empty()).collect()
}

/// One thread's files, and how many bytes they come to.
pub(super) struct Placement {
    pub(super) uses: Vec<FileUse>,
    pub(super) names: Vec<String>,
    pub(super) bytes: u64,
    /// Of those, what one pass moves: whole blocks of each file.
    pub(super) whole_bytes: u64,
    /// How large the last file is, or will be.
    pub(super) file_bytes: u64,
}

/// A thread of a job: what its files' names and offsets depend on.
pub(super) struct FioThread<'a> {
    /// Its section's name, or what `--name` says.
    pub(super) section: &'a str,
    /// `$jobnum`: what names and offsets of threads go by.
    pub(super) job_number: u32,
    /// Smallest block of the thread, in bytes.
    pub(super) block: u64,
    /// A number of its own, for sizes by chance.
    pub(super) seed: u64,
}

/// What a file or device that is missing counts as where a job is only read, not run
/// (`--parse-only`): its machine may be another one.
const ELSEWHERE_BYTES: u64 = 1 << 50;

/// Every file of a plan once.
pub(super) struct Targets<'a> {
    host: &'a dyn Host,
    /// Size of what is missing.
    missing_bytes: u64,
    specs: Vec<FioTargetSpec>,
    numbers: HashMap<String, u32>,
    uses: usize,
}

impl<'a> Targets<'a> {
    /// `only_read` says that nothing of it will be run.
    pub(super) fn new(host: &'a dyn Host, only_read: bool) -> Self {
        Self {
            host,
            missing_bytes: if only_read { ELSEWHERE_BYTES } else { 0 },
            specs: Vec::new(),
            numbers: HashMap::new(),
            uses: 0,
        }
    }

    pub(super) fn host(&self) -> &'a dyn Host {
        self.host
    }

    pub(super) fn into_specs(self) -> Vec<FioTargetSpec> {
        self.specs
    }

    /// Finds the files of a thread, makes them targets and says which part it uses.
    pub(super) fn assign_files(
        &mut self,
        job: &Job,
        thread: &FioThread<'_>,
    ) -> Result<Placement, FioError> {
        let error = |sentence: String| FioError::of_job(thread.section, sentence);
        let names = self.names(job, thread);
        self.uses += names.len();
        if self.uses > USES_MAX {
            return Err(error(format!(
                "more than {USES_MAX} files for all jobs together; use fewer nrfiles or numjobs"
            )));
        }
        if let Some(long) = names.iter().find(|name| name.len() > PATH_BYTES_MAX) {
            let length = long.len();
            return Err(error(format!(
                "the name of a file has {length} bytes; shorten it"
            )));
        }
        let mut uses = Vec::new();
        let (mut bytes, mut whole_bytes): (u64, u64) = (0, 0);
        let count = names.len() as u64;
        let mut file_bytes = 0;
        for (index, name) in names.iter().enumerate() {
            self.is_no_directory(name).map_err(error)?;
            let (kind, there) = self.there(job, name);
            let file = ThreadFile {
                name,
                there,
                is_file: kind == JobTargetKind::File,
                index: index as u64,
                count,
            };
            let span = file.span(job, thread).map_err(error)?;
            if span.length.0 < thread.block && count > 1 {
                let (length, block) = (span.length.0, thread.block);
                return Err(error(format!(
                    "{name} has {length} bytes of size, less than one block of {block}; make size larger or bs smaller"
                )));
            }
            bytes = bytes.saturating_add(span.length.0);
            whole_bytes = whole_bytes.saturating_add(whole(span.length.0, thread.block));
            let end = span.offset.0.saturating_add(span.length.0);
            file_bytes = there.max(end);
            let target = self.target(job, thread, name, kind, end);
            uses.push(FileUse {
                target,
                span: Some(span),
            });
        }
        let bytes = match job.size {
            Some(Amount::Bytes(size)) => size.min(bytes),
            _ => bytes,
        };
        if bytes < thread.block {
            let block = thread.block;
            return Err(error(format!(
                "size is {bytes} bytes, less than one block of {block}; make size larger or bs smaller"
            )));
        }
        Ok(Placement {
            uses,
            names,
            bytes,
            whole_bytes: whole_bytes.min(whole(bytes, thread.block)),
            file_bytes,
        })
    }

    fn is_no_directory(&self, name: &str) -> Result<(), String> {
        let found = self.host.found(name).map(|found| found.kind);
        match self.missing_bytes == 0 && found == Some(HostPathKind::Directory) {
            true => Err(format!(
                "{name} is a directory; use directory={name} for files in it"
            )),
            false => Ok(()),
        }
    }

    fn names(&self, job: &Job, thread: &FioThread<'_>) -> Vec<String> {
        let count = job.file_count as usize;
        if !job.files.is_empty() {
            return job.files.iter().take(count).cloned().collect();
        }
        if count == 1
            && let Some(found) = self.host.found(thread.section)
            && matches!(found.kind, HostPathKind::BlockDevice | HostPathKind::Other)
        {
            return vec![thread.section.to_owned()];
        }
        let directories = &job.directories;
        let own = (thread.job_number as usize).checked_rem(directories.len());
        let directory = own.map(|index| format!("{}/", directories[index]));
        let directory = directory.unwrap_or_default();
        let name = |number| format!("{directory}{}", file_name(job, thread, number));
        // Far more than may be used; the caller refuses them.
        (0..count.min(USES_MAX + 1)).map(name).collect()
    }

    /// What is there, and how large; what earlier jobs lay out counts as there.
    fn there(&self, job: &Job, name: &str) -> (JobTargetKind, u64) {
        if job.engine == "null" {
            return (JobTargetKind::Null, 0);
        }
        let (kind, bytes) = match self.host.found(name) {
            Some(found) if found.kind == HostPathKind::BlockDevice => {
                (JobTargetKind::BlockDevice, found.bytes.0)
            }
            Some(found) if found.bytes.0 == 0 => (JobTargetKind::File, self.missing_bytes),
            Some(found) => (JobTargetKind::File, found.bytes.0),
            None => (JobTargetKind::File, self.missing_bytes),
        };
        let known = self
            .numbers
            .get(name)
            .map(|number| &self.specs[*number as usize]);
        (kind, known.map_or(bytes, |spec| spec.bytes.0.max(bytes)))
    }

    fn target(
        &mut self,
        job: &Job,
        thread: &FioThread<'_>,
        name: &str,
        kind: JobTargetKind,
        end: u64,
    ) -> u32 {
        let file = &job.file;
        let reads = job.access.reads || job.verify.only;
        let writes = job.access.changes_data() && !job.verify.only;
        // A file that only the null engine uses is not the same as one that is opened.
        let key = match kind {
            JobTargetKind::Null => format!("\0{name}"),
            _ => name.to_owned(),
        };
        let number = *self.numbers.entry(key).or_insert_with(|| {
            let number = u32::try_from(self.specs.len()).expect("files are limited far below 2^32");
            let holds = |directory: &&String| {
                let rest = name.strip_prefix(directory.as_str());
                rest.is_some_and(|rest| rest.starts_with('/'))
            };
            self.specs.push(FioTargetSpec {
                path: name.to_owned(),
                base: job
                    .directories
                    .iter()
                    .find(holds)
                    .cloned()
                    .unwrap_or_default(),
                kind,
                invalidate: false,
                job: thread.section.to_owned(),
                ..file.clone()
            });
            number
        });
        let spec = &mut self.specs[number as usize];
        spec.bytes = Bytes(spec.bytes.0.max(end));
        spec.written |= writes;
        spec.read |= reads;
        spec.overwrite |= file.overwrite_requested || reads;
        spec.create_on_open &= file.create_on_open;
        spec.unlink |= file.unlink;
        spec.pre_read |= file.pre_read;
        spec.invalidate |= file.invalidate && !file.pre_read;
        spec.allow_mounted_write |= file.allow_mounted_write;
        spec.overwrite_requested |= file.overwrite_requested;
        number
    }
}

/// `$jobname.$jobnum.$filenum` and what else the format says.
fn file_name(job: &Job, thread: &FioThread<'_>, number: usize) -> String {
    let words: [(&str, &dyn Display); 4] = [
        ("$jobname", &thread.section),
        ("$jobnum", &thread.job_number),
        ("$filenum", &number),
        ("$clientuid", &""),
    ];
    let mut name = String::new();
    let mut rest = job.name_format.as_str();
    while let Some(at) = rest.find('$') {
        name += &rest[..at];
        rest = &rest[at..];
        let starts = |word: &str| {
            let head = rest.get(..word.len());
            head.is_some_and(|head| head.eq_ignore_ascii_case(word))
        };
        let length = match words.iter().find(|(word, _)| starts(word)) {
            Some((word, value)) => {
                let _ = write!(name, "{value}");
                word.len()
            }
            None => {
                name.push('$');
                1
            }
        };
        rest = &rest[length..];
    }
    name + rest
}

/// One file of a thread.
struct ThreadFile<'a> {
    name: &'a str,
    /// Its size; 0 when it is not there.
    there: u64,
    is_file: bool,
    index: u64,
    count: u64,
}

impl ThreadFile<'_> {
    fn span(&self, job: &Job, thread: &FioThread<'_>) -> Result<Span, String> {
        let offset = self.offset(job, thread)?;
        let past_end = || {
            format!(
                "the offset {offset} lies behind the end of {}; make it smaller, or give a size",
                self.name
            )
        };
        let length = match (job.size, job.file_size) {
            (_, Some(sizes)) => {
                let size = file_size(sizes, thread, self.index);
                size.checked_sub(offset).ok_or_else(past_end)?
            }
            (Some(Amount::Bytes(size)), None) => self.share(size, thread.block),
            (Some(Amount::Percent(_)) | None, None) if self.there == 0 => {
                return Err(format!(
                    "{} does not exist, or is empty; say with size= how large it is to be",
                    self.name
                ));
            }
            (Some(Amount::Percent(_)) | None, None) => {
                self.there.checked_sub(offset).ok_or_else(past_end)?
            }
        };
        let length = match job.size {
            Some(Amount::Percent(percent)) if percent < 100 => {
                let whole = offset.saturating_add(length);
                let part = percent_of(percent, whole).min(length);
                part - part % thread.block
            }
            _ => length,
        };
        // A device does not grow.
        let is_fixed = !self.is_file && self.there > 0;
        let length = if is_fixed {
            length.min(self.there.checked_sub(offset).ok_or_else(past_end)?)
        } else {
            length
        };
        if offset
            .checked_add(length)
            .is_none_or(|end| end > i64::MAX as u64)
        {
            return Err(format!(
                "{} would be larger than any file may be",
                self.name
            ));
        }
        if length == 0 {
            return Err(past_end());
        }
        Ok(Span {
            offset: Bytes(offset),
            length: Bytes(length),
        })
    }

    /// fio gives each file the same to the byte, and what is left, where that comes to
    /// blocks, to the first ones.
    fn share(&self, size: u64, block: u64) -> u64 {
        let each = size / self.count;
        let extra = (size - each * self.count) / block;
        each + if self.index < extra { block } else { 0 }
    }

    fn offset(&self, job: &Job, thread: &FioThread<'_>) -> Result<u64, String> {
        let too_large = || "the offset is larger than any file may be".to_owned();
        let step = match job.offset_step {
            Amount::Bytes(step) => step,
            Amount::Percent(percent) => percent_of(percent, self.there),
        };
        let shift = step
            .checked_mul(u64::from(thread.job_number))
            .ok_or_else(too_large)?;
        match job.offset {
            Amount::Bytes(offset) => offset.checked_add(shift).ok_or_else(too_large),
            Amount::Percent(percent) => {
                let alignment = match job.offset_alignment {
                    0 => thread.block,
                    alignment => alignment,
                };
                percent_of(percent, self.there)
                    .checked_add(shift)
                    .and_then(|offset| offset.checked_next_multiple_of(alignment))
                    .ok_or_else(too_large)
            }
        }
    }
}

/// Bytes in whole blocks: what is left is not touched.
fn whole(bytes: u64, block: u64) -> u64 {
    bytes - bytes.checked_rem(block).unwrap_or(0)
}

fn percent_of(percent: u64, whole: u64) -> u64 {
    let part = u128::from(whole) * u128::from(percent) / 100;
    u64::try_from(part).expect("no more than the whole")
}

/// A size by chance, in whole blocks.
fn file_size((low, high): (u64, u64), thread: &FioThread<'_>, index: u64) -> u64 {
    if low == high {
        return low;
    }
    let size = low + mixed(thread.seed ^ index.rotate_left(32)) % (high - low + 1);
    (size - size % thread.block).max(low)
}

/// A number that looks random (the finalizer of SplitMix64).
pub(super) const fn mixed(seed: u64) -> u64 {
    let seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let seed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let seed = (seed ^ (seed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    seed ^ (seed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colons_separate_paths_unless_escaped() {
        assert_eq!(path_list("a:b"), ["a", "b"]);
        assert_eq!(
            path_list("/dev/by-path/0\\:1 : b"),
            ["/dev/by-path/0:1", "b"]
        );
        assert_eq!(path_list("::"), Vec::<String>::new());
        assert_eq!(path_list("a\\"), ["a\\"]);
    }
}
