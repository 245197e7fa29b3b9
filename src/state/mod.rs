//! The state of the app as plain data: a document per screen, the actions that change it, and its link.
//!
//! - [`document`]: what a link restores; [`session`]: the actions that change it, with undo.
//! - [`experiment`]: the same for the Ops screen.
//! - [`program`]: the same for the Program screen.
//! - [`speed`]: the same for the Speed screen.
//! - [`screens`]: the screens of the app.
//! - [`stored_history`]: undo and redo of a screen as text, which the tab stores.
//! - [`permalink`]: the link; [`compression`]: its compressed part; [`handoff`]: links from one screen to another;
//!   [`presets`]: example documents; `limit`: diagnostics of shapes that are too large to show.

pub mod compression;
pub mod document;
pub mod experiment;
pub mod handoff;
mod limit;
pub mod permalink;
pub mod preferences;
pub mod presets;
pub mod program;
pub mod screens;
pub mod session;
pub mod speed;
pub mod stored_history;
