//! Scripts and programs that run fio, unmodified but for sizes and times: each lays a file
//! out with one job and writes it with others, and none of them can consent to anything.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::sokudo::{Ended, directory_on_disk, end, shell};
use crate::written::executable;
use crate::written::write;

/// yabs.sh (`disk_test`): a job that lays the file out, then four block sizes.
const YABS: &str = r#"
fio --name=setup --ioengine=libaio --rw=read --bs=64k --iodepth=64 --numjobs=2 --size=8M --runtime=1 --gtod_reduce=1 --filename="$DISK_PATH/test.fio" --direct=1 --minimal &> /dev/null
for BS in 4k 64k 512k 1m; do
    DISK_TEST=$(fio --name=rand_rw_$BS --ioengine=libaio --rw=randrw --rwmixread=50 --bs=$BS --iodepth=64 --numjobs=2 --size=8M --runtime=1 --gtod_reduce=1 --direct=1 --filename="$DISK_PATH/test.fio" --group_reporting --minimal | grep rand_rw_$BS)
    echo "$DISK_TEST" | awk -F';' '{print $8, $49, $7, $48}'
done
"#;

/// dbench's `docker-entrypoint.sh`: nine jobs on one file.
const DBENCH: &str = r#"
FIO="fio --randrepeat=0 --verify=0 --ioengine=libaio --direct=1"
TIMES="--time_based --ramp_time=20ms --runtime=100ms"
FILE="--filename=$DISK_PATH/fiotest"
$FIO --gtod_reduce=1 --name=read_iops $FILE --bs=4K --iodepth=64 --size=16M --readwrite=randread $TIMES
$FIO --gtod_reduce=1 --name=write_iops $FILE --bs=4K --iodepth=64 --size=16M --readwrite=randwrite $TIMES
$FIO --gtod_reduce=1 --name=read_bw $FILE --bs=128K --iodepth=64 --size=16M --readwrite=randread $TIMES
$FIO --gtod_reduce=1 --name=write_bw $FILE --bs=128K --iodepth=64 --size=16M --readwrite=randwrite $TIMES
$FIO --name=read_latency $FILE --bs=4K --iodepth=4 --size=16M --readwrite=randread $TIMES
$FIO --name=write_latency $FILE --bs=4K --iodepth=4 --size=16M --readwrite=randwrite $TIMES
$FIO --gtod_reduce=1 --name=read_seq $FILE --bs=1M --iodepth=16 --size=16M --readwrite=read $TIMES --thread --numjobs=4 --offset_increment=4M
$FIO --gtod_reduce=1 --name=write_seq $FILE --bs=1M --iodepth=16 --size=16M --readwrite=write $TIMES --thread --numjobs=4 --offset_increment=4M
$FIO --gtod_reduce=1 --name=rw_mix $FILE --bs=4k --iodepth=64 --size=16M --readwrite=randrw --rwmixread=75 $TIMES
rm $DISK_PATH/fiotest
"#;

/// KDiskMark: a job that makes the file, and a job per row, direction and loop.
const KDISKMARK: &str = r#"
FILE="--filename=$DISK_PATH/kdiskmark-XXXXXX.tmp"
fio --output-format=json --create_only=1 $FILE --size=8m --zero_buffers=0 --name=prepare > /dev/null
for RW in read write randread randwrite randrw; do
    for LOOP in 1 2; do
        fio --output-format=json --ioengine=libaio --randrepeat=0 --refill_buffers=0 --end_fsync=1 --direct=1 --rwmixread=70 $FILE --name=$RW --size=8m --zero_buffers=0 --bs=1024k --runtime=5 --rw=$RW --iodepth=8 --numjobs=1 --group_reporting > $DISK_PATH/$RW-$LOOP.json
    done
done
"#;

/// bench-fio with `--type file`: a job file per mode and depth, on a file that its user has
/// made, so that no job of ours has laid it out.
const BENCH_FIO: &str = r#"
for MODE in randread randwrite randrw; do
    for DEPTH in 1 8; do
        printf '%s\n' [FIOJOB] rw=$MODE bs=4k ioengine=libaio iodepth=$DEPTH numjobs=1 direct=1 group_reporting=1 invalidate=1 loops=1 time_based=1 runtime=100ms rwmixread=75 filename=$DISK_PATH/target write_bw_log=$DISK_PATH/$MODE-iodepth-$DEPTH-numjobs-1 log_avg_msec=50 size=4M > $DISK_PATH/job.fio
        fio --output-format=json --output=$DISK_PATH/$MODE-$DEPTH.json $DISK_PATH/job.fio
    done
done
"#;

/// Runs a script in a directory: through a link named `fio`, or `sokudo fio`.
fn run(script: &str, place: &Path, by_link: bool, allowed: &str) -> Ended {
    let bin = tempfile::tempdir().unwrap();
    let link = bin.path().join("fio");
    if by_link {
        std::os::unix::fs::symlink(crate::sokudo::path(), &link).unwrap();
    } else {
        let door = "#!/bin/sh\nexec \"$SOKUDO\" fio \"$@\"\n";
        executable(&link, door.as_bytes());
    }
    let path = std::env::var("PATH").unwrap();
    let script = format!("set -eo pipefail\n{script}");
    end(shell(&script)
        .env("DISK_PATH", place)
        .env("PATH", format!("{}:{path}", bin.path().display()))
        .env("SOKUDO_OVERWRITE", allowed))
}

fn succeeds(script: &str, check: impl Fn(&Path, &Ended)) {
    for by_link in [true, false] {
        let place = directory_on_disk();
        let ended = run(script, place.path(), by_link, "").ok();
        let is_verdict = |line: &str| line.starts_with("sokudo: note: ");
        assert!(ended.told.lines().all(is_verdict), "{ended:?}");
        check(place.path(), &ended);
    }
}

fn json_of(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn yabs_runs_as_it_is() {
    succeeds(YABS, |_, ended| {
        assert_eq!(ended.printed.lines().count(), 4, "{ended:?}");
        for figure in ended.printed.split_ascii_whitespace() {
            assert!(figure.parse::<f64>().unwrap() > 0.0, "{ended:?}");
        }
    });
}

#[test]
fn dbench_runs_as_it_is() {
    succeeds(DBENCH, |place, ended| {
        let with = |word: &str| ended.printed.lines().filter(|it| it.contains(word)).count();
        assert_eq!(with("Run status group 0"), 9, "{ended:?}");
        // Six jobs, two with four clones, and one that reads and writes. A disk that answers
        // nothing for the time of a job gives no figure, and that is said.
        let has_stalled = ended.printed.contains("(no-io)");
        let figures = with("IOPS=");
        assert!(figures == 6 + 2 * 4 + 2 || has_stalled, "{ended:?}");
        assert!(!place.join("fiotest").exists());
    });
}

#[test]
fn kdiskmark_runs_as_it_is() {
    succeeds(KDISKMARK, |place, _| {
        for rw in ["read", "write", "randread", "randwrite", "randrw"] {
            for turn in 1..=2 {
                let run = json_of(&place.join(format!("{rw}-{turn}.json")));
                let job = &run["jobs"][0];
                assert_eq!(job["error"], 0);
                let bytes = |way: &str| job[way]["io_bytes"].as_u64().unwrap();
                assert_eq!(bytes("read") + bytes("write"), 8 << 20, "{rw}");
            }
        }
    });
}

#[test]
fn bench_fio_writes_a_file_of_its_users_when_the_environment_says_so() {
    let script = format!("export SOKUDO_NOTES=off\n{BENCH_FIO}");
    for by_link in [true, false] {
        let place = directory_on_disk();
        let target = place.path().join("target");
        write(&target, vec![7; 4 << 20]);
        run(&script, place.path(), by_link, "")
            .ends(1)
            .tells(&["SOKUDO_OVERWRITE=files"]);
        assert!(fs::read(&target).unwrap().iter().all(|byte| *byte == 7));
        let ended = run(&script, place.path(), by_link, "files").ok();
        assert_eq!(ended.told, "", "bench-fio takes any word for an error");
        for mode in ["randread", "randwrite", "randrw"] {
            for depth in [1, 8] {
                let run = json_of(&place.path().join(format!("{mode}-{depth}.json")));
                assert_eq!(run["jobs"][0]["error"], 0);
            }
        }
    }
}

#[test]
fn a_script_that_meets_a_file_of_the_users_stops_before_it_is_written() {
    let place = directory_on_disk();
    let file = place.path().join("test.fio");
    fs::write(&file, "my jobs").unwrap();
    let ended = run(YABS, place.path(), true, "");
    assert_ne!(ended.code(), Some(0), "{ended:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "my jobs");
    // Nor one that was a script's and that its user has put something into.
    fs::remove_file(&file).unwrap();
    assert_eq!(run(YABS, place.path(), true, "").code(), Some(0));
    fs::write(&file, "my jobs").unwrap();
    assert_ne!(run(YABS, place.path(), true, "").code(), Some(0));
    assert_eq!(fs::read_to_string(&file).unwrap(), "my jobs");
}

#[test]
fn a_script_runs_again_after_it_was_killed() {
    let place = directory_on_disk();
    let job = "fio --name=NAME --rw=randwrite --bs=4k --size=8M --filename=$DISK_PATH/test.fio \
               --minimal --time_based --runtime=60 > /dev/null";
    // A file has its mark before it has a size.
    let killed = format!(
        "{} & JOB=$!; until [ -s $DISK_PATH/test.fio ]; do :; done; kill -9 $JOB",
        job.replace("NAME", "first")
    );
    let ended = run(&killed, place.path(), true, "");
    assert!(place.path().join("test.fio").exists(), "{ended:?}");
    let again = job.replace("NAME", "second").replace("60", "100ms");
    run(&again, place.path(), true, "").ok();
}
