//! The schemas in `docs/`: those of the types, and followed by what is written.

use serde_json::Value;

/// `docs/NAME.schema.json` is this schema; `SOKUDO_BLESS=1` writes it anew.
pub(crate) fn assert_is_current(name: &str, schema: &str) {
    let file = format!(
        "{}/../../docs/{name}.schema.json",
        env!("CARGO_MANIFEST_DIR")
    );
    if std::env::var_os("SOKUDO_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&file, schema).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == schema,
        "docs/{name}.schema.json is stale; run this test with SOKUDO_BLESS=1 to rewrite it"
    );
}

/// A document follows its schema, and one of another version does not.
pub(crate) fn assert_follows(schema: &str, document: &str) {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut value: Value = serde_json::from_str(document).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    value["schema"] = "sokudo.other/2".into();
    assert!(!validator.is_valid(&value));
}
