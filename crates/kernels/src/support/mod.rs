//! Support types, which depend on nothing else in the crate: element types, typed slices, strided views, scratch memory, errors.

pub mod context;
pub mod element;
pub mod error;
pub mod integers;
pub mod scalars;
pub mod scratch;
pub mod slice;
pub mod view;
pub mod walk;
