//! What disks came to, `sokudo.answer/1`: for a program that passes it on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sokudo_model::{DiskAssessment, Nanos};
use sokudo_words::Text;

use crate::assessment_table::{self, JudgedDisk};
use crate::document::RunDocument;

const SCHEMA: &str = "sokudo.answer/1";

/// What disks came to as JSON: `sokudo.answer/1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "sokudo.answer/1")]
pub struct AnswerDocument {
    /// Name and version of this format: `sokudo.answer/1`.
    #[schemars(extend("const" = "sokudo.answer/1"))]
    pub schema: String,
    /// Version of the program that measured.
    pub sokudo_version: String,
    /// Name of the machine.
    pub host: Option<String>,
    /// What was asked for: `checkup`, `burn-in` or `check`.
    pub command: String,
    /// Start, in nanoseconds since 1970-01-01T00:00:00Z.
    #[serde(rename = "started_at_ns")]
    pub started_at: Option<Nanos>,
    /// The run, as it is kept; null where it is not.
    pub run: Option<u64>,
    /// With what the command ends in every format but nagios, whose codes are its own.
    pub exit_code: u8,
    /// The first line that it prints, or why nothing could be measured, in English; or null.
    pub sentence: Option<String>,
    /// Each disk, in the order in which they were named.
    pub disks: Vec<AnsweredDisk>,
}

/// What one disk came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnsweredDisk {
    /// As it was named.
    pub name: String,
    /// Maker's name of the model; null where none is seen, as below.
    pub model: Option<String>,
    /// Serial number that the maker gave it.
    pub serial: Option<String>,
    /// Slot of its enclosure or of the machine.
    pub slot: Option<String>,
    /// Whether it is well, and as fast as it should be.
    pub assessment: DiskAssessment,
}

impl AnswerDocument {
    /// What a run came to that is kept under this number and ends so.
    pub fn of(document: &RunDocument, run: Option<u64>, exit_code: u8) -> Self {
        let disks = assessment_table::judged_disks(document);
        let answered = |disk: &JudgedDisk<'_>| {
            let drive = assessment_table::drive(document, disk.target);
            AnsweredDisk {
                name: disk.name.to_owned(),
                model: drive.and_then(|it| it.disk.model.clone()),
                serial: assessment_table::serial(document, disk.target).map(str::to_owned),
                slot: drive.and_then(|it| it.disk.slot.clone()),
                assessment: disk.assessment.clone(),
            }
        };
        let sentence = assessment_table::answer_of_all(&disks);
        Self {
            schema: SCHEMA.to_owned(),
            sokudo_version: document.sokudo_version.clone(),
            host: document.environment.host.clone(),
            command: document.plan.method.to_string(),
            started_at: document.started_at,
            run,
            exit_code,
            sentence: sentence.map(|(_, sentence)| sentence.english()),
            disks: disks.iter().map(answered).collect(),
        }
    }

    /// Why a command could measure nothing.
    pub fn not_measured(command: String, host: Option<String>, why: &Text, exit_code: u8) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            sokudo_version: env!("CARGO_PKG_VERSION").to_owned(),
            host,
            command,
            started_at: None,
            run: None,
            exit_code,
            sentence: Some(why.english()),
            disks: Vec::new(),
        }
    }

    /// The document, with line breaks.
    pub fn to_json(&self) -> String {
        crate::json_layout::written(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn documents_follow_the_schema_in_the_docs_and_read_back() {
        let shapes = sample::all_shapes().into_iter();
        let of_run = |run| AnswerDocument::of(&RunDocument::from_run(&run), Some(3), 1);
        let answers: Vec<AnswerDocument> = shapes.map(of_run).collect();
        assert!(answers.iter().any(|answer| !answer.disks.is_empty()));
        let why = "/dev/sdx does not exist".into();
        let none = AnswerDocument::not_measured("checkup".to_owned(), None, &why, 2);
        let documents = answers.iter().chain([&none]).map(AnswerDocument::to_json);
        let documents: Vec<String> = documents.collect();
        crate::kept_schema::assert_kept::<AnswerDocument>("sokudo.answer-1", &documents);
    }
}
