//! JSON as fio lays it out: keys in the order in which they were added, two spaces
//! per level, ` : ` between key and value, floats with six decimals.

use std::fmt::Write;

/// A JSON value whose numbers keep their type: a whole number is never printed with a
/// point, a float always, because typed clients refuse the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum JsonValue {
    Null,
    Whole(i128),
    Float(f64),
    Text(String),
    Array(Vec<JsonValue>),
    Object(JsonObject),
}

/// Keys with their values, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct JsonObject(Vec<(String, JsonValue)>);

impl JsonObject {
    pub(super) fn add(&mut self, key: &str, value: impl Into<JsonValue>) -> &mut Self {
        self.0.push((key.to_owned(), value.into()));
        self
    }
}

impl From<u64> for JsonValue {
    fn from(value: u64) -> Self {
        Self::Whole(value.into())
    }
}

impl From<u32> for JsonValue {
    fn from(value: u32) -> Self {
        Self::Whole(value.into())
    }
}

impl From<i32> for JsonValue {
    fn from(value: i32) -> Self {
        Self::Whole(value.into())
    }
}

impl From<f64> for JsonValue {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<&str> for JsonValue {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for JsonValue {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<JsonObject> for JsonValue {
    fn from(value: JsonObject) -> Self {
        Self::Object(value)
    }
}

impl From<Vec<JsonValue>> for JsonValue {
    fn from(value: Vec<JsonValue>) -> Self {
        Self::Array(value)
    }
}

/// A float as fio prints it. There is no infinity in JSON, nor in anything measured.
pub(super) fn float(value: f64) -> String {
    let value = if value.is_finite() { value } else { 0.0 };
    format!("{value:.6}")
}

/// The document, which ends with a line feed.
pub(super) fn document(object: JsonObject) -> String {
    let mut text = String::new();
    write_value(&mut text, &JsonValue::Object(object), 0);
    text.push('\n');
    text
}

fn write_value(text: &mut String, value: &JsonValue, level: usize) {
    match value {
        JsonValue::Null => text.push_str("null"),
        JsonValue::Whole(number) => write!(text, "{number}").expect("a String takes all text"),
        JsonValue::Float(number) => text.push_str(&float(*number)),
        JsonValue::Text(value) => text.push_str(&quoted(value)),
        JsonValue::Array(values) => {
            let items = values.iter().map(|value| (None, value));
            write_items(text, ['[', ']'], items, level);
        }
        JsonValue::Object(JsonObject(entries)) => {
            let items = entries.iter().map(|(key, value)| (Some(key), value));
            write_items(text, ['{', '}'], items, level);
        }
    }
}

fn write_items<'a>(
    text: &mut String,
    [open, close]: [char; 2],
    items: impl Iterator<Item = (Option<&'a String>, &'a JsonValue)>,
    level: usize,
) {
    text.push(open);
    for (index, (key, value)) in items.enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        indent(text, level + 1);
        if let Some(key) = key {
            text.push_str(&quoted(key));
            text.push_str(" : ");
        }
        write_value(text, value, level + 1);
    }
    text.push('\n');
    indent(text, level);
    text.push(close);
}

fn indent(text: &mut String, level: usize) {
    text.extend(std::iter::repeat_n("  ", level));
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is always JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_the_one_of_fio() {
        let mut inner = JsonObject::default();
        inner.add("iops", vec![JsonValue::from(1u64), JsonValue::from(2u64)]);
        let mut root = JsonObject::default();
        root.add("a \"name\"\n", "x\\y")
            .add("float", 1.0)
            .add("nothing", f64::NAN)
            .add("data", inner);
        let text = document(root);
        assert_eq!(
            text,
            "{\n  \"a \\\"name\\\"\\n\" : \"x\\\\y\",\n  \"float\" : 1.000000,\n  \
             \"nothing\" : 0.000000,\n  \"data\" : {\n    \"iops\" : [\n      1,\n      2\n    ]\n  }\n}\n"
        );
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }
}
