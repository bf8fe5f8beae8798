//! Under the limits that shells and containers set.

use std::fs;

use crate::control_group::ControlGroup;
use crate::nobody::Nobody;
use crate::sokudo::{codes, directory_on_disk, end, has, results, shell, skip, sokudo};

/// Denies a system call, whose number is in `NUMBER`, with the error in `ERRNO` to the
/// program that it then becomes, as container runtimes do.
const WITHOUT_CALL: &str = r#"
import ctypes, os, struct, sys
library = ctypes.CDLL(None, use_errno=True)
statement = lambda code, if_true, if_false, value: struct.pack("=HBBI", code, if_true, if_false, value)
ALLOW, DENY = 0x7FFF0000, 0x00050000 | int(os.environ["ERRNO"])
program = ctypes.create_string_buffer(
    statement(0x20, 0, 0, 0)           # the number of the system call
    + statement(0x15, 0, 1, int(os.environ["NUMBER"]))
    + statement(0x06, 0, 0, DENY)
    + statement(0x06, 0, 0, ALLOW)
)
filter = ctypes.create_string_buffer(struct.pack("@HP", 4, ctypes.addressof(program)))
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
if library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or library.prctl(
    PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter, 0, 0
):
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"#;

/// What [`WITHOUT_CALL`] exits with where nothing can be denied.
const CANNOT_DENY: i32 = 77;

#[test]
fn where_io_uring_is_denied_libaio_is_used_and_told() {
    if !has("python3") {
        return skip("python3, which denies io_uring for this test, is not installed");
    }
    let without = |[number, errno]: [u32; 2], engine: &str| {
        let directory = tempfile::tempdir().unwrap();
        let script = format!(
            "exec python3 -c \"$DENY\" \"$SOKUDO\" mark . --size 16MiB --time 50ms -n 1 \
             --row RND4K,Q8,read --format json --quiet --engine {engine}"
        );
        let mut command = shell(&script);
        command.env("DENY", WITHOUT_CALL);
        command.env("NUMBER", number.to_string());
        command.env("ERRNO", errno.to_string());
        end(command.current_dir(directory.path()))
    };
    // io_uring_setup and io_uring_enter, the same on every architecture: some let a ring be
    // made and not be used.
    let (perm, nosys) = (1, 38);
    for denied in [[425, perm], [426, perm], [426, nosys]] {
        let ended = without(denied, "auto");
        if ended.code() == Some(CANNOT_DENY) {
            return skip("system calls cannot be denied here");
        }
        let run = ended.json();
        let result = &results(&run)[0];
        assert_eq!(result["backend"]["kind"], "libaio", "{denied:?}");
        assert!(codes(result).contains(&"engine-fallback"), "{result}");
        without(denied, "io_uring").refused(1, &["io_uring", "--engine auto"]);
    }
    if cfg!(target_arch = "x86_64") {
        let io_submit = 209;
        without([io_submit, nosys], "libaio").refused(1, &["libaio", "--engine auto"]);
    }
}

#[test]
fn too_few_descriptors_are_told_with_their_way_out() {
    let directory = tempfile::tempdir().unwrap();
    for limit in 4..12 {
        let script = format!(
            "ulimit -n {limit}; \"$SOKUDO\" mark . --size 16MiB -t 20ms -n 1 --row RND4K,Q1,read"
        );
        let ended = end(shell(&script).current_dir(directory.path()));
        if ended.code() != Some(0) {
            ended.refused(1, &["Too many open files", "ulimit -n"]);
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

#[test]
fn what_has_no_end_is_not_read_for_ever() {
    let place = tempfile::tempdir().unwrap();
    let run = |script: &str| end(shell(script).current_dir(place.path()));
    for device in ["/dev/zero", "/dev/null"] {
        let words = ["character device, which has no end"];
        sokudo(&format!("import {device}")).ends(1).tells(&words);
        sokudo(&format!("plot {device}")).refused(2, &words);
    }
    // What comes through pipes is read, as people expect of `<(…)`.
    let piped = "\"$SOKUDO\" mark sim:ssd --runs 1 --time 20ms --quiet --format json > run.json \
                 && \"$SOKUDO\" import <(cat run.json) --quiet && mkfifo pipe \
                 && { cat run.json > pipe & } && \"$SOKUDO\" import pipe --quiet \
                 && cat run.json | \"$SOKUDO\" import - --quiet";
    run(piped).ok();
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn without_proc_the_error_says_so() {
        let place = directory_on_disk();
        let script = "exec unshare --mount bash -c 'umount --lazy /proc; exec \"$SOKUDO\" mark . \
                      --size 16MiB --time 50ms -n 1 --quiet'";
        let ended = end(shell(script).current_dir(place.path()));
        ended.refused(1, &["/proc is not mounted", "mount -t proc"]);
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn buffers_that_a_control_group_does_not_allow_are_refused() {
        let Some(group) = ControlGroup::new("memory") else {
            return;
        };
        let file = match group.is_version_2 {
            true => "memory.max",
            false => "memory.limit_in_bytes",
        };
        assert!(group.set(file, "64M"));
        let place = directory_on_disk();
        for command in [
            "mark . --row SEQ8M,Q16,read --size 128MiB --quiet",
            "fio --name=a --size=64m --bs=8m --iodepth=16 --ioengine=libaio --rw=read",
        ] {
            let script = format!("{} && exec \"$SOKUDO\" {command}", group.enter());
            let ended = end(shell(&script).current_dir(place.path()));
            ended.refused(1, &["buffers would take", "control group allows", file]);
        }
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    /// It has an end only where there is more to read than is looked at.
    #[test]
    fn messages_of_the_kernel_are_not_read_for_ever() {
        let ended = sokudo("import /proc/kmsg").ends(1);
        assert!(
            ended.told.matches("has no end").count() < 2,
            "told once: {ended:?}"
        );
    }

    #[test]
    fn without_memory_to_lock_the_run_goes_on_and_says_what_it_lacks() {
        let Some(nobody) = Nobody::new() else { return };
        let script = "ulimit -l 0; \"$SOKUDO\" mark . --size 16MiB --time 50ms -n 1 \
                      --row RND4K,Q8,read --format json --quiet";
        let run = end(&mut nobody.shell(script)).json();
        let backend = &results(&run)[0]["backend"];
        let has_all = backend["features"]
            .to_string()
            .contains("registered buffers");
        let says_why = !backend["notes"].as_array().unwrap().is_empty();
        assert!(has_all || says_why, "{backend}");
    }

    #[test]
    fn too_few_processes_are_told_with_their_way_out() {
        let Some(nobody) = Nobody::new() else { return };
        let processes = |limit: u32| {
            let script = format!(
                "ulimit -u {limit}; exec \"$SOKUDO\" mark . --size 16MiB --time 20ms -n 1 --quiet \
                 --row RND4K,Q8,T16,read"
            );
            end(&mut nobody.shell(&script))
        };
        // Others of nobody's count too, so that with few only the words are certain.
        processes(1).refused(1, &["no thread can be started", "ulimit -u"]);
        for limit in [2, 4, 8] {
            let ended = processes(limit);
            let is_reported = ended.code() == Some(1) && ended.told.contains("ulimit -u");
            assert!(ended.code() == Some(0) || is_reported, "{ended:?}");
        }
    }
}
