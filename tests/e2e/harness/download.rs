//! What the page offers for download, taken before it reaches the disk.
//!
//! A page saves a file by following a link with a `download` attribute to a blob. From [`Page::catch_downloads`] on, such
//! a link is noted with its blob's bytes instead of being followed.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

use crate::error::{Context, sure};
use crate::page::Page;

/// A file the page offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Download {
    /// The file's name.
    pub name: String,
    /// Its media type, as the page declared it.
    pub media_type: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// A download as the page's script tells it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Caught {
    name: String,
    media_type: String,
    base64: String,
}

const CATCH: &str = "
    const blobs = new Map();
    const caught = window[Symbol.for('e2e.downloads')] = [];
    const create = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
        const address = create.call(URL, blob);
        blobs.set(address, blob);
        return address;
    };
    const note = (link) => caught.push({ name: link.download, blob: blobs.get(link.href) });
    const isDownload = (link) => link?.hasAttribute('download') && blobs.has(link.href);
    const click = HTMLAnchorElement.prototype.click;
    HTMLAnchorElement.prototype.click = function () {
        if (isDownload(this)) note(this);
        else click.call(this);
    };
    addEventListener('click', (event) => {
        const link = event.target.closest?.('a');
        if (!isDownload(link)) return;
        event.preventDefault();
        note(link);
    }, true);
";

const TAKE: &str = "Promise.all(window[Symbol.for('e2e.downloads')].splice(0).map(async ({ name, blob }) => {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
    return { name, mediaType: blob.type, base64 };
}))";

impl Page<'_> {
    /// Catches downloads until the page is left.
    #[track_caller]
    pub fn catch_downloads(&self) {
        self.run(CATCH);
    }

    /// Takes the files the page offered since the last call.
    #[track_caller]
    pub fn take_downloads(&self) -> Vec<Download> {
        let caught: Vec<Caught> = self.eval(TAKE);
        let decode = |each: Caught| Download {
            name: each.name,
            media_type: each.media_type,
            bytes: sure(BASE64_STANDARD.decode(each.base64).context("a download")),
        };
        caught.into_iter().map(decode).collect()
    }
}
