//! A link that several devices share, as disks share a lane, a bus or the port of a hub: what one
//! moves the others wait for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sokudo_model::{Attachment, AttachmentKind};

use super::rate::TransferRate;
use super::spec::{Spec, SpecError};

/// The slowest and the fastest link that anything is attached by.
const RATES: std::ops::RangeInclusive<TransferRate> =
    TransferRate(1_000)..=TransferRate::megabytes(1_000_000);

/// What is moved passes it in order of arrival, behind the drive: of writes, too, whose data
/// passes before. In a load that lasts both come to the same rate.
#[derive(Clone, Debug)]
pub(super) struct SharedLink {
    name: String,
    rate: TransferRate,
    /// When it is free, in the time of the stage: shared by all that bear its name.
    free_ns: Arc<AtomicU64>,
}

impl SharedLink {
    /// Reads `link=NAME:RATE`; `None` where the key is absent.
    pub(super) fn parse(spec: &mut Spec) -> Result<Option<Self>, SpecError> {
        const EXPECTED: &str = "a name and a rate, such as lane:500MB/s";
        let Some(value) = spec.text("link")? else {
            return Ok(None);
        };
        let read = value.split_once(':').and_then(|(name, rate)| {
            let rate: TransferRate = rate.parse().ok()?;
            (!name.is_empty() && RATES.contains(&rate)).then_some((name, rate))
        });
        let (name, rate) = read.ok_or_else(|| SpecError::not_a_value("link", value, EXPECTED))?;
        Ok(Some(Self {
            name: name.to_owned(),
            rate,
            free_ns: Arc::default(),
        }))
    }

    /// How it presents itself.
    pub(super) fn attachment(&self) -> Attachment {
        Attachment {
            kind: AttachmentKind::Link,
            name: self.name.clone(),
            speed: Some(self.rate.to_string()),
            bytes_per_s: Some(self.rate.0),
        }
    }

    /// When so many bytes that are ready at an instant have passed.
    pub(super) fn end_ns(&self, ready_ns: u64, bytes: u64) -> u64 {
        let begin_ns = ready_ns.max(self.free_ns.load(Ordering::Relaxed));
        let end_ns = begin_ns + self.rate.nanos(bytes);
        self.free_ns.store(end_ns, Ordering::Relaxed);
        end_ns
    }
}

/// Lets links of one name be one, from now on and with nothing on it.
pub(super) fn share<'a>(links: impl Iterator<Item = &'a mut SharedLink>) {
    let mut known: BTreeMap<String, Arc<AtomicU64>> = BTreeMap::new();
    for link in links {
        let shared = known.entry(link.name.clone()).or_default();
        link.free_ns = Arc::clone(shared);
    }
}
