//! Content hashes in the names of the site's files, and the manifest of a release.
//!
//! Trunk names files by their roles (`ops_bg.wasm`). A host or a browser cache that mixes two releases would then
//! pair the page of one with the worker of the other. So every file except the pages gets the hash of its content in
//! its name, references to it are updated, and the page and the worker's loader get a manifest: the release's id and
//! the name of each file by its plain name. The service worker, whose address stays the same, gets the names, too, and keeps an
//! offline copy of the files; a site that is served for development has none. Before that, the app's program is split ([`code_splitting`]), modules and scripts
//! get short import names ([`import_names`]), and a release's scripts and style sheets are minified ([`minify`]). Trunk calls this at
//! the end of each build (`Trunk.toml`), so `cargo xtask serve` and `dist` produce the same names.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use sha2::{Digest, Sha256};

use crate::arguments::Arguments;
use crate::dist::files_below;
use crate::json::quote;
use crate::process::Process;
use crate::{Result, code_splitting, editor, import_names, kernels, minify, plans, snapshot_page};

/// The page that gets the manifest, and the element that contains it.
const PAGE: &str = "index.html";
const MANIFEST_ELEMENT: &str = "<script type=\"application/json\" id=\"release\">";

/// The script that starts a worker. It gets the names of the files that a worker needs: the kernels, and its own, to
/// start others.
const LOADER: &str = "worker_loader.js";

/// The script of an embed that exchanges messages with the page around it.
const TALK_SCRIPT: &str = "static/talk.js";

/// The service worker, and the beginnings of the names of files that it stores last: nothing that a screen needs to start.
const SERVICE_WORKER: &str = "service-worker.js";
const STORED_LAST: [&str; 7] = ["demo/", "editor", "kernels-", "plans", "programs/", "snapshot", "icon-"];

/// The catalogues, a folder per language. The page gets all messages of `boot.ftl`, and from `core.ftl` those of its
/// static header.
const LANGUAGES: &str = "crates/messages/src/i18n";
const HEADER_MESSAGES: [&str; 8] = [
    "screen-layout",
    "door-layout",
    "screen-ops",
    "door-ops",
    "screen-program",
    "door-program",
    "screen-speed",
    "door-speed",
];

/// Hexadecimal digits of a hash in a file name.
const HASH_DIGITS: usize = 12;

/// `cargo xtask assets`: completes the site that Trunk is building.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    let site =
        env::var_os("TRUNK_STAGING_DIR").ok_or("`assets` is called by Trunk, at the end of a build")?;
    let site = Path::new(&site);
    code_splitting::split(site)?;
    kernels::copy_into(site)?;
    let profile = env::var(code_splitting::PROFILE_FOLDER_VARIABLE).or_else(|_| env::var("TRUNK_PROFILE"));
    plans::copy_into(site, &profile.unwrap_or_default())?;
    editor::bundle_into(site)?;
    minify::bundle(Path::new(TALK_SCRIPT), &site.join("talk.js"))?;
    write_translations(site)?;
    let mut files = BTreeMap::new();
    for path in files_below(site)? {
        let name = path.strip_prefix(site)?.components().map(|part| part.as_os_str().to_string_lossy());
        files.insert(name.collect::<Vec<_>>().join("/"), fs::read(&path)?);
    }
    // Trunk serves and rebuilds the site by itself, unless `dist` has it built.
    if env::var_os(code_splitting::PROFILE_FOLDER_VARIABLE).is_none() {
        files.remove(SERVICE_WORKER);
        fs::remove_file(site.join(SERVICE_WORKER))?;
    }
    import_names::shorten_import_names(&mut files)?;
    if env::var("TRUNK_PROFILE").is_ok_and(|profile| profile == "release") {
        minify::minify(&mut files)?;
    }
    snapshot_page::assemble(site, &mut files)?;
    let hashed = with_hashed_names(files, &page_messages()?)?;
    for (name, file) in &hashed {
        if file.address != *name {
            fs::remove_file(site.join(name))?;
        }
        fs::write(site.join(&file.address), &file.content)?;
    }
    Ok(())
}

/// A file of the site.
struct File {
    /// Its path below the site, with its hash.
    address: String,
    content: Vec<u8>,
}

/// Writes the messages of every language into the site, by a separate program, so that xtask starts without compiling the catalogues.
/// It is built with all packages selected, as the tests are: cargo enables the features that any selected package needs, and would
/// compile dependencies again for another selection.
fn write_translations(site: &Path) -> Result<()> {
    Process::cargo()?.args("build --quiet --workspace --example translations").run()?;
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let program = Path::new(&target).join("debug/examples/translations");
    let program = program.with_extension(env::consts::EXE_EXTENSION);
    Process::new(program.to_str().ok_or("the path of the target folder is not Unicode")?)?.arg(site).run()
}

/// The site's files by their plain paths, each with its hashed name and those of the files that it references; the
/// page gets the manifest and its messages, an object by language.
fn with_hashed_names(mut files: BTreeMap<String, Vec<u8>>, messages: &str) -> Result<BTreeMap<String, File>> {
    let page = files.remove(PAGE).ok_or("the site has no index.html")?;
    let loader = files.remove(LOADER).ok_or("the site has no worker_loader.js")?;
    let service_worker = files.remove(SERVICE_WORKER);
    let (mut pending, unhashed): (BTreeMap<_, _>, BTreeMap<_, _>) =
        files.into_iter().partition(|(path, _)| is_hashed(path));
    let mut named = BTreeMap::new();
    // A file's hash covers the names in it, so referenced files come first.
    while !pending.is_empty() {
        let references_none = |(path, content): &(&String, &Vec<u8>)| {
            pending.keys().all(|other| other == *path || !references(path, content, other))
        };
        let ready = pending.iter().find(references_none).map(|(path, _)| path.clone());
        let path = ready.ok_or_else(|| {
            let remaining: Vec<&str> = pending.keys().map(String::as_str).collect();
            format!("these files reference one another in a cycle: {}", remaining.join(", "))
        })?;
        let content = pending.remove(&path).unwrap_or_default();
        let content = with_hashed_references(&path, content, &named);
        named.insert(path.clone(), File { address: hashed_path(&path, &hash(&[&content])), content });
    }
    // The loader contains the release's id, so its own content cannot be part of that id.
    let addresses: Vec<&str> = named.values().map(|file| file.address.as_str()).collect();
    let addresses = addresses.join(" ");
    let mut parts = vec![addresses.as_bytes(), &loader, &page, messages.as_bytes()];
    parts.extend(service_worker.as_deref());
    parts.extend(unhashed.values().map(Vec::as_slice));
    let release = hash(&parts);
    let is_kernels = |path: &str| path.starts_with("kernels-") || path == "plans.wasm";
    let kernels = named.iter().filter(|(path, _)| is_kernels(path));
    let own_entry = format!("\"{LOADER}\":{{\"name\":import.meta.url}}");
    let manifest_of_loader = manifest(&release, kernels, &own_entry);
    let mut content = format!("globalThis.xlaPlayground={{{manifest_of_loader}}};\n").into_bytes();
    content.extend(with_hashed_references(LOADER, loader, &named));
    named.insert(LOADER.to_owned(), File { address: hashed_path(LOADER, &hash(&[&content])), content });
    let page = String::from_utf8(with_hashed_references(PAGE, page, &named))?;
    let (before, after) =
        page.split_once(MANIFEST_ELEMENT).ok_or(format!("{PAGE} has no {MANIFEST_ELEMENT}"))?;
    let own_entry =
        service_worker.as_ref().map(|_| format!("\"{SERVICE_WORKER}\":{{\"name\":\"{SERVICE_WORKER}\"}}"));
    let manifest = manifest(&release, named.iter(), &own_entry.unwrap_or_default());
    let page = format!("{before}{MANIFEST_ELEMENT}{{{manifest},\"sentences\":{messages}}}{after}");
    named.extend(unhashed.into_iter().map(|(path, content)| (path.clone(), File { address: path, content })));
    if let Some(script) = service_worker {
        let mut content = manifest_of_service_worker(&release, &named).into_bytes();
        content.extend(script);
        named.insert(SERVICE_WORKER.to_owned(), File { address: SERVICE_WORKER.to_owned(), content });
    }
    named.insert(PAGE.to_owned(), File { address: PAGE.to_owned(), content: page.into_bytes() });
    Ok(named)
}

/// The first line of the service worker: the release, and the addresses of the files that it stores first and last.
fn manifest_of_service_worker(release: &str, named: &BTreeMap<String, File>) -> String {
    let is_last = |path: &str| STORED_LAST.iter().any(|start| path.starts_with(start));
    let addresses = |last: bool| {
        let some = named.iter().filter(|(path, _)| is_last(path) == last);
        some.map(|(_, file)| format!("\"{}\"", file.address)).collect::<Vec<_>>().join(",")
    };
    format!(
        "self.xlaPlayground={{\"release\":\"{release}\",\"first\":[{}],\"later\":[{}]}};\n",
        addresses(false),
        addresses(true)
    )
}

/// Whether a file gets a hash in its name. Pages do not, since people link to them, except for the sandbox frame of
/// user functions and the template of exported pages; `demo/` is meant to be copied.
fn is_hashed(path: &str) -> bool {
    !path.starts_with("demo/")
        && (!has_extension(path, &["html"]) || ["sandbox.html", snapshot_page::PAGE].contains(&path))
}

fn has_extension(path: &str, extensions: &[&str]) -> bool {
    Path::new(path).extension().and_then(|end| end.to_str()).is_some_and(|end| extensions.contains(&end))
}

/// The first digits of the hash of these parts.
fn hash(parts: &[&[u8]]) -> String {
    let mut sum = Sha256::new();
    for part in parts {
        sum.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        sum.update(part);
    }
    let mut digits = String::new();
    for byte in sum.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits.truncate(HASH_DIGITS);
    digits
}

/// A path with a hash before its extension.
fn hashed_path(path: &str, hash: &str) -> String {
    let file = path.rfind('/').map_or(0, |slash| slash + 1);
    match path[file..].rfind('.') {
        Some(dot) => format!("{}-{hash}{}", &path[..file + dot], &path[file + dot..]),
        None => format!("{path}-{hash}"),
    }
}

/// The path by which the text at `path` references another file: relative to its folder.
fn relative_to<'a>(path: &str, other: &'a str) -> &'a str {
    let folder = path.rfind('/').map_or("", |slash| &path[..=slash]);
    other.strip_prefix(folder).unwrap_or(other)
}

/// The positions at which the text references a file: between quotes, brackets, a slash and the end of a URL.
fn reference_positions<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        before.is_some_and(|c| matches!(c, '"' | '\'' | '`' | '/' | '(' | '='))
            && after.is_some_and(|c| matches!(c, '"' | '\'' | '`' | ')' | '?' | '#' | '>' | ' '))
    })
}

fn text_of<'a>(path: &str, content: &'a [u8]) -> Option<&'a str> {
    has_extension(path, &["js", "css", "html", "webmanifest"])
        .then(|| std::str::from_utf8(content).ok())
        .flatten()
}

fn references(path: &str, content: &[u8], other: &str) -> bool {
    text_of(path, content)
        .is_some_and(|text| reference_positions(text, relative_to(path, other)).next().is_some())
}

/// A file's content with the hashed names of the files that it references.
fn with_hashed_references(path: &str, content: Vec<u8>, named: &BTreeMap<String, File>) -> Vec<u8> {
    let Some(text) = text_of(path, &content) else { return content };
    let mut text = text.to_owned();
    for (other, file) in named {
        let (name, address) = (relative_to(path, other), relative_to(path, &file.address));
        let found: Vec<usize> = reference_positions(&text, name).collect();
        for at in found.into_iter().rev() {
            text.replace_range(at..at + name.len(), address);
        }
    }
    text.into_bytes()
}

/// The release and its files as members of a JSON object. The project's and Trunk's paths need no escapes.
fn manifest<'a>(
    release: &str,
    files: impl Iterator<Item = (&'a String, &'a File)>,
    extra_entry: &str,
) -> String {
    let files = files.map(|(path, file)| {
        format!("\"{path}\":{{\"name\":\"{}\",\"bytes\":{}}}", file.address, file.content.len())
    });
    let extra_entry = (!extra_entry.is_empty()).then(|| extra_entry.to_owned());
    let files: Vec<String> = files.chain(extra_entry).collect();
    format!("\"release\":\"{release}\",\"files\":{{{}}}", files.join(","))
}

/// The messages that the page displays before the app has loaded, as a JSON object by language.
fn page_messages() -> Result<String> {
    let mut languages = Vec::new();
    for entry in fs::read_dir(LANGUAGES)? {
        let folder = entry?.path();
        if !folder.is_dir() {
            continue;
        }
        let mut messages = plain(&fs::read_to_string(folder.join("boot.ftl"))?)?;
        let shared = plain_lines(&fs::read_to_string(folder.join("core.ftl"))?);
        messages.extend(shared.into_iter().filter(|(key, _)| HEADER_MESSAGES.contains(&key.as_str())));
        let messages: Vec<String> =
            messages.iter().map(|(key, text)| format!("{}:{}", quote(key), quote(text))).collect();
        let tag = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        languages.push(format!("{}:{{{}}}", quote(&tag), messages.join(",")));
    }
    languages.sort();
    Ok(format!("{{{}}}", languages.join(",")))
}

/// The messages of a catalogue that are one line each, by key.
fn plain_lines(catalogue: &str) -> Vec<(String, String)> {
    let messages = catalogue.lines().filter(|line| !line.starts_with(['#', ' ', '}', '.']));
    let messages = messages.filter_map(|line| line.split_once(" = "));
    messages.map(|(key, text)| (key.to_owned(), text.trim().to_owned())).collect()
}

/// Like [`plain_lines`], but fails if a message needs Fluent.
fn plain(catalogue: &str) -> Result<Vec<(String, String)>> {
    let needs_no_fluent = |line: &&str| {
        line.is_empty()
            || line.starts_with('#')
            || line.split_once(" = ").is_some_and(|(key, text)| {
                let arguments = text.matches("{ $").count();
                !key.contains(' ') && text.matches('{').count() == arguments && !text.contains("->")
            })
    };
    match catalogue.lines().find(|line| !needs_no_fluent(line)) {
        Some(line) => Err(format!("boot.ftl: `{line}` is not one line with plain arguments").into()),
        None => Ok(plain_lines(catalogue)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(wasm: &str) -> BTreeMap<String, File> {
        let files = [
            (PAGE, "<link href=\"./app.css\"><script type=\"application/json\" id=\"release\"></script>"),
            ("app.css", "a{background:url(./icon.svg)}"),
            ("icon.svg", "<svg/>"),
            ("app.js", "import './snippets/a/in.js'; new URL('app_bg.wasm', import.meta.url); 'xapp.css'"),
            ("app_bg.wasm", wasm),
            ("kernels-fast.wasm", "k"),
            ("snippets/a/in.js", "import './deep/x.js';"),
            ("snippets/a/deep/x.js", ""),
            ("sandbox.html", "<p>"),
            ("demo/lecture.html", "<link href=\"lecture.css\">"),
            ("demo/lecture.css", ""),
            (LOADER, "import init from './worker.js';await init();"),
            ("worker.js", ""),
            (SERVICE_WORKER, "s"),
        ];
        with_hashed_names(
            files.into_iter().map(|(path, text)| (path.to_owned(), text.into())).collect(),
            "{}",
        )
        .unwrap()
    }

    fn text(site: &BTreeMap<String, File>, path: &str) -> String {
        String::from_utf8(site[path].content.clone()).unwrap()
    }

    fn release(site: &BTreeMap<String, File>) -> String {
        text(site, PAGE).split("\"release\":\"").nth(1).unwrap()[..HASH_DIGITS].to_owned()
    }

    #[test]
    fn every_file_but_the_pages_has_its_hash_in_its_name_and_in_references() {
        let site = site("1");
        for (path, file) in &site {
            let is_unhashed = path == PAGE || path == SERVICE_WORKER || path.starts_with("demo/");
            assert_eq!(file.address == *path, is_unhashed, "{path}");
            assert_eq!(file.address.len(), path.len() + if is_unhashed { 0 } else { HASH_DIGITS + 1 });
        }
        for (path, named) in [
            (PAGE, "app.css"),
            ("app.css", "icon.svg"),
            ("app.js", "app_bg.wasm"),
            ("app.js", "snippets/a/in.js"),
            (LOADER, "worker.js"),
        ] {
            assert!(text(&site, path).contains(&site[named].address), "{path} names {named}");
        }
        let deep = site["snippets/a/deep/x.js"].address.strip_prefix("snippets/a/").unwrap();
        assert!(text(&site, "snippets/a/in.js").contains(deep));
        assert!(text(&site, "app.js").contains("'xapp.css'"), "another name that ends alike stays");
    }

    #[test]
    fn a_change_renames_all_referencing_files_and_the_release() {
        let (old, new) = (site("1"), site("2"));
        for path in old.keys() {
            // The worker's loader contains the release.
            let changes = ["app_bg.wasm", "app.js", LOADER].contains(&path.as_str());
            assert_eq!(old[path].address != new[path].address, changes, "{path}");
        }
        assert_ne!(release(&old), release(&new));
        assert_eq!(release(&old), release(&site("1")));
    }

    #[test]
    fn page_and_worker_have_the_same_release_and_kernels() {
        let site = site("1");
        let texts = [text(&site, PAGE), text(&site, LOADER)];
        for text in &texts {
            assert!(text.contains(&format!("\"release\":\"{}\"", release(&site))), "{text}");
            assert!(text.contains(&format!(
                "\"kernels-fast.wasm\":{{\"name\":\"{}\"",
                site["kernels-fast.wasm"].address
            )));
        }
        assert!(texts[0].contains(&format!("\"{LOADER}\":{{\"name\":\"{}\"", site[LOADER].address)));
        assert!(texts[1].contains(&format!("\"{LOADER}\":{{\"name\":import.meta.url}}")));
    }

    #[test]
    fn the_service_worker_stores_every_file_of_the_release_but_itself_and_the_page() {
        let site = site("1");
        let script = text(&site, SERVICE_WORKER);
        assert!(script.starts_with(&format!("self.xlaPlayground={{\"release\":\"{}\",", release(&site))));
        assert!(script.ends_with(";\ns") && text(&site, PAGE).contains("\"service-worker.js\":{\"name\""));
        let (first, later) = script.split_once("\"later\"").unwrap();
        for (path, file) in site.iter().filter(|(path, _)| *path != PAGE && *path != SERVICE_WORKER) {
            let is_last =
                ["kernels-fast.wasm", "demo/lecture.html", "demo/lecture.css"].contains(&path.as_str());
            let quoted = format!("\"{}\"", file.address);
            assert_eq!(
                [first, later].map(|part| part.matches(&quoted).count()),
                [usize::from(!is_last), usize::from(is_last)],
                "{path}"
            );
        }
    }

    #[test]
    fn a_change_of_any_file_is_another_release() {
        let changed = |changed: &str| {
            let files = [
                (PAGE, MANIFEST_ELEMENT),
                (LOADER, ""),
                (SERVICE_WORKER, ""),
                ("a.js", ""),
                ("demo/lecture.css", ""),
            ];
            let files = files.map(|(path, text)| {
                (path.to_owned(), if path == changed { format!("{text} ") } else { text.to_owned() }.into())
            });
            release(&with_hashed_names(files.into(), "{}").unwrap())
        };
        for path in [PAGE, LOADER, SERVICE_WORKER, "a.js", "demo/lecture.css"] {
            assert_ne!(changed(path), changed(""), "{path}");
        }
    }

    #[test]
    fn the_page_gets_its_messages_as_json_and_only_plain_ones() {
        let messages = plain("# why\n\na = b \"c\" { $d }\nb = </script>\n").unwrap();
        assert_eq!(messages, [("a".into(), "b \"c\" { $d }".into()), ("b".into(), "</script>".into())]);
        for only_fluent in ["a = { $n ->", "    [one] x", "a = { other }", "a =\n    b"] {
            assert!(plain(only_fluent).is_err(), "{only_fluent}");
        }
    }

    #[test]
    fn a_cycle_is_an_error_and_so_is_a_page_without_a_manifest_element() {
        let files = |page: &str, a: &str| {
            let files = [(PAGE, page), (LOADER, ""), ("a.js", a), ("b.js", "import './a.js'")];
            with_hashed_names(
                files.into_iter().map(|(path, text)| (path.to_owned(), text.into())).collect(),
                "{}",
            )
            .is_err()
        };
        let page = format!("{MANIFEST_ELEMENT}</script>");
        assert!(!files(&page, ""));
        assert!(files(&page, "import './b.js'"));
        assert!(files("", ""));
    }
}
