//! From an array to a picture, as plain data: what is drawn, where, in which colour, and what lies under a point.
//!
//! - [`scene`]: the picture as a list of items.

pub mod scene;
pub mod array_view;
pub mod export;
pub mod formula;
pub mod grid;
pub mod inspect;
pub mod marks;
pub mod moves;
pub mod plan;
pub mod strip;
