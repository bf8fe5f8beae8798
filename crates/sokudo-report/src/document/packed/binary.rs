//! JSON as few bytes, of a kind that compresses well: keys once, what is alike together.
//!
//! An object is the number of its shape (its keys, told where it comes first) and its
//! values. Objects of one shape in an array are a table, column by column; whole numbers
//! are differences, or multiples of another column. A float of few digits is written by
//! them, any other as it is in memory: nothing is rounded.

use std::rc::Rc;

use serde_json::{Map, Number, Value};

/// No document is nested deeper; hostile bytes are.
const DEPTH_MAX: u32 = 64;
/// Values of one document: 64 bytes of memory each. Larger documents are packed otherwise.
const VALUES_MAX: usize = 1 << 20;
/// A float is written in digits up to this mantissa; above, its 8 bytes are shorter.
const MANTISSA_MAX: u64 = 1 << 40;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const NATURAL: u8 = 3;
const NEGATIVE: u8 = 4;
const FLOAT: u8 = 5;
const DECIMAL: u8 = 6;
const TEXT: u8 = 7;
const ARRAY: u8 = 8;
const OBJECT: u8 = 9;
const TABLE: u8 = 10;
const MATRIX: u8 = 11;
const NATURALS: u8 = 12;
const DIFFERENCES: u8 = 13;
const ABOVE_LEAST: u8 = 14;
const MULTIPLES: u8 = 15;

/// Why bytes are no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BinaryError {
    /// They end too early, or go on behind the end.
    #[error("its length is wrong")]
    Length,
    /// They cannot have been written by us.
    #[error("its contents make no sense")]
    Senseless,
    /// They stand for more than any document of this kind holds.
    #[error("it is larger than any that is packed so")]
    TooMuch,
}

/// The bytes of a value; `None` where it is too large or too deep.
pub(super) fn encode(value: &Value) -> Option<Vec<u8>> {
    let mut encoder = Encoder::default();
    encoder.value(value);
    // Whether it is too large, reading it finds out.
    decode(&encoder.bytes).ok().map(|_| encoder.bytes)
}

/// The value of bytes.
///
/// # Errors
/// When [`encode`] has not made them. Memory is bounded whatever they are.
pub(super) fn decode(bytes: &[u8]) -> Result<Value, BinaryError> {
    let mut decoder = Decoder {
        bytes,
        shapes: Vec::new(),
        values_left: VALUES_MAX,
    };
    let value = decoder.value(0)?;
    match decoder.bytes.is_empty() {
        true => Ok(value),
        false => Err(BinaryError::Length),
    }
}

type Shape = Rc<[String]>;

#[derive(Default)]
struct Encoder {
    bytes: Vec<u8>,
    shapes: Vec<Shape>,
}

impl Encoder {
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.bytes.push(NULL),
            Value::Bool(false) => self.bytes.push(FALSE),
            Value::Bool(true) => self.bytes.push(TRUE),
            Value::Number(number) => self.number(number),
            Value::String(text) => {
                self.bytes.push(TEXT);
                self.text(text);
            }
            Value::Array(values) => self.array(&Vec::from_iter(values)),
            Value::Object(object) => {
                self.bytes.push(OBJECT);
                self.shape(object);
                object.values().for_each(|value| self.value(value));
            }
        }
    }

    fn number(&mut self, number: &Number) {
        if let Some(natural) = number.as_u64() {
            self.bytes.push(NATURAL);
            put(&mut self.bytes, natural);
        } else if let Some(negative) = number.as_i64() {
            self.bytes.push(NEGATIVE);
            put(&mut self.bytes, negative.unsigned_abs() - 1);
        } else {
            self.float(number.as_f64().unwrap_or(f64::NAN));
        }
    }

    fn float(&mut self, float: f64) {
        match digits(float) {
            Some((mantissa, exponent)) => {
                self.bytes.push(DECIMAL);
                put(&mut self.bytes, zigzag(mantissa));
                put(&mut self.bytes, zigzag(i64::from(exponent)));
            }
            None => {
                self.bytes.push(FLOAT);
                self.bytes.extend(float.to_le_bytes());
            }
        }
    }

    fn text(&mut self, text: &str) {
        put(&mut self.bytes, text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }

    /// The number of the shape from 1 on, or 0 and the keys of a new one.
    fn shape(&mut self, object: &Map<String, Value>) {
        let known = |shape: &Shape| shape.iter().eq(object.keys());
        if let Some(index) = self.shapes.iter().position(known) {
            put(&mut self.bytes, index as u64 + 1);
            return;
        }
        self.shapes.push(object.keys().cloned().collect());
        put(&mut self.bytes, 0);
        put(&mut self.bytes, object.len() as u64);
        object.keys().for_each(|key| self.text(key));
    }

    fn array(&mut self, values: &[&Value]) {
        if let Some(naturals) = naturals(values) {
            return self.naturals(&naturals);
        }
        if let Some(rows) = objects_of_one_shape(values) {
            self.bytes.push(TABLE);
            put(&mut self.bytes, rows.len() as u64);
            self.shape(rows[0]);
            let keys = rows[0].keys();
            let columns: Vec<Vec<&Value>> = keys
                .map(|key| rows.iter().map(|row| &row[key]).collect())
                .collect();
            return self.columns(&columns);
        }
        if let Some(rows) = arrays_of_one_length(values) {
            self.bytes.push(MATRIX);
            put(&mut self.bytes, rows.len() as u64);
            put(&mut self.bytes, rows[0].len() as u64);
            let columns: Vec<Vec<&Value>> = (0..rows[0].len())
                .map(|column| rows.iter().map(|row| &row[column]).collect())
                .collect();
            return self.columns(&columns);
        }
        self.bytes.push(ARRAY);
        put(&mut self.bytes, values.len() as u64);
        values.iter().for_each(|value| self.value(value));
    }

    fn columns(&mut self, columns: &[Vec<&Value>]) {
        let naturals: Vec<Option<Vec<u64>>> = columns.iter().map(|it| naturals(it)).collect();
        for (index, column) in columns.iter().enumerate() {
            let multiple = naturals[index].as_ref().and_then(|column| {
                (0..columns.len())
                    .filter(|other| *other > index)
                    .find_map(|other| Some((other, factor(column, naturals[other].as_ref()?)?)))
            });
            match multiple {
                // The other column comes later, so that `bytes` may be told by `ios`.
                Some((other, factor)) => {
                    self.bytes.push(MULTIPLES);
                    put(&mut self.bytes, other as u64);
                    put(&mut self.bytes, factor);
                }
                None => self.array(column),
            }
        }
    }

    /// Whichever way is shortest.
    fn naturals(&mut self, numbers: &[u64]) {
        let write = |of: &dyn Fn(usize) -> u64| {
            let mut bytes = Vec::new();
            (0..numbers.len()).for_each(|index| put(&mut bytes, of(index)));
            bytes
        };
        let least = numbers.iter().copied().min().unwrap_or(0);
        let before = |index: usize| index.checked_sub(1).map_or(0, |it| numbers[it]);
        let difference =
            |index: usize| zigzag(numbers[index].wrapping_sub(before(index)).cast_signed());
        let mut above = Vec::new();
        put(&mut above, least);
        above.extend(write(&|index| numbers[index] - least));
        let ways = [
            (DIFFERENCES, write(&difference)),
            (NATURALS, write(&|index| numbers[index])),
            (ABOVE_LEAST, above),
        ];
        let shortest = ways.into_iter().min_by_key(|(_, bytes)| bytes.len());
        let (way, bytes) = shortest.expect("there are three");
        self.bytes.push(way);
        put(&mut self.bytes, numbers.len() as u64);
        self.bytes.extend(bytes);
    }
}

fn naturals(values: &[&Value]) -> Option<Vec<u64>> {
    let are_several = values.len() >= 2;
    are_several
        .then(|| values.iter().map(|value| value.as_u64()).collect())
        .flatten()
}

fn objects_of_one_shape<'a>(values: &[&'a Value]) -> Option<Vec<&'a Map<String, Value>>> {
    let rows: Vec<_> = values
        .iter()
        .map(|it| it.as_object())
        .collect::<Option<_>>()?;
    let (first, others) = rows.split_first()?;
    let is_alike = !first.is_empty() && others.iter().all(|row| row.keys().eq(first.keys()));
    (is_alike && !others.is_empty()).then_some(rows)
}

fn arrays_of_one_length<'a>(values: &[&'a Value]) -> Option<Vec<&'a Vec<Value>>> {
    let rows: Vec<_> = values
        .iter()
        .map(|it| it.as_array())
        .collect::<Option<_>>()?;
    let (first, others) = rows.split_first()?;
    let is_alike = !first.is_empty() && others.iter().all(|row| row.len() == first.len());
    (is_alike && !others.is_empty()).then_some(rows)
}

/// By what each number of one column is multiplied to give that of the other.
fn factor(column: &[u64], other: &[u64]) -> Option<u64> {
    let (one, of) = column.iter().zip(other).find(|(_, of)| **of > 0)?;
    let factor = one.checked_div(*of)?;
    let mut pairs = column.iter().zip(other);
    pairs
        .all(|(one, of)| of.checked_mul(factor) == Some(*one))
        .then_some(factor)
}

/// Mantissa and exponent of ten of a float that has few digits.
fn digits(float: f64) -> Option<(i64, i32)> {
    let text = format!("{float:e}");
    let (digits, exponent) = text.split_once('e')?;
    let fraction = digits
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.len());
    let mantissa: i64 = digits.replace('.', "").parse().ok()?;
    let exponent = exponent.parse::<i32>().ok()? - i32::try_from(fraction).ok()?;
    let is_same = of_digits(mantissa, exponent).map(f64::to_bits) == Some(float.to_bits());
    (mantissa.unsigned_abs() <= MANTISSA_MAX && is_same).then_some((mantissa, exponent))
}

fn of_digits(mantissa: i64, exponent: i32) -> Option<f64> {
    format!("{mantissa}e{exponent}").parse().ok()
}

const fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

const fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

/// Seven bits a byte, the lowest first; the highest bit says that more follow.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

struct Decoder<'a> {
    bytes: &'a [u8],
    shapes: Vec<Shape>,
    values_left: usize,
}

impl<'a> Decoder<'a> {
    fn value(&mut self, depth: u32) -> Result<Value, BinaryError> {
        let tag = self.byte()?;
        self.tagged(tag, depth)
    }

    fn tagged(&mut self, tag: u8, depth: u32) -> Result<Value, BinaryError> {
        if depth > DEPTH_MAX {
            return Err(BinaryError::TooMuch);
        }
        self.spend(1)?;
        Ok(match tag {
            NULL => Value::Null,
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            NATURAL => self.natural()?.into(),
            NEGATIVE => {
                let below = i64::try_from(self.natural()?).map_err(|_| BinaryError::Senseless)?;
                (-1 - below).into()
            }
            FLOAT => {
                let bytes = self.take(8)?.try_into().map_err(|_| BinaryError::Length)?;
                float(f64::from_le_bytes(bytes))?
            }
            DECIMAL => {
                let mantissa = unzigzag(self.natural()?);
                let exponent = i32::try_from(unzigzag(self.natural()?));
                let exponent = exponent.map_err(|_| BinaryError::Senseless)?;
                float(of_digits(mantissa, exponent).ok_or(BinaryError::Senseless)?)?
            }
            TEXT => Value::String(self.text()?),
            ARRAY => {
                let count = self.count()?;
                let mut values = Vec::new();
                for _ in 0..count {
                    values.push(self.value(depth + 1)?);
                }
                Value::Array(values)
            }
            OBJECT => {
                let shape = self.shape()?;
                let mut object = Map::new();
                for key in shape.iter() {
                    object.insert(key.clone(), self.value(depth + 1)?);
                }
                Value::Object(object)
            }
            TABLE => self.table(depth)?,
            MATRIX => self.matrix(depth)?,
            NATURALS | DIFFERENCES | ABOVE_LEAST => {
                let numbers = self.naturals(tag)?;
                numbers.into_iter().map(Value::from).collect()
            }
            _ => return Err(BinaryError::Senseless),
        })
    }

    fn table(&mut self, depth: u32) -> Result<Value, BinaryError> {
        let count = self.count()?;
        let shape = self.shape()?;
        let columns = self.columns(count, shape.len(), depth)?;
        let object = |row: Vec<Value>| Value::Object(shape.iter().cloned().zip(row).collect());
        Ok(rows(count, columns).into_iter().map(object).collect())
    }

    fn matrix(&mut self, depth: u32) -> Result<Value, BinaryError> {
        let count = self.count()?;
        let width = self.count()?;
        let columns = self.columns(count, width, depth)?;
        let rows = rows(count, columns).into_iter();
        Ok(rows.map(Value::Array).collect())
    }

    fn columns(
        &mut self,
        rows: usize,
        width: usize,
        depth: u32,
    ) -> Result<Vec<Vec<Value>>, BinaryError> {
        let mut columns: Vec<Vec<Value>> = Vec::new();
        let mut multiples = Vec::new();
        for index in 0..width {
            let tag = self.byte()?;
            if tag == MULTIPLES {
                self.spend(rows)?;
                // Beyond all columns, which is refused below.
                let other = usize::try_from(self.natural()?).unwrap_or(usize::MAX);
                multiples.push((index, other, self.natural()?));
                columns.push(Vec::new());
                continue;
            }
            match self.tagged(tag, depth + 1)? {
                Value::Array(column) if column.len() == rows => columns.push(column),
                _ => return Err(BinaryError::Senseless),
            }
        }
        // Each tells of a later one, so that the last comes first.
        for (index, other, factor) in multiples.into_iter().rev() {
            let column = columns.get(other).filter(|_| other > index);
            let column = column.ok_or(BinaryError::Senseless)?.iter();
            let product = |value: &Value| value.as_u64()?.checked_mul(factor).map(Value::from);
            let product: Option<Vec<Value>> = column.map(product).collect();
            columns[index] = product.ok_or(BinaryError::Senseless)?;
        }
        Ok(columns)
    }

    fn naturals(&mut self, way: u8) -> Result<Vec<u64>, BinaryError> {
        let count = self.count()?;
        let least = match way {
            ABOVE_LEAST => self.natural()?,
            _ => 0,
        };
        let mut numbers: Vec<u64> = Vec::new();
        for _ in 0..count {
            let number = self.natural()?;
            let before = numbers.last().copied().unwrap_or(0);
            numbers.push(match way {
                DIFFERENCES => before.wrapping_add(unzigzag(number).cast_unsigned()),
                _ => least.checked_add(number).ok_or(BinaryError::Senseless)?,
            });
        }
        Ok(numbers)
    }

    fn shape(&mut self) -> Result<Shape, BinaryError> {
        let number = self.natural()?;
        if let Some(index) = number.checked_sub(1) {
            let known = usize::try_from(index)
                .ok()
                .and_then(|it| self.shapes.get(it));
            return known.cloned().ok_or(BinaryError::Senseless);
        }
        let count = self.count()?;
        let keys: Result<Vec<String>, _> = (0..count).map(|_| self.text()).collect();
        let shape: Shape = keys?.into();
        self.shapes.push(Rc::clone(&shape));
        Ok(shape)
    }

    fn text(&mut self) -> Result<String, BinaryError> {
        let length = self.natural()?;
        let length = usize::try_from(length).map_err(|_| BinaryError::Length)?;
        let text = std::str::from_utf8(self.take(length)?);
        text.map(str::to_owned).map_err(|_| BinaryError::Senseless)
    }

    /// How many follow, for which there is still room.
    fn count(&mut self) -> Result<usize, BinaryError> {
        let count = usize::try_from(self.natural()?).map_err(|_| BinaryError::TooMuch)?;
        self.spend(count)?;
        Ok(count)
    }

    fn spend(&mut self, values: usize) -> Result<(), BinaryError> {
        let left = self.values_left.checked_sub(values);
        self.values_left = left.ok_or(BinaryError::TooMuch)?;
        Ok(())
    }

    fn natural(&mut self) -> Result<u64, BinaryError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(BinaryError::Senseless);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(BinaryError::Senseless)
    }

    fn byte(&mut self) -> Result<u8, BinaryError> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], BinaryError> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(count)
            .ok_or(BinaryError::Length)?;
        self.bytes = rest;
        Ok(taken)
    }
}

fn float(float: f64) -> Result<Value, BinaryError> {
    let number = Number::from_f64(float).ok_or(BinaryError::Senseless)?;
    Ok(Value::Number(number))
}

/// Columns of `count` values each, turned into rows.
fn rows(count: usize, columns: Vec<Vec<Value>>) -> Vec<Vec<Value>> {
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    (0..count)
        .map(|_| columns.iter_mut().filter_map(Iterator::next).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(|it| Number::from_f64(it).map_or(Value::Null, Value::Number)),
            (0_i32..100_000).prop_map(|it| json!(f64::from(it) / 100.0)),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::vec(any::<u64>(), 0..8).prop_map(Value::from),
                prop::collection::vec((0_u64..100, inner.clone()), 0..6).prop_map(|rows| {
                    let row = |(n, v): (u64, Value)| json!({"a": n * 4096, "b": n, "c": v});
                    rows.into_iter().map(row).collect()
                }),
                prop::collection::vec((any::<u64>(), inner.clone()), 0..6)
                    .prop_map(|rows| rows.into_iter().map(|(n, v)| json!([n, v])).collect()),
                prop::collection::btree_map("[a-d]", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_comes_back_the_same(value in any_value()) {
            prop_assert_eq!(decode(&encode(&value).unwrap()).unwrap(), value);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn few_bytes_that_stand_for_many_values_are_refused() {
        // A matrix of 2^20 rows and 2^20 columns, of which each is told by the next.
        let mut bytes = vec![MATRIX];
        put(&mut bytes, 1 << 20);
        put(&mut bytes, 1 << 20);
        bytes.extend([MULTIPLES, 1, 1].repeat(1000));
        assert_eq!(decode(&bytes), Err(BinaryError::TooMuch));
        let deep = [ARRAY, 1].repeat(100);
        assert_eq!(decode(&deep), Err(BinaryError::TooMuch));
        let mut long = vec![TEXT];
        put(&mut long, u64::MAX);
        assert_eq!(decode(&long), Err(BinaryError::Length));
    }
}
