//! All messages of the interface, in every language: a folder of catalogue files per language.
//!
//! Code contains no texts, only [`Message`]s, keys with arguments, which are formatted by the catalogue of a
//! [`Language`]. The catalogues are the `.ftl` files in the folders next to this file, in Project Fluent's format. The
//! build compiles them (`build.rs`; `compiled.rs` defines the form) and rejects a language whose keys or arguments
//! differ from English, so that no Fluent runtime is linked. Each file is a catalogue, linked only if one of its
//! messages is: the landing page has no message of the Ops screen. Only English is linked into the page, which loads
//! other languages as files ([`Domain`]).

mod catalogue;
mod compiled;
mod domain;
mod language;
mod message;
#[cfg(test)]
#[path = "../../build/patterns.rs"]
mod patterns;
#[cfg(test)]
mod tests;

pub use catalogue::install_compiled_translations;
pub use domain::Domain;
pub use language::Language;
pub use message::{Arg, Message};
