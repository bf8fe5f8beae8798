//! The schemas in `docs/`: those of the types, and followed by what is written.
//!
//! A type is described once. A schema that needs what another one describes refers to that file,
//! which lies beside it.

#![allow(
    clippy::unwrap_used,
    reason = "it is for tests, which fail where something is not as they need it"
)]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::LazyLock;

use jsonschema::{Retrieve, Uri, Validator};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::json_layout;
use crate::{
    AnswerDocument, CheckDocument, ChecksDocument, ComparisonDocument, InfoDocument,
    JudgementDocument, ListDocument, MatrixDocument, PivotDocument, Report, RunDocument,
    TrendDocument,
};

/// Where a schema has the types that it is made of.
const DEFINITIONS: &str = "$defs";
/// What a schema says of itself alone.
const DIALECT: &str = "$schema";

/// The schemas by their names, as they lie beside each other.
static SCHEMAS: LazyLock<BTreeMap<&str, Value>> = LazyLock::new(|| schemas(&mut BTreeMap::new()));

fn schemas(types: &mut BTreeMap<String, SchemaLocation>) -> BTreeMap<&'static str, Value> {
    // What one of them describes, those after it refer to.
    BTreeMap::from([
        described::<RunDocument>("sokudo.run-1", types),
        described::<PivotDocument>("sokudo.pivot-1", types),
        described::<ComparisonDocument>("sokudo.compare-1", types),
        described::<CheckDocument>("sokudo.check-1", types),
        described::<ChecksDocument>("sokudo.checks-1", types),
        described::<MatrixDocument>("sokudo.matrix-1", types),
        described::<Report>("sokudo.report-1", types),
        described::<InfoDocument>("sokudo.info-1", types),
        described::<JudgementDocument>("sokudo.judgement-1", types),
        described::<ListDocument>("sokudo.list-1", types),
        described::<TrendDocument>("sokudo.trend-1", types),
        described::<AnswerDocument>("sokudo.answer-1", types),
    ])
}

/// The schema of this name; of a document that only a method has, as it is described behind all
/// others.
fn schema<Document: JsonSchema>(name: &'static str) -> Value {
    SCHEMAS.get(name).cloned().unwrap_or_else(|| {
        let mut types = BTreeMap::new();
        schemas(&mut types);
        described::<Document>(name, &mut types).1
    })
}

/// Where a type is described, and how.
struct SchemaLocation {
    schema: &'static str,
    /// As others refer to it.
    reference: String,
    description: Value,
}

/// The JSON Schema of the documents of a type that this version writes, without what others
/// describe.
fn described<Document: JsonSchema>(
    name: &'static str,
    types: &mut BTreeMap<String, SchemaLocation>,
) -> (&'static str, Value) {
    let generator = SchemaSettings::draft2020_12().for_serialize();
    let schema = generator
        .into_generator()
        .into_root_schema_for::<Document>();
    let Value::Object(mut document) = schema.to_value() else {
        panic!("{name} is no object")
    };
    let mut definitions = match document.remove(DEFINITIONS) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    definitions.retain(|of, description| {
        let definition = types.entry(of.clone()).or_insert_with(|| SchemaLocation {
            schema: name,
            reference: format!("{name}.schema.json#/{DEFINITIONS}/{of}"),
            description: description.clone(),
        });
        assert_eq!(definition.description, *description, "{of} of {name}");
        definition.schema == name
    });
    let mut description = document.clone();
    description.remove(DIALECT);
    let whole = SchemaLocation {
        schema: name,
        reference: format!("{name}.schema.json"),
        description: description.into(),
    };
    let other = types.insert(Document::schema_name().into_owned(), whole);
    assert!(other.is_none(), "{name} is described by one before it");
    if !definitions.is_empty() {
        document.insert(DEFINITIONS.to_owned(), definitions.into());
    }
    let mut document = document.into();
    refer(&mut document, name, types);
    (name, document)
}

/// Has references lead to where the types are.
fn refer(value: &mut Value, name: &str, types: &BTreeMap<String, SchemaLocation>) {
    match value {
        Value::Object(fields) => {
            let reference = fields.get_mut("$ref").and_then(|it| match it {
                Value::String(reference) => Some(reference),
                _ => None,
            });
            if let Some(reference) = reference {
                let of = reference.rsplit('/').next().unwrap_or_default();
                let definition = &types[of];
                if definition.schema != name {
                    reference.clone_from(&definition.reference);
                }
            }
            fields.values_mut().for_each(|it| refer(it, name, types));
        }
        Value::Array(values) => values.iter_mut().for_each(|it| refer(it, name, types)),
        _ => (),
    }
}

/// Finds what schemas refer to.
struct ReferenceFinder;

impl Retrieve for ReferenceFinder {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        let file = uri.as_str().rsplit('/').next().unwrap_or_default();
        let name = file.strip_suffix(".schema.json").unwrap_or_default();
        Ok(SCHEMAS[name].clone())
    }
}

/// What tells whether a value follows a schema and those that it refers to.
#[cfg(test)]
pub(crate) fn validator(name: &str) -> Validator {
    following(name, &SCHEMAS[name])
}

fn following(name: &str, schema: &Value) -> Validator {
    jsonschema::options()
        .with_base_uri(format!("docs:///{name}.schema.json"))
        .with_retriever(ReferenceFinder)
        .build(schema)
        .unwrap()
}

/// `docs/NAME.schema.json` is the schema of a type; `SOKUDO_BLESS=1` writes it anew. Documents
/// follow it and read back to the same, and one of another version does not follow it.
pub fn assert_kept<Document>(name: &'static str, documents: &[String])
where
    Document: JsonSchema + Serialize + DeserializeOwned,
{
    let described = schema::<Document>(name);
    let schema = Schema::try_from(described.clone()).unwrap();
    let text = json_layout::lay_out(&serde_json::to_string(&schema).unwrap());
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
    let validator = following(name, &described);
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

/// A report and a check hold what others describe: what those refuse, they refuse.
#[test]
fn what_a_schema_refers_to_is_as_strict_as_if_it_stood_there() {
    let refers = |name: &str, to: &str| {
        let text = SCHEMAS[name].to_string();
        assert!(
            text.contains(&format!("\"$ref\":\"{to}.schema.json")),
            "{name}"
        );
    };
    refers("sokudo.report-1", "sokudo.run-1");
    refers("sokudo.report-1", "sokudo.matrix-1");
    refers("sokudo.check-1", "sokudo.compare-1");
    let document = RunDocument::from_run(&crate::sample::run());
    let run = crate::report::ReportedRun::new("run 1", document);
    let good = serde_json::to_value(Report::new(None, vec![run])).unwrap();
    let validator = validator("sokudo.report-1");
    assert!(validator.is_valid(&good));
    for (pointer, bad) in [
        ("/runs/0/run/schema", "sokudo.run/2".into()),
        ("/runs/0/run/figures/0/verdict", "GOOD".into()),
        ("/runs/0/run/figures/0/latency_ns/p50", "fast".into()),
        ("/runs/0/run/target/devices", Value::Null),
    ] {
        let mut spoiled = good.clone();
        *spoiled.pointer_mut(pointer).unwrap() = bad;
        assert!(!validator.is_valid(&spoiled), "{pointer}");
    }
}
