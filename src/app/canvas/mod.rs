//! Paints scenes on canvases; a component stacks the picture and the highlighted cells.

pub mod paint;
pub mod shared;
pub mod stack;

pub use shared::{SharedArray, SharedScene};
pub use stack::{PointerPosition, SceneStack};
