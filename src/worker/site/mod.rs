//! Fetches the files of this release.

pub mod fetch;
pub mod files;
