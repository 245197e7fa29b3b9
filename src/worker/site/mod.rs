//! The files of this release, and how a page or a worker fetches them.

pub(super) mod fetch;
pub mod files;
