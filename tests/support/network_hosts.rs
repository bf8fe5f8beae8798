//! Two network namespaces with host names of their own, which are two hosts for a launcher: TCP is
//! all that is between them. Tests of other crates use them, too.

#![allow(dead_code, reason = "each program of tests uses its part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::keeper::Kept;
use crate::written::executable;

/// Addresses of the two, in a block that is meant for measurements between networks (RFC 2544).
const ADDRESSES: [&str; 2] = ["198.18.0.1", "198.18.0.2"];

/// The link of each.
pub(crate) const LINK: &str = "veth-sk";

/// The kernel says up to a second later that a link is up; longer where nothing has its turn.
const UP_MAX: Duration = Duration::from_secs(300);

/// Makes namespaces `$1` and `$2`, and a link between them.
const MAKE: &str = "ip netns add \"$1\" && ip netns add \"$2\" && \
                    ip link add veth-a netns \"$1\" type veth peer name veth-b netns \"$2\" && echo made";

const REMOVE: &str = "ip netns del \"$1\"; ip netns del \"$2\"";

pub(crate) struct Hosts {
    /// Of namespaces.
    pub(crate) names: [String; 2],
    agent: PathBuf,
    _kept: Kept,
}

impl Hosts {
    /// `node-a` and `node-b`, which see each other and nothing else, under names of their own.
    /// `None` where no namespaces can be made.
    pub(crate) fn make(folder: &Path) -> Option<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let names = ['a', 'b'].map(|host| format!("skd{}-{number}{host}", std::process::id()));
        let hosts = Self {
            _kept: Kept::new(MAKE, REMOVE, &names)?,
            agent: folder.join("agent"),
            names,
        };
        let [a, b] = &hosts.names;
        for (name, (host, address)) in hosts.names.iter().zip(['a', 'b'].iter().zip(ADDRESSES)) {
            assert!(ip(&format!("-n {name} link set lo up")));
            assert!(ip(&format!("-n {name} link set veth-{host} name {LINK}")));
            assert!(ip(&format!("-n {name} addr add {address}/24 dev {LINK}")));
            assert!(ip(&format!("-n {name} link set {LINK} up")));
        }
        // Until then UCX believes that there is no link.
        hosts.names.iter().for_each(|name| wait_until_up(name));
        // What ssh does for a launcher: AGENT HOST WORD…
        let agent = format!(
            "#!/bin/sh\ncase $1 in {}) n={a} h=node-a;; *) n={b} h=node-b;; esac\nshift\n\
             exec ip netns exec $n unshare --uts sh -c \"hostname $h; exec $*\"\n",
            ADDRESSES[0]
        );
        executable(&hosts.agent, agent.as_bytes());
        Some(hosts)
    }

    /// A command that its arguments complete, on the first of the two.
    pub(crate) fn on_first(&self) -> Command {
        let mut command = Command::new(&self.agent);
        command.arg(ADDRESSES[0]);
        command
    }

    /// What a launcher is told, so that it starts two processes on each over TCP: MPICH's UCX knows
    /// hosts by their kernel and would use shared memory.
    pub(crate) fn arguments(&self, is_open_mpi: bool) -> Vec<String> {
        let hosts = ADDRESSES.map(|address| format!("{address}:2")).join(",");
        let agent = self.agent.display();
        let words = match is_open_mpi {
            true => format!(
                "--mca plm_rsh_agent {agent} --mca oob_tcp_if_include {LINK} --mca btl tcp,self \
                 --mca btl_tcp_if_include {LINK} --bind-to none --host {hosts}"
            ),
            false => format!(
                "-launcher rsh -launcher-exec {agent} -iface {LINK} -hosts {hosts} \
                 -genv UCX_TLS tcp"
            ),
        };
        words.split_whitespace().map(str::to_owned).collect()
    }
}

/// Whether `ip` has done it.
pub(crate) fn ip(words: &str) -> bool {
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
            .args(["-n", name, "-br", "link", "show", LINK])
            .output();
        let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
        if shown.split_whitespace().nth(1) == Some("UP") {
            return;
        }
        assert!(begin.elapsed() < UP_MAX, "{shown}");
        thread::sleep(Duration::from_millis(20));
    }
}
