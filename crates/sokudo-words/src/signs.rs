//! Signs that a text of a stranger may hold.

/// Signs that are not seen but turn the order of what is: marks of direction, breaks of
/// lines and of pages, and what joins or parts words without a space.
pub const fn is_unseen(sign: char) -> bool {
    matches!(
        sign,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}'
    )
}
