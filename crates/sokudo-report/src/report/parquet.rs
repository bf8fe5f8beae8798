//! The records as Parquet, for data frames: a line per result, typed columns, nulls where
//! something is missing. Whole numbers are unsigned, since a seed fills 64 bits.

use std::sync::Arc;

use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError as Error;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::Report;
use super::records::{heads, records};
use crate::record::{Field, FieldType, Head};

/// Why there is no Parquet file.
#[derive(Debug, sokudo_words::Error)]
#[error("the report cannot be written as Parquet: {0}; write it as .csv or .jsonl")]
pub struct ParquetError(#[from] Error);

pub(super) fn render(report: &Report) -> Result<Vec<u8>, ParquetError> {
    let heads = heads();
    let schema = Arc::new(parse_message_type(&message(&heads))?);
    let properties = WriterProperties::builder()
        .set_created_by(format!("sokudo {}", env!("CARGO_PKG_VERSION")))
        .build();
    let lines: Vec<Vec<Field>> = records(report).collect();
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (number, (_, kind)) in heads.iter().enumerate() {
        let fields = lines.iter().map(|line| &line[number]);
        write_column(&mut group, *kind, fields)?;
    }
    group.close()?;
    Ok(writer.into_inner()?)
}

/// The schema in the language of the format.
fn message(heads: &[Head]) -> String {
    let field = |(name, kind): &Head| match kind {
        FieldType::Text => format!("OPTIONAL BYTE_ARRAY {name} (UTF8);"),
        FieldType::Whole => format!("OPTIONAL INT64 {name} (UINT_64);"),
        FieldType::Real => format!("OPTIONAL DOUBLE {name};"),
        FieldType::Truth => format!("OPTIONAL BOOLEAN {name};"),
    };
    let fields: Vec<String> = heads.iter().map(field).collect();
    format!("message sokudo {{ {} }}", fields.join(" "))
}

/// What stands in a field, where it is of its column's kind.
macro_rules! values {
    ($fields:ident, $kind:pat => $value:expr) => {
        split($fields.map(|field| match field {
            $kind => Some($value),
            _ => None,
        }))
    };
}

fn write_column<'a>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    kind: FieldType,
    fields: impl Iterator<Item = &'a Field>,
) -> Result<(), Error> {
    let Some(mut column) = group.next_column()? else {
        return Err(Error::General("a column is missing".to_owned()));
    };
    match kind {
        FieldType::Text => {
            let (values, levels) = values!(fields, Field::Text(it) => ByteArray::from(it.as_str()));
            let column = column.typed::<ByteArrayType>();
            column.write_batch(&values, Some(&levels), None)?;
        }
        FieldType::Whole => {
            let (values, levels) = values!(fields, Field::Whole(it) => it.cast_signed());
            let column = column.typed::<Int64Type>();
            column.write_batch(&values, Some(&levels), None)?;
        }
        FieldType::Real => {
            let (values, levels) = values!(fields, Field::Real(it) => *it);
            let column = column.typed::<DoubleType>();
            column.write_batch(&values, Some(&levels), None)?;
        }
        FieldType::Truth => {
            let (values, levels) = values!(fields, Field::Truth(it) => *it);
            let column = column.typed::<BoolType>();
            column.write_batch(&values, Some(&levels), None)?;
        }
    }
    column.close()
}

/// The values that are there, and for every line whether there is one.
fn split<Field>(fields: impl Iterator<Item = Option<Field>>) -> (Vec<Field>, Vec<i16>) {
    let mut values = Vec::new();
    let mut levels = Vec::new();
    for field in fields {
        levels.push(i16::from(field.is_some()));
        values.extend(field);
    }
    (values, levels)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::super::sample;

    #[test]
    fn the_file_is_read_back_with_every_value() {
        let report = sample::report();
        // Its reader reads files.
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&report.parquet().unwrap()).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let lines: Vec<serde_json::Value> = report
            .json_lines()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let rows: Vec<_> = reader
            .get_row_iter(None)
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(rows.len(), lines.len());
        for (row, line) in rows.iter().zip(&lines) {
            for (name, field) in row.get_column_iter() {
                let expected = &line[name.as_str()];
                match field {
                    Field::Null => assert!(expected.is_null(), "{name}"),
                    Field::Str(text) => {
                        assert_eq!(expected.as_str(), Some(text.as_str()), "{name}")
                    }
                    Field::ULong(number) => assert_eq!(expected.as_u64(), Some(*number), "{name}"),
                    Field::Double(number) => assert_eq!(expected.as_f64(), Some(*number), "{name}"),
                    Field::Bool(truth) => assert_eq!(expected.as_bool(), Some(*truth), "{name}"),
                    other => panic!("{name}: {other:?}"),
                }
            }
        }
    }
}
