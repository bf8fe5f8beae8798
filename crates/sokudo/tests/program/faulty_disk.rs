//! Slow and damaged block devices in a second: qemu-storage-daemon shows an image, with
//! errors injected and its speed limited, as a file through FUSE; a loop device makes a
//! disk of it.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::keeper::Keeper;
use crate::sokudo::{has, is_root, skip};

/// Starts the daemon `$3…`, waits until it shows something, attaches a loop device to
/// it and tells its name; at the end of its input takes all of it down.
const KEEPER: &str = r#"
directory=$1 size=$2; shift 2
"$@" &
daemon=$!
for i in $(seq 600); do
    [ "$(stat -c %s "$directory/shown")" != "$size" ] || break
    kill -0 $daemon || break
    sleep 0.05
done
if [ "$(stat -c %s "$directory/shown")" = "$size" ]; then
    device=$(losetup --find --show --direct-io=on "$directory/shown") && echo "$device"
fi
exec >&-
read -r _
[ -z "$device" ] || losetup --detach "$device"
kill $daemon
wait $daemon
rm -rf --one-file-system "$directory""#;

/// What is wrong with a disk.
#[derive(Default)]
pub(crate) struct Damage {
    /// Sectors of 512 bytes that cannot be read.
    pub(crate) unreadable_sectors: Range<u64>,
    /// The most bytes per second.
    pub(crate) bytes_per_s: Option<u64>,
    /// The most I/Os per second.
    pub(crate) ios_per_s: Option<u64>,
}

impl Damage {
    /// The command that shows `image` as `shown`.
    fn daemon(&self, image: &Path, shown: &Path) -> Command {
        let errors: Vec<Value> = self
            .unreadable_sectors
            .clone()
            .map(|sector| {
                json!({"event": "none", "iotype": "read", "errno": 5, "once": false, "sector": sector})
            })
            .collect();
        // 0 is no limit.
        let limits = json!({
            "bps-total": self.bytes_per_s.unwrap_or(0),
            "iops-total": self.ios_per_s.unwrap_or(0),
        });
        let file = json!({"driver": "file", "node-name": "file", "filename": image});
        let mut debug = json!({"driver": "blkdebug", "node-name": "errors", "image": "file"});
        if !errors.is_empty() {
            debug["inject-error"] = Value::Array(errors);
        }
        let mut command = Command::new("qemu-storage-daemon");
        command.args(["--blockdev", &file.to_string()]);
        command.args(["--blockdev", &debug.to_string()]);
        let group = json!({"qom-type": "throttle-group", "id": "limits", "limits": limits});
        let throttle = json!({"driver": "throttle", "node-name": "disk", "throttle-group": "limits", "file": "errors"});
        let export = json!({"type": "fuse", "id": "export", "node-name": "disk", "mountpoint": shown, "writable": true});
        command
            .args(["--object", &group.to_string()])
            .args(["--blockdev", &throttle.to_string()])
            .args(["--export", &export.to_string()]);
        command
    }
}

/// A block device with damage, gone again when dropped.
pub(crate) struct FaultyDisk {
    _keeper: Keeper,
    pub(crate) path: PathBuf,
}

impl FaultyDisk {
    /// A disk of `size` bytes of zeros. None, said loudly, where there can be none.
    pub(crate) fn new(size: u64, damage: &Damage) -> Option<Self> {
        if !is_root() || !has("qemu-storage-daemon") || !has("losetup") {
            skip(
                "a faulty disk needs root, qemu-storage-daemon (package qemu-system-common) and losetup",
            );
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        let [image, shown] = ["image", "shown"].map(|name| directory.path().join(name));
        File::create(&image).unwrap().set_len(size).unwrap();
        File::create(&shown).unwrap();
        let daemon = damage.daemon(&image, &shown);
        let log = directory.path().join("log");
        // From here on the keeper removes it.
        let directory = directory.keep();
        let mut keeper = Keeper::start(
            Keeper::command(KEEPER)
                .arg(&directory)
                .arg(size.to_string())
                .arg(daemon.get_program())
                .args(daemon.get_args())
                .stdout(Stdio::piped())
                .stderr(File::create(&log).unwrap()),
        );
        if let Some(path) = first_line(&mut keeper) {
            let _keeper = keeper;
            return Some(Self { _keeper, path });
        }
        let told = std::fs::read_to_string(&log).unwrap_or_default();
        skip(&format!(
            "no faulty disk can be made here: {}",
            told.trim_end()
        ));
        None
    }

    /// What the kernel has read of it so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        let name = self.path.file_name().unwrap().to_str().unwrap();
        let stat = std::fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        // Its third field: sectors of 512 bytes read.
        let sectors: u64 = stat.split_whitespace().nth(2).unwrap().parse().unwrap();
        sectors * 512
    }
}

/// The device that the keeper names; None if it ends without.
fn first_line(keeper: &mut Keeper) -> Option<PathBuf> {
    use std::io::{BufRead, BufReader};
    let mut line = String::new();
    BufReader::new(keeper.0.stdout.take()?)
        .read_line(&mut line)
        .unwrap();
    let name = line.trim();
    (!name.is_empty()).then(|| PathBuf::from(name))
}
