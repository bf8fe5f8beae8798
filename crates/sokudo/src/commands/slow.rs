//! `sokudo slow`: what to do about a disk that is slow, on one screen. docs/SLOW.md is the same.

use sokudo_terminal::exit::Exit;
use sokudo_terminal::{definition, output};

/// What `sokudo slow` prints, and `sokudo help slow` below its usage.
pub(crate) const PAGE: &str = "\
Eight things make a disk slow. The first is the most frequent.

1. Other programs use it, or the machine is busy: --why names them.
  sokudo mark . --quick --why       every row once, and who else used the disk

2. The drive is not healthy, or its link is slower than both ends allow.
  sudo sokudo info /dev/sdX         health, link, temperature, what lies on it
  sudo sokudo checkup /dev/sdX      OK, OK BUT or NOT OK, with reasons

3. Some of it is slow or cannot be read.
  sudo sokudo scan /dev/sdX         samples its surface; --full reads all of it

4. Its fast cells are full, or it is shingled (SMR): writes start fast and fall.
  sokudo explain DIR                what kind of drive it is
  sokudo fill DIR                   where its fast part ends; it asks first

5. It becomes hot, or its speed changes by the minute.
  sokudo mark . --spread-over 10min --why

6. The file system, encryption, RAID or a virtual machine costs the rest.
  sudo sokudo mark /dev/sdX         the device alone, only read; then: mark DIR

7. Cloud volumes are slow where they are read for the first time.
  sudo sokudo scan /dev/sdX --full  reads all of it once; then measure again

8. It was never faster.
  sokudo checkup . --why            what such disks reach, with sources

Measure it while it is healthy; then the next check takes a minute:
  sokudo mark . && sokudo baseline set
  sokudo check                      is it slower than then?
";

/// Prints it in the current language.
pub(crate) fn run() -> Result<(), Exit> {
    output::print(&on_a_screen(&definition::page(PAGE)))
}

/// Without empty lines, so that a terminal of 24 lines shows all of it.
fn on_a_screen(page: &str) -> String {
    page.replace("\n\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use sokudo_terminal::definition::spoken;
    use sokudo_words::Language;

    /// The page as Markdown: what is typed stands in blocks.
    fn document(title: &str, page: &str) -> String {
        let mut lines = vec![format!("# {title}")];
        let mut is_typed = false;
        for line in page.trim_end().lines() {
            let typed = line.strip_prefix("  ");
            if typed.is_some() != is_typed {
                lines.push("```".to_owned());
            }
            if lines.len() == 1 || typed.is_none() && is_typed {
                lines.push(String::new());
            }
            is_typed = typed.is_some();
            lines.push(typed.unwrap_or(line).to_owned());
        }
        lines.extend(is_typed.then(|| "```".to_owned()));
        let text = lines.join("\n") + "\n";
        text.replace("\n\n\n", "\n\n")
    }

    fn assert_written(path: &str, text: &str) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        if std::env::var_os("SOKUDO_BLESS").is_some_and(|value| value == "1") {
            std::fs::write(&path, text).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == text,
            "{} is stale: SOKUDO_BLESS=1",
            path.display()
        );
    }

    #[test]
    fn the_documents_are_the_page() {
        assert_written(
            "../../docs/SLOW.md",
            &document("My disk is slow: what now?", PAGE),
        );
        let mut japanese = spoken::exactly(Language::Japanese);
        let page = spoken::prose(PAGE, None, &mut japanese);
        assert_written(
            "../../docs/SLOW.ja.md",
            &document("ディスクが遅いときは", &page),
        );
    }

    #[test]
    fn it_fits_on_a_screen() {
        assert!(
            PAGE.lines().all(|line| line.chars().count() <= 80),
            "{PAGE}"
        );
        assert!(on_a_screen(PAGE).lines().count() < 24);
    }
}
