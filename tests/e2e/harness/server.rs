//! A minimal static file server.
//!
//! It serves a folder under a sub-path with no headers except type and length, so that a site that needs a special
//! header, an absolute URL or a rewrite rule fails its tests. Sandboxed frames are the exception
//! ([`Site::serve_shared`]).

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io, thread};

use crate::error::{Context, Result};
use crate::replies::{EVERY_FILE, Replies, Reply};

/// A folder served on a free port of this machine, until the process ends.
#[derive(Debug)]
pub struct Site {
    address: SocketAddr,
    prefix: String,
    replies: Replies,
}

impl Site {
    /// Serves `folder` below `prefix`, a path that starts and ends with a slash, such as `/some/where/`.
    ///
    /// Fails if the folder has no `index.html` or no port is free.
    pub fn serve(folder: &Path, prefix: &str) -> Result<Self> {
        Self::folder(folder, prefix, "")
    }

    /// Like [`Site::serve`], but shares its files with every origin, like hosts of static pages.
    pub fn serve_shared(folder: &Path, prefix: &str) -> Result<Self> {
        Self::folder(folder, prefix, "Access-Control-Allow-Origin: *\r\n")
    }

    /// Like [`Site::serve`], with each file transformed by `change`; `None` removes a file.
    pub fn serve_changed(
        folder: &Path,
        prefix: &str,
        change: impl Fn(&Path, Vec<u8>) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Result<Self> {
        let folder = folder.to_owned();
        Self::start(prefix, "", move |path| change(path, fs::read(folder.join(path)).ok()?))
    }

    /// Serves below `prefix` what `read` returns for a path at the time of each request.
    pub fn serve_with(
        prefix: &str,
        read: impl Fn(&Path) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::start(prefix, "", read)
    }

    /// Serves files from memory by name: another site.
    pub fn serve_files(files: Vec<(&'static str, String)>) -> Result<Self> {
        Self::start("/", "", move |path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| text.clone().into_bytes())
        })
    }

    fn folder(folder: &Path, prefix: &str, header: &'static str) -> Result<Self> {
        let index = folder.join("index.html");
        fs::metadata(&index).context(format!("{} (build it with `cargo xtask dist`)", index.display()))?;
        let folder = folder.to_owned();
        Self::start(prefix, header, move |path| fs::read(folder.join(path)).ok())
    }

    /// Replies with the files that `read` returns, each with `header`.
    fn start(
        prefix: &str,
        header: &'static str,
        read: impl Fn(&Path) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("serving the site")?;
        let address = listener.local_addr().context("serving the site")?;
        let (read, served_below, replies) = (Arc::new(read), prefix.to_owned(), Replies::default());
        let rules = replies.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (read, prefix, rules) = (read.clone(), served_below.clone(), rules.clone());
                // A browser may drop a connection at any time.
                thread::spawn(move || drop(handle_connection(&stream, &*read, &prefix, header, &rules)));
            }
        });
        Ok(Self { address, prefix: prefix.to_owned(), replies })
    }

    /// Replaces a file by a reply, until this is changed. The name has no hash.
    pub fn reply_with(&self, name: &str, reply: Reply) {
        self.replies.set(name, reply);
    }

    /// Replies to every request below the prefix like this, until the replies are reset: a host that is down, a network that is cut.
    pub fn reply_to_all(&self, reply: Reply) {
        self.replies.set(EVERY_FILE, reply);
    }

    /// Serves every file as it is from now on.
    pub fn reset_replies(&self) {
        self.replies.clear();
    }

    /// Scheme, host and port, without a trailing slash.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The URL of the site's first page.
    pub fn url(&self) -> String {
        format!("{}{}", self.origin(), self.prefix)
    }
}

/// Handles the requests of a connection until the browser closes it.
fn handle_connection(
    stream: &TcpStream,
    read: impl Fn(&Path) -> Option<Vec<u8>>,
    prefix: &str,
    header: &str,
    replies: &Replies,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request)? == 0 {
            return Ok(());
        }
        let mut line = String::new();
        while reader.read_line(&mut line)? > 2 {
            line.clear();
        }
        let mut words = request.split_whitespace();
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let path = file_of(target, prefix);
        let rule = path.as_deref().and_then(|path| replies.of(path));
        let found = path.as_deref().and_then(|path| Some((read(path)?, media_type(path))));
        let missing = (b"not found".to_vec(), "text/plain; charset=utf-8");
        let (mut status, (mut body, kind)) = match found {
            Some(found) => ("200 OK".to_owned(), found),
            None => ("404 Not Found".to_owned(), missing.clone()),
        };
        match &rule {
            Some(Reply::Status(number)) => (status, body) = (format!("{number} Rejected"), missing.0),
            Some(Reply::Content(content)) => body.clone_from(content),
            Some(Reply::CloseConnection) => return Ok(()),
            Some(Reply::Hang) => {
                thread::sleep(HANG_TIME);
                return Ok(());
            }
            Some(Reply::Hold | Reply::Stall | Reply::Cut) | None => {}
        }
        write!(
            writer,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{header}\r\n",
            body.len()
        )?;
        if method != "HEAD" {
            if let Some(rule @ (Reply::Stall | Reply::Cut)) = &rule {
                writer.write_all(body.get(..body.len() / 2).unwrap_or_default())?;
                writer.flush()?;
                if *rule == Reply::Stall {
                    thread::sleep(HANG_TIME);
                }
                return Ok(());
            }
            writer.write_all(&body)?;
        }
        writer.flush()?;
    }
}

/// How long a hanging connection is kept open: longer than any timeout of the app.
const HANG_TIME: Duration = Duration::from_mins(2);

/// The file of a request's target, relative to the served folder; `None` outside of it.
fn file_of(target: &str, prefix: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix(prefix)?;
    let path =
        if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
    let path = PathBuf::from(path);
    path.components().all(|part| matches!(part, Component::Normal(_))).then_some(path)
}

/// The usual `Content-Type` for a file's extension.
fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "hlo" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_names_a_file_below_the_prefix_only() {
        let file = |target| file_of(target, "/some/where/");
        assert_eq!(file("/some/where/"), Some(PathBuf::from("index.html")));
        assert_eq!(file("/some/where/app-1.js?v=2"), Some(PathBuf::from("app-1.js")));
        assert_eq!(file("/app-1.js"), None);
        assert_eq!(file("/some/where/../../secret"), None);
        assert_eq!(file("/some/where//etc/passwd"), None);
    }

    #[test]
    fn scripts_and_wasm_have_the_types_that_browsers_require() {
        assert_eq!(media_type(Path::new("app.js")), "text/javascript; charset=utf-8");
        assert_eq!(media_type(Path::new("app_bg.wasm")), "application/wasm");
        assert_eq!(media_type(Path::new("unknown.bin")), "application/octet-stream");
    }
}
