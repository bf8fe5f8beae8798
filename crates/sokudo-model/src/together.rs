//! Several targets as one.

use crate::target::{FileState, TargetInfo};
use crate::units::Bytes;

impl TargetInfo {
    /// Several targets as one; `None` if there are none.
    pub fn together<'a>(mut infos: impl Iterator<Item = &'a Self> + Clone) -> Option<Self> {
        let count = infos.clone().count();
        let mut sum = infos.next()?.clone();
        if count == 1 {
            return Some(sum);
        }
        sum.file_state = sum_of_states(
            std::iter::once(&sum.file_state.clone())
                .chain(infos.clone().map(|info| &info.file_state)),
        );
        for info in infos {
            sum.size_bytes = sum
                .size_bytes
                .zip(info.size_bytes)
                .map(|(left, right)| Bytes(left.0.saturating_add(right.0)));
            for device in &info.devices {
                if !sum.devices.contains(device) {
                    sum.devices.push(device.clone());
                }
            }
            for sentence in &info.blind_spots {
                if !sum.blind_spots.contains(sentence) {
                    sum.blind_spots.push(sentence.clone());
                }
            }
            if info.file_system != sum.file_system {
                sum.file_system = None;
            }
        }
        sum.name = format!("{} and {} more", sum.name, count - 1);
        Some(sum)
    }
}

/// The sum of what files are made of; `None` if it is unknown of one of them.
fn sum_of_states<'a>(mut states: impl Iterator<Item = &'a Option<FileState>>) -> Option<FileState> {
    states.try_fold(FileState::default(), |sum, state| {
        let state = state.as_ref()?;
        let plus = |left: Bytes, right: Bytes| Bytes(left.0.saturating_add(right.0));
        Some(FileState {
            size_bytes: plus(sum.size_bytes, state.size_bytes),
            extents: sum.extents.saturating_add(state.extents),
            hole_bytes: plus(sum.hole_bytes, state.hole_bytes),
            unwritten_bytes: plus(sum.unwritten_bytes, state.unwritten_bytes),
            encoded_bytes: plus(sum.encoded_bytes, state.encoded_bytes),
            inline_bytes: plus(sum.inline_bytes, state.inline_bytes),
            shared_bytes: plus(sum.shared_bytes, state.shared_bytes),
            repeated_bytes: plus(sum.repeated_bytes, state.repeated_bytes),
            is_exempt_from_copies: if sum == FileState::default() {
                state.is_exempt_from_copies
            } else {
                let alike = sum.is_exempt_from_copies == state.is_exempt_from_copies;
                sum.is_exempt_from_copies.filter(|_| alike)
            },
            is_synchronous: state.is_synchronous
                && (sum.is_synchronous || sum == FileState::default()),
        })
    })
}
