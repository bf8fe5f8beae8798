//! Words as a shell takes them.

/// A word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,=+%@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if word.chars().any(char::is_control) {
        // As bash, zsh and ksh read it: a control character would be lost on its way.
        format!("$'{}'", escaped(word))
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A word as it stands in `$'…'`.
fn escaped(word: &str) -> String {
    let mut escaped = String::with_capacity(word.len());
    for sign in word.chars() {
        if sign.is_control() {
            for byte in sign.encode_utf8(&mut [0; 4]).bytes() {
                escaped.push_str(&format!("\\{byte:03o}"));
            }
            continue;
        }
        if matches!(sign, '\'' | '\\') {
            escaped.push('\\');
        }
        escaped.push(sign);
    }
    escaped
}
