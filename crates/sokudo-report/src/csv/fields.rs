//! The fields of a line, whatever it is of.

/// Lines of as many fields each.
pub(crate) fn written<const FIELDS: usize>(
    lines: impl Iterator<Item = [String; FIELDS]>,
) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer
            .write_record(&line)
            .expect("every line has as many fields and goes to memory");
    }
    let bytes = writer.into_inner().expect("memory can be flushed");
    String::from_utf8(bytes).expect("all fields are text")
}

pub(crate) fn field(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// A name as the JSON document has it.
pub(crate) fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}
