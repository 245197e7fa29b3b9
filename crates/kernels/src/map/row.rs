//! Functions of rows.

use crate::ground::slice::{Slice, SliceMut};

/// A function of the operands' rows and the result's.
pub type Row = Box<dyn Fn(&[Slice], &mut SliceMut)>;
