//! Hosts whose network takes its time and loses messages: two network namespaces of the guest, with
//! netem between them, which most kernels of hosts do not have.

use serde_json::Value;

use crate::guest::{Guest, Running};
use crate::network_hosts::{Hosts, LINK};
use crate::run_json::view;

/// Clocks on such a network are known to half of the shortest round trip, and two hosts may start
/// apart by that on either side, and by what a busy machine takes to wake a process.
const SKEW_PER_UNCERTAINTY_MAX: u64 = 3;

/// Open MPI alone: it makes the guest 18 MiB larger, MPICH several times that.
fn measured(guest: &Guest, hosts: &Hosts, target: &str) -> Value {
    let mut command = hosts.on_first();
    command.args(["mpirun", "--allow-run-as-root", "--oversubscribe"]);
    command.args(hosts.arguments(true));
    // Where a processor is emulated, no more than one for each.
    command.args(["-n", "2", "--map-by", "ppr:1:node"]);
    command.args([
        guest.program(),
        "together",
        "--results-here",
        "--",
        "mark",
        target,
    ]);
    command.args(["--size", "16MiB", "--row", "RND4K,Q2,read"]);
    command.args(["--time", "2s", "--runs", "3", "--format", "json", "--quiet"]);
    Running::new(&mut command).end().json()
}

fn trials(run: &Value) -> &[Value] {
    view(run, "together")["trials"].as_array().unwrap()
}

/// Run by a word of its name alone: a guest whose processors are emulated on a busy machine stands
/// still for seconds, and who is silent for five is lost.
#[test]
fn whole_hosts_start_together_over_a_slow_network_that_loses_messages() {
    let Some(guest) = Guest::enter_alone() else {
        return;
    };
    guest.must("modprobe", &["-a", "veth", "sch_netem"]);
    let folder = tempfile::tempdir().unwrap();
    let hosts = Hosts::make(folder.path()).expect("the guest has network namespaces");
    for name in &hosts.names {
        let netem = ["netem", "delay", "20ms", "loss", "1%"];
        let words = ["-n", name, "qdisc", "add", "dev", LINK, "root"];
        guest.must("tc", &[&words[..], &netem].concat());
    }
    let directory = tempfile::tempdir().unwrap();
    let run = measured(&guest, &hosts, directory.path().to_str().unwrap());
    assert_eq!(
        view(&run, "together")["hosts"].as_array().unwrap().len(),
        2,
        "{run}"
    );
    assert_eq!(trials(&run).len(), 3, "{run}");
    for trial in trials(&run) {
        let [skew, uncertainty] =
            ["skew_ns", "clock_uncertainty_ns"].map(|it| trial[it].as_u64().unwrap());
        eprintln!("skew {skew} ns, clocks ± {uncertainty} ns");
        // 20 ms each way.
        assert!((20_000_000..100_000_000).contains(&uncertainty), "{trial}");
        assert!(skew <= SKEW_PER_UNCERTAINTY_MAX * uncertainty, "{trial}");
        assert!(trial["window_ns"].is_array(), "{trial}");
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
