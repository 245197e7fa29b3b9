//! Ground types: typed slices, strided views, scratch memory, scalar arithmetic.

pub mod integers;
pub mod scalars;
pub mod scratch;
pub mod slice;
pub mod view;
