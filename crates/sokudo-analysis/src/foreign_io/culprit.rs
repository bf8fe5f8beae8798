//! Who used the devices besides the row, as far as that can be seen.

use sokudo_model::{BlockDeviceKind, Bytes, ForeignUse, ForeignUser, Operation};

use sokudo_words::{Text, text};

use crate::case::RowContext;
use crate::surroundings::action_name;
use crate::threshold::CULPRIT_SHARE_MIN;

/// Processes that are named.
const NAMED_MAX: usize = 3;

/// What else may have used the devices where no process can be named.
const WHOEVER: &str = "something else used the same devices during the trials: another program, or the file system itself, as in the first minutes after it is made";

/// What caused so many bytes beyond a row's own, and what to do about it.
pub(super) fn cause(case: &RowContext<'_>, beyond: &[(Operation, Bytes)]) -> (Text, Text) {
    let look = Text::from("stop what else uses the disk (iotop shows it), and measure again");
    if let Some((name, action)) = working_array(case) {
        return (
            text!("{array} was {action} around the run", array = name),
            Text::from("wait until it has ended (cat /proc/mdstat), and measure again"),
        );
    }
    let Some(seen) = seen(case) else {
        return (Text::from(WHOEVER), look);
    };
    let named = named(case, &seen, beyond);
    if !named.is_empty() {
        return (
            text!(
                "other programs used this disk or another one during the trials: {programs}",
                programs = Text::list(named, "; ")
            ),
            Text::from("stop these programs and measure again"),
        );
    }
    if seen.hidden > 0 {
        return (
            text!(
                "{who}; no process that sokudo may inspect did this ({hidden} it may not inspect)",
                who = Text::from(WHOEVER),
                hidden = seen.hidden
            ),
            Text::from(
                "measure as root, who sees the I/O of all processes; or stop what else uses the \
                 disk (iotop shows it)",
            ),
        );
    }
    (
        Text::from(
            "something that sokudo cannot see used the same devices during the trials: another container or machine, a program that has ended, the kernel, or the file system itself, as in the first minutes after it is made",
        ),
        look,
    )
}

/// An array under the target that does something by itself.
fn working_array<'a>(case: &RowContext<'a>) -> Option<(&'a str, Text)> {
    case.arrays()
        .find_map(|array| Some((array.name.as_str(), action_name(array.action.as_deref()?))))
}

/// What was seen in all trials together; `None` where nobody looked.
fn seen(case: &RowContext<'_>) -> Option<ForeignUse> {
    let mut trials = case.row.trials.iter();
    let looked = trials.try_fold(ForeignUse::default(), |sum, trial| {
        Some(sum.plus(trial.evidence.foreign.as_ref()?))
    });
    looked.filter(|_| !case.row.trials.is_empty())
}

/// Those who moved a good part of the bytes in question, most first, in words.
fn named(case: &RowContext<'_>, seen: &ForeignUse, beyond: &[(Operation, Bytes)]) -> Vec<Text> {
    // A worker of the kernel carries our own I/O to the file of a loop device.
    let has_loop = case
        .target()
        .devices
        .iter()
        .any(|device| device.kind == BlockDeviceKind::Loop);
    let moved = |user: &ForeignUser| -> u64 {
        let parts = beyond.iter().filter_map(|(operation, bytes)| {
            let moved = bytes_of(user, *operation);
            (moved as f64 >= bytes.0 as f64 * CULPRIT_SHARE_MIN).then_some(moved)
        });
        parts.sum()
    };
    let mut users: Vec<(&ForeignUser, u64)> = seen
        .users
        .iter()
        .filter(|user| !(user.kernel && has_loop))
        .map(|user| (user, moved(user)))
        .filter(|(_, moved)| *moved > 0)
        .collect();
    // Workers of the kernel also carry what processes ask for.
    let all_of = |kernel| -> u64 {
        let users = users.iter().filter(|(user, _)| user.kernel == kernel);
        users.map(|(_, moved)| moved).sum()
    };
    if all_of(false) >= all_of(true) {
        users.retain(|(user, _)| !user.kernel);
    }
    users.sort_by_key(|(user, moved)| (std::cmp::Reverse(*moved), user.pid));
    let users = users.into_iter().take(NAMED_MAX);
    users.map(|(user, _)| in_words(user)).collect()
}

/// What processes were seen to move, without threads of the kernel.
pub(super) fn processes_moved(case: &RowContext<'_>, operation: Operation) -> u64 {
    let seen = seen(case).unwrap_or_default();
    let users = seen.users.iter().filter(|user| !user.kernel);
    users.map(|user| bytes_of(user, operation)).sum()
}

fn bytes_of(user: &ForeignUser, operation: Operation) -> u64 {
    match operation {
        Operation::Read => user.read_bytes,
        _ => user.written_bytes,
    }
}

/// `postgres (process 812) wrote 1.2 GiB`.
fn in_words(user: &ForeignUser) -> Text {
    let (name, pid) = (&user.name, user.pid);
    let who = match user.kernel {
        true => text!("{name} (kernel thread {pid})"),
        false if name == "sokudo" => text!("another sokudo (process {pid})"),
        false => text!("{name} (process {pid})"),
    };
    let (read_bytes, written_bytes) = (Bytes(user.read_bytes), Bytes(user.written_bytes));
    match (user.read_bytes, user.written_bytes) {
        (_, 0) => text!("{who} read {read_bytes}"),
        (0, _) => text!("{who} wrote {written_bytes}"),
        _ => text!("{who} read {read_bytes} and wrote {written_bytes}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{device, each_count, reads_with, text_of};
    use sokudo_model::{ArrayState, Run};

    const MIB: u64 = 1 << 20;

    fn user(name: &str, pid: u32, read: u64, written: u64) -> ForeignUser {
        ForeignUser {
            pid,
            name: name.to_owned(),
            kernel: name.starts_with('k'),
            read_bytes: read,
            written_bytes: written,
        }
    }

    /// Foreign reads of 40 MiB per trial, with these processes in one of six.
    fn text(users: Vec<ForeignUser>, hidden: u64, change: fn(&mut Run)) -> String {
        let run = reads_with(|run| {
            each_count(run, |device| device.read_bytes += 40 * MIB);
            for trial in &mut run.rows[0].trials {
                trial.evidence.foreign = Some(ForeignUse {
                    users: Vec::new(),
                    hidden,
                });
            }
            run.rows[0].trials[2].evidence.foreign = Some(ForeignUse { users, hidden });
            change(run);
        });
        text_of(run, "foreign-io")
    }

    #[test]
    fn up_to_three_who_did_most_are_named_with_their_bytes() {
        let users = vec![
            user("small", 9, MIB, 0),
            user("writer", 10, 0, 900 * MIB),
            user("postgres", 812, 200 * MIB, 5 * MIB),
            user("a", 1, 20 * MIB, 0),
            user("b", 2, 30 * MIB, 0),
            user("c", 3, 15 * MIB, 0),
        ];
        let text = text(users, 0, |_| ());
        let expected = "postgres (process 812) read 200 MiB and wrote 5 MiB; b (process 2) read \
                        30 MiB; a (process 1) read 20 MiB |";
        assert!(text.contains(expected), "{text}");
        assert!(
            !text.contains("writer"),
            "writes are not what was seen: {text}"
        );
    }

    #[test]
    fn who_did_it_is_said_in_japanese() {
        let in_japanese =
            |user: ForeignUser| in_words(&user).in_language(sokudo_words::Language::Japanese);
        assert_eq!(
            in_japanese(user("read", 1, MIB, 0)),
            "read (プロセス 1) が 1 MiB を読んだ"
        );
        assert_eq!(
            in_japanese(user("kworker", 5, MIB, MIB)),
            "kworker (カーネルスレッド 5) が 1 MiB を読み、1 MiB を書いた"
        );
    }

    #[test]
    fn threads_of_the_kernel_are_named_but_not_those_that_serve_our_loop_device() {
        let users = || vec![user("kworker/0:1", 5, 200 * MIB, 0)];
        let plain = text(users(), 0, |_| ());
        assert!(plain.contains("kworker/0:1 (kernel thread 5)"), "{plain}");
        let looped = text(users(), 0, |run| {
            let mut device = device("loop0", BlockDeviceKind::Loop, false);
            device.backing_direct = Some(true);
            run.target.devices.insert(0, device);
        });
        assert!(
            looped.contains("something that sokudo cannot see"),
            "{looped}"
        );
    }

    #[test]
    fn threads_of_the_kernel_that_carry_what_processes_ask_for_are_not_named() {
        let users = |worker: u64| {
            vec![
                user("fio", 6, 200 * MIB, 0),
                user("kworker/0:1", 5, worker * MIB, 0),
            ]
        };
        let carried = text(users(200), 0, |_| ());
        assert!(carried.contains("fio (process 6)"), "{carried}");
        assert!(!carried.contains("kworker"), "{carried}");
        let more = text(users(201), 0, |_| ());
        assert!(more.contains("kworker/0:1"), "{more}");
    }

    #[test]
    fn who_cannot_be_seen_is_told_as_such() {
        let hidden = text(vec![user("small", 9, MIB, 0)], 17, |_| ());
        assert!(hidden.contains("17 it may not inspect"), "{hidden}");
        assert!(hidden.contains("measure as root"), "{hidden}");
        let nobody = text(Vec::new(), 0, |_| ());
        assert!(nobody.contains("another container"), "{nobody}");
        let unlooked = text(Vec::new(), 0, |run| {
            run.rows[0].trials[0].evidence.foreign = None;
        });
        assert!(
            unlooked.contains("another program, or the file system"),
            "{unlooked}"
        );
    }

    #[test]
    fn an_array_that_rebuilds_is_the_cause() {
        let text = text(vec![user("x", 9, 900 * MIB, 0)], 0, |run| {
            run.target
                .devices
                .insert(0, device("md0", BlockDeviceKind::Raid, false));
            run.conditions.arrays.push(ArrayState {
                name: "md0".into(),
                action: Some("recover".into()),
                ..ArrayState::default()
            });
        });
        assert!(text.contains("md0 was being rebuilt"), "{text}");
    }
}
