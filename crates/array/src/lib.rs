//! Arrays as XLA describes them: element types, shapes, layouts, and the memory slot of each element.
//!
//! - [`element_type`]: the element types, their widths and classes.
//! - [`shape`]: arrays, tuples, tokens, and their layouts; [`dimensions`], [`padding`], [`tile`]: their parts.
//! - [`edition`], [`newer`]: the two versions of XLA, and the features of shapes that 2017 did not have.
//! - [`validate`]: the rules a shape and its layout must keep, in XLA's order.
//! - [`memory`]: index → memory slot and back for every kind of layout.
//! - [`cost`]: cache lines, padding, elements that move; [`bitcast`]: when a reshape or transpose is free.
//! - [`index`]: iteration over indices, linear indices, strides.
//! - [`index_util`], [`shape_util`], [`layout_util`], [`permutation`]: XLA's utilities under their names.
//! - [`decimal`]: doubles to decimal text and back; [`float_format`]: the binary formats of the floats; [`value`]: one element,
//!   its bits and its text.
//! - [`literal`]: values of arrays in memory order, of tuples and tokens.
//! - [`text`]: XLA's text form of shapes, read with diagnostics and printed as XLA prints it.
//!
//! Arithmetic on sizes is checked `i64`, as in XLA: overflow is an error.

pub mod bitcast;
pub mod cost;
pub mod decimal;
pub mod dimensions;
pub mod displayed_value;
pub mod edition;
pub mod element_type;
pub mod float_format;
pub mod index;
pub mod index_util;
pub mod layout_util;
pub mod literal;
pub mod magnitudes;
pub mod memory;
pub mod newer;
pub mod padding;
pub mod permutation;
pub mod scan;
pub mod shape;
pub mod shape_util;
pub mod text;
pub mod tile;
pub mod validate;
pub mod value;
pub mod values;

pub use dimensions::{Dims, Dynamic};
pub use displayed_value::DisplayedValue;
pub use edition::Edition;
pub use element_type::{Class, ElementType};
pub use literal::{ArrayLiteral, Literal};
pub use memory::{MemoryMap, SlotContents, SlotKind};
pub use padding::{Padding, PaddingValue};
pub use shape::{ArrayShape, Elements, Layout, Shape};
pub use tile::{SplitConfig, Tile, TileDim};
pub use validate::Violation;
pub use value::Value;
