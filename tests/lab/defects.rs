//! A disk that cannot be read in places: `sokudo scan` names exactly these, and reads
//! all the others.

use crate::guest::Guest;
use crate::run_json::places;

/// Bytes of the sectors that lab/boot makes unreadable.
pub(crate) const BAD_OFFSET: u64 = 40_003 * 512;
pub(crate) const BAD_LENGTH: u64 = 11 * 512;

/// Size of these disks, and of the scan's I/Os.
const SIZE: u64 = 64 << 20;
const BLOCK: u64 = 1 << 20;

#[test]
fn a_damaged_disk_is_read_to_its_end() {
    let Some(guest) = Guest::enter(&["ata-bad", "nvme-bad", "scsi-bad"]) else {
        return;
    };
    for name in ["ata-bad", "nvme-bad", "scsi-bad"] {
        let ended = guest.scan(&guest.disk(name), &[]).end();
        assert_eq!(ended.code, Some(1), "{ended:?}");
        let run = ended.parsed();
        let result = &run["figures"][0];
        let defects = result["defects"].as_array().unwrap();
        assert_eq!(defects.len(), 1, "{defects:?}");
        assert_eq!(defects[0]["offset"], BAD_OFFSET, "{defects:?}");
        assert_eq!(defects[0]["length"], BAD_LENGTH, "{defects:?}");
        assert_eq!(defects[0]["operation"], "read", "{defects:?}");
        let places = places(&run, result);
        let places = places.iter();
        let read: u64 = places.map(|place| place["bytes"].as_u64().unwrap()).sum();
        // An I/O that failed in a part of it is no part of the figures.
        assert_eq!(read, SIZE - BLOCK, "all other blocks were read");
    }
}
