use sokudo_model::DirectMode;

use super::*;

/// The columns of elbencho 3.1 without those of mixes, as a bug report of another project
/// quotes them.
const HEADER: &str = "ISO date,label,path type,paths,hosts,threads,dirs,files,file size,\
    block size,direct IO,random,random aligned,IO depth,shared paths,truncate,operation,\
    time ms [first],time ms [last],entries/s [first],entries/s [last],IOPS [first],\
    IOPS [last],MiB/s [first],MiB/s [last],CPU% [first],CPU% [last],entries [first],\
    entries [last],MiB [first],MiB [last],Ent lat us [min],Ent lat us [avg],\
    Ent lat us [max],IO lat us [min],IO lat us [avg],IO lat us [max]";
const LINES: [&str; 3] = [
    "2026-05-22T16:09:38,,dir,1,1,8,1,4,268435456,1048576,1,0,,4,1,0,MKDIRS,2,5,3277,1466,,,,,\
     8,7,8,8,,,812,1068,1378,,,",
    "2026-05-22T16:09:38,,dir,1,1,8,1,4,268435456,1048576,1,0,,4,1,0,WRITE,2134,2784,11,11,\
     3494,2941,3494,2941,10,9,25,32,7460,8192,290635,609112,867164,1661,9383,120903",
    "2026-05-22T16:09:41,,dir,1,1,8,1,4,268435456,1048576,1,0,,4,1,0,READ,846,905,37,35,9673,\
     9048,9673,9048,9,8,32,32,8192,8192,49483,214645,404799,553,3223,6922",
];

#[test]
fn a_csv_is_read_by_the_names_of_its_columns() {
    let text = format!("{HEADER}\n{}\n{}", LINES.join("\n"), &LINES[1][..40]);
    let import = crate::read("results.csv", text.as_bytes()).unwrap();
    let [run] = &import.runs[..] else {
        panic!("{import:?}")
    };
    let [write, read] = &run.rows[..] else {
        panic!("{run:?}")
    };
    assert_eq!(
        write.reported.bandwidth.as_ref().unwrap().value,
        2_941.0 * BYTES_PER_MIB
    );
    assert_eq!(read.reported.iops.as_ref().unwrap().value, 9_048.0);
    let latency = read.reported.latency.as_ref().unwrap();
    assert_eq!((latency.min, latency.mean), (Some(553e3), 3_223e3));
    assert_eq!((write.workload.depth, write.workload.threads), (4, 8));
    assert_eq!(write.workload.direct, DirectMode::On);
    let why: Vec<_> = import.left_out.iter().map(|left| left.line).collect();
    assert_eq!(
        why,
        [Some(5), Some(2)],
        "what was cut off, and what moves no blocks"
    );
    assert_eq!(run.origin.remarks.len(), 1);
}

#[test]
fn a_json_is_read_value_by_value() {
    let value = r#"{"phase_type":"RWMIX70","phase_id":"x","iso_start_date":
        "2026-05-22T16:09:38.250+0200","config":{"hosts":"2","threads":"8","block_size":"4096",
        "direct_io":"true","random_offsets":"false","io_depth":"16","version":"3.1-1",
        "command":"\"elbencho\" \"-w\" \"/mnt/x\" "},"last_done":{"elapsed_time_ms":"905",
        "iops":"30","bytes/s":"122880","cpu%":"9","latency":{"IO":{"min_us":"5","avg_us":"7",
        "max_us":"9","rwmix_read":{"min_us":"1","avg_us":"2","max_us":"3"}}},
        "rwmix_read":{"iops":"70","bytes/s":"286720"}}}"#;
    let text = format!("{value}\n{value}\n{{\"phase_type\":\"REA");
    let import = crate::read("results.json", text.as_bytes()).unwrap();
    let run = &import.runs[0];
    assert_eq!((run.rows.len(), run.target.name.as_str()), (4, "/mnt/x"));
    let read = &run.rows[1];
    assert_eq!(read.reported.mix, OperationMix::read_write(70));
    assert_eq!(read.reported.bandwidth.as_ref().unwrap().value, 286_720.0);
    assert_eq!(read.reported.latency.as_ref().unwrap().max, Some(3e3));
    assert_eq!(read.workload.threads, 16);
    assert_eq!(run.started_at, Some(Nanos(1_779_458_978_000_000_000)));
    assert_eq!(import.left_out.len(), 1);
}
