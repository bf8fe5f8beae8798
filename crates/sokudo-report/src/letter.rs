//! What several sides of a comparison are called.

/// What texts call the side of this number: `A`, `B`, … `Z`, `A1` and so on.
pub fn letter(number: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(number % 26).unwrap_or_default());
    match number / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}
