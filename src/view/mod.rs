//! From an array to a picture, as plain data: what is drawn, where, in which colour, and what lies under a point.
//!
//! - [`scene`]: the picture as a list of items.

pub mod scene;
