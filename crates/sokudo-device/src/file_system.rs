//! What a mounted file system stands on, by its type. Pure knowledge: it is told
//! a mount and looks at nothing.

use sokudo_words::{Text, text};

use std::path::{Path, PathBuf};

use crate::mounts::{Mount, split_unescaped};

/// What is below a file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Backing {
    /// The block device with the mount's own number, and further ones by their
    /// source.
    Numbered { more_sources: Vec<String> },
    /// All block devices of the btrfs to which the device of this source belongs.
    Btrfs { source: String },
    /// All block devices of this pool.
    Zfs { pool: String },
    /// The block devices of these sources.
    Sources(Vec<String>),
    /// Directories of other file systems.
    Overlay(Layers),
    /// Nothing that could be found; the sentence says why.
    Unseen(Text),
}

impl Backing {
    /// What is below the file system of a mount.
    pub(crate) fn of(mount: &Mount) -> Self {
        let kind = mount.kind.as_str();
        let mount_point = mount.mount_point.display();
        let source = &mount.source;
        match kind {
            _ if is_memory(kind) => Self::Unseen(text!(
                "{mount_point} ({kind}) lives in memory: there is no device"
            )),
            "btrfs" => Self::Btrfs {
                source: source.clone(),
            },
            "bcachefs" => Self::Sources(source.split(':').map(str::to_owned).collect()),
            "overlay" => Self::Overlay(Layers::of(mount)),
            "zfs" => Self::Zfs {
                pool: source.split('/').next().unwrap_or(source).to_owned(),
            },
            _ if is_network(kind) => Self::Unseen(text!(
                "{mount_point} is {kind} from {source}, another machine: its devices and its caches \
                 are not seen from here"
            )),
            _ if kind == "fuse" || kind.starts_with("fuse.") => Self::Unseen(text!(
                "{mount_point} ({kind}) is served by a program (FUSE): what it stands on and what the \
                 program caches are not seen"
            )),
            _ if mount.is_anonymous() => Self::Unseen(text!(
                "{mount_point} ({kind} from {source}) has no block device of its own that the \
                 kernel reports: its devices are not seen"
            )),
            _ if uses_dax(mount) => Self::Unseen(text!(
                "{mount_point} is mounted with dax: its I/O is memory access, which no device counts"
            )),
            _ => Self::Numbered {
                more_sources: mount.option_values("rtdev").map(str::to_owned).collect(),
            },
        }
    }
}

/// Whether a file system of this type keeps its files in memory.
pub(crate) fn is_memory(kind: &str) -> bool {
    matches!(
        kind,
        "tmpfs" | "ramfs" | "rootfs" | "hugetlbfs" | "devtmpfs"
    )
}

/// What weakens the evidence although the devices are seen.
pub(crate) fn caveat(mount: &Mount) -> Option<Text> {
    (mount.kind == "fuseblk").then(|| {
        text!(
            "{} is served by a program (FUSE), which may cache: what it caches is not seen",
            mount.mount_point.display()
        )
    })
}

fn uses_dax(mount: &Mount) -> bool {
    let is_dax = |option: &String| option == "dax" || option == "dax=always";
    mount.options.iter().any(is_dax)
}

/// File systems whose disks are in another machine, or in the host of this one.
fn is_network(kind: &str) -> bool {
    const NETWORK: [&str; 11] = [
        "9p", "afs", "beegfs", "ceph", "cifs", "coda", "lustre", "pvfs2", "smb3", "smbfs",
        "virtiofs",
    ];
    const NETWORK_FUSE: [&str; 7] = [
        "fuse.ceph",
        "fuse.cephfs",
        "fuse.curlftpfs",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
    ];
    kind.starts_with("nfs") || NETWORK.contains(&kind) || NETWORK_FUSE.contains(&kind)
}

/// The directories that an overlay is made of, as `mount` was told them: they may
/// be relative, or belong to the world outside a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layers {
    upper: Option<PathBuf>,
    lower: Vec<PathBuf>,
    mount_point: PathBuf,
    root: PathBuf,
}

impl Layers {
    fn of(mount: &Mount) -> Self {
        let lower = mount.option_values("lowerdir").flat_map(split_layers);
        // Newer kernels list each lower directory by itself.
        let lower_each = mount.option_values("lowerdir+").map(without_escapes);
        Self {
            upper: mount
                .option_values("upperdir")
                .map(|upper| PathBuf::from(without_escapes(upper)))
                .next(),
            lower: lower.chain(lower_each).map(PathBuf::from).collect(),
            mount_point: mount.mount_point.clone(),
            root: mount.root.clone(),
        }
    }

    /// The first layer whose place is not known: its path begins where whoever mounted it was.
    pub(crate) fn relative(&self) -> Option<&Path> {
        let layers = self.upper.iter().chain(&self.lower);
        layers.map(PathBuf::as_path).find(|it| it.is_relative())
    }

    /// Where new files go.
    pub(crate) fn upper(&self) -> Option<&Path> {
        self.upper.as_deref()
    }

    /// Each layer in the order in which overlay looks for `path`, with the place
    /// that the path has in it.
    pub(crate) fn layer_paths(&self, path: &Path) -> impl Iterator<Item = (&Path, PathBuf)> {
        let below = path
            .strip_prefix(&self.mount_point)
            .unwrap_or(Path::new(""));
        let root = self.root.strip_prefix("/").unwrap_or(Path::new(""));
        let inside = root.join(below);
        self.upper
            .iter()
            .chain(&self.lower)
            .map(move |layer| (layer.as_path(), layer.join(&inside)))
    }
}

/// What follows `::` holds data only and cannot be looked into by name.
fn split_layers(text: &str) -> Vec<String> {
    let layers = split_unescaped(text, ':').into_iter();
    let layers = layers.map(|layer| without_escapes(&layer));
    layers.take_while(|layer| !layer.is_empty()).collect()
}

fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        plain.extend(match character {
            '\\' => characters.next(),
            other => Some(other),
        });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mounts::Mounts;

    fn backing(line: &str) -> Backing {
        let mounts = Mounts::parse(line);
        Backing::of(mounts.holding(Path::new("/m"), None).unwrap())
    }

    #[test]
    fn every_kind_of_file_system_is_known_by_what_it_stands_on() {
        assert_eq!(
            backing("1 1 8:1 / /m rw - ext4 /dev/sda1 rw"),
            Backing::Numbered {
                more_sources: Vec::new()
            }
        );
        assert_eq!(
            backing("1 1 8:1 / /m rw - xfs /dev/sda1 rw,rtdev=/dev/sdb"),
            Backing::Numbered {
                more_sources: vec!["/dev/sdb".to_owned()]
            }
        );
        assert_eq!(
            backing("1 1 0:9 / /m rw - bcachefs /dev/sda:/dev/sdb rw"),
            Backing::Sources(vec!["/dev/sda".to_owned(), "/dev/sdb".to_owned()])
        );
    }

    #[test]
    fn a_data_set_of_zfs_is_on_its_pool() {
        let pool = "tank".to_owned();
        let found = backing("1 1 0:9 / /m rw - zfs tank/home/a rw");
        assert_eq!(found, Backing::Zfs { pool });
    }

    #[test]
    fn what_cannot_be_seen_is_said_with_its_reason() {
        for (kind, reason) in [
            ("tmpfs", "lives in memory: there is no device"),
            ("nfs4", "another machine"),
            ("cifs", "another machine"),
            ("fuse.sshfs", "another machine"),
            ("fuse.portal", "FUSE"),
            ("newfs", "no block device of its own"),
        ] {
            match backing(&format!("1 1 0:9 / /m rw - {kind} source rw")) {
                Backing::Unseen(sentence) => {
                    assert!(sentence.english().contains(reason), "{sentence}")
                }
                other => panic!("{kind}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_layer_whose_place_nobody_knows_is_named() {
        let relative = |options: &str| match backing(&format!(
            "1 1 0:9 / /m rw - overlay overlay rw,{options}"
        )) {
            Backing::Overlay(layers) => layers.relative().map(Path::to_owned),
            other => panic!("{other:?}"),
        };
        assert_eq!(relative("lowerdir=/a:b,upperdir=/u"), Some("b".into()));
        assert_eq!(relative("lowerdir=/a,upperdir=u"), Some("u".into()));
        assert_eq!(relative("lowerdir=/a:/b,upperdir=/u"), None);
    }

    #[test]
    fn overlay_layers_are_found_in_order() {
        let paths = |options: &str, path: &str| match backing(&format!(
            "1 1 0:9 /bound /m rw - overlay overlay rw,{options}"
        )) {
            Backing::Overlay(layers) => layers
                .layer_paths(Path::new(path))
                .map(|(_, layer_path)| layer_path.to_str().unwrap().to_owned())
                .collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            paths(
                "lowerdir=/a\\134:x:/b::/data,upperdir=/up,workdir=/w",
                "/m/file"
            ),
            ["/up/bound/file", "/a:x/bound/file", "/b/bound/file"]
        );
        assert_eq!(
            paths("lowerdir+=/a,lowerdir+=/b,upperdir=/u\\134,p", "/m"),
            ["/u,p/bound/", "/a/bound/", "/b/bound/"]
        );
    }

    #[test]
    fn dax_and_fuse_on_a_device_are_not_trusted() {
        match backing("1 1 259:0 / /m rw - xfs /dev/pmem0 rw,dax=always") {
            Backing::Unseen(sentence) => assert!(sentence.english().contains("dax"), "{sentence}"),
            other => panic!("{other:?}"),
        }
        let caveat_of = |line: &str| {
            let mounts = Mounts::parse(line);
            caveat(mounts.holding(Path::new("/m"), None).unwrap())
        };
        assert!(caveat_of("1 1 8:1 / /m rw - fuseblk /dev/sda1 rw").is_some());
        assert_eq!(caveat_of("1 1 8:1 / /m rw - ext4 /dev/sda1 rw"), None);
    }
}
