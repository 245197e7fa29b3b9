//! Arrays and their scenes on canvases: painting them, and the component that stacks the picture and the lit cells.

pub mod paint;
pub mod shared;
pub mod stack;

pub use shared::{SharedArray, SharedScene};
pub use stack::{Point, SceneStack};
