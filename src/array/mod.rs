//! Arrays as XLA describes them: element types, shapes, layouts, and where each element lies in memory.
//!
//! - [`element_type`]: the element types, their widths and classes.
//! - [`shape`]: arrays, tuples, tokens; [`layout`]: order of dimensions in memory, padding, tiles.
//! - [`validate`]: the rules a shape and its layout must keep, in XLA's order.
//! - [`memory`]: index → memory slot and back for every kind of layout.
//! - [`text`]: XLA's text form of shapes, read with diagnostics and printed as XLA prints it.
//!
//! Arithmetic on sizes is checked `i64`, as XLA's: what does not fit is an error, never a wrap.

pub mod element_type;
pub mod layout;
pub mod shape;
pub mod text;
pub mod validate;

pub use element_type::{Class, ElementType};
pub use layout::{Layout, Padding, PaddingValue, SplitConfig, Tile, TileDim};
pub use shape::{ArrayShape, Dims, Dynamic, Shape};
pub use validate::Violation;
