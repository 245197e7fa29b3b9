//! Functions of rows.

use crate::support::slice::{Slice, SliceMut};

/// A function of the operands' rows and the result's.
pub type Row = Box<dyn Fn(&[Slice], &mut SliceMut)>;
