//! Four processes on two hosts: network namespaces with host names of their own, between which
//! there is nothing but TCP, and one directory that both see.

use std::fs;

use super::*;
use crate::network_hosts::Hosts;

#[test]
fn four_processes_on_two_hosts_measure_a_directory_that_both_have() {
    if !is_root() || !["ip", "unshare"].iter().all(|it| has(it)) {
        return skip("two network namespaces need root, ip and unshare");
    }
    for launcher in Launcher::installed() {
        let is_open_mpi = launcher.program.ends_with("openmpi");
        // Sessions of launchers have long paths, and sockets only short ones.
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        let Some(hosts) = Hosts::make(folder.path()) else {
            return skip("no network namespace can be made here");
        };
        let directory = directory_on_disk();
        let mut command = hosts.on_first();
        command.arg(launcher.program).args(launcher.own_arguments());
        command.args(hosts.arguments(is_open_mpi));
        command.args([crate::sokudo::path(), "together", "--results-here"]);
        command.args(["--", "mark"]).arg(directory.path());
        command.args(split(
            "--row RND4K,Q4,read --row SEQ1M,Q2,write --size 16MiB --time 2s --runs 3",
        ));
        command.args(["--format", "json", "--quiet"]);
        command.env("TMPDIR", folder.path());
        command.env("SOKUDO_STORE", "none").env("SOKUDO_LANG", "en");
        let ended = end(&mut command);
        let run = ended.json();
        assert_eq!(together(&run)["ranks"], 4, "{ended:?}");
        let of_hosts = super::hosts(&run).iter().map(|it| {
            let name = it["name"].as_str().unwrap();
            (name, it["ranks"].as_u64().unwrap())
        });
        let of_hosts: Vec<(&str, u64)> = of_hosts.collect();
        assert_eq!(of_hosts, [("node-a", 2), ("node-b", 2)], "{ended:?}");
        // Intervals of a host are those of its processes added up, however apart these began.
        is_computed_again(&ended.printed, 0.05);
        for trial in together(&run)["trials"].as_array().unwrap() {
            let [skew, uncertainty] = ["skew_ns", "clock_uncertainty_ns"].map(|it| &trial[it]);
            eprintln!(
                "{}: skew {skew} ns, clocks ± {uncertainty} ns",
                launcher.program
            );
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
