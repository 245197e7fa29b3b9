//! What a person is told: sentences in every language, diagnostics, causes of failures, and untrusted text made safe.
//!
//! - [`i18n`]: every sentence a person reads, in every language.
//! - [`diagnostic`]: what is wrong with a text, where, and what to write instead.
//! - [`bug`]: invariants that do not hold.
//! - [`cause`]: why a worker or a kernel module failed.
//! - [`escape`]: untrusted text in every language that is written.

pub mod bug;
pub mod cause;
pub mod diagnostic;
pub mod escape;
pub mod i18n;
