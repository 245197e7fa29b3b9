//! Functions of rows.

use crate::support::slice::{Slice, SliceMut};

/// A function of rows of the operands, which writes a row of the result.
pub type RowFunction = dyn Fn(&[Slice], &mut SliceMut);
/// An owned [`RowFunction`].
pub type BoxedRowFunction = Box<RowFunction>;
