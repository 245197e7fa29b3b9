//! Functions of rows.

use crate::ground::slice::{Slice, SliceMut};

/// A function of rows of the operands, which writes a row of the result.
pub type RowFunction = dyn Fn(&[Slice], &mut SliceMut);
/// An owned [`RowFunction`].
pub type BoxedRowFunction = Box<RowFunction>;
