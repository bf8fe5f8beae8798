//! Options that this table lacks and another fio has: newer ones, and those of engines that
//! sokudo does not have.

use crate::language::nearest::nearest;

use super::super::failure::FioProblem;

/// Whose they are, and what they are called.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "fio 3.34 and later",
        "fdp plids fdp_pli plid_select fdp_pli_select dataplacement data_placement dp_scheme \
         priohint cmdprio_hint recover_zbd_write_error write_zone_remainder ramp_size \
         spr_num_regions spr_op spr_cs md_per_io_size pi_act pi_chk apptag apptag_mask \
         write_mode verify_mode",
    ),
    (
        "fio's engine cpuio",
        "cpuload cpuchunks cpumode exit_on_io_done",
    ),
    (
        "fio's engines net, netsplice and rdma",
        "hostname port protocol nodelay listen pingpong interface ttl window_size mss bindname verb",
    ),
    ("fio's engine filestat", "stat_type"),
    (
        "fio's engine exec",
        "program arguments grace_time std_redirect",
    ),
    ("fio's engine e4defrag", "donorname inplace"),
    ("fio's engine gfapi", "volume brick single-instance"),
    ("fio's engine mtd", "skip_bad"),
    (
        "fio's engine sg",
        "readfua writefua sg_write_mode stream_id",
    ),
    ("fio's engine nbd", "uri"),
    (
        "fio's engines rados and rbd",
        "clustername rbdname pool clientname conf busy_poll touch_objects",
    ),
    (
        "fio's engine http",
        "https http_host http_user http_pass http_s3_key http_s3_keyid http_s3_region \
         http_swift_auth_token http_mode http_verbose",
    ),
    ("fio's engine nfs", "nfs_url"),
    ("fio's engine dfs", "cont chunk_size object_class svcl"),
    (
        "fio's engine libhdfs",
        "namenode hdfsdirectory hdfs_use_direct",
    ),
    ("fio's engine libcufile", "gpu_dev_ids cuda_io"),
    (
        "fio's engine xnvme",
        "xnvme_async xnvme_sync xnvme_admin xnvme_dev_nsid xnvme_dev_subnqn xnvme_mem xnvme_iovec",
    ),
];

/// What is wrong with an option that is none of `names`; `dashes` stand before it.
pub(crate) fn unknown(
    dashes: &str,
    name: &str,
    names: impl Iterator<Item = &'static str>,
) -> FioProblem {
    let option = format!("{dashes}{name}");
    let has_it = |(_, others): &&(&str, &str)| others.split_whitespace().any(|it| it == name);
    match ELSEWHERE.iter().find(has_it) {
        Some((owner, _)) => FioProblem::Elsewhere { option, owner },
        None => FioProblem::Unknown {
            option,
            nearest: nearest(name, names),
        },
    }
}
