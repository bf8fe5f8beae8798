//! Pictures: where they go, which kind, and what is refused before anything is measured.

use crate::sokudo::{Nobody, end, mark, program, split};

/// A short run with a result kept as JSON, in a directory of its own.
fn kept() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let result = directory.path().join("result.json");
    let arguments = format!("--row RND4K,Q4 --format json --output {}", result.display());
    mark("sim:ssd", &arguments).ok();
    directory
}

fn plot(directory: &tempfile::TempDir, arguments: &str) -> crate::sokudo::Ended {
    let mut command = program();
    command
        .current_dir(directory.path())
        .arg("plot")
        .args(split(arguments));
    end(&mut command)
}

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn a_picture_in_a_place_of_somebody_else_is_refused_before_anything_is_measured() {
        let Some(nobody) = Nobody::new() else { return };
        let ended = end(&mut nobody.shell("$SOKUDO mark . --plot /rates.svg --quiet"));
        ended.refused(1, &["/rates.svg", "Permission denied"]);
    }
}
