//! The Yew app.

/// Mounts the app on the page.
pub fn mount() {}
