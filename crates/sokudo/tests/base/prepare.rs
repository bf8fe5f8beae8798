//! `sokudo prepare` makes one file system of one disk, and takes back only that.

use crate::sokudo::sokudo;

#[test]
fn what_is_no_whole_disk_is_refused() {
    sokudo("prepare /etc/passwd --fs ext4 --mount /mnt/x --dry-run")
        .refused(2, &["no block device"]);
    sokudo("prepare /dev/sdx --fs zfs --mount /mnt/x").refused(2, &["ext4"]);
    sokudo("prepare /dev/sdx").refused(2, &["--fs"]);
}
