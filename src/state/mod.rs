//! What the visitor has set, as plain data: one document, the actions that change it, and its link.
//!
//! - [`document`]: all that a link restores; [`session`]: the actions that change it, with undo.
//! - [`experiment`]: the same for the Ops screen.
//! - [`speed`]: the same for the Speed screen.
//! - [`screens`]: the screens of the app.
//! - [`permalink`]: the link; [`presets`]: documents worth starting from; `limit`: what to say of too large ones.

pub mod document;
pub mod experiment;
mod limit;
pub mod permalink;
pub mod preferences;
pub mod presets;
pub mod screens;
pub mod session;
pub mod speed;
