//! What early versions wrote in the place of JSON: keys once, what is alike together.
//!
//! An object is the number of its shape (its keys, told where it comes first) and its
//! values. Objects of one shape in an array are a table, column by column; whole numbers
//! are differences, or multiples of another column. A float of few digits is written by
//! them, any other as it is in memory.

use std::rc::Rc;

use serde_json::{Map, Number, Value};

/// No document is nested deeper; hostile bytes are.
const DEPTH_MAX: u32 = 64;
/// Values of one document: 64 bytes of memory each. Larger documents were packed otherwise.
const VALUES_MAX: usize = 1 << 20;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, sokudo_words::Error)]
pub(super) enum ColumnsError {
    /// They end too early, or go on behind the end.
    #[error("its length is wrong")]
    Length,
    /// No sokudo can have written them.
    #[error("its contents make no sense")]
    Senseless,
    /// They stand for more than any document of this kind holds.
    #[error("it is larger than any that is packed so")]
    TooMuch,
}

/// The value of bytes.
///
/// # Errors
/// When no sokudo has made them. Memory is bounded whatever they are.
pub(super) fn decode(bytes: &[u8]) -> Result<Value, ColumnsError> {
    let mut decoder = Decoder {
        bytes,
        shapes: Vec::new(),
        values_left: VALUES_MAX,
    };
    let value = decoder.value(0)?;
    match decoder.bytes.is_empty() {
        true => Ok(value),
        false => Err(ColumnsError::Length),
    }
}

type Shape = Rc<[String]>;

fn of_digits(mantissa: i64, exponent: i32) -> Option<f64> {
    format!("{mantissa}e{exponent}").parse().ok()
}

const fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
}

struct Decoder<'a> {
    bytes: &'a [u8],
    shapes: Vec<Shape>,
    values_left: usize,
}

impl<'a> Decoder<'a> {
    fn value(&mut self, depth: u32) -> Result<Value, ColumnsError> {
        let tag = self.byte()?;
        self.tagged(tag, depth)
    }

    fn tagged(&mut self, tag: u8, depth: u32) -> Result<Value, ColumnsError> {
        if depth > DEPTH_MAX {
            return Err(ColumnsError::TooMuch);
        }
        self.spend(1)?;
        Ok(match tag {
            NULL => Value::Null,
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            NATURAL => self.natural()?.into(),
            NEGATIVE => {
                let below = i64::try_from(self.natural()?).map_err(|_| ColumnsError::Senseless)?;
                (-1 - below).into()
            }
            FLOAT => {
                let bytes = self.take(8)?.try_into().map_err(|_| ColumnsError::Length)?;
                float(f64::from_le_bytes(bytes))?
            }
            DECIMAL => {
                let mantissa = unzigzag(self.natural()?);
                let exponent = i32::try_from(unzigzag(self.natural()?));
                let exponent = exponent.map_err(|_| ColumnsError::Senseless)?;
                float(of_digits(mantissa, exponent).ok_or(ColumnsError::Senseless)?)?
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
            _ => return Err(ColumnsError::Senseless),
        })
    }

    fn table(&mut self, depth: u32) -> Result<Value, ColumnsError> {
        let count = self.count()?;
        let shape = self.shape()?;
        let columns = self.columns(count, shape.len(), depth)?;
        let object = |row: Vec<Value>| Value::Object(shape.iter().cloned().zip(row).collect());
        Ok(rows(count, columns).into_iter().map(object).collect())
    }

    fn matrix(&mut self, depth: u32) -> Result<Value, ColumnsError> {
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
    ) -> Result<Vec<Vec<Value>>, ColumnsError> {
        let mut columns: Vec<Vec<Value>> = Vec::new();
        let mut multiples = Vec::new();
        for index in 0..width {
            let tag = self.byte()?;
            if tag == MULTIPLES {
                self.spend(rows)?;
                let other = usize::try_from(self.natural()?);
                let other = other.map_err(|_| ColumnsError::Senseless)?;
                multiples.push((index, other, self.natural()?));
                columns.push(Vec::new());
                continue;
            }
            match self.tagged(tag, depth + 1)? {
                Value::Array(column) if column.len() == rows => columns.push(column),
                _ => return Err(ColumnsError::Senseless),
            }
        }
        // Each tells of a later one, so that the last comes first.
        for (index, other, factor) in multiples.into_iter().rev() {
            let column = columns.get(other).filter(|_| other > index);
            let column = column.ok_or(ColumnsError::Senseless)?.iter();
            let product = |value: &Value| value.as_u64()?.checked_mul(factor).map(Value::from);
            let product: Option<Vec<Value>> = column.map(product).collect();
            columns[index] = product.ok_or(ColumnsError::Senseless)?;
        }
        Ok(columns)
    }

    fn naturals(&mut self, way: u8) -> Result<Vec<u64>, ColumnsError> {
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
                _ => least.checked_add(number).ok_or(ColumnsError::Senseless)?,
            });
        }
        Ok(numbers)
    }

    fn shape(&mut self) -> Result<Shape, ColumnsError> {
        let number = self.natural()?;
        if let Some(index) = number.checked_sub(1) {
            let known = usize::try_from(index)
                .ok()
                .and_then(|it| self.shapes.get(it));
            return known.cloned().ok_or(ColumnsError::Senseless);
        }
        let count = self.count()?;
        let keys: Result<Vec<String>, _> = (0..count).map(|_| self.text()).collect();
        let shape: Shape = keys?.into();
        self.shapes.push(Rc::clone(&shape));
        Ok(shape)
    }

    fn text(&mut self) -> Result<String, ColumnsError> {
        let length = self.natural()?;
        let length = usize::try_from(length).map_err(|_| ColumnsError::Length)?;
        let text = std::str::from_utf8(self.take(length)?);
        text.map(str::to_owned).map_err(|_| ColumnsError::Senseless)
    }

    /// How many follow, for which there is still room.
    fn count(&mut self) -> Result<usize, ColumnsError> {
        let count = usize::try_from(self.natural()?).map_err(|_| ColumnsError::TooMuch)?;
        self.spend(count)?;
        Ok(count)
    }

    fn spend(&mut self, values: usize) -> Result<(), ColumnsError> {
        let left = self.values_left.checked_sub(values);
        self.values_left = left.ok_or(ColumnsError::TooMuch)?;
        Ok(())
    }

    fn natural(&mut self) -> Result<u64, ColumnsError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(ColumnsError::Senseless);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(ColumnsError::Senseless)
    }

    fn byte(&mut self) -> Result<u8, ColumnsError> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], ColumnsError> {
        let (taken, rest) = self
            .bytes
            .split_at_checked(count)
            .ok_or(ColumnsError::Length)?;
        self.bytes = rest;
        Ok(taken)
    }
}

fn float(float: f64) -> Result<Value, ColumnsError> {
    let number = Number::from_f64(float).ok_or(ColumnsError::Senseless)?;
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

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..256)) {
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn few_bytes_that_stand_for_many_values_are_refused() {
        // A matrix of 2^20 rows and 2^20 columns, of which each is told by the next.
        let many = [0x80, 0x80, 0x40];
        let mut bytes = [&[MATRIX][..], &many, &many].concat();
        bytes.extend([MULTIPLES, 1, 1].repeat(1000));
        assert_eq!(decode(&bytes), Err(ColumnsError::TooMuch));
        let deep = [ARRAY, 1].repeat(100);
        assert_eq!(decode(&deep), Err(ColumnsError::TooMuch));
        let mut long = vec![TEXT];
        long.extend([0xff; 9]);
        long.push(1);
        assert_eq!(decode(&long), Err(ColumnsError::Length));
    }
}
