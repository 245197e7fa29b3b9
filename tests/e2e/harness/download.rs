//! Downloads of a page, intercepted before they reach the disk.
//!
//! A page saves a file through a link with a `download` attribute to a blob. After [`Page::intercept_downloads`], such a
//! link is recorded with its blob's bytes instead of being followed.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::json;

use crate::error::{Context, or_fail};
use crate::page::Page;

/// A file that the page offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// The file's name.
    pub name: String,
    /// Its media type, as declared by the page.
    pub media_type: String,
    /// The content of the file.
    pub bytes: Vec<u8>,
}

/// A download as the page's script reports it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Intercepted {
    name: String,
    media_type: String,
    base64: String,
}

const INTERCEPT: &str = "
    const blobs = new Map();
    const downloads = window[Symbol.for('e2e.downloads')] = [];
    const create = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
        const address = create.call(URL, blob);
        blobs.set(address, blob);
        return address;
    };
    const record = (link) => downloads.push({ name: link.download, blob: blobs.get(link.href) });
    const isDownload = (link) => link?.hasAttribute('download') && blobs.has(link.href);
    const click = HTMLAnchorElement.prototype.click;
    HTMLAnchorElement.prototype.click = function () {
        if (isDownload(this)) record(this);
        else click.call(this);
    };
    addEventListener('click', (event) => {
        const link = event.target.closest?.('a');
        if (!isDownload(link)) return;
        event.preventDefault();
        record(link);
    }, true);
";

const TAKE: &str = "Promise.all(window[Symbol.for('e2e.downloads')].splice(0).map(async ({ name, blob }) => {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    return { name, mediaType: blob.type, base64 };
}))";

impl Page<'_> {
    /// Intercepts downloads until the page navigates.
    #[track_caller]
    pub fn intercept_downloads(&self) {
        self.run(INTERCEPT);
    }

    /// Takes the files offered since the last call.
    #[track_caller]
    pub fn take_downloads(&self) -> Vec<Download> {
        let intercepted: Vec<Intercepted> = self.eval(TAKE);
        let decode = |download: Intercepted| Download {
            name: download.name,
            media_type: download.media_type,
            bytes: or_fail(BASE64_STANDARD.decode(download.base64).context("a download")),
        };
        intercepted.into_iter().map(decode).collect()
    }
}

impl Page<'_> {
    /// Clicks a button that saves a file, and takes the file.
    #[track_caller]
    pub fn save(&self, button: &str) -> Download {
        self.intercept_downloads();
        self.click(button);
        self.wait_for("window[Symbol.for('e2e.downloads')].length === 1");
        self.take_downloads().remove(0)
    }

    /// The title and all texts of an SVG picture, parsed by the browser; panics if it is not well-formed.
    #[track_caller]
    pub fn svg_texts(&self, svg: &str) -> Vec<String> {
        self.eval(&format!(
            "(() => {{
                const parsed = new DOMParser().parseFromString({}, 'image/svg+xml');
                if (parsed.querySelector('parsererror')) throw new Error(parsed.documentElement.textContent);
                return [...parsed.querySelectorAll('title, text')].map((each) => each.textContent);
            }})()",
            json!(svg)
        ))
    }
}

impl Download {
    /// Its bytes as text; panics if it is not UTF-8.
    #[track_caller]
    pub fn text(self) -> String {
        or_fail(String::from_utf8(self.bytes).context("a text"))
    }

    /// Width and height of a PNG picture; panics if it is not one.
    #[track_caller]
    pub fn png_size(&self) -> (u32, u32) {
        let number = |at: usize| self.bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
        let size = number(16).zip(number(20));
        or_fail(
            size.filter(|_| self.bytes.starts_with(b"\x89PNG\r\n\x1a\n")).ok_or("no picture").context("PNG"),
        )
    }
}
