//! The texts of one language by their English ones, as they stand in its PO files.

use std::collections::HashMap;

use crate::pattern::{Filling, From, TextPattern};

/// One text and its translation.
#[derive(Clone, Debug)]
pub(crate) struct CatalogueEntry {
    /// The English text as it is written in the catalogue.
    pub(crate) key: String,
    pub(crate) pattern: TextPattern,
    pub(crate) filling: Filling,
}

/// All texts of a language.
#[derive(Debug, Default)]
pub(crate) struct Catalogue {
    entries: Vec<CatalogueEntry>,
    /// Those without holes, by their texts.
    whole: HashMap<String, usize>,
    /// All, by their keys with nameless holes.
    templates: HashMap<String, usize>,
    /// Those that begin with text, by its first byte in lower case; most told first.
    by_first: HashMap<u8, Vec<usize>>,
    /// Those that begin with a hole and end in text, by its last byte; most told first.
    by_last: HashMap<u8, Vec<usize>>,
    /// Those with holes at both ends; most told first.
    open: Vec<usize>,
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
        catalogue.sort();
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

    fn add(&mut self, key: &str, translation: &str) -> Result<(), &'static str> {
        let (pattern, filling) = (TextPattern::new(key), Filling::new(translation));
        let mut holes = filling.holes();
        holes.sort_unstable();
        if translation.trim().is_empty() {
            return Err("is not translated");
        }
        if !holes.into_iter().eq(0..pattern.holes()) {
            return Err("is translated with other holes");
        }
        let index = self.entries.len();
        if pattern.holes() == 0 {
            if self.whole.contains_key(pattern.first()) {
                return Err("is translated twice");
            }
            self.whole.insert(pattern.first().to_owned(), index);
        } else if self.entries.iter().any(|entry| entry.pattern == pattern) {
            return Err("is translated twice");
        } else if let Some(first) = pattern.first().bytes().next() {
            let place = self.by_first.entry(first.to_ascii_lowercase());
            place.or_default().push(index);
        } else if let Some(last) = pattern.last().bytes().last() {
            self.by_last.entry(last).or_default().push(index);
        } else {
            self.open.push(index);
        }
        self.templates.insert(pattern.key(), index);
        self.entries.push(CatalogueEntry {
            key: key.to_owned(),
            pattern,
            filling,
        });
        Ok(())
    }

    fn sort(&mut self) {
        let entries = &self.entries;
        let lists = self.by_first.values_mut().chain(self.by_last.values_mut());
        for list in lists.chain([&mut self.open]) {
            list.sort_by_key(|index| std::cmp::Reverse(entries[*index].pattern.weight()));
        }
    }

    /// The entry that has this very text for its key, but for the case of its first letter.
    pub(crate) fn whole(&self, text: &str) -> Option<&CatalogueEntry> {
        self.found(&self.whole, text)
    }

    /// The entry of a template, whatever its holes are called and whatever the case of its
    /// first letter.
    pub(crate) fn of_template(&self, template: &str) -> Option<&CatalogueEntry> {
        self.found(&self.templates, &TextPattern::new(template).key())
    }

    fn found(&self, entries: &HashMap<String, usize>, key: &str) -> Option<&CatalogueEntry> {
        let index = entries.get(key).or_else(|| {
            let first = key.chars().next().filter(char::is_ascii_alphabetic)?;
            let other = match first.is_ascii_uppercase() {
                true => first.to_ascii_lowercase(),
                false => first.to_ascii_uppercase(),
            };
            entries.get(&format!("{other}{}", &key[1..]))
        })?;
        Some(&self.entries[*index])
    }

    /// At most so many entries whose pattern a text is of, those that tell most first.
    pub(crate) fn alike(&self, text: &str, most: usize) -> Vec<&CatalogueEntry> {
        let bytes = text.as_bytes();
        let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
            return Vec::new();
        };
        let lists = [
            self.by_first.get(&first.to_ascii_lowercase()),
            self.by_last.get(last),
            Some(&self.open),
        ];
        let of_list = |list: &Vec<usize>| -> Vec<&CatalogueEntry> {
            let entries = list.iter().map(|index| &self.entries[*index]);
            let alike = entries.filter(|entry| entry.pattern.holes_of(text, From::Left).is_some());
            alike.take(most).collect()
        };
        let mut alike: Vec<&CatalogueEntry> =
            lists.into_iter().flatten().flat_map(of_list).collect();
        // A label is no part of the sentence behind it.
        let order = |entry: &&CatalogueEntry| (entry.pattern.is_label(), entry.pattern.weight());
        alike.sort_by_key(|entry| std::cmp::Reverse(order(entry)));
        alike.truncate(most);
        alike
    }

    /// Every key as it is written.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.key.as_str())
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
        assert!(catalogue.whole("a").is_some());
    }

    #[test]
    fn the_pattern_that_tells_most_comes_first() {
        let catalogue = read(
            "msgid \"{} of {}\"\nmsgstr \"{}{}\"\n\nmsgid \"{} bytes of {}\"\nmsgstr \"{}{}\"\n\n\
             msgid \"a {}\"\nmsgstr \"{}\"\n",
        )
        .unwrap();
        let keys = |text| -> Vec<&str> {
            let entries = catalogue.alike(text, 2);
            entries
                .into_iter()
                .map(|entry| entry.key.as_str())
                .collect()
        };
        assert_eq!(keys("a bytes of b"), ["{} bytes of {}", "{} of {}"]);
        assert_eq!(keys("A of b"), ["{} of {}", "a {}"]);
        assert!(keys("").is_empty());
    }

    #[test]
    fn a_capital_letter_makes_no_other_text() {
        let catalogue = read("msgid \"on\"\nmsgstr \"オン\"\n").unwrap();
        assert!(catalogue.whole("On").is_some());
        assert!(catalogue.whole("ON").is_none());
        assert!(catalogue.whole("").is_none());
    }
}
