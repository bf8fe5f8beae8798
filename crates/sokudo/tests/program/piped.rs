//! What is piped is as wide as mail, issues and printed pages are, in every language.

use unicode_width::UnicodeWidthStr;

use crate::history::Store;
use crate::sokudo::end;

/// Columns that a table may take where no terminal says how many there are.
const COLUMNS_MAX: usize = 80;

/// What is measured, so that it can be shown.
const MEASURED: [&str; 9] = [
    "mark sim:hdd --row SEQ1M,Q8 --row RND4K --runs 6",
    "mark sim:hdd --row SEQ1M,Q8 --row RND4K --runs 6 --seed 2",
    "mark sim:ssd --row RND4K,Q8 --rate 1000iops --runs 2",
    "scan sim:hdd --extra --random",
    "sweep sim:ssd --depths 1..32 --runs 1",
    "load sim:hdd --time 100ms --runs 2",
    "explain sim:hdd",
    "quick sim:hdd",
    "steady sim:ssd",
];

/// Ways to look at it.
const SHOWN: [&str; 12] = [
    "list",
    "show 1",
    "show 4",
    "trend sim:hdd",
    "trend sim:hdd --row RND4K",
    "compare 1 2",
    "compare 1 2 3",
    "compare 1 2 3 4 5 6 7",
    "compare all --pivot row:target",
    "compare all --pivot tool+method+row:target+device",
    "compare all --pivot run:row",
    "check 1 --quiet",
];

#[test]
fn no_table_is_wider_than_eighty_columns() {
    for (language, repeat) in [("en", "Repeat: "), ("ja", "再現: ")] {
        let store = Store::new();
        let shown = |command: &str| {
            let words = command.split(' ');
            let ended = end(store.program().env("SOKUDO_LANG", language).args(words));
            assert!(matches!(ended.code(), Some(0 | 1 | 4)), "{ended:?}");
            assert!(ended.printed.lines().count() > 5, "{command}: {ended:?}");
            // What is typed is not broken, for it would be something else.
            let texts = ended.printed.lines().filter(|it| !it.starts_with(repeat));
            for line in texts {
                assert!(line.width() <= COLUMNS_MAX, "{command}: {line}");
            }
        };
        for command in MEASURED {
            shown(&format!("{command} --quiet"));
        }
        store.run("baseline set 1");
        for command in SHOWN {
            shown(command);
        }
    }
}
