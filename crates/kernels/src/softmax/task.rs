//! The description of a softmax.

use crate::description::describe::{Buffer, Describe, elements};
use crate::description::parts::Array;
use crate::description::words::fields;
use crate::support::element::Type;

/// `exp(x - max) / sum(exp(x - max))` along a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Softmax {
    /// The operand `x`.
    pub operand: Array,
    /// Result, of the same sizes.
    pub out: Array,
    /// The dimension along which results sum to 1.
    pub dimension: usize,
}

fields! { Softmax { operand out dimension } }

impl Describe for Softmax {
    const NAME: &'static str = "softmax";

    fn reads(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.operand)]
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.out)]
    }

    fn is_consistent(&self) -> bool {
        self.operand.view.sizes == self.out.view.sizes
            && self.operand.ty == self.out.ty
            && self.dimension < self.out.view.rank()
    }

    fn steps(&self) -> u64 {
        elements(&self.out.view)
    }

    fn examples() -> Vec<Self> {
        let mut all = Vec::new();
        // This kernel has no `unsafe` code, so Miri only needs one type.
        let types = [Type::F32, Type::F16, Type::BF16];
        for ty in types.into_iter().take(if cfg!(miri) { 1 } else { types.len() }) {
            for (sizes, dimension) in
                [(&[3, 22][..], 1), (&[9, 70], 0), (&[2, 3], 1), (&[0, 3], 1), (&[3, 0], 1)]
            {
                all.push(Self::row_major(ty, sizes, dimension));
            }
        }
        all
    }

    fn benchmarks() -> Vec<(&'static str, Self)> {
        vec![("softmax of rows, 1024²", Self::row_major(Type::F32, &[1024; 2], 1))]
    }
}

impl Softmax {
    /// The softmax along a dimension, of an operand and a result in row-major order.
    pub fn row_major(ty: Type, sizes: &[usize], dimension: usize) -> Self {
        let array = Array::row_major(ty, sizes);
        Self { operand: array.clone(), out: array, dimension }
    }
}
