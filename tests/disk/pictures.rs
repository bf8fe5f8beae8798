//! Pictures: where they go, which kind, and what is refused before anything is measured.

use crate::nobody::Nobody;
use crate::sokudo::end;

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
