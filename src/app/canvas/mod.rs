//! Scenes on canvases: painting them, and the component that stacks the picture and the lit cells.

pub mod paint;
pub mod stack;

pub use stack::{Point, SceneStack};
