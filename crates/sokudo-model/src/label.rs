//! What somebody calls a run, such as `ext4`: one short name beside its number.
//!
//! It says nothing of what was measured: no fingerprint and no verdict looks at it. A store keeps
//! it as a tag `label=ext4`, so that a run can get another one later.

/// A longer name is a note.
pub const LABEL_CHARACTERS_MAX: usize = 40;
/// What a tag that is a label begins with.
const TAG_PREFIX: &str = "label=";
/// What names runs in another way.
const OTHER_NAMES: [&str; 4] = ["last", "latest", "all", "run"];

/// Whether a text can be a label: 1 to 40 signs that are seen, no comma, which parts tags, and
/// nothing that names runs in another way (`44`, `run 44`, `last`, `all`, `tag:…`) or reads like
/// an option.
pub fn is_label(text: &str) -> bool {
    let is_seen = |sign: char| {
        let turns_or_joins = matches!(
            sign,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}'
        );
        !sign.is_control() && !turns_or_joins && sign != ','
    };
    let number = text.strip_prefix("run ").unwrap_or(text);
    !text.is_empty()
        && text.trim() == text
        && text.chars().count() <= LABEL_CHARACTERS_MAX
        && text.chars().all(is_seen)
        && !number.bytes().all(|it| it.is_ascii_digit())
        && !OTHER_NAMES.contains(&text)
        && !text.starts_with('-')
        && !text.starts_with("tag:")
}

/// The tag as which a store keeps a label.
pub fn label_tag(label: &str) -> String {
    format!("{TAG_PREFIX}{label}")
}

/// The label among the tags of a run; the first where somebody has given it several.
pub fn label_of_tags<T: AsRef<str>>(tags: &[T]) -> Option<&str> {
    let mut tags = tags.iter().map(AsRef::as_ref);
    tags.find_map(|tag| tag.strip_prefix(TAG_PREFIX).filter(|it| is_label(it)))
}

/// What a tag begins with that says how many hosts measured together.
const HOSTS_PREFIX: &str = "hosts=";

/// The tag by which a store knows how many hosts measured a run together.
pub fn hosts_tag(hosts: usize) -> String {
    format!("{HOSTS_PREFIX}{hosts}")
}

/// How many hosts measured a run together, by its tags.
pub fn hosts_of_tags<T: AsRef<str>>(tags: &[T]) -> Option<u32> {
    let mut tags = tags.iter().map(AsRef::as_ref);
    tags.find_map(|tag| tag.strip_prefix(HOSTS_PREFIX)?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_one_short_name_that_names_no_run_in_another_way() {
        let longest = "x".repeat(LABEL_CHARACTERS_MAX);
        for label in ["ext4", "bare metal", "仮想マシン", "run", "4 KiB", &longest] {
            assert_eq!(is_label(label), label != "run", "{label}");
        }
        let too_long = "x".repeat(LABEL_CHARACTERS_MAX + 1);
        let hostile = [
            "",
            " ",
            " a",
            "a ",
            "44",
            "run 44",
            "last",
            "latest",
            "all",
            "-",
            "--label",
            "tag:a",
            "a,b",
            "a\nb",
            "\u{1b}[31m",
            "a\u{202e}b",
            &too_long,
        ];
        for label in hostile {
            assert!(!is_label(label), "{label:?}");
        }
    }

    #[test]
    fn how_many_hosts_there_were_is_a_tag() {
        assert_eq!(hosts_of_tags(&[label_tag("a"), hosts_tag(8)]), Some(8));
        assert_eq!(hosts_of_tags(&["hosts=many", "label=7"]), None);
    }

    #[test]
    fn a_label_is_a_tag_of_its_own_kind() {
        let tags = ["idle".to_owned(), label_tag("ext4")];
        assert_eq!(label_of_tags(&tags), Some("ext4"));
        assert_eq!(label_of_tags(&["label=7", "raid=5"]), None);
    }
}
