//! What documents of early versions say only in the words of their fingerprints. Those words
//! were never others, and this file is not changed.

use serde_json::json;
use sokudo_model::{OperationMix, narrow};

use crate::document::ResultDocument;

/// Puts it where later versions look for it.
pub(super) fn complete(result: &mut ResultDocument) {
    let words = |part: &str| result.fingerprint_parts.get(part);
    if result.beside == 0 {
        // The fingerprint of each of the others.
        result.beside = words("beside").map_or(0, |others| narrow(others.split(' ').count()));
    }
    let mix = words("mix").and_then(|words| mix(words));
    if let Some(told) = &mut result.told {
        told.mix = told.mix.take().or(mix);
    }
}

/// `read 70 %, write 30 %`.
fn mix(words: &str) -> Option<OperationMix> {
    let shares = words.split(", ").map(|share| {
        let (operation, percent) = share.strip_suffix(" %")?.split_once(' ')?;
        Some(json!([operation, percent.parse::<u32>().ok()?]))
    });
    serde_json::from_value(shares.collect::<Option<_>>()?).ok()
}
