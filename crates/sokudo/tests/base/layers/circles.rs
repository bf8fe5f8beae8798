//! No circle of files inside a crate, and none of top-level modules: whoever reads one file
//! must be able to stop at the files that it uses, and whoever reads a module with all its
//! children at the modules that it uses.
//!
//! A file uses another one if its code names something that is defined there, by a `use` or
//! by a path in the code (`crate::…`, `super::…`, `self::…`, or the name of a child module).
//! Names are followed through re-exports to the file that defines them: a parent that only
//! passes on what its children define is not used for that. So these do not count:
//! - `mod child;`, which says where a file is and uses nothing of it,
//! - `pub use` of a name that the file itself does not use,
//! - what is compiled for tests only.
//!
//! Who imports a module as such uses its file. Parents have no privilege: a child that uses what
//! its parent defines, while the parent uses the child, is a circle. What both need goes to a
//! file below both.
//!
//! Of a top-level module all files are one. There a name counts for the first module that
//! its path leads to, wherever it is defined, and passing on a name of another module is a
//! use of that module. Only the root may pass on what it does not use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

#[test]
fn no_file_and_no_top_level_module_is_in_a_circle_with_others_of_its_crate() {
    let mut found = BTreeMap::new();
    for name in super::crates() {
        let modules = read(&super::root().join("crates").join(&name).join("src"));
        let of_files = circles(&uses_of_files(&modules));
        found.insert(name, (of_files, circles(&uses_of_modules(&modules))));
    }
    found.retain(|_, (files, modules)| !(files.is_empty() && modules.is_empty()));
    assert!(found.is_empty(), "these use each other: {found:#?}");
}

#[test]
fn a_circle_is_found_however_the_names_are_written() {
    let both = |a: &str, b: &str| {
        let files = [("lib.rs", "mod a;\nmod b;"), ("a.rs", a), ("b.rs", b)];
        files_of(&circles(&uses_of_files(&of(&files))))
    };
    let in_a_circle = [vec!["a".to_owned(), "b".to_owned()]];
    let a = "pub struct A;\nuse crate::b::B;";
    for b in [
        "use crate::a::A;\npub struct B(A);",
        "pub struct B(super::a::A);",
        "pub struct B;\nfn f() { use crate::{a as other}; other::A }",
        "pub struct B;\nfn f() { g!(\"{}\", crate::a::A) }",
        "pub struct B;\nmod inside { use super::super::a::A; }",
    ] {
        assert_eq!(both(a, b), in_a_circle, "{b}");
    }
    for b in [
        "pub struct B; // crate::a::A",
        "pub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }",
        "pub struct B;\npub use crate::a::A;",
        "pub struct B;\nconst A: &str = \"crate::a::A\";",
    ] {
        assert_eq!(both(a, b), Vec::<Vec<String>>::new(), "{b}");
    }
}

#[test]
fn a_parent_is_a_file_like_any_other_and_its_re_exports_are_not_its_own() {
    let family = |parent: &str, child: &str| {
        let files = [
            ("lib.rs", "mod parent;"),
            ("parent.rs", parent),
            ("parent/child.rs", child),
            ("parent/below.rs", "pub(super) struct Below;"),
        ];
        files_of(&circles(&uses_of_files(&of(&files))))
    };
    let uses_child =
        "mod below;\nmod child;\nstruct Own;\nuse below::Below;\nfn f() { child::g() }";
    assert_eq!(
        family(uses_child, "use super::Own;\npub(super) fn g() {}"),
        [["parent", "parent::child"]]
    );
    let none: Vec<Vec<String>> = Vec::new();
    assert_eq!(
        family(uses_child, "use super::Below;\npub(super) fn g() {}"),
        none
    );
    let passes_on = "mod below;\nmod child;\nstruct Own;\npub use child::g;";
    assert_eq!(
        family(passes_on, "use super::Own;\npub(super) fn g() {}"),
        none
    );
}

#[test]
fn a_circle_of_modules_is_found_though_a_parent_passes_on_what_its_child_defines() {
    let both = |root: &str, a: &str, b: &str| {
        let files = [
            ("lib.rs", root),
            ("a.rs", a),
            ("a/child.rs", "pub struct A;"),
            ("b.rs", b),
            ("c.rs", "pub struct C;"),
        ];
        let modules = of(&files);
        assert!(circles(&uses_of_files(&modules)).is_empty(), "{a} {b}");
        files_of(&circles(&uses_of_modules(&modules)))
    };
    let root = "mod a;\nmod b;\nmod c;\npub use a::A;";
    let passes_on = "mod child;\npub use child::A;\nuse crate::b::B;";
    for b in [
        "use crate::a::A;\npub struct B(A);",
        "pub struct B(super::a::A);",
        "use crate::A;\npub struct B(A);",
        "pub use crate::a::A;\npub struct B;",
    ] {
        assert_eq!(both(root, passes_on, b), [["a", "b"]], "{b}");
    }
    let none: Vec<Vec<String>> = Vec::new();
    let own = "mod child;\npub use child::A;\nfn f(a: self::A) { child::A }";
    let b = "use crate::{a::A, c::C};\npub struct B(A, C);";
    assert_eq!(both(root, own, b), none);
}

/// A name that a `use` brings into a file.
struct Import {
    path: Vec<String>,
    /// `*` for all names.
    name: String,
    is_public: bool,
    /// In how many modules of the file's own it stands.
    depth: usize,
}

/// What one file defines and names, without its tests.
#[derive(Default)]
struct Module {
    children: BTreeSet<String>,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths in the code, with their depth as in [`Import`].
    paths: Vec<(Vec<String>, usize)>,
}

/// The files of a crate, each by the path of its module; that of the root is empty.
type Crate = BTreeMap<Vec<String>, Module>;

/// The crate whose sources lie in this directory.
fn read(src: &Path) -> Crate {
    let root = ["lib.rs", "main.rs"].map(|name| src.join(name));
    let root = root.into_iter().find(|path| path.exists()).unwrap();
    let mut modules = Crate::new();
    add(&mut modules, &[], &root, src, &super::read);
    modules
}

/// The crate of these files and texts.
fn of(files: &[(&str, &str)]) -> Crate {
    let text = |path: &Path| {
        let file = files.iter().find(|(name, _)| Path::new(name) == path);
        file.unwrap().1.to_owned()
    };
    let mut modules = Crate::new();
    add(&mut modules, &[], Path::new("lib.rs"), Path::new(""), &text);
    modules
}

/// Adds a file and, in `directory`, the files of its children.
fn add(
    modules: &mut Crate,
    path: &[String],
    file: &Path,
    directory: &Path,
    text: &dyn Fn(&Path) -> String,
) {
    let tokens: TokenStream = text(file).parse().unwrap();
    let mut module = Module::default();
    module.gather(&list(tokens), 0, true);
    for child in &module.children {
        let path = [path, std::slice::from_ref(child)].concat();
        let file: PathBuf = directory.join(format!("{child}.rs"));
        add(modules, &path, &file, &directory.join(child), text);
    }
    modules.insert(path.to_vec(), module);
}

fn list(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}

fn is_punct(token: Option<&TokenTree>, sign: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

/// The tokens inside these brackets.
fn inside(token: Option<&TokenTree>, delimiter: Delimiter) -> Option<Vec<TokenTree>> {
    match token {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => {
            Some(list(group.stream()))
        }
        _ => None,
    }
}

/// Whether `::` stands here.
fn is_step(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens.get(at), ':') && is_punct(tokens.get(at + 1), ':')
}

impl Module {
    /// Takes in what tokens define and name; `is_body` where they are a module's own.
    fn gather(&mut self, tokens: &[TokenTree], depth: usize, is_body: bool) {
        let mut at = 0;
        while at < tokens.len() {
            at += self.gather_at(tokens, at, depth, is_body);
        }
    }

    /// Takes in what stands here; returns how many tokens that are.
    fn gather_at(&mut self, tokens: &[TokenTree], at: usize, depth: usize, is_body: bool) -> usize {
        let here = &tokens[at..];
        if let Some(attribute) = inside(here.get(1), Delimiter::Bracket)
            && is_punct(here.first(), '#')
            && is_for_tests(&attribute)
        {
            return item_length(here, is_body);
        }
        match &here[0] {
            TokenTree::Group(group) => self.gather(&list(group.stream()), depth, false),
            TokenTree::Literal(literal) => {
                // Names in texts of `format!`.
                for part in literal.to_string().split('{').skip(1) {
                    let is_of_name = |sign: char| sign.is_alphanumeric() || sign == '_';
                    let name: String = part.chars().take_while(|it| is_of_name(*it)).collect();
                    self.paths.push((vec![name], depth));
                }
            }
            TokenTree::Punct(_) => {}
            TokenTree::Ident(word) => {
                let word = word.to_string();
                let name = ident(here.get(1));
                match (&*word, name) {
                    // A visibility names a module and uses nothing of it.
                    ("pub", _) if inside(here.get(1), Delimiter::Parenthesis).is_some() => {
                        return 2;
                    }
                    ("mod", Some(name)) if is_punct(here.get(2), ';') => {
                        self.children.insert(name);
                        return 3;
                    }
                    ("mod", Some(name)) => {
                        if let Some(body) = inside(here.get(2), Delimiter::Brace) {
                            self.items.insert(name);
                            self.gather(&body, depth + 1, true);
                        }
                        return 3;
                    }
                    ("use", _) if !is_punct(here.get(1), '<') => {
                        let end = here.iter().position(|token| is_punct(Some(token), ';'));
                        let end = end.unwrap();
                        let is_public = at > 0
                            && (ident(tokens.get(at - 1)).as_deref() == Some("pub")
                                || inside(tokens.get(at - 1), Delimiter::Parenthesis).is_some());
                        self.import(&here[1..end], &[], depth, is_public);
                        return end + 1;
                    }
                    (
                        "struct" | "enum" | "trait" | "fn" | "const" | "static" | "type" | "union",
                        Some(name),
                    ) if is_body => {
                        self.items.insert(name);
                    }
                    ("macro_rules", _) => {
                        self.items.extend(ident(here.get(2)));
                    }
                    _ => return self.path(tokens, at, depth),
                }
            }
        }
        1
    }

    /// Takes in a path of the code; returns its length.
    fn path(&mut self, tokens: &[TokenTree], at: usize, depth: usize) -> usize {
        let mut path: Vec<String> = ident(tokens.get(at)).into_iter().collect();
        let mut end = at + 1;
        while is_step(tokens, end)
            && let Some(name) = ident(tokens.get(end + 2))
        {
            path.push(name);
            end += 3;
        }
        let is_field = at > 0 && is_punct(tokens.get(at - 1), '.')
            || path.len() == 1 && is_punct(tokens.get(end), ':') && !is_step(tokens, end);
        let goes_on = at > 1 && is_step(tokens, at - 2);
        if !is_field && !goes_on {
            self.paths.push((path, depth));
        }
        end - at
    }

    /// Takes in a tree of imports, without its `use` and `;`.
    fn import(&mut self, tree: &[TokenTree], before: &[String], depth: usize, is_public: bool) {
        let mut path = before.to_vec();
        for (at, token) in tree.iter().enumerate() {
            if let Some(inner) = inside(Some(token), Delimiter::Brace) {
                for part in inner.split(|token| is_punct(Some(token), ',')) {
                    self.import(part, &path, depth, is_public);
                }
                return;
            }
            match ident(Some(token)) {
                Some(word) if word == "as" => {
                    let name = ident(tree.get(at + 1)).unwrap_or_default();
                    self.add_import(path, name, depth, is_public);
                    return;
                }
                Some(word) if word == "self" && !path.is_empty() => {}
                Some(word) => path.push(word),
                None if is_punct(Some(token), '*') => {
                    self.add_import(path, "*".to_owned(), depth, is_public);
                    return;
                }
                None => {}
            }
        }
        if let Some(name) = path.last().cloned() {
            self.add_import(path, name, depth, is_public);
        }
    }

    fn add_import(&mut self, path: Vec<String>, name: String, depth: usize, is_public: bool) {
        self.imports.push(Import {
            path,
            name,
            is_public,
            depth,
        });
    }

    fn names(&self, name: &str) -> bool {
        self.paths.iter().any(|(path, _)| path[0] == name)
    }
}

/// Whether an attribute leaves what follows to tests.
fn is_for_tests(attribute: &[TokenTree]) -> bool {
    ident(attribute.first()).as_deref() == Some("cfg")
        && inside(attribute.get(1), Delimiter::Parenthesis).is_some_and(|inner| {
            inner.len() == 1 && ident(inner.first()).as_deref() == Some("test")
        })
}

/// Tokens of an item with its attributes: as far as its `;`, its braces or, in what is no
/// module's body, its comma.
fn item_length(tokens: &[TokenTree], is_body: bool) -> usize {
    let ends = |token: &TokenTree| {
        is_punct(Some(token), ';')
            || !is_body && is_punct(Some(token), ',')
            || inside(Some(token), Delimiter::Brace).is_some()
    };
    let end = tokens.iter().position(ends);
    end.map_or(tokens.len(), |end| end + 1)
}

/// The file that defines what a path names, seen from a file, or the first one on the way
/// that `is_end`; `None` where that is none of the crate.
fn defining(
    modules: &Crate,
    from: &[String],
    path: &[String],
    depth: usize,
    seen: &BTreeSet<(Vec<String>, String)>,
    is_end: &dyn Fn(&[String]) -> bool,
) -> Option<Vec<String>> {
    let mut current = from.to_vec();
    let mut inner = depth;
    let mut steps = path.iter().peekable();
    let first = steps.peek()?.as_str();
    let is_local = |name: &str| {
        let module = &modules[from];
        let is_imported = module.imports.iter().any(|import| import.name == name);
        module.children.contains(name) || module.items.contains(name) || is_imported
    };
    match first {
        "crate" => {
            current.clear();
            steps.next();
        }
        "self" => {
            steps.next();
        }
        "super" => {
            while steps.next_if(|step| *step == "super").is_some() {
                match inner {
                    0 => drop(current.pop()),
                    _ => inner -= 1,
                }
            }
        }
        name if is_local(name) => {}
        _ => return None,
    }
    while !is_end(&current)
        && let Some(name) = steps.next()
    {
        let module = &modules[&current];
        if module.children.contains(name) {
            current.push(name.clone());
            continue;
        }
        if module.items.contains(name) {
            break;
        }
        let rest: Vec<String> = steps.cloned().collect();
        let mut seen = seen.clone();
        if !seen.insert((current.clone(), name.clone())) {
            return None;
        }
        let follow = |import: &Import, rest: &[String]| {
            let path = [&import.path[..], rest].concat();
            defining(modules, &current, &path, import.depth, &seen, is_end)
        };
        let mut named = module.imports.iter().filter(|import| import.name == *name);
        if let Some(import) = named.next() {
            return follow(import, &rest);
        }
        let rest = [std::slice::from_ref(name), &rest[..]].concat();
        let mut globs = module.imports.iter().filter(|import| import.name == "*");
        return globs.find_map(|import| follow(import, &rest));
    }
    Some(current)
}

/// What the names in a file lead to, each as far as `is_end` lets it; of names that the file
/// only passes on only where `passing_is_use`.
fn used(
    modules: &Crate,
    file: &[String],
    passing_is_use: bool,
    is_end: &dyn Fn(&[String]) -> bool,
) -> BTreeSet<Vec<String>> {
    let module = &modules[file];
    let of_imports = module
        .imports
        .iter()
        .filter(|import| passing_is_use || !import.is_public || module.names(&import.name))
        .map(|import| (&import.path, import.depth));
    let is_path = |path: &[String]| {
        path.len() > 1
            && (["crate", "self", "super"].contains(&&*path[0])
                || module.children.contains(&path[0]))
    };
    let paths = module.paths.iter().filter(|(path, _)| is_path(path));
    of_imports
        .chain(paths.map(|(path, depth)| (path, *depth)))
        .filter_map(|(path, depth)| defining(modules, file, path, depth, &BTreeSet::new(), is_end))
        .filter(|used| used != file)
        .collect()
}

/// Files or top-level modules, each with those that it uses.
type Uses = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

fn uses_of_files(modules: &Crate) -> Uses {
    let uses = |file: &Vec<String>| (file.clone(), used(modules, file, false, &|_| false));
    modules.keys().map(uses).collect()
}

/// The uses of all files of a top-level module are its own.
fn uses_of_modules(modules: &Crate) -> Uses {
    let top = |file: &[String]| -> Vec<String> { file.iter().take(1).cloned().collect() };
    let mut uses = Uses::new();
    for file in modules.keys() {
        let is_other = |module: &[String]| !module.is_empty() && module[..1] != top(file);
        let used = used(modules, file, !file.is_empty(), &is_other);
        let others = used.iter().map(|used| top(used));
        let others = others.filter(|other| *other != top(file));
        uses.entry(top(file)).or_default().extend(others);
    }
    uses
}

/// Files that lead to each other, each with those of them that it uses.
type Circle = BTreeMap<String, Vec<String>>;

fn files_of(circles: &[Circle]) -> Vec<Vec<String>> {
    let files = |circle: &Circle| circle.keys().cloned().collect();
    circles.iter().map(files).collect()
}

fn circles(uses: &Uses) -> Vec<Circle> {
    type File = Vec<String>;
    let reached_from = |file: &File| {
        let mut reached = BTreeSet::new();
        let mut next = vec![file.clone()];
        while let Some(file) = next.pop() {
            let new = uses[&file]
                .iter()
                .filter(|used| reached.insert((*used).clone()));
            next.extend(new.cloned());
        }
        reached
    };
    let reached: Uses = uses
        .keys()
        .map(|file| (file.clone(), reached_from(file)))
        .collect();
    let circle_of = |file: &File| -> BTreeSet<File> {
        let others = reached[file].iter();
        others
            .filter(|other| reached[*other].contains(file))
            .cloned()
            .collect()
    };
    let name = |file: &File| match &file[..] {
        [] => "crate".to_owned(),
        file => file.join("::"),
    };
    let circles: BTreeSet<BTreeSet<File>> = uses.keys().map(circle_of).collect();
    let circles = circles.iter().filter(|files| !files.is_empty());
    circles
        .map(|files| {
            let used = |file| uses[file].intersection(files).map(name).collect();
            files.iter().map(|file| (name(file), used(file))).collect()
        })
        .collect()
}
