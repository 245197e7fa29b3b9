//! Fetches the files of this release.

pub(super) mod fetch;
pub mod files;
