//! Pictures of arrays and experiments, as plain data, and hit testing.
//!
//! - [`scene`]: the picture as a list of items; [`svg`] prints it, the app's canvas paints it.
//! - [`palette`], [`colour_map`], [`colour`]: themes, colour maps for data, and colour science.
//! - [`array_view`]: one array, ready to be drawn; [`axis_assignment`]: the assignment of dimensions to the axes of a picture.
//! - [`grid`], [`strip`], [`layout_connectors`]: the pictures; [`highlights`]: their highlighted cells; [`export`]: grid and
//!   memory in one picture.
//! - [`op_picture`]: one picture of an experiment with its highlighted cells; [`svg`], [`png`], [`gif`], [`tikz`]: file
//!   formats.
//! - [`miniature`]: a small picture of an example; [`out_of_range`]: start indices out of range.
//! - [`sources`], [`derivation`], [`cell_steps`], [`element_moves`]: the source cells of a cell, its arithmetic as a
//!   formula and step by step, and the elements that an op moves in memory.
//! - [`graph`]: a program as a graph of its instructions and the computations they call.
//! - [`module_graph`]: the visible window of a large program's graph, as a scene.
//! - [`chart`]: bar and line charts of rates; [`table_rows`]: the rows shown of a long table.
//! - [`caption`]: the order of memory in words; [`formula`], [`inspect`]: the address arithmetic of a cell, and all its
//!   properties.

pub mod array_view;
pub mod axis_assignment;
pub mod caption;
pub mod cell_steps;
pub mod chart;
pub mod colour;
pub mod colour_map;
pub mod crc32;
pub mod derivation;
pub mod element_moves;
pub mod export;
pub mod formula;
pub mod gif;
pub mod graph;
pub mod grid;
pub mod highlights;
pub mod histogram;
pub mod inspect;
pub mod instruction_area;
pub mod layout_connectors;
pub mod miniature;
pub mod module_graph;
pub mod op_picture;
pub mod options;
pub mod out_of_range;
pub mod palette;
pub mod pixels;
pub mod png;
pub mod replica_derivation;
pub mod scene;
mod slot_scale;
pub mod sources;
pub mod strip;
pub mod svg;
pub mod table_rows;
pub mod tikz;
mod value_colours;
