//! Text for users: messages in every language, diagnostics, causes of failures, and escaping of untrusted text.
//!
//! - [`i18n`]: all messages of the interface, in every language.
//! - [`diagnostic`]: errors and warnings about a source text, with positions and fixes.
//! - [`mod@bug`]: reports of violated invariants.
//! - [`cause`]: why a worker or a kernel module failed.
//! - [`escape`]: untrusted text escaped for every output language.
//! - [`compact`]: search and sort in little code.

pub mod bug;
pub mod cause;
pub mod compact;
pub mod diagnostic;
pub mod escape;
pub mod i18n;
