//! How a row's I/O was issued, and with what of the kernel.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_words::Text;

use crate::plan::BackendKind;

/// How I/O was issued.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "BackendDocument")]
pub struct BackendUse {
    /// Backend that issued the I/O.
    pub kind: BackendKind,
    /// What it used of the kernel.
    #[schemars(with = "Vec<String>")]
    pub features: Vec<BackendFeature>,
    /// Why it is not the one that was asked for, or why features are missing.
    #[serde(with = "crate::sentences")]
    #[schemars(with = "Vec<String>")]
    pub notes: Vec<Text>,
}

impl BackendUse {
    /// Whether buffers lay in huge pages.
    pub fn has_huge_pages(&self) -> bool {
        use BackendFeature::{HugePages, TransparentHugePages};
        let mut features = self.features.iter();
        features.any(|feature| matches!(feature, HugePages | TransparentHugePages))
    }
}

/// What a backend uses of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is named as the kernel names it")]
pub enum BackendFeature {
    #[serde(rename = "huge pages")]
    HugePages,
    /// The kernel gives them where it has some.
    #[serde(rename = "transparent huge pages")]
    TransparentHugePages,
    #[serde(rename = "registered buffers")]
    RegisteredBuffers,
    #[serde(rename = "registered file")]
    RegisteredFile,
    #[serde(rename = "registered files")]
    RegisteredFiles,
    #[serde(rename = "single issuer")]
    SingleIssuer,
    #[serde(rename = "deferred task work")]
    DeferredTaskWork,
    /// Completions are asked for, instead of coming by interrupt.
    #[serde(rename = "polled")]
    Polled,
    /// One that another version of sokudo knows.
    #[serde(untagged)]
    Other(String),
}

impl From<&BackendFeature> for Text {
    fn from(feature: &BackendFeature) -> Self {
        let name = match feature {
            BackendFeature::HugePages => "huge pages",
            BackendFeature::TransparentHugePages => "transparent huge pages",
            BackendFeature::RegisteredBuffers => "registered buffers",
            BackendFeature::RegisteredFile => "registered file",
            BackendFeature::RegisteredFiles => "registered files",
            BackendFeature::SingleIssuer => "single issuer",
            BackendFeature::DeferredTaskWork => "deferred task work",
            BackendFeature::Polled => "polled",
            BackendFeature::Other(name) => return Self::name(name),
        };
        name.into()
    }
}
