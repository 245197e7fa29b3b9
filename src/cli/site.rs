//! The built site: where it is, and its files.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::i18n::Message;

/// The variable that names the folder of the built site.
const VARIABLE: &str = "XLA_PLAYGROUND_SITE";
/// The folder of the built site, beside the program or in the project.
const FOLDER: &str = "dist";
/// The page of the site.
pub(super) const PAGE: &str = "index.html";

/// The folder of a built site.
#[derive(Debug)]
pub(super) struct Site {
    root: PathBuf,
}

impl Site {
    /// The site in this folder; or else in that of `XLA_PLAYGROUND_SITE`, in `dist` beside the program, or in `dist` of the project
    /// that the program was built in.
    ///
    /// # Errors
    /// The folder has no page, or none of the folders has one; the message says where one was looked for.
    pub fn find(given: Option<&str>) -> Result<Self, Message> {
        let variable = || env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let given = given.map(PathBuf::from).or_else(variable);
        let candidates = given.map_or_else(default_folders, |folder| vec![folder]);
        Self::from_candidates(&candidates)
    }

    fn from_candidates(candidates: &[PathBuf]) -> Result<Self, Message> {
        let root = candidates
            .iter()
            .filter(|folder| folder.join(PAGE).is_file())
            .find_map(|folder| folder.canonicalize().ok());
        root.map(|root| Self { root }).ok_or_else(|| {
            let folders: Vec<String> = candidates.iter().map(|folder| folder.display().to_string()).collect();
            Message::terminal("cli-serve-site").with("folders", folders.join(", "))
        })
    }

    /// The template of exported pages, whose name has a hash; `None` if the site has none.
    pub fn template(&self) -> Option<String> {
        let is_template = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("snapshot-") && path.extension().is_some_and(|end| end == "html")
        };
        let mut files = fs::read_dir(&self.root).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        fs::read_to_string(files.find(is_template)?).ok()
    }

    /// The folder.
    #[cfg(test)]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file of the site by its path in a URL; `None` if there is none, and for anything outside of the folder.
    #[cfg(not(target_os = "wasi"))]
    pub fn file(&self, path: &str) -> Option<Vec<u8>> {
        let path = Path::new(if path.is_empty() { PAGE } else { path });
        path.components().all(|part| matches!(part, std::path::Component::Normal(_))).then_some(())?;
        // A link of the file system may lead out of the folder.
        let file = self.root.join(path).canonicalize().ok()?;
        file.starts_with(&self.root).then(|| fs::read(file).ok())?
    }
}

/// `dist` beside the program, and in the project that it was built in.
fn default_folders() -> Vec<PathBuf> {
    let beside = env::current_exe().ok().and_then(|program| Some(program.parent()?.join(FOLDER)));
    beside.into_iter().chain([Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER)]).collect()
}

/// The media type of a file of the site, by its extension.
#[cfg(not(target_os = "wasi"))]
pub(super) fn media_type(path: &str) -> &'static str {
    match Path::new(path).extension().and_then(|extension| extension.to_str()) {
        None | Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        Some("txt" | "hlo") => "text/plain; charset=utf-8",
        Some(_) => "application/octet-stream",
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A site in a folder of its own, with a secret beside it and a link that leads to that.
    pub fn site(name: &str) -> Site {
        let base = env::temp_dir().join(format!("xla-playground-site-{name}-{}", std::process::id()));
        let root = base.join("dist");
        fs::create_dir_all(root.join("demo")).unwrap();
        fs::write(base.join("secret.txt"), "secret").unwrap();
        fs::write(root.join(PAGE), "page").unwrap();
        fs::write(root.join("demo/lecture.css"), "css").unwrap();
        #[cfg(unix)]
        {
            let _ = std::os::unix::fs::symlink(base.join("secret.txt"), root.join("link.txt"));
        }
        Site::from_candidates(&[base.join("missing"), root]).unwrap()
    }

    #[test]
    fn only_files_of_the_folder_are_served() {
        let site = site("files");
        assert_eq!(site.file("").as_deref(), Some(b"page".as_slice()));
        assert_eq!(site.file("demo/lecture.css").as_deref(), Some(b"css".as_slice()));
        for path in [
            "../secret.txt",
            "demo/../../secret.txt",
            "/etc/passwd",
            "link.txt",
            "demo",
            "missing",
            "%2e%2e/secret.txt",
            "./index.html",
            "a\0b",
        ] {
            assert_eq!(site.file(path), None, "{path}");
        }
    }

    #[test]
    fn a_missing_site_is_reported_with_the_folders() {
        let missing = Site::find(Some("no/such/folder")).unwrap_err().to_string();
        assert!(missing.contains("no/such/folder") && missing.contains("cargo xtask dist"), "{missing}");
    }
}
