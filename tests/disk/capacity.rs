//! `sokudo explain --only capacity` on a device that is as large as it says, and on some that
//! are not.

use std::path::Path;

use serde_json::Value;

use crate::faulty_file::{Beyond, FalseEnd, Faults, FaultyFile};
use crate::sokudo::sokudo;

const MIB: u64 = 1 << 20;
const SIZE: usize = 256 << 20;

/// What is concluded about a device that may be destroyed, which is no failure.
fn concluded(device: &Path, more: &str) -> Value {
    let device = device.display();
    let arguments = format!(
        "explain {device} --only capacity --seed 7 {more} --format json --destroy {device}"
    );
    let run = sokudo(&arguments).json();
    assert_eq!(run["figures"][0]["status"], "complete", "{run}");
    run["inferences"][0].clone()
}

/// Of a disk that ends so.
fn found(ends: Option<FalseEnd>, more: &str) -> Option<Value> {
    let faults = Faults {
        ends,
        ..Faults::default()
    };
    let file = FaultyFile::new(SIZE, faults)?;
    let disk = file.as_disk()?;
    Some(concluded(disk.path(), more))
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn fakes_are_found_with_their_real_size() {
        let folds = |real, at, length| (real, Beyond::Folds { at, length });
        let fakes = [
            folds(48 * MIB, 0, 48 * MIB),
            folds(100 * MIB, 92 * MIB - 4096, 8 * MIB + 4096),
            folds(160 * MIB, 130 * MIB, MIB + 8192),
            folds(100 * MIB, 4 * MIB, 3 * MIB + 4096),
            (100 * MIB, Beyond::Forgets(0)),
            (201 * MIB + 4096, Beyond::Forgets(0xFF)),
        ];
        for (real, beyond) in fakes {
            let Some(found) = found(Some(FalseEnd { real, beyond }), "") else {
                return;
            };
            assert_eq!(found["code"], "fake-capacity", "{found}");
            assert_eq!(found["figures"][0]["value"], real as f64, "{found}");
        }
    }

    #[test]
    fn what_is_refused_beyond_the_end_is_no_failure() {
        let end = FalseEnd {
            real: 100 * MIB,
            beyond: Beyond::Fails,
        };
        // What cannot be read at the end may be somebody's.
        let Some(found) = found(Some(end), "--destroy-contents") else {
            return;
        };
        assert_eq!(found["code"], "fake-capacity", "{found}");
        assert_eq!(found["figures"][0]["value"], (100 * MIB) as f64, "{found}");
    }

    #[test]
    fn all_of_a_device_tells_its_size_and_only_that_makes_sure() {
        let folded = FalseEnd {
            real: 100 * MIB,
            beyond: Beyond::Folds {
                at: 99 * MIB,
                length: MIB,
            },
        };
        let Some(fake) = found(Some(folded), "--full") else {
            return;
        };
        assert_eq!(fake["code"], "fake-capacity", "{fake}");
        assert_eq!(fake["figures"][0]["value"], (100 * MIB) as f64, "{fake}");
        assert_eq!(fake["confidence"], "high", "{fake}");
        let Some(honest) = found(None, "") else {
            return;
        };
        assert_eq!(honest["code"], "capacity-as-stated", "{honest}");
        assert_ne!(honest["confidence"], "high", "{honest}");
    }
}
