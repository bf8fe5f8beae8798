//! The texts of one language by their English ones, as they stand in its PO files.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::template::Template;

/// All translations of a language, by the keys of what they translate.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    translations: HashMap<String, Template>,
}

impl Catalogue {
    /// Reads PO files. What is wrong is left out, with a sentence about it: a file that is
    /// none, a text that is translated twice or not at all, holes that do not agree.
    pub(crate) fn read(files: &[(&str, &str)]) -> (Self, Vec<String>) {
        let mut catalogue = Self::default();
        let mut wrong = Vec::new();
        for (name, text) in files {
            wrong.extend(catalogue.add_file(name, text).err());
        }
        (catalogue, wrong)
    }

    fn add_file(&mut self, name: &str, text: &str) -> Result<(), String> {
        let mut wrong = Ok(());
        let read = polib::po_file::parse_from_reader(text.as_bytes())
            .map_err(|error| format!("{name}: {error}"))?;
        let written = text
            .lines()
            .filter(|line| line.starts_with("msgid "))
            .count();
        // The first message is the header.
        if read.count() + 1 != written {
            wrong = Err(format!(
                "{name}: a text is there twice, or two are not apart"
            ));
        }
        for message in read.messages() {
            let (key, translation) = (message.msgid(), message.msgstr());
            let translation = translation.map_err(|error| format!("{name}: {error}"))?;
            if let Err(what) = self.add(key, translation) {
                wrong = wrong.and(Err(format!("{name}: {key:?} {what}")));
            }
        }
        wrong
    }

    fn add(&mut self, english: &str, written: &str) -> Result<(), &'static str> {
        let (template, translation) = (Template::english(english), Template::translation(written));
        let mut holes = translation.holes();
        holes.sort_unstable();
        if written.trim().is_empty() {
            return Err("is not translated");
        }
        if !holes.into_iter().eq(0..template.holes().len()) {
            return Err("is translated with other holes");
        }
        match self.translations.entry(template.key()) {
            Entry::Occupied(_) => Err("is translated twice"),
            Entry::Vacant(entry) => {
                entry.insert(translation);
                Ok(())
            }
        }
    }

    /// The translation of an English template, whatever its holes are called and whatever the
    /// case of its first letter: a sentence begins with a capital letter only where it stands
    /// first.
    pub(crate) fn translation(&self, english: &Template) -> Option<&Template> {
        let key = english.key();
        self.translations.get(&key).or_else(|| {
            let first = key.chars().next().filter(char::is_ascii_alphabetic)?;
            let other = match first.is_ascii_uppercase() {
                true => first.to_ascii_lowercase(),
                false => first.to_ascii_uppercase(),
            };
            self.translations.get(&format!("{other}{}", &key[1..]))
        })
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.translations.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n";

    fn read(body: &str) -> Result<Catalogue, String> {
        let (catalogue, wrong) = Catalogue::read(&[("a.po", &format!("{HEAD}\n{body}"))]);
        wrong.into_iter().next().map_or(Ok(catalogue), Err)
    }

    #[test]
    fn a_file_that_is_not_whole_is_refused() {
        for (body, what) in [
            ("msgid \"a\"\nmsgstr \"\"\n", "is not translated"),
            ("msgid \"a {}\"\nmsgstr \"b\"\n", "other holes"),
            ("msgid \"a {}\"\nmsgstr \"{2}\"\n", "other holes"),
            ("msgid \"a {} {}\"\nmsgstr \"{1}{1}\"\n", "other holes"),
            (
                "msgid \"a\"\nmsgstr \"b\"\n\nmsgid \"a\"\nmsgstr \"c\"\n",
                "there twice",
            ),
            (
                "msgid \"a\"\nmsgstr \"b\"\nmsgid \"c\"\nmsgstr \"d\"\n",
                "not apart",
            ),
            ("msgid \"a\"\nmsgstr \"\\q\"\n", "a.po"),
        ] {
            let error = read(body).unwrap_err();
            assert!(error.contains(what), "{body}: {error}");
        }
    }

    #[test]
    fn a_text_that_stands_in_two_files_is_refused() {
        let file = format!("{HEAD}\nmsgid \"a\"\nmsgstr \"b\"\n");
        let (catalogue, wrong) = Catalogue::read(&[("a.po", &file), ("b.po", &file)]);
        assert_eq!(wrong, ["b.po: \"a\" is translated twice"]);
        assert!(catalogue.translation(&Template::english("a")).is_some());
    }

    #[test]
    fn a_capital_letter_makes_no_other_text() {
        let catalogue = read("msgid \"on\"\nmsgstr \"オン\"\n").unwrap();
        for (text, is_known) in [("On", true), ("on", true), ("ON", false), ("", false)] {
            let found = catalogue.translation(&Template::english(text));
            assert_eq!(found.is_some(), is_known, "{text}");
        }
    }
}
