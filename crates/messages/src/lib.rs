//! What a person is told: sentences in every language, diagnostics, causes of failures, and untrusted text made safe.
//!
//! - [`i18n`]: every sentence a person reads, in every language.
//! - [`diagnostic`]: errors and warnings of a text, with positions and fixes.
//! - [`mod@bug`]: invariants that do not hold.
//! - [`cause`]: why a worker or a kernel module failed.
//! - [`escape`]: untrusted text escaped for every output language.

pub mod bug;
pub mod cause;
pub mod diagnostic;
pub mod escape;
pub mod i18n;
