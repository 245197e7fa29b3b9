//! The Layout screen, the landing page.

pub mod extras;
pub mod page;
