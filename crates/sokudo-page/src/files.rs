//! The files of the page, which are in the program.

use include_dir::{Dir, File, include_dir};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets");

/// A file with its media type; none that is no file of the page.
pub(crate) fn find(name: &str) -> Option<(&'static str, &'static [u8])> {
    let file = FILES.get_file(name)?;
    let (_, ending) = name.rsplit_once('.')?;
    let kind = match ending {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => return None,
    };
    Some((kind, file.contents()))
}

/// The texts of the scripts that are our own; those of others are in a folder.
pub(crate) fn scripts() -> Vec<&'static str> {
    let is_script = |file: &&File<'_>| file.path().extension().is_some_and(|it| it == "js");
    let own = FILES.files().filter(is_script);
    own.filter_map(File::contents_utf8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page is loaded through `ssh -L`, too.
    const BYTES_MAX: usize = 300 << 10;

    /// All files, however deep.
    fn all<'d>(folder: &'d Dir<'static>) -> Vec<&'d File<'static>> {
        let below = folder.dirs().flat_map(all);
        folder.files().chain(below).collect()
    }

    #[test]
    fn all_files_together_are_small() {
        let bytes: usize = all(&FILES).iter().map(|file| file.contents().len()).sum();
        assert!(bytes <= BYTES_MAX, "{bytes} B");
    }

    #[test]
    fn a_path_leads_to_no_other_file() {
        for path in ["../Cargo.toml", "/etc/passwd", "", ".", ".gitkeep", "no.js"] {
            assert!(find(path).is_none(), "{path}");
        }
    }
}
