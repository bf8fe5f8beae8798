//! The forms in which documents of several runs are written, the same for all of them.

use serde::Serialize;
use sokudo_words::Language;

use crate::article::Article;
use crate::style::{BandwidthUnit, TableStyle};
use crate::{json_layout, markdown, text};

/// A document that people read as an article, and programs as JSON.
pub trait Forms: Serialize + Sized {
    /// What people are told, with rates in this unit.
    fn article(&self, unit: BandwidthUnit) -> Article<'_>;

    /// The whole text, for a terminal or a file.
    fn render(&self, style: &TableStyle) -> String {
        text::write(&self.article(style.unit), style)
    }

    /// The same as Markdown, ready to be pasted into an article.
    fn to_markdown(&self, unit: BandwidthUnit, language: Language) -> String {
        markdown::write(&self.article(unit), language)
    }

    /// The document as text that ends with a line feed.
    fn to_json(&self) -> String {
        json_layout::written(self)
    }
}

/// A document that spreadsheets and scripts read, too.
pub trait CsvForm: Forms {
    /// A line of names, then one line for each thing that it tells.
    fn to_csv(&self) -> String;
}
