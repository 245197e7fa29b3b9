//! Functions of rows.

use crate::support::slice::{Slice, SliceMut};

/// A row function: reads a row of each operand and writes a row of the result.
pub type RowFunction = dyn Fn(&[Slice], &mut SliceMut);
/// An owned [`RowFunction`].
pub type BoxedRowFunction = Box<RowFunction>;
