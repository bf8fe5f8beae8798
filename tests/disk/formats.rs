//! What is printed, in every format, and where it goes.

use crate::nobody::Nobody;
use crate::sokudo::{end, mark};

/// What needs root.
mod root {
    use super::*;

    #[test]
    fn an_output_that_cannot_be_written_is_refused_before_the_run() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().to_str().unwrap();
        mark("null:", &format!("--time 1h --output {path}")).refused(2, &[path, "name a file"]);
        let missing = format!("{path}/missing/result");
        mark("null:", &format!("--time 1h --output {missing}")).refused(2, &[&missing, "make it"]);
        if let Some(nobody) = Nobody::new() {
            let script = "\"$SOKUDO\" mark null: --time 1h --output ../result";
            end(&mut nobody.shell(script)).refused(1, &["../result", "that you may write to"]);
        }
    }
}
