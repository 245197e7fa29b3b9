//! From an array to a picture, as plain data: what is drawn, where, in which colour, and what lies under a point.
//!
//! - [`scene`]: the picture as a list of items; [`svg`] prints it, the app's canvas paints it.
//! - [`palette`], [`colour_map`], [`colour`]: themes, scales for data, and the science behind both.
//! - [`array_view`]: one array, ready to be drawn; [`plan`]: which dimension is drawn where.
//! - [`grid`], [`strip`], [`layout_threads`]: the pictures; [`highlights`]: the highlighted cells over them; [`export`]: both in one.
//! - [`op_picture`]: an experiment with its lit cells in one; [`svg`], [`png`], [`gif`], [`tikz`]: files of a picture.
//! - [`sources`], [`derivation`], [`cell_steps`], [`element_moves`]: the source cells of a cell, its arithmetic, step by step, and
//!   which elements moved.
//! - [`chart`]: rates as bars and lines.
//! - [`formula`], [`inspect`]: what is said of a cell in numbers and words.

pub mod array_view;
pub mod cell_steps;
pub mod chart;
pub mod colour;
pub mod colour_map;
pub mod derivation;
pub mod element_moves;
pub mod export;
pub mod formula;
pub mod gif;
pub mod grid;
pub mod highlights;
pub mod histogram;
pub mod inspect;
pub mod layout_threads;
pub mod op_picture;
pub mod options;
pub mod palette;
pub mod pixels;
pub mod plan;
pub mod png;
pub mod replica_derivation;
pub mod scene;
pub mod sources;
pub mod strip;
pub mod svg;
pub mod tikz;
