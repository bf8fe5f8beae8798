//! What the files of a tree are called and how large they are, in constant memory: all of
//! it follows from the seed and a file's number.

use sokudo_model::{FileTree, TreeContents, TreeNames, narrow};
use sokudo_stats::Random;

/// Digits of a file's number in its name, as Bonnie++ 2.00 has them: hexadecimal.
const NUMBER_DIGITS: usize = 10;

/// A name has at most so many random characters besides.
const RANDOM_CHARACTERS_MAX: u64 = 12;

/// A name is no longer than its number and those.
const NAME_BYTES_MAX: usize = NUMBER_DIGITS + 12;

const CHARACTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The files of a tree by their numbers.
#[derive(Clone, Copy)]
pub(super) struct TreeFileNames {
    tree: FileTree,
    seed: u64,
}

impl TreeFileNames {
    pub(super) fn new(tree: FileTree, seed: u64) -> Self {
        Self { tree, seed }
    }

    /// The number of the subdirectory that a file is in: neighbours share one.
    pub(super) fn directory_of(&self, number: u64) -> u32 {
        let spread = u128::from(number) * u128::from(self.tree.directories)
            / u128::from(self.tree.files.max(1));
        narrow(spread)
    }

    /// Writes a file's path, relative to the tree's directory.
    pub(super) fn path(&self, number: u64, path: &mut String) {
        path.clear();
        if self.tree.directories > 0 {
            path.push_str(&directory_name(self.directory_of(number)));
            path.push('/');
        }
        let mut random = Random::stream(self.seed, number);
        let length = random.below(RANDOM_CHARACTERS_MAX + 1);
        if self.tree.names == TreeNames::NumberFirst {
            path.push_str(&digits(number));
        }
        for _ in 0..length {
            #[expect(clippy::cast_possible_truncation, reason = "below 62")]
            let index = random.below(CHARACTERS.len() as u64) as usize;
            path.push(CHARACTERS[index].into());
        }
        if self.tree.names == TreeNames::RandomFirst {
            path.push_str(&digits(number));
        }
    }

    /// The number of a file by its name without a directory; `None` for files that are
    /// not of this tree.
    pub(super) fn number_of(&self, name: &[u8]) -> Option<u64> {
        let name = std::str::from_utf8(name).ok()?;
        let digits = match self.tree.names {
            TreeNames::NumberFirst => name.get(..NUMBER_DIGITS)?,
            TreeNames::RandomFirst => name.get(name.len().checked_sub(NUMBER_DIGITS)?..)?,
        };
        let number = u64::from_str_radix(digits, 16).ok()?;
        if number >= self.tree.files {
            return None;
        }
        let mut path = String::new();
        self.path(number, &mut path);
        (path.rsplit('/').next() == Some(name)).then_some(number)
    }

    /// How many bytes a file holds.
    pub(super) fn size_of(&self, number: u64) -> u32 {
        match self.tree.contents {
            TreeContents::Bytes { min, max } => {
                let span = u64::from(max.saturating_sub(min)) + 1;
                // A stream besides that of the name.
                let drawn = Random::stream(!self.seed, number).below(span);
                min + u32::try_from(drawn).unwrap_or(0)
            }
            TreeContents::HardLinks | TreeContents::SymbolicLinks => 0,
        }
    }
}

/// What a subdirectory is called.
pub(super) fn directory_name(number: u32) -> String {
    format!("{number:05}")
}

/// What hard and symbolic links lead to.
pub(super) const LINKED_NAME: &str = "linked-to";

/// Whether a file of some tree may be called so.
pub(super) fn may_be_a_file(name: &[u8]) -> bool {
    let is_number = |digits: Option<&[u8]>| {
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let first = is_number(name.get(..NUMBER_DIGITS));
    let last = is_number(
        name.len()
            .checked_sub(NUMBER_DIGITS)
            .and_then(|at| name.get(at..)),
    );
    let is_drawn = name.iter().all(|sign| CHARACTERS.contains(sign));
    name == LINKED_NAME.as_bytes() || (name.len() <= NAME_BYTES_MAX && is_drawn && (first || last))
}

/// Whether a subdirectory of some tree may be called so.
pub(super) fn may_be_a_directory(name: &[u8]) -> bool {
    name.len() >= 5 && name.iter().all(u8::is_ascii_digit)
}

fn digits(number: u64) -> String {
    format!("{number:0NUMBER_DIGITS$x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sokudo_model::TreeOrder;

    fn tree(files: u64, directories: u32, names: TreeNames) -> FileTree {
        FileTree {
            files,
            contents: TreeContents::Bytes { min: 10, max: 20 },
            directories,
            names,
            order: TreeOrder::Numbered,
            sync_each: false,
        }
    }

    #[test]
    fn numbers_first_sort_and_random_first_do_not() {
        let sorted = |names| {
            let names = TreeFileNames::new(tree(100, 0, names), 7);
            let mut path = String::new();
            let all: Vec<String> = (0..100)
                .map(|number| {
                    names.path(number, &mut path);
                    path.clone()
                })
                .collect();
            all.is_sorted()
        };
        assert!(sorted(TreeNames::NumberFirst));
        assert!(!sorted(TreeNames::RandomFirst));
    }

    #[test]
    fn directories_get_equal_shares() {
        let names = TreeFileNames::new(tree(1000, 4, TreeNames::NumberFirst), 7);
        let mut counts = [0; 4];
        for number in 0..1000 {
            counts[names.directory_of(number) as usize] += 1;
        }
        assert_eq!(counts, [250; 4]);
    }

    proptest! {
        #[test]
        fn a_name_tells_its_number_and_nobody_elses_does(
            number in 0u64..5_000, seed in any::<u64>(), first in any::<bool>(),
        ) {
            let order = if first { TreeNames::NumberFirst } else { TreeNames::RandomFirst };
            let names = TreeFileNames::new(tree(5_000, 3, order), seed);
            let mut path = String::new();
            names.path(number, &mut path);
            let name = path.rsplit('/').next().unwrap();
            prop_assert_eq!(names.number_of(name.as_bytes()), Some(number));
            prop_assert_eq!(names.number_of(format!("x{name}y").as_bytes()), None);
            prop_assert!((10..=20).contains(&names.size_of(number)));
            prop_assert!(may_be_a_file(name.as_bytes()), "{}", name);
            prop_assert!(may_be_a_directory(path.split('/').next().unwrap().as_bytes()));
        }

        #[test]
        fn no_name_of_a_stranger_is_a_reason_to_stop(name in prop::collection::vec(any::<u8>(), 0..40)) {
            let names = TreeFileNames::new(tree(5, 0, TreeNames::RandomFirst), 1);
            let _ = names.number_of(&name);
        }

        #[test]
        fn no_number_of_a_stranger_is_one_either(number in 5..1_u64 << 40, directories in 0_u32..4) {
            for order in [TreeNames::NumberFirst, TreeNames::RandomFirst] {
                let names = TreeFileNames::new(tree(5, directories, order), 1);
                prop_assert_eq!(names.number_of(digits(number).as_bytes()), None);
            }
        }
    }
}
