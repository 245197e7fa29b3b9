//! Every sentence a person reads, in every language: one folder of catalogue files a language.
//!
//! Code never holds a sentence; it holds a [`Message`], a key with arguments, and the catalogue of the
//! reader's [`Language`] says it. The catalogues are the `.ftl` files in the folders beside this one, in Project
//! Fluent's format. The build compiles them (`build.rs`; the form is in `compiled.rs`) and refuses a language whose
//! keys or arguments differ from those of English, so no Fluent runtime is linked. Each file is one catalogue, which
//! is linked only if one of its messages is: the landing page carries no sentence of the engine. Of the languages only
//! English is linked into the page, which loads the others as files ([`Domain`]).

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

pub use catalogue::link_translations;
pub use domain::Domain;
pub use language::Language;
pub use message::{Arg, Message};
