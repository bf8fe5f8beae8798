//! JSON as fio lays it out: keys in the order in which they were added, two spaces
//! per level, ` : ` between key and value, floats with six decimals.

use serde_json::Value;

/// A JSON value whose keys keep their order. A whole number is never printed with a point, a
/// float always, because typed clients refuse the other.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum JsonValue {
    Plain(Value),
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

impl<T: Into<Value>> From<T> for JsonValue {
    fn from(value: T) -> Self {
        Self::Plain(value.into())
    }
}

impl From<JsonObject> for JsonValue {
    fn from(value: JsonObject) -> Self {
        Self::Object(value)
    }
}

impl JsonValue {
    pub(super) fn list<T: Into<Self>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
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
        JsonValue::Plain(Value::Number(number)) => match number.as_f64() {
            Some(value) if number.is_f64() => text.push_str(&float(value)),
            _ => text.push_str(&number.to_string()),
        },
        JsonValue::Plain(value) => text.push_str(&value.to_string()),
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
        text.push_str(&"  ".repeat(level + 1));
        if let Some(key) = key {
            text.push_str(&format!("{} : ", Value::from(key.as_str())));
        }
        write_value(text, value, level + 1);
    }
    text.push('\n');
    text.push_str(&"  ".repeat(level));
    text.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_the_one_of_fio() {
        let mut inner = JsonObject::default();
        inner.add("iops", JsonValue::list([1u64, 2]));
        let mut root = JsonObject::default();
        root.add("a \"name\"\n", "x\\y")
            .add("float", 1.0)
            .add("nothing", None::<&str>)
            .add("data", inner);
        let text = document(root);
        assert_eq!(
            text,
            "{\n  \"a \\\"name\\\"\\n\" : \"x\\\\y\",\n  \"float\" : 1.000000,\n  \
             \"nothing\" : null,\n  \"data\" : {\n    \"iops\" : [\n      1,\n      2\n    ]\n  }\n}\n"
        );
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
    }
}
