//! Arrays as XLA describes them: element types, shapes, layouts, and where each element lies in memory.
//!
//! - [`element_type`]: the element types, their widths and classes.
//! - [`shape`]: arrays, tuples, tokens; [`elements`]: the shared elements of a tuple; [`layout`]: order of dimensions
//!   in memory, padding, tiles.
//! - [`validate`]: the rules a shape and its layout must keep, in XLA's order.
//! - [`memory`]: index → memory slot and back for every kind of layout.
//! - [`cost`]: cache lines, padding, elements that move; [`bitcast`]: when a reshape or transpose is free.
//! - [`index`]: iteration over indices, row-major numbers, strides.
//! - [`index_util`], [`shape_util`], [`layout_util`], [`permutation`]: XLA's utilities under their names.
//! - [`float_format`]: the binary formats of the floats; [`value`]: one element, its bits and its text.
//! - [`literal`]: values of arrays in memory order, of tuples and tokens.
//! - [`text`]: XLA's text form of shapes, read with diagnostics and printed as XLA prints it.
//!
//! Arithmetic on sizes is checked `i64`, as XLA's: what does not fit is an error, never a wrap.

pub mod bitcast;
pub mod cost;
pub mod displayed_value;
pub mod edition;
pub mod element_type;
pub mod elements;
pub mod float_format;
pub mod index;
pub mod index_util;
pub mod layout;
pub mod layout_util;
pub mod literal;
pub mod memory;
pub mod permutation;
pub mod scan;
pub mod shape;
pub mod shape_util;
pub mod text;
pub mod validate;
pub mod value;
pub mod values;

pub use displayed_value::DisplayedValue;
pub use edition::Edition;
pub use element_type::{Class, ElementType};
pub use elements::Elements;
pub use layout::{Layout, Padding, PaddingValue, SplitConfig, Tile, TileDim};
pub use literal::{ArrayLiteral, Literal};
pub use memory::{Cell, CellKind, MemoryMap};
pub use shape::{ArrayShape, Dims, Dynamic, Shape};
pub use validate::Violation;
pub use value::Value;
