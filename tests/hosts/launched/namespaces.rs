//! Four processes on two hosts make their calls; then the network between them goes.

use crate::hosts::{Hosts, LINK, ip};
use crate::launcher::{Job, Launcher, OPEN_MPI, copy, has, is_root, skip};
use crate::{TOLD_MAX, check_calls};

pub(crate) fn two_hosts(launcher: &'static Launcher) {
    if !is_root() || !["ip", "unshare"].iter().all(|it| has(it)) {
        return skip("two network namespaces need root, ip and unshare");
    }
    let is_open_mpi = launcher.name == OPEN_MPI.name;
    let (folder, program) = copy();
    let Some(hosts) = Hosts::make(folder.path()) else {
        return skip("no network namespace can be made here");
    };
    let arguments = hosts.arguments(is_open_mpi);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let start = |part: &str| {
        let mut command = hosts.on_first();
        command.args(launcher.command_line(&arguments, &program, part));
        let folder = tempfile::tempdir().unwrap();
        command.env("TMPDIR", folder.path());
        Job::start(command, folder)
    };
    let ended = start("calls").end();
    check_calls(&ended, 4);
    for host in ["node-a", "node-b"] {
        assert_eq!(
            ended.text.matches(&format!(" on {host}, pid")).count(),
            2,
            "{}",
            ended.text
        );
    }
    let mut job = start("work");
    job.wait_for("begun", 4);
    let far = [job.pid_of(2), job.pid_of(3)];
    // Nothing gets through any more.
    assert!(ip(&format!("-n {} link set {LINK} down", hosts.names[1])));
    let is_reported = |text: &str| text.contains("on node-b is lost: ");
    let took = job.wait_until(is_reported, TOLD_MAX);
    println!("    the network is cut: told after {took:?}");
    // Those on the far side cannot tell anybody: not even a launcher ends them.
    drop(job);
    for pid in far {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}
