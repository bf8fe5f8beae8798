//! Two network namespaces with host names of their own, which are two hosts for a launcher: TCP is
//! all that is between them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::launcher::{Job, Launcher, OPEN_MPI, copy, has, is_root, skip};
use crate::{TOLD_MAX, check_calls};

/// Addresses of the two, in a block that is meant for measurements between networks (RFC 2544).
const ADDRESSES: [&str; 2] = ["198.18.0.1", "198.18.0.2"];

/// Four processes on two hosts make their calls; then the network between them goes.
pub(crate) fn two_hosts(launcher: &'static Launcher) {
    if !is_root() || !["ip", "unshare"].iter().all(|it| has(it)) {
        return skip("two network namespaces need root, ip and unshare");
    }
    let (folder, program) = copy();
    let Some(hosts) = Hosts::make(launcher, folder.path()) else {
        return skip("no network namespace can be made here");
    };
    let start = |part: &str| {
        let mut command = hosts.on_first();
        command.args(hosts.launch(launcher, &program, part));
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
    hosts.cut();
    let is_told = |text: &str| text.contains("on node-b is lost: ");
    let took = job.wait_until(is_told, TOLD_MAX);
    println!("    the network is cut: told after {took:?}");
    // Those on the far side cannot tell anybody: not even a launcher ends them.
    drop(job);
    for pid in far {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

struct Hosts {
    /// Of namespaces and links.
    names: [String; 2],
    agent: PathBuf,
}

impl Hosts {
    fn make(launcher: &Launcher, folder: &Path) -> Option<Self> {
        let letter = if launcher.name == OPEN_MPI.name {
            'o'
        } else {
            'm'
        };
        let names = ['a', 'b'].map(|host| format!("skd{}{letter}{host}", std::process::id()));
        let hosts = Self {
            agent: folder.join("agent"),
            names,
        };
        let [a, b] = &hosts.names;
        let is_made = [
            format!("netns add {a}"),
            format!("netns add {b}"),
            format!("link add v{letter}a netns {a} type veth peer name v{letter}b netns {b}"),
        ];
        if !is_made.iter().all(|words| ip(words)) {
            return None;
        }
        for (name, (host, address)) in hosts.names.iter().zip(['a', 'b'].iter().zip(ADDRESSES)) {
            assert!(ip(&format!("-n {name} link set lo up")));
            assert!(ip(&format!(
                "-n {name} link set v{letter}{host} name veth-sk"
            )));
            assert!(ip(&format!("-n {name} addr add {address}/24 dev veth-sk")));
            assert!(ip(&format!("-n {name} link set veth-sk up")));
        }
        // The kernel says so up to a second later, and UCX believes it.
        hosts.names.iter().for_each(|name| wait_until_up(name));
        // What ssh does for a launcher: AGENT HOST WORD…
        let agent = format!(
            "#!/bin/sh\ncase $1 in {}) n={a} h=node-a;; *) n={b} h=node-b;; esac\nshift\n\
             exec ip netns exec $n unshare --uts sh -c \"hostname $h; exec $*\"\n",
            ADDRESSES[0]
        );
        fs::write(&hosts.agent, agent).unwrap();
        fs::set_permissions(&hosts.agent, PermissionsExt::from_mode(0o755)).unwrap();
        Some(hosts)
    }

    /// A command that its arguments complete, on the first of the two.
    fn on_first(&self) -> Command {
        let mut command = Command::new(&self.agent);
        command.arg(ADDRESSES[0]);
        command
    }

    /// Told to use TCP: MPICH's UCX knows hosts by their kernel and would use shared memory.
    fn launch(&self, launcher: &Launcher, program: &Path, part: &str) -> Vec<String> {
        let hosts = ADDRESSES.map(|address| format!("{address}:2")).join(",");
        let agent = self.agent.to_str().unwrap();
        let more = match launcher.name == OPEN_MPI.name {
            true => format!(
                "--mca plm_rsh_agent {agent} --mca oob_tcp_if_include veth-sk --mca btl tcp,self \
                 --mca btl_tcp_if_include veth-sk --bind-to none --host {hosts}"
            ),
            false => format!(
                "-launcher rsh -launcher-exec {agent} -iface veth-sk -hosts {hosts} \
                 -genv UCX_TLS tcp"
            ),
        };
        let more: Vec<&str> = more.split_whitespace().collect();
        launcher.command_line(&more, program, part)
    }

    /// Nothing gets through any more.
    fn cut(&self) {
        assert!(ip(&format!("-n {} link set veth-sk down", self.names[1])));
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in &self.names {
            ip(&format!("netns del {name}"));
        }
    }
}

fn ip(words: &str) -> bool {
    let status = Command::new("ip")
        .args(words.split_whitespace())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

fn wait_until_up(name: &str) {
    let begin = Instant::now();
    loop {
        let shown = Command::new("ip")
            .args(["-n", name, "-br", "link", "show", "veth-sk"])
            .output();
        let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
        if shown.split_whitespace().nth(1) == Some("UP") {
            return;
        }
        assert!(begin.elapsed() < TOLD_MAX, "{shown}");
        thread::sleep(Duration::from_millis(20));
    }
}
