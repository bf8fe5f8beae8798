//! The schemas in `docs/`: those of the types, and followed by what is written.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The JSON Schema of the documents of a type that this version writes.
pub(crate) fn schema<Document: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Document>()
}

/// `docs/NAME.schema.json` is the schema of a type; `SOKUDO_BLESS=1` writes it anew. Documents
/// follow it and read back to the same, and one of another version does not follow it.
pub(crate) fn assert_kept<Document>(name: &str, documents: &[String])
where
    Document: JsonSchema + Serialize + DeserializeOwned,
{
    let schema = schema::<Document>();
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
    let file = format!("{folder}/{name}.schema.json");
    if std::env::var_os("SOKUDO_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&file, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == text,
        "docs/{name}.schema.json is stale; run this test with SOKUDO_BLESS=1 to rewrite it"
    );
    let validator = jsonschema::validator_for(schema.as_value()).unwrap();
    for document in documents {
        let mut value: Value = serde_json::from_str(document).unwrap();
        let errors = validator.iter_errors(&value);
        let errors = errors.map(|error| format!("{}: {error}", error.instance_path()));
        let errors: Vec<String> = errors.collect();
        assert!(errors.is_empty(), "{errors:#?}");
        let read: Document = serde_json::from_str(document).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), value);
        value["schema"] = "sokudo.other/2".into();
        assert!(!validator.is_valid(&value));
    }
}
