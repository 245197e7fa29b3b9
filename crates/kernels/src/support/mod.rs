//! Ground types: element types, typed slices, strided views, scratch memory, outcomes. They name nothing else.

pub mod context;
pub mod element;
pub mod error;
pub mod integers;
pub mod scalars;
pub mod scratch;
pub mod slice;
pub mod view;
pub mod walk;
