//! The imports between the modules of a crate, read from the sources: `use` items and paths in code that begin with
//! `crate::`, `super::` or a submodule. Test code is skipped. A re-exported name is not an import of the re-exporting
//! module: its users import the module that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::Result;

/// The imports between the modules of a crate, each named by its path, starting with `crate`.
#[derive(Debug, Default)]
pub struct Graph(BTreeMap<String, BTreeSet<String>>);

impl Graph {
    /// Reads the sources of a crate in a folder.
    pub fn read(folder: &Path, files: &[PathBuf]) -> Result<Self> {
        let mut texts = BTreeMap::new();
        for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
            // Binaries are separate crates.
            let relative = file.strip_prefix(folder)?;
            if relative.starts_with("bin") || relative == Path::new("main.rs") {
                continue;
            }
            texts.insert(module_of(relative), without_comments(&fs::read_to_string(file)?));
        }
        Ok(Self::from_texts(&texts))
    }

    /// The graph of these modules, by their paths.
    fn from_texts(texts: &BTreeMap<String, String>) -> Self {
        let is_of_tests = |module: &str| {
            let (parent, name) = module.rsplit_once("::").unwrap_or(("", module));
            texts.get(parent).is_some_and(|text| declares_for_tests(text, name))
        };
        let modules: BTreeSet<&String> = texts.keys().filter(|module| !is_of_tests(module)).collect();
        let items: BTreeMap<&str, Vec<NamedPath>> =
            modules.iter().map(|module| (module.as_str(), paths(&without_tests(&texts[*module])))).collect();
        let names = Names(&items);
        let imports = |module: &str| {
            let used = items[module].iter().filter(|path| !path.is_only_exported);
            let mut found: BTreeSet<String> = used
                .flat_map(|path| names.modules_of(module, &path.segments, MAX_EXPORTS_FOLLOWED))
                .collect();
            found.remove(module);
            found
        };
        Self(modules.iter().map(|module| ((*module).clone(), imports(module))).collect())
    }

    /// The number of modules.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The cycles: the strongly connected components of more than one module.
    pub fn cycles(&self) -> Vec<Vec<&str>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> =
            self.0.keys().map(|module| (module.as_str(), self.reached_from(module))).collect();
        let mut cycles: Vec<Vec<&str>> = Vec::new();
        for module in self.0.keys().map(String::as_str) {
            if cycles.iter().any(|cycle| cycle.contains(&module)) {
                continue;
            }
            let both = |other: &&str| reached[module].contains(other) && reached[other].contains(module);
            let cycle: Vec<&str> = self.0.keys().map(String::as_str).filter(both).collect();
            if cycle.len() > 1 {
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// A path around a cycle, as text.
    pub fn example(&self, cycle: &[&str]) -> String {
        let Some(start) = cycle.first() else { return String::new() };
        let mut path = vec![*start];
        // Each module of the cycle imports another one, so the path ends at a visited module.
        while let Some(next) = path.last().and_then(|last| self.0.get(*last)).and_then(|imports| {
            let inside = |name: &&String| cycle.contains(&name.as_str());
            imports
                .iter()
                .find(|name| inside(name) && name.as_str() == *start)
                .or_else(|| imports.iter().find(inside))
        }) {
            let is_closed = path.contains(&next.as_str());
            path.push(next);
            if is_closed {
                break;
            }
        }
        path.join(" → ")
    }

    fn reached_from<'a>(&'a self, module: &'a str) -> BTreeSet<&'a str> {
        let (mut reached, mut worklist) = (BTreeSet::new(), vec![module]);
        while let Some(imports) = worklist.pop().and_then(|module| self.0.get(module)) {
            worklist.extend(imports.iter().map(String::as_str).filter(|import| reached.insert(*import)));
        }
        reached
    }
}

/// The path of a file's module, such as `crate::hlo::parser` for `hlo/parser/mod.rs`.
fn module_of(relative: &Path) -> String {
    let mut parts: Vec<String> =
        relative.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod" || last == "lib") {
        parts.pop();
    }
    parts.insert(0, "crate".to_owned());
    parts.join("::")
}

/// Whether the text declares a module under `#[cfg(test)]`.
fn declares_for_tests(text: &str, name: &str) -> bool {
    let declaration = format!("mod {name};");
    text.split("#[cfg(test)]").skip(1).any(|item| item[..end_of_item(item)].contains(&declaration))
}

/// Text without line comments and documentation.
pub fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Text without the items after `#[cfg(test)]`.
fn without_tests(text: &str) -> String {
    let mut parts = text.split("#[cfg(test)]");
    let mut without = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        without.push_str(&part[end_of_item(part)..]);
    }
    without
}

/// The end of the first item of the text: its semicolon, or the matching closing brace.
fn end_of_item(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A path in a module.
#[derive(Debug)]
struct NamedPath {
    segments: Vec<String>,
    /// Its name in this module, if it is re-exported; `*` for all names of a module.
    exported_as: Option<String>,
    /// Whether it is re-exported and not otherwise used.
    is_only_exported: bool,
}

/// The paths in the text: those of its `use` items, and those in code.
fn paths(text: &str) -> Vec<NamedPath> {
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut open = text;
    while let Some(at) = find_use(open) {
        let (before, item) = open.split_at(at);
        rest.push_str(before);
        let line = before.rsplit('\n').next().unwrap_or_default();
        let end = item.find(';').unwrap_or(item.len());
        let mut leaves = Vec::new();
        expand(&item["use ".len().min(end)..end], &[], &mut leaves);
        let is_public = line.trim_start().starts_with("pub");
        found.extend(leaves.into_iter().map(|(segments, name)| NamedPath {
            segments,
            exported_as: is_public.then_some(name),
            is_only_exported: is_public,
        }));
        open = &item[end..];
    }
    rest.push_str(open);
    let rest = without_declarations(&rest);
    for path in &mut found {
        path.is_only_exported &= path.exported_as.as_ref().is_some_and(|name| !has_word(&rest, name));
    }
    for path in paths_in_code(&rest) {
        found.push(NamedPath { segments: segments(path), exported_as: None, is_only_exported: false });
    }
    found
}

/// Text without declarations of modules in other files.
fn without_declarations(text: &str) -> String {
    let is_declaration = |line: &&str| {
        let line = line.trim();
        let (visibility, name) = line.split_once("mod ").unwrap_or((line, ""));
        name.ends_with(';') && (visibility.is_empty() || visibility.starts_with("pub"))
    };
    text.lines().filter(|line| !is_declaration(line)).collect::<Vec<_>>().join("\n")
}

/// The paths of at least two names outside of `use` items.
fn paths_in_code(text: &str) -> impl Iterator<Item = &str> {
    let is_of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '$');
    text.split(move |c| !is_of_path(c))
        .filter(|path| path.contains("::") && path.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Whether the text contains a name as a whole word.
fn has_word(text: &str, name: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_of_word) && !text[at + name.len()..].starts_with(is_of_word))
}

/// The start of the next `use` item.
fn find_use(text: &str) -> Option<usize> {
    let is_item = |at: &usize| {
        let before = text[..*at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['\n', ')', '{', ';', '}', ']']) || before.ends_with("pub")
    };
    text.match_indices("use ").map(|(at, _)| at).find(is_item)
}

/// The paths of a tree such as `crate::a::{b, c::{self, d}}`, each with its local name.
fn expand(tree: &str, before: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let tree = tree.trim();
    let Some((prefix, group)) = tree.split_once('{') else {
        let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias)));
        let mut path = [before, &segments(path)].concat();
        // `self` at the end is the path before it.
        if path.len() > 1 {
            path.pop_if(|last| last == "self");
        }
        let name =
            alias.map_or_else(|| path.last().cloned().unwrap_or_default(), |alias| alias.trim().to_owned());
        found.push((path, name));
        return;
    };
    let before = [before, &segments(prefix)].concat();
    let group = group.trim_end().strip_suffix('}').unwrap_or(group);
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in group.char_indices().chain([(group.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                if !group[start..at].trim().is_empty() {
                    expand(&group[start..at], &before, found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

fn segments(path: &str) -> Vec<String> {
    path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Maximum number of re-exports that are followed to the defining module.
const MAX_EXPORTS_FOLLOWED: usize = 6;

/// The paths in each module.
struct Names<'a>(&'a BTreeMap<&'a str, Vec<NamedPath>>);

impl Names<'_> {
    /// The modules that a path in `module` refers to: the defining one, and for a glob also those whose names it
    /// re-exports. None for another crate.
    fn modules_of(&self, module: &str, path: &[String], exports_left: usize) -> Vec<String> {
        let Some((resolved, rest)) = self.resolve(module, path) else { return Vec::new() };
        let Some(name) = rest.first().filter(|_| exports_left > 0) else { return vec![resolved] };
        let exports = self.0.get(resolved.as_str()).into_iter().flatten();
        let exports = exports.filter(|path| path.exported_as.is_some());
        let (all, one): (Vec<&NamedPath>, Vec<&NamedPath>) =
            exports.partition(|path| path.exported_as.as_deref() == Some("*"));
        let follow = |export: &NamedPath| self.modules_of(&resolved, &export.segments, exports_left - 1);
        if let Some(export) = one.into_iter().find(|path| path.exported_as.as_ref() == Some(name)) {
            return follow(export);
        }
        let mut found: Vec<String> = all.into_iter().flat_map(follow).collect();
        found.push(resolved);
        found
    }

    /// The deepest module on a path, with the rest of the path.
    fn resolve<'p>(&self, module: &str, path: &'p [String]) -> Option<(String, &'p [String])> {
        let is_module = |resolved: &str| self.0.contains_key(resolved);
        let mut rest = path;
        let mut resolved = match rest.first()?.as_str() {
            "crate" => {
                rest = &rest[1..];
                "crate".to_owned()
            }
            "self" => {
                rest = &rest[1..];
                module.to_owned()
            }
            "super" => {
                let mut resolved = module.to_owned();
                while rest.first().is_some_and(|part| part == "super") {
                    resolved = resolved.rsplit_once("::")?.0.to_owned();
                    rest = &rest[1..];
                }
                resolved
            }
            child if is_module(&format!("{module}::{child}")) => module.to_owned(),
            _ => return None,
        };
        while let Some(deeper) =
            rest.first().map(|part| format!("{resolved}::{part}")).filter(|path| is_module(path))
        {
            resolved = deeper;
            rest = &rest[1..];
        }
        Some((resolved, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(modules: &[(&str, &str)]) -> Graph {
        Graph::from_texts(
            &modules.iter().map(|(name, text)| ((*name).to_owned(), without_comments(text))).collect(),
        )
    }

    #[test]
    fn a_cycle_over_three_modules_is_found() {
        let graph = graph(&[
            ("crate", "mod a; mod b; mod c; mod d;"),
            ("crate::a", "use crate::b::{Thing, other::{self, More}};"),
            ("crate::b", "use super::c::Other as Another;\nfn f() {}"),
            ("crate::c", "fn f() -> crate::a::Name { loop {} }"),
            ("crate::d", "use crate::a::Name;"),
        ]);
        assert_eq!(graph.cycles(), [["crate::a", "crate::b", "crate::c"]]);
        assert_eq!(graph.example(&graph.cycles()[0]), "crate::a → crate::b → crate::c → crate::a");
    }

    #[test]
    fn comments_tests_and_other_crates_are_no_imports() {
        let graph = graph(&[
            ("crate", "mod a; mod b;"),
            (
                "crate::a",
                "//! See crate::b::Thing.\nuse std::b::Thing;\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\n",
            ),
            ("crate::b", "use crate::a::Name;\n#[cfg(test)]\nuse crate::a;"),
        ]);
        assert!(graph.cycles().is_empty(), "{graph:?}");
        assert_eq!(graph.0["crate::b"], ["crate::a".to_owned()].into());
    }

    #[test]
    fn a_re_exported_name_belongs_to_the_defining_module() {
        let modules = [
            ("crate", "mod a; mod b;\npub use a::Name;\npub use b::*;"),
            ("crate::a", "use crate::Other;"),
            ("crate::b", "pub struct Other;"),
        ];
        let found = graph(&modules);
        assert!(found.cycles().is_empty(), "{found:?}");
        assert!(found.0["crate::a"].contains("crate::b"));
        // A module that also uses a re-exported name imports it.
        let using = ("crate", "mod a; mod b;\npub use a::Name;\npub use b::*;\nfn f(_: Name) {}");
        assert_eq!(graph(&[using, modules[1], modules[2]]).cycles(), [["crate", "crate::a"]]);
    }

    #[test]
    fn the_declaration_of_a_module_is_no_use_of_an_item_of_its_name() {
        let modules =
            [("crate", "mod a;\npub(crate) mod c;\npub use a::a;"), ("crate::a", "use super::Name;")];
        let graph = graph(&modules);
        assert!(graph.cycles().is_empty(), "{graph:?}");
    }

    #[test]
    fn modules_of_tests_are_skipped() {
        let graph = graph(&[
            ("crate", "mod a;\n#[cfg(test)]\nmod tests;"),
            ("crate::a", "fn f() {}"),
            ("crate::tests", "use crate::a;"),
        ]);
        assert_eq!(graph.len(), 2);
    }

    #[test]
    fn parents_and_children_that_import_each_other_are_a_cycle() {
        let parts =
            [("crate", "mod a;"), ("crate::a", "mod b; use b::Thing;"), ("crate::a::b", "use super::Name;")];
        assert_eq!(graph(&parts).cycles(), [["crate::a", "crate::a::b"]]);
        assert_eq!(graph(&[parts[0], ("crate::a", "mod b;"), parts[2]]).cycles(), [[""; 0]; 0]);
        for code in [
            "mod b;\nfn f() { b::g(1) }",
            "mod b;\nstruct S(Vec<b::Thing>);",
            "mod b;\nfn f() { self::b::g() }",
        ] {
            assert_eq!(graph(&[parts[0], ("crate::a", code), parts[2]]).cycles().len(), 1, "{code}");
        }
    }
}
