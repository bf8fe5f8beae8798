//! Under the limits that shells and containers set.

use crate::sokudo::{Nobody, codes, end, has, results, shell, skip};

/// Denies `io_uring_setup` (425 on every architecture) with EPERM to the program
/// that it then becomes, as container runtimes do.
const WITHOUT_IO_URING: &str = r#"
import ctypes, os, struct, sys
library = ctypes.CDLL(None, use_errno=True)
statement = lambda code, if_true, if_false, value: struct.pack("=HBBI", code, if_true, if_false, value)
ALLOW, DENY = 0x7FFF0000, 0x00050000 | 1
program = ctypes.create_string_buffer(
    statement(0x20, 0, 0, 0)           # the number of the system call
    + statement(0x15, 0, 1, 425)       # is it io_uring_setup?
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

/// What [`WITHOUT_IO_URING`] exits with where nothing can be denied.
const CANNOT_DENY: i32 = 77;

#[test]
fn where_io_uring_is_denied_libaio_is_used_and_told() {
    if !has("python3") {
        return skip("python3, which denies io_uring for this test, is not installed");
    }
    let without_io_uring = |engine: &str| {
        let directory = tempfile::tempdir().unwrap();
        let script = format!(
            "exec python3 -c \"$DENY\" \"$SOKUDO\" mark . --size 16MiB --time 50ms -n 1 \
             --row RND4K,Q8,read --format json --quiet --engine {engine}"
        );
        let mut command = shell(&script);
        command.env("DENY", WITHOUT_IO_URING);
        end(command.current_dir(directory.path()))
    };
    let ended = without_io_uring("auto");
    if ended.code() == Some(CANNOT_DENY) {
        return skip("system calls cannot be denied here");
    }
    let run = ended.json();
    let result = &results(&run)[0];
    assert_eq!(result["backend"]["kind"], "libaio");
    assert!(codes(result).contains(&"engine-fallback"), "{result}");
    without_io_uring("io_uring").refused(1, &["io_uring", "--engine auto"]);
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
fn a_file_size_limit_is_told_with_its_way_out() {
    let directory = tempfile::tempdir().unwrap();
    let script = "ulimit -f 8; \"$SOKUDO\" mark . --size 16MiB";
    let ended = end(shell(script).current_dir(directory.path()));
    ended.refused(1, &["File too large", "ulimit -f"]);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn too_few_descriptors_are_told_with_their_way_out() {
    let directory = tempfile::tempdir().unwrap();
    for limit in 4..12 {
        let script = format!("ulimit -n {limit}; \"$SOKUDO\" mark . --size 16MiB -t 20ms -n 1");
        let ended = end(shell(&script).current_dir(directory.path()));
        if ended.code() != Some(0) {
            ended.refused(1, &["Too many open files", "ulimit -n"]);
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

#[test]
fn closed_standard_streams_are_survived() {
    for streams in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        let script = format!("\"$SOKUDO\" mark null: -t 20ms -n 1 {streams}");
        let ended = end(&mut shell(&script));
        assert_eq!(ended.code(), Some(0), "{streams}: {ended:?}");
    }
}

/// The commands that measure nothing are not killed by the limit either.
#[test]
fn a_report_that_does_not_fit_is_told_and_leaves_the_older_one() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let json = at("run.json");
    let ended = crate::sokudo::mark(
        "sim:ssd",
        &["--format", "json", "--output", json.to_str().unwrap()],
    );
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    std::fs::write(at("report.html"), "the old one").unwrap();
    let script = "ulimit -f 1; \"$SOKUDO\" report run.json --output report.html";
    let ended = end(shell(script).current_dir(directory.path()));
    ended.refused(1, &["report.html cannot be written", "ulimit -f"]);
    assert_eq!(
        std::fs::read_to_string(at("report.html")).unwrap(),
        "the old one"
    );
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 2);
    // What the disk refuses is no wrong argument.
    let keep = "\"$SOKUDO\" import run.json -q --store runs.db";
    let ended = end(shell(keep).current_dir(directory.path()));
    assert_eq!(ended.code(), Some(0), "{ended:?}");
    let script = "ulimit -f 1; \"$SOKUDO\" note 1 x --store runs.db";
    end(shell(script).current_dir(directory.path())).refused(1, &["runs.db", "--store"]);
    let script = "\"$SOKUDO\" note 9 x --store runs.db";
    end(shell(script).current_dir(directory.path())).refused(2, &["no run 9"]);
}

#[test]
fn a_result_that_does_not_fit_leaves_no_part_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let script = "ulimit -f 1; \"$SOKUDO\" scan sim:hdd --quiet --format json --output result.json";
    let ended = end(shell(script).current_dir(directory.path()));
    ended.refused(1, &["result.json cannot be written", "ulimit -f"]);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_directory_that_is_gone_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let script = "mkdir gone; cd gone; rmdir ../gone; \"$SOKUDO\" mark .";
    let ended = end(shell(script).current_dir(directory.path()));
    ended.refused(2, &["does not exist"]);
}
