//! Drives the built site in a real browser, one code for Chrome and Firefox.
//!
//! The session is opened over WebDriver and driven over WebDriver BiDi: a command is one message on a web socket, and
//! what the page logs or requests arrives as events on the same socket. Everything of one
//! browser blocks; [`runner`] has several browsers, each in a thread of its own.
//!
//! The invariant: a page that did anything wrong fails its test. Console errors, failed requests, reports of the
//! Content-Security-Policy and requests to another origin are collected from before the page's first script
//! ([`watch`]) and a test passes only if there were none.
//!
//! Start with [`Page`], which tests, measurements ([`measure`]) and screenshots share; [`runner`] runs the tests.

pub mod accessibility;
pub mod answers;
pub mod bidi;
pub mod browser;
pub mod download;
pub mod driver;
pub mod emulation;
pub mod error;
pub mod input;
pub mod measure;
pub mod page;
mod request;
pub mod runner;
pub mod server;
pub mod test;
pub mod watch;

use std::path::{Path, PathBuf};

pub use accessibility::Violation;
pub use answers::Answer;
pub use browser::Browser;
pub use download::Download;
pub use driver::Kind;
pub use emulation::Emulation;
pub use error::{Error, Result};
pub use page::Page;
pub use server::Site;
pub use test::{Condition, Test};

/// The project's folder.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new(".")).to_owned()
}

/// The built site: `XLA_PLAYGROUND_SITE`, or the project's `dist/`.
pub fn site() -> PathBuf {
    std::env::var_os("XLA_PLAYGROUND_SITE").map_or_else(|| project().join("dist"), PathBuf::from)
}
