//! What nobody would write: nothing of it may panic.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec("\\PC{0,10}", 0..6)) {
        let host = Made::default();
        if let Ok(invocation) = invocation(&words, &host) {
            let _ = invocation.plan(&host);
        }
    }

    #[test]
    fn any_values_of_options_are_read_or_refused(
        words in prop::collection::vec("-[a-zA-Z?][isdrpgztk]?(pct|abs)?[0-9]{0,20}[KMGTbi/:,-]?[0-9]{0,3}[KMGT]?", 0..8),
        size in "[0-9]{1,12}[KMGT]?",
    ) {
        let host = Made::default();
        let mut words = words;
        words.push(format!("-c{size}"));
        words.push("file".into());
        let planned = invocation(&words, &host).and_then(|read| read.plan(&host));
        if let Ok(planned) = planned {
            let place = PrintedTarget { path: "file".into(), create: None };
            let _ = command_lines(&planned.plan, &place);
        }
    }

    #[test]
    fn any_change_of_a_profile_is_read_or_refused(at in 0usize..2_000, length in 0usize..40, with in "\\PC{0,12}") {
        let mut text: Vec<char> = PROFILE.chars().collect();
        let at = at.min(text.len());
        let end = (at + length).min(text.len());
        text.splice(at..end, with.chars());
        let text: String = text.into_iter().collect();
        let host = Made::default().file("p.xml", &text);
        if let Ok(invocation) = read_on("-Xp.xml FILE", &host) {
            let _ = invocation.plan(&host);
        }
    }
}
