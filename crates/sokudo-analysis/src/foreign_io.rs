//! More at the devices than was asked of them: explained by what is known of the
//! file system and the array, or done by somebody else.

mod culprit;
mod requests;

use sokudo_model::{ArrayState, Bytes, Operation};
use sokudo_words::{Text, text};

use crate::case::{RowContext, counted};
use crate::code::{Code, RuleResult};
use crate::rule::RowRule;
use crate::surroundings::level_name;
use crate::target::encoded_share;
use crate::threshold::{
    ARRIVED_RATIO_MAX, BACKGROUND_BYTES_PER_TRIAL_MAX, JOURNAL_BYTES_PER_WRITE_MAX,
    METADATA_READ_SHARE_MAX, OTHER_DIRECTION_SHARE_MAX,
};

use requests::OthersRequests;

pub(crate) const RULES: &[RowRule] = &[foreign_io, reads_explained, writes_explained];

/// What leaf devices moved beyond what the engine asked of them.
struct ForeignIo {
    operation: Operation,
    requested: u64,
    counted: u64,
    /// What explains it: a finding and its cause.
    explanation: Option<(Code, Text)>,
}

impl ForeignIo {
    /// Bytes beyond what was asked for.
    fn bytes(&self) -> Bytes {
        Bytes(self.counted.saturating_sub(self.requested))
    }

    fn symptom(&self) -> Text {
        let (engine_bytes, device_bytes) = (Bytes(self.requested), Bytes(self.counted));
        let more_percent = (self.counted as f64 / self.requested as f64 - 1.0) * 100.0;
        match (self.operation, self.requested) {
            (Operation::Read, 0) => {
                text!("sokudo read nothing, but the devices read {device_bytes}")
            }
            (Operation::Read, _) => text!(
                "the devices read {device_bytes}, {more_percent:.1} % more than the {engine_bytes} \
                 that sokudo asked for"
            ),
            (_, 0) => text!("sokudo wrote nothing, but the devices wrote {device_bytes}"),
            _ => text!(
                "the devices wrote {device_bytes}, {more_percent:.1} % more than the \
                 {engine_bytes} that sokudo asked for"
            ),
        }
    }
}

/// Whether somebody else used the devices, so that their counts are not the row's alone.
pub(crate) fn is_shared(case: &RowContext<'_>) -> bool {
    unexplained(case).next().is_some() || requests_of_others(case).next().is_some()
}

fn requests_of_others(case: &RowContext<'_>) -> impl Iterator<Item = OthersRequests> {
    [Operation::Read, Operation::Write]
        .into_iter()
        // What bytes tell needs no requests, and what explains the bytes explains these.
        .filter(|operation| surplus(case, *operation).is_none())
        .filter_map(|operation| requests::of_others(case, operation))
}

fn unexplained(case: &RowContext<'_>) -> impl Iterator<Item = ForeignIo> {
    [Operation::Read, Operation::Write]
        .into_iter()
        .filter_map(|operation| surplus(case, operation))
        .filter(|surplus| surplus.explanation.is_none())
}

/// Somebody else used the devices, as far as is known.
fn foreign_io(case: &RowContext<'_>) -> Option<RuleResult> {
    let unexplained: Vec<ForeignIo> = unexplained(case).collect();
    let of_bytes = unexplained.iter();
    let mut seen: Vec<(Operation, Bytes, Text)> = of_bytes
        .map(|surplus| (surplus.operation, surplus.bytes(), surplus.symptom()))
        .collect();
    let of_requests = requests_of_others(case);
    seen.extend(of_requests.map(|others| (others.operation, others.bytes, others.symptom())));
    if seen.is_empty() {
        return None;
    }
    let beyond: Vec<(Operation, Bytes)> = seen.iter().map(|(it, bytes, _)| (*it, *bytes)).collect();
    let (cause, remedy) = culprit::cause(case, &beyond);
    let symptoms = seen.into_iter().map(|(.., symptom)| symptom);
    Some(RuleResult::new(
        Code::ForeignIo,
        Text::list(symptoms, "; "),
        cause,
        remedy,
    ))
}

/// Whether the devices read what writes of the row needed.
pub(crate) fn reads_for_writes(case: &RowContext<'_>) -> bool {
    let explanation = surplus(case, Operation::Read).and_then(|surplus| surplus.explanation);
    explanation.is_some_and(|(code, _)| code == Code::ReadModifyWrite)
}

fn reads_explained(case: &RowContext<'_>) -> Option<RuleResult> {
    explained(case, Operation::Read)
}

fn writes_explained(case: &RowContext<'_>) -> Option<RuleResult> {
    explained(case, Operation::Write)
}

fn explained(case: &RowContext<'_>, operation: Operation) -> Option<RuleResult> {
    let surplus = surplus(case, operation)?;
    let (code, cause) = surplus.explanation.clone()?;
    let stripe = parity_array(case).and_then(ArrayState::stripe_bytes);
    let remedy = match (code, stripe) {
        (Code::ReadModifyWrite, Some(stripe)) => {
            text!("write whole stripes: blocks of {stripe} or multiples of it")
        }
        (Code::ReadModifyWrite, None) => {
            Text::from("use blocks that are whole stripes, sectors or pages")
        }
        _ => Text::from(
            "nothing to do: the figure is what a program gets; the device itself did more",
        ),
    };
    Some(RuleResult::new(code, surplus.symptom(), cause, remedy))
}

/// What the devices moved in one direction beyond what was asked and what always
/// happens on a quiet system.
fn surplus(case: &RowContext<'_>, operation: Operation) -> Option<ForeignIo> {
    let device = case.device()?;
    let counted = counted(&device, operation)?;
    let requested = case.moved(operation);
    let both = case.moved(Operation::Read) + case.moved(Operation::Write);
    if both == 0 {
        return None;
    }
    let background =
        BACKGROUND_BYTES_PER_TRIAL_MAX * case.row.trials.len() as u64 + device.uncertain_bytes.0;
    let allowed = if requested > 0 {
        requested as f64 * ARRIVED_RATIO_MAX
    } else {
        both as f64 * OTHER_DIRECTION_SHARE_MAX
    };
    let in_vain = case.without_answer();
    (counted as f64 > allowed + background as f64 + in_vain as f64).then(|| {
        let mut surplus = ForeignIo {
            operation,
            requested,
            counted,
            explanation: None,
        };
        surplus.explanation = match operation {
            Operation::Read => explain_reads(case, &surplus),
            _ => explain_writes(case, &surplus),
        };
        surplus
    })
}

fn explain_reads(case: &RowContext<'_>, surplus: &ForeignIo) -> Option<(Code, Text)> {
    let is_of_others = case.copies_on_write() && is_of_processes(case, surplus);
    if case.asks(Operation::Write)
        && !is_of_others
        && let Some(cause) = read_modify_write(case)
    {
        return Some((Code::ReadModifyWrite, cause));
    }
    if surplus.requested == 0 {
        return None;
    }
    let amplified = |cause: &'static str| Some((Code::ReadAmplification, Text::from(cause)));
    if !case.direct() {
        amplified("the kernel reads ahead of what is asked for")
    } else if encoded_share(case) > 0.0 {
        amplified("a compressed extent is read whole, however little of it is asked for")
    } else if case.copies_on_write() && surplus.bytes() <= metadata_max(case) {
        amplified("the file system also reads its checksums and block metadata")
    } else {
        None
    }
}

/// Why writes make the devices read.
fn read_modify_write(case: &RowContext<'_>) -> Option<Text> {
    let block = case.row.workload.blocks.smallest();
    let smaller_than_sector = case
        .target()
        .leaves()
        .filter_map(|leaf| leaf.physical_block_bytes)
        .any(|sector| block < sector);
    if let Some(array) = parity_array(case) {
        let cause = text!(
            "{array}: a write smaller than a stripe makes it read what the new parity is computed \
             from",
            array = description(array)
        );
        return Some(with_writes_per_write(cause, case));
    }
    let why = if case.several_leaves() && case.arrays().next().is_none() {
        "a write smaller than a stripe makes an array with parity read the rest first"
    } else if case.copies_on_write() {
        "a copy-on-write file system reads the metadata of the blocks it replaces"
    } else if smaller_than_sector {
        "a write smaller than the device's physical block makes the device read the rest of it"
    } else if !case.direct() {
        "a buffered write of part of a page makes the kernel read the rest of it"
    } else {
        return None;
    };
    Some(Text::from(why))
}

fn parity_array<'a>(case: &RowContext<'a>) -> Option<&'a ArrayState> {
    case.arrays().find(|array| array.has_parity())
}

/// `md0 is a RAID 5 of 4 members with chunks of 512 KiB`.
fn description(array: &ArrayState) -> Text {
    let (name, level) = (&array.name, level_name(array));
    match (array.members, array.chunk_bytes) {
        (Some(members), Some(chunk)) => {
            text!("{name} is a {level} of {members} members with chunks of {chunk}")
        }
        (Some(members), None) => text!("{name} is a {level} of {members} members"),
        (None, Some(chunk)) => text!("{name} is a {level} with chunks of {chunk}"),
        (None, None) => text!("{name} is a {level}"),
    }
}

/// The same with what the members counted per write of the row, where it is known.
fn with_writes_per_write(cause: Text, case: &RowContext<'_>) -> Text {
    let writes = case.requested(Operation::Write);
    let Some(device) = case.device().filter(|_| writes > 0) else {
        return cause;
    };
    let counted = text!(
        "the members counted {reads_per_write:.1} reads and {writes_per_write:.1} writes per write \
         of {block}",
        reads_per_write = device.read_ios as f64 / writes as f64,
        writes_per_write = device.written_ios.saturating_sub(device.flushes) as f64 / writes as f64,
        block = case.row.workload.blocks.smallest()
    );
    Text::list([cause, counted], "; ")
}

fn explain_writes(case: &RowContext<'_>, surplus: &ForeignIo) -> Option<(Code, Text)> {
    let amplified = |cause: &'static str| Some((Code::WriteAmplification, Text::from(cause)));
    let writes = case.requested(Operation::Write);
    let journal_max = Bytes(writes.saturating_mul(JOURNAL_BYTES_PER_WRITE_MAX));
    if surplus.requested == 0 {
        let others_write = case.run.rows.iter().any(|row| {
            row.workload.operations.percent(Operation::Write) > 0 && !row.trials.is_empty()
        });
        return (case.copies_on_write() && others_write && !is_of_processes(case, surplus))
            .then_some("the file system writes the block metadata of earlier write rows late")
            .and_then(amplified);
    }
    if let Some(array) = case.arrays().next().filter(|_| case.several_leaves()) {
        let array_words = description(array);
        let cause = match array.has_parity() {
            true => text!(
                "{array}: it writes parity beside the data",
                array = array_words
            ),
            false => text!("{array}: it writes copies of the data", array = array_words),
        };
        Some((Code::WriteAmplification, with_writes_per_write(cause, case)))
    } else if case.several_leaves() {
        amplified("an array writes copies or parity beside the data")
    } else if is_of_processes(case, surplus) {
        None
    } else if case.copies_on_write() {
        amplified("a copy-on-write file system writes new block metadata with the data")
    } else if case.journals() && surplus.bytes() <= journal_max {
        amplified("the file system writes its journal beside the data")
    } else {
        None
    }
}

/// Whether other processes moved at least half of it, so that the file system is not what
/// explains it. A row that flushes makes it write records of its own, whoever else writes.
fn is_of_processes(case: &RowContext<'_>, surplus: &ForeignIo) -> bool {
    !requests::commits(case)
        && culprit::processes_moved(case, surplus.operation) >= surplus.bytes().0.div_ceil(2)
}

/// The most metadata that a copy-on-write file system can need for the file.
#[expect(clippy::cast_possible_truncation, reason = "a share of a size")]
fn metadata_max(case: &RowContext<'_>) -> Bytes {
    let size = case.target().size_bytes.unwrap_or_default();
    Bytes((size.0 as f64 * METADATA_READ_SHARE_MAX) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{
        buffered, check, device, each_count, large_writes, mix, on_file_system, reads, reads_with,
        says, spoilt, text_of, writes, writes_with,
    };
    use sokudo_model::Verdict::{Unverified, Verified};
    use sokudo_model::{BlockDeviceKind, ForeignUse, ForeignUser, Run};

    /// One trial of a sample moves 40.96 MB in small blocks.
    const READ: u64 = 40_960_000;

    fn more_reads(bytes: u64) -> impl Fn(&mut Run) {
        move |run| each_count(run, |device| device.read_bytes += bytes)
    }

    fn more_writes(bytes: u64) -> impl Fn(&mut Run) {
        move |run| each_count(run, |device| device.written_bytes += bytes)
    }

    fn two_disks(run: &mut Run) {
        run.target.devices = vec![
            device("md0", BlockDeviceKind::Raid, false),
            device("sda", BlockDeviceKind::Disk, true),
            device("sdb", BlockDeviceKind::Disk, true),
        ];
    }

    #[test]
    fn reads_of_others_are_told_from_the_background() {
        let allowed = READ / 50 + BACKGROUND_BYTES_PER_TRIAL_MAX;
        check! {
            "background": reads_with(more_reads(allowed - 1_000)) => [], Verified;
            "others": reads_with(more_reads(allowed + 1_000)) => ["foreign-io"], Unverified;
        }
        says(
            reads_with(more_reads(READ)),
            "foreign-io",
            &["100.0 % more than the"],
        );
    }

    #[test]
    fn traffic_in_the_other_direction_is_foreign() {
        let allowed = READ / 50 + BACKGROUND_BYTES_PER_TRIAL_MAX;
        check! {
            "a log line": reads_with(more_writes(allowed - 1_000)) => [], Verified;
            "a copy": reads_with(more_writes(allowed + 1_000)) => ["foreign-io"], Unverified;
            "reads": writes_with(more_reads(READ)) => ["foreign-io"], Unverified;
            "both of a mix": spoilt(mix(), more_reads(READ)) => ["foreign-io"], Unverified;
        }
        says(
            reads_with(more_writes(READ)),
            "foreign-io",
            &["^sokudo wrote nothing, but the devices wrote"],
        );
    }

    #[test]
    fn a_journal_explains_as_much_as_it_can_write() {
        let five_fold = more_writes(4 * READ);
        let six_fold = more_writes(5 * READ);
        let large = |bytes: u64| spoilt(large_writes(), more_writes(bytes));
        let one_trial = 10_000 * Bytes::MIB;
        check! {
            "small": writes_with(&five_fold) => ["write-amplification"], Verified;
            "too much": writes_with(six_fold) => ["foreign-io"], Unverified;
            "large": large(one_trial / 20) => ["foreign-io"], Unverified;
            "no journal": writes_with(|run| {
                five_fold(run);
                on_file_system(run, "ext2");
            }) => ["foreign-io"], Unverified;
            "device": writes_with(|run| {
                five_fold(run);
                run.target.file_system = None;
            }) => ["foreign-io"], Unverified;
        }
    }

    /// The run with a process, or a thread of the kernel, that moves so many bytes per trial.
    fn beside(run: Run, bytes: u64, kernel: bool) -> Run {
        spoilt(run, |run| {
            for trial in &mut run.rows[0].trials {
                trial.evidence.foreign = Some(ForeignUse {
                    users: vec![ForeignUser {
                        pid: 10,
                        name: "cargo".to_owned(),
                        kernel,
                        read_bytes: bytes,
                        written_bytes: bytes,
                    }],
                    hidden: 0,
                });
            }
        })
    }

    #[test]
    fn what_processes_were_seen_to_write_is_not_the_file_systems() {
        let with = |run: Run, change: &dyn Fn(&mut Run), bytes: u64, kernel: bool| {
            beside(spoilt(run, change), bytes, kernel)
        };
        let double = || writes_with(more_writes(READ));
        let btrfs = |run: &mut Run| on_file_system(run, "btrfs");
        let both_rows = |run: &mut Run| {
            run.rows.push(writes().rows.remove(0));
            on_file_system(run, "btrfs");
        };
        let foreign: &[&str] = &["foreign-io"];
        let explained: &[&str] = &["write-amplification"];
        check! {
            "half of a journal": with(double(), &|_| (), READ / 2, false) => foreign, Unverified;
            "less": with(double(), &|_| (), READ / 2 - 1, false) => explained, Verified;
            "the journal's thread": with(double(), &|_| (), READ, true) => explained, Verified;
            "records": with(double(), &btrfs, READ, false) => foreign, Unverified;
            "late records":
                with(reads_with(more_writes(READ)), &both_rows, READ, false) => foreign, Unverified;
            "records that are replaced":
                with(writes_with(more_reads(READ)), &btrfs, READ, false) => foreign, Unverified;
            "a row that writes through": with(
                double(),
                &|run| run.rows[0].workload.durability.write_through = true,
                READ,
                false,
            ) => explained, Verified;
        }
    }

    #[test]
    fn copies_and_parity_are_amplification() {
        let on = |run: Run, kind: &'static str| spoilt(run, |run| on_file_system(run, kind));
        let double = || writes_with(more_writes(READ));
        check! {
            "btrfs": on(double(), "btrfs") => ["write-amplification"], Verified,
                "100.0 % more than the";
            "mirror": spoilt(spoilt(large_writes(), two_disks), |run| {
                each_count(run, |device| device.written_bytes *= 2);
            }) => ["write-amplification"], Verified;
            "reads of a mirror":
                spoilt(reads_with(more_reads(READ)), two_disks) => ["foreign-io"], Unverified;
        }
    }

    #[test]
    fn reads_that_writes_need_are_not_foreign() {
        let reading = |change: fn(&mut Run)| spoilt(writes_with(more_reads(READ)), change);
        check! {
            "parity": reading(two_disks) => ["read-modify-write"], Verified;
            "copy on write":
                reading(|run| on_file_system(run, "btrfs")) => ["read-modify-write"], Verified;
            "small sectors": reading(|run| run.target.devices[1].physical_block_bytes = Some(Bytes::kib(16)))
                => ["read-modify-write"], Verified;
            "part of a page":
                reading(buffered) => ["buffered-writes", "read-modify-write"], Unverified;
        }
    }

    /// Three members of an array of this level, two disks of which are leaves here.
    fn array_of(level: &'static str) -> impl Fn(&mut Run) {
        move |run| {
            two_disks(run);
            run.conditions.arrays.push(ArrayState {
                name: "md0".into(),
                level: Some(level.into()),
                chunk_bytes: Some(Bytes::kib(64)),
                members: Some(3),
                ..ArrayState::default()
            });
        }
    }

    #[test]
    fn an_array_tells_what_a_write_costs_its_members() {
        let on = |level: &'static str| {
            writes_with(|run| {
                array_of(level)(run);
                each_count(run, |device| {
                    device.read_ios = 20_000;
                    device.read_bytes = 2 * READ;
                    device.written_ios = 2 * device.written_ios + 5;
                    device.flushes = 5;
                    device.written_bytes *= 2;
                });
            })
        };
        let text = text_of(on("raid5"), "read-modify-write");
        let expected = "md0 is a RAID 5 of 3 members with chunks of 64 KiB: a write smaller than a \
                        stripe makes it read what the new parity is computed from; the members \
                        counted 2.0 reads and 2.0 writes per write of 4 KiB";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("blocks of 128 KiB"), "{text}");
        says(
            on("raid5"),
            "write-amplification",
            &["it writes parity beside the data"],
        );
        says(
            on("raid1"),
            "write-amplification",
            &["it writes copies of the data"],
        );
        // A mirror has no reason to read for a write.
        check! {
            "mirror": on("raid1") => ["foreign-io", "write-amplification"], Unverified;
        }
    }

    #[test]
    fn what_a_file_system_reads_beside_a_file_is_not_foreign() {
        let reading =
            |bytes: u64, change: fn(&mut Run)| spoilt(reads_with(more_reads(bytes)), change);
        check! {
            "read-ahead": reading(READ, buffered) => ["read-amplification"], Verified;
            "checksums": reading(5 * Bytes::MIB, |run| on_file_system(run, "btrfs"))
                => ["read-amplification"], Verified;
            "more than checksums": reading(20 * Bytes::MIB, |run| on_file_system(run, "btrfs"))
                => ["foreign-io"], Unverified;
            "compressed extents": reading(READ, |run| {
                run.target.file_state.as_mut().unwrap().encoded_bytes = Bytes::gib(1);
            }) => ["compressed-file", "read-amplification"], Unverified;
        }
    }

    #[test]
    fn records_of_earlier_write_rows_are_written_late_on_copy_on_write_only() {
        let both_rows = |kind: &'static str| {
            reads_with(|run| {
                run.rows.push(writes().rows.remove(0));
                on_file_system(run, kind);
                more_writes(READ)(run);
            })
        };
        check! {
            "btrfs": both_rows("btrfs") => ["write-amplification"], Verified;
            "ext4": both_rows("ext4") => ["foreign-io"], Unverified;
            "btrfs without write rows": spoilt(reads_with(more_writes(READ)), |run| {
                on_file_system(run, "btrfs")
            }) => ["foreign-io"], Unverified;
            "quiet": reads() => [], Verified;
        }
    }
}
