//! Drives the built site in a real browser, with the same code for Chrome and Firefox.
//!
//! Firefox is driven over WebDriver BiDi, and Chrome over its own protocol, into which `chrome` translates the commands of BiDi: a
//! command is a message on a web socket, and the page's logs and requests arrive as events on the same socket. Operations on a
//! browser block; [`runner`] drives several browsers, each in its own thread.
//!
//! Invariant: a page with a problem fails its test. Console errors, failed requests, violations of the
//! Content-Security-Policy and requests to another origin are collected before the page's first script runs
//! ([`problems`]), and a test passes only if there are none.
//!
//! Start with [`Page`], which tests, measurements ([`measure`]) and screenshots share; [`runner`] runs the tests.

pub mod accessibility;
pub mod bidi;
pub mod browser;
mod chrome;
pub mod download;
pub mod driver;
pub mod emulation;
pub mod error;
pub mod input;
pub mod measure;
pub mod page;
pub mod problems;
pub mod replies;
mod request;
pub mod runner;
pub mod server;
mod socket;
pub mod test;

use std::path::{Path, PathBuf};

pub use accessibility::Violation;
pub use browser::Browser;
pub use download::Download;
pub use driver::Kind;
pub use emulation::Emulation;
pub use error::{Error, Result};
pub use page::Page;
pub use replies::Reply;
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
