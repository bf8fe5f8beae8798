//! The schema of `sokudo.together/1`, which is that of a run with what each host did.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::json;

use super::RunDocument;
use super::hosts::TogetherDocument;

/// The schema of documents of hosts: that of a run, with what each host did.
pub(super) struct TogetherSchema;

impl JsonSchema for TogetherSchema {
    fn schema_name() -> Cow<'static, str> {
        "TogetherRun".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        const NAME: &str = "sokudo.together/1";
        let together = generator.subschema_for::<TogetherDocument>();
        let mut schema = RunDocument::json_schema(generator);
        let fields = schema.ensure_object();
        fields["title"] = NAME.into();
        fields["description"] = json!(
            "Hosts that measured together as JSON: `sokudo.together/1`. The figures of the results \
             are those of all hosts in the time in which all of them ran; what each of them did is \
             in `together`. All else is as in `sokudo.run/1`."
        );
        fields["properties"]["schema"] = json!({
            "description": "Name and version of this format: `sokudo.together/1`.",
            "type": "string",
            "const": NAME,
        });
        fields["properties"]["together"] = together.to_value();
        if let Some(required) = fields["required"].as_array_mut() {
            required.push("together".into());
        }
        schema
    }
}

/// The schema of what either one machine has measured or several.
pub(crate) fn run_or_together(generator: &mut SchemaGenerator) -> Schema {
    let run = generator.subschema_for::<RunDocument>();
    let together = generator.subschema_for::<TogetherSchema>();
    json_schema!({ "anyOf": [run, together] })
}
