//! Control groups, each of one test alone and gone with it.

use std::fs;
use std::path::Path;

use crate::keeper::Kept;
use crate::sokudo::skip;

/// Where they are made.
const ROOT: &str = "/sys/fs/cgroup";

/// Who is still in it, as one whose test was killed, ends with it.
const REMOVE: &str = "for _ in $(seq 500); do rmdir \"$made\" && break; \
                      kill -KILL $(cat \"$made/cgroup.procs\"); sleep 0.01; done";

pub(crate) struct ControlGroup {
    kept: Kept,
    pub(crate) is_version_2: bool,
}

impl ControlGroup {
    /// One with this controller, as version 2 calls it. None, said loudly, where there can be none.
    pub(crate) fn new(controller: &str) -> Option<Self> {
        let delegated = fs::read_to_string(Path::new(ROOT).join("cgroup.subtree_control"));
        let is_version_2 =
            delegated.is_ok_and(|list| list.split_whitespace().any(|it| it == controller));
        let parent = match (is_version_2, controller) {
            (true, _) => ROOT.to_owned(),
            (false, "io") => format!("{ROOT}/blkio"),
            (false, other) => format!("{ROOT}/{other}"),
        };
        let make = "[ -d \"$1\" ] && mktemp --directory \"$1/sokudo-test-XXXXXX\"";
        let Some(kept) = Kept::new(make, REMOVE, [parent]) else {
            skip(&format!(
                "no control group of ours can limit {controller} here"
            ));
            return None;
        };
        Some(Self { kept, is_version_2 })
    }

    pub(crate) fn directory(&self) -> &str {
        self.kept.made()
    }

    /// Sets one of its limits; whether it took it.
    pub(crate) fn set(&self, file: &str, value: &str) -> bool {
        fs::write(Path::new(self.directory()).join(file), value).is_ok()
    }

    /// What makes a shell a member of it.
    pub(crate) fn enter(&self) -> String {
        format!("echo $$ > {}/cgroup.procs", self.directory())
    }
}
