//! What is said to people about something: titles, facts, tables, paragraphs, findings, one
//! after the other.
//!
//! It is made once for each kind of document. `text` writes it for a terminal, `markdown` for an
//! article, `report::html` for a page.

use sokudo_model::Inference;
use sokudo_words::Text;

use crate::document::ResultDocument;
use crate::grouping::FindingGroup;
use crate::table::{Cell, Skin, Table, Tone};

/// Elements in order, and where they are shown.
#[derive(Default)]
pub struct Article<'a>(pub Vec<(Skin, Element<'a>)>);

/// An element of an article.
pub enum Element<'a> {
    /// What it is about.
    Title(Cell),
    Heading(Text),
    /// Labels and what they are.
    Facts(Vec<(Text, Cell)>),
    Paragraph(Text),
    /// What it comes to; the tone is that of what stands before its colon.
    Answer(Tone, Text),
    /// Sentences below each other.
    Notes {
        /// What stands above them; empty for nothing.
        title: Text,
        /// What each begins with on a terminal.
        mark: &'static str,
        items: Vec<Text>,
    },
    /// What is said, and of which row.
    OfRows(Vec<(Text, Text)>),
    Table(Table),
    /// A transfer curve in a few lines, where there is no picture.
    Curve(&'a ResultDocument),
    /// What figures say about the device; none where they fit nothing.
    Conclusions(&'a [Inference]),
    Findings(Vec<FindingGroup<'a>>),
    /// What is said of commands, and the commands, a line each; nothing where there are none.
    Commands(&'static str, &'a [String]),
    /// The command that does it again; empty where that is not known.
    StoredCommand(&'a str),
}

impl<'a> Article<'a> {
    pub fn add(&mut self, element: Element<'a>) {
        self.0.push((Skin::Both, element));
    }

    pub fn add_on(&mut self, on: Skin, element: Element<'a>) {
        self.0.push((on, element));
    }

    pub fn paragraph(&mut self, text: impl Into<Text>) {
        self.add(Element::Paragraph(text.into()));
    }

    pub fn notes(&mut self, items: Vec<Text>) {
        self.marked("", "", items);
    }

    pub fn marked(&mut self, title: impl Into<Text>, mark: &'static str, items: Vec<Text>) {
        let title = title.into();
        self.add(Element::Notes { title, mark, items });
    }

    pub fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The elements that are shown there, which is `Skin::Terminal` or `Skin::Paper`.
    pub fn on(&self, skin: Skin) -> impl Iterator<Item = &Element<'a>> {
        let shown = self
            .0
            .iter()
            .filter(move |(on, _)| [Skin::Both, skin].contains(on));
        shown.map(|(_, element)| element)
    }
}
