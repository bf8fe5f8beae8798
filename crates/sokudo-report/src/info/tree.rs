//! What is on a disk, drawn as a tree: name, size, and what it is, holds, and where it is
//! mounted. What stands on several disks is drawn under the first of them.

use std::collections::HashSet;

use sokudo_model::disk::Content;
use sokudo_words::{Text, text};
use unicode_width::UnicodeWidthStr;

use crate::disk_words as words;
use crate::layout::{pad, wrapped};
use crate::style::TableStyle;
use crate::table::Align;

/// Mount points that are named; containers make hundreds.
const MOUNTS_NAMED: usize = 3;
/// Columns before the tree.
const INDENT: &str = "  ";
/// Columns that are always left for what something is.
const TEXT_WIDTH_MIN: usize = 24;

/// One line of the tree, before its columns are known.
pub(super) struct TreeRow {
    /// The rails before its name.
    head: String,
    /// The device; none for what is on the whole disk.
    name: Option<String>,
    /// The rails below it, for lines that go on.
    rail: String,
    size: Text,
    /// What it is and holds, and where it is mounted.
    parts: Vec<Text>,
}

/// A tree while it is drawn.
#[derive(Default)]
pub(super) struct Forest {
    /// Devices of several disks that have been drawn.
    drawn: HashSet<String>,
}

impl Forest {
    /// The rows of what is on a disk.
    pub(super) fn rows(&mut self, contents: &[Content]) -> Vec<TreeRow> {
        let shown: Vec<&Content> = contents
            .iter()
            .filter(|content| words::partition_table(content).is_none())
            .collect();
        let mut rows = Vec::new();
        self.add(&shown, "", &mut rows);
        rows
    }

    fn add(&mut self, contents: &[&Content], rails: &str, rows: &mut Vec<TreeRow>) {
        for (index, content) in contents.iter().enumerate() {
            let is_last = index + 1 == contents.len();
            let (branch, rail) = if is_last {
                ("└─ ", "   ")
            } else {
                ("├─ ", "│  ")
            };
            let below = format!("{rails}{rail}");
            let is_repeated = self.is_repeated(content);
            let (mut parts, children) = gathered(content);
            if is_repeated {
                parts = vec![content.what.clone(), "as above".into()];
            }
            rows.push(TreeRow {
                head: format!("{rails}{branch}"),
                name: content.device.clone(),
                rail: below.clone(),
                size: content
                    .size_bytes
                    .map(|size| words::size(Some(size)))
                    .unwrap_or_default(),
                parts,
            });
            if !is_repeated {
                self.add(&children, &below, rows);
            }
        }
    }

    /// Whether a device that may stand on several has been drawn before.
    fn is_repeated(&mut self, content: &Content) -> bool {
        let Some(device) = &content.device else {
            return false;
        };
        content.what != "partition" && !self.drawn.insert(device.clone())
    }
}

/// What a device is and holds, in words, and the devices on it. What has no device of its
/// own is told on the line of the device that it is on.
fn gathered(content: &Content) -> (Vec<Text>, Vec<&Content>) {
    let mut parts = Vec::new();
    let mut children = Vec::new();
    gather(content, &mut parts, &mut children);
    (parts, children)
}

fn gather<'a>(content: &'a Content, parts: &mut Vec<Text>, children: &mut Vec<&'a Content>) {
    let is_plain_partition = content.what == "partition" && !content.contents.is_empty();
    if !is_plain_partition {
        parts.push(title(content));
    }
    parts.extend(content.remarks.iter().cloned());
    parts.extend(mounts(content));
    for inner in &content.contents {
        if inner.device.is_some() {
            children.push(inner);
        } else {
            gather(inner, parts, children);
        }
    }
}

/// `ext4 "home"`; a name that the words hold already is not repeated.
fn title(content: &Content) -> Text {
    match &content.label {
        Some(label) if !is_named(content, label) => {
            text!("{} \"{label}\"", content.what.clone())
        }
        _ => content.what.clone(),
    }
}

/// Whether the words are made from the label already, as those of mapped devices are.
fn is_named(content: &Content, label: &str) -> bool {
    let is_mapped = content.device.is_some();
    let what = content.what.english();
    is_mapped && (what.ends_with(label) || what.starts_with("LVM volume"))
}

fn mounts(content: &Content) -> Option<Text> {
    if content.mounted_on.is_empty() {
        return None;
    }
    let named = &content.mounted_on[..content.mounted_on.len().min(MOUNTS_NAMED)];
    let mut mount_points = Text::name(named.join(", "));
    if content.mounted_on.len() > MOUNTS_NAMED {
        let more = content.mounted_on.len() - MOUNTS_NAMED;
        mount_points = text!("{mount_points} and {more} more");
    }
    Some(match content.free_bytes {
        Some(_) => text!(
            "on {mount_points} ({} free)",
            words::size(content.free_bytes)
        ),
        None => text!("on {mount_points}"),
    })
}

/// The rows as lines, in columns.
pub(super) fn lines(rows: &[TreeRow], style: &TableStyle) -> Vec<String> {
    let head_most = style.width.saturating_sub(TEXT_WIDTH_MIN + 12);
    let head = |row: &TreeRow| match &row.name {
        Some(name) => style.name(&format!("{}{name}", row.head)),
        None => format!("{}{}", style.name(&row.head), style.word("(whole)")),
    };
    let head_width = rows.iter().map(|row| head(row).width()).max();
    let head_width = head_width.unwrap_or(0).min(head_most);
    let sizes = rows.iter().map(|row| style.text(&row.size).width());
    let size_width = sizes.max().unwrap_or(0);
    let mut lines = Vec::new();
    for row in rows {
        let head = head(row);
        let size = pad(&style.text(&row.size), size_width, Align::Right);
        let fill = " ".repeat(head_width.saturating_sub(head.width()));
        let first = format!("{INDENT}{head}{fill}  {size}  ");
        let rail = format!("{INDENT}{}", style.name(&row.rail));
        let parts: Vec<String> = row.parts.iter().map(|part| style.text(part)).collect();
        let text = parts.join(&style.name(" · "));
        let mut wrapped_lines = wrapped(&first, &text, style.width);
        for line in wrapped_lines.iter_mut().skip(1) {
            // The rails go on through lines that go on.
            let rest: String = line.chars().skip(rail.chars().count()).collect();
            *line = format!("{rail}{rest}");
        }
        lines.extend(
            wrapped_lines
                .into_iter()
                .map(|line| line.trim_end().to_owned()),
        );
    }
    lines
}
