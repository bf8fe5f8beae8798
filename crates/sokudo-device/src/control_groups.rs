//! The control groups of this process and what they allow: of version 2
//! (`Documentation/admin-guide/cgroup-v2.rst`) and of version 1
//! (`Documentation/admin-guide/cgroup-v1/`), our own and every one above it that can be
//! seen.

use std::path::{Component, Path, PathBuf};

use sokudo_model::Bytes;

use crate::mounts::{Mount, Mounts};
use crate::system::System;

/// Groups that are looked at from our own upward.
const LEVELS_MAX: usize = 64;

/// How much memory a control group allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryLimit {
    pub bytes: Bytes,
    /// The file that says so.
    pub file: PathBuf,
}

/// The least that any group allows; `None` where none limits it. Version 1 writes a number
/// beyond all memory for none.
pub fn memory_limit(system: &System) -> Option<MemoryLimit> {
    let limits =
        directories(system, "memory")
            .into_iter()
            .filter_map(|(is_version_2, directory)| {
                let name = match is_version_2 {
                    true => "memory.max",
                    false => "memory.limit_in_bytes",
                };
                let file = directory.join(name);
                let bytes = system.text(&file)?.trim().parse().ok()?;
                Some(MemoryLimit {
                    bytes: Bytes(bytes),
                    file,
                })
            });
    limits.min_by_key(|limit| limit.bytes)
}

/// The directories of groups in which a controller may limit us, our own group's first, and
/// whether they are of version 2.
pub(crate) fn directories(system: &System, controller: &str) -> Vec<(bool, PathBuf)> {
    let groups = system.text("proc/self/cgroup").unwrap_or_default();
    let mounts = Mounts::of(system).unwrap_or_default();
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else {
            continue;
        };
        let is_version_2 = controllers.is_empty();
        if !is_version_2 && !controllers.split(',').any(|name| name == controller) {
            continue;
        }
        let directories = directories_of(&mounts, is_version_2, controller, group);
        found.extend(directories.into_iter().map(|path| (is_version_2, path)));
    }
    found
}

/// The directories of a group and of those above it, as far as they are mounted.
fn directories_of(
    mounts: &Mounts,
    is_version_2: bool,
    controller: &str,
    group: &str,
) -> Vec<PathBuf> {
    let is_ours = |mount: &&Mount| match is_version_2 {
        true => mount.kind == "cgroup2",
        false => mount.kind == "cgroup" && mount.options.iter().any(|it| it == controller),
    };
    let group = Path::new(group);
    // A group outside of what our namespace shows begins with `/..`.
    let is_seen = !group.components().any(|part| part == Component::ParentDir);
    let Some(mount) = mounts.all().iter().find(is_ours) else {
        return Vec::new();
    };
    // In a container the mount may show a group as its root.
    let below = match group.strip_prefix(&mount.root) {
        Ok(below) if is_seen => below,
        _ => Path::new(""),
    };
    below
        .ancestors()
        .take(LEVELS_MAX)
        .map(|part| mount.mount_point.join(part))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_that_any_group_allows_is_the_limit() {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [
            (
                "proc/self/mountinfo",
                "30 1 0:26 / /cg/two rw - cgroup2 cgroup2 rw\n31 1 0:27 / /cg/memory rw - cgroup cgroup rw,memory\n",
            ),
            ("proc/self/cgroup", "4:memory:/a/b\n0::/c\n"),
            ("cg/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("cg/memory/a/memory.limit_in_bytes", "1048576\n"),
            ("cg/memory/a/b/memory.limit_in_bytes", "2097152\n"),
            ("cg/two/c/memory.max", "max\n"),
        ] {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let limit = memory_limit(&System::at(root.path())).unwrap();
        assert_eq!(limit.bytes, Bytes::mib(1));
        assert_eq!(limit.file, Path::new("/cg/memory/a/memory.limit_in_bytes"));
        let nowhere = tempfile::tempdir().unwrap();
        assert_eq!(memory_limit(&System::at(nowhere.path())), None);
    }
}
