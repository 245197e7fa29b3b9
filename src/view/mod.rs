//! From an array to a picture, as plain data: what is drawn, where, in which colour, and what lies under a point.
//!
//! - [`colour`]: one colour: its contrast, its distance to another, how others see it.
//! - [`colour_map`]: from a number to a colour.
//! - [`palette`]: the colours of the two themes, by role.
//! - [`png`]: pixels as a PNG file.
//! - [`scene`]: the picture as a list of items.
//! - [`svg`]: the picture as an SVG file.

pub mod colour;
pub mod colour_map;
pub mod palette;
pub mod png;
pub mod scene;
pub mod svg;
