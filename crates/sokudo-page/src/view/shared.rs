//! One JSON value that all browsers share, and the operations that made it: whoever has missed
//! some gets these, and whoever has missed too many gets the value.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::series::SeriesChange;

/// A browser that was away for longer than a minute and a half gets the whole view.
const BATCHES_MAX: usize = 1_000;
/// Batches are small; a picture of a whole surface at once is not.
const RING_BYTES_MAX: usize = 8 << 20;
/// More than this cost more than the whole view.
const OPERATIONS_MAX: usize = 2_000;

/// A step of a path into the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum PathStep {
    Key(&'static str),
    Index(usize),
}

/// What changes the value: `["set", path, value]` or `["push", path, value]`.
#[derive(Clone, Debug, PartialEq)]
struct PatchOperation {
    name: &'static str,
    path: Vec<PathStep>,
    value: Value,
}

/// Operations that are sent at once.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    /// The number of the last operation that is in it, which `Last-Event-ID` names.
    pub(crate) id: u64,
    /// JSON that browsers are sent: `{"ops": […]}`.
    pub(crate) text: Arc<str>,
}

#[derive(Debug, Default)]
pub(super) struct SharedValue {
    value: Value,
    /// Those that nobody was sent yet.
    operations: Vec<PatchOperation>,
    ring: VecDeque<Batch>,
    ring_bytes: usize,
    last: u64,
}

impl SharedValue {
    pub(super) fn new(value: Value) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }

    pub(super) fn set(&mut self, path: &[PathStep], value: Value) {
        self.record("set", path, value);
    }

    pub(super) fn push(&mut self, path: &[PathStep], value: Value) {
        self.record("push", path, value);
    }

    /// Changes the entries of a series, which are at `path`.
    pub(super) fn change(&mut self, path: &[PathStep], change: SeriesChange) {
        match change {
            SeriesChange::Pushed(value) => self.push(path, value),
            SeriesChange::Replaced(index, value) => {
                self.set(&[path, &[PathStep::Index(index)]].concat(), value);
            }
            SeriesChange::Thinned(value) => self.set(path, value),
        }
    }

    pub(super) const fn value(&self) -> &Value {
        &self.value
    }

    /// Ends a batch; false where nothing has changed.
    pub(super) fn seal(&mut self) -> bool {
        if self.operations.is_empty() {
            return false;
        }
        let operations = std::mem::take(&mut self.operations);
        let text = match operations.len() > OPERATIONS_MAX {
            true => self.whole(),
            false => json!({ "ops": operations }).to_string().into(),
        };
        self.last += 1;
        self.ring_bytes += text.len();
        self.ring.push_back(Batch {
            id: self.last,
            text,
        });
        while self.ring.len() > BATCHES_MAX || self.ring_bytes > RING_BYTES_MAX {
            let dropped = self.ring.pop_front();
            self.ring_bytes -= dropped.map_or(0, |batch| batch.text.len());
        }
        true
    }

    /// What brings somebody who has seen `seen` nearest to now: the next batch, the whole view,
    /// or nothing where there is nothing new.
    pub(super) fn after(&mut self, seen: Option<u64>) -> Option<Batch> {
        if seen == Some(self.last) {
            return None;
        }
        let oldest = self.ring.front().map(|batch| batch.id);
        let next = seen.zip(oldest).and_then(|(seen, oldest)| {
            let behind = seen.checked_add(1)?.checked_sub(oldest)?;
            self.ring.get(usize::try_from(behind).ok()?).cloned()
        });
        next.or_else(|| {
            // The value has what is not sent yet, which must not come a second time.
            self.seal();
            Some(Batch {
                id: self.last,
                text: self.whole(),
            })
        })
    }

    fn whole(&self) -> Arc<str> {
        json!({ "ops": [["set", [], self.value]] })
            .to_string()
            .into()
    }

    fn record(&mut self, name: &'static str, path: &[PathStep], value: Value) {
        let target = descend(&mut self.value, path);
        match (name, target) {
            ("push", Value::Array(array)) => array.push(value.clone()),
            (_, target) => *target = value.clone(),
        }
        // A batch of this size is sent as the whole view.
        if self.operations.len() <= OPERATIONS_MAX {
            self.operations.push(PatchOperation {
                name,
                path: path.to_vec(),
                value,
            });
        }
    }
}

fn descend<'v>(value: &'v mut Value, path: &[PathStep]) -> &'v mut Value {
    path.iter().fold(value, |value, step| match step {
        PathStep::Key(key) => &mut value[*key],
        PathStep::Index(index) => &mut value[*index],
    })
}

impl Serialize for PatchOperation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.name, &self.path, &self.value).serialize(serializer)
    }
}
