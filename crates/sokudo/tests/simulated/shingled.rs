//! What flushes tell of a shingled disk, and what they do not.

use sokudo_methods::explain::plan::StorageMedium;
use sokudo_model::{Confidence, Inference};

/// What is concluded of a shingled disk that is so: of its write cache, if anything, and of its
/// recording.
fn concluded(so: &str) -> (Option<Inference>, Inference) {
    let spec = format!("sim:smr?size=100GB&entries=20000&{so}");
    let only = ["rotation", "write-cache", "shingles"];
    let run = crate::explained(&spec, StorageMedium::Rotating, &only, 1, |_| ());
    let found = |code| run.inferences.iter().find(|it| it.code == code).cloned();
    let recording = found("shingled-recording");
    let recording = recording.unwrap_or_else(|| panic!("{spec}: {:?}", run.inferences));
    (found("write-cache"), recording)
}

#[test]
fn flushes_that_are_ignored_prove_no_persistent_cache() {
    for band in ["64MiB", "256MiB"] {
        let (cache, recording) = concluded(&format!("band={band}&flush=lies"));
        let cache = cache.unwrap().claim.english();
        assert!(cache.contains("they are ignored"), "{cache}");
        assert_eq!(recording.confidence, Confidence::Low, "{recording:?}");
        let claim = recording.claim.english();
        assert!(
            claim.ends_with("flushes do not distinguish the two"),
            "{claim}"
        );
    }
    let (_, recording) = concluded("band=64MiB");
    assert_eq!(recording.confidence, Confidence::Medium, "{recording:?}");
}
