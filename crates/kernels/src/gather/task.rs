//! The description of a gather.

use crate::description::describe::{Buffer, Describe, elements};
use crate::description::parts::{Array, are_distinct};
use crate::description::words::fields;
use crate::support::element::Type;

/// Slices read at start indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gather {
    /// Operand: the dimensions with start indices come first, in the order of the index vector's elements.
    pub operand: Array,
    /// Start indices: batch dimensions, then the index vector.
    pub indices: Array,
    /// Result: the batch dimensions of the indices, then the dimensions of a slice.
    pub out: Array,
    /// The size of a slice in each dimension of `operand`; starts are clamped so that it fits.
    pub slice_sizes: Vec<usize>,
    /// The dimensions of `operand` that the result does not have; their slice size is 1 (`collapsed_slice_dims`).
    pub collapsed: Vec<usize>,
}

fields! { Gather { operand indices out slice_sizes collapsed } }

impl Describe for Gather {
    const NAME: &'static str = "gather";

    fn reads(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.operand), Buffer::array(&self.indices)]
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.out)]
    }

    fn is_consistent(&self) -> bool {
        let (operand, indices, out) =
            (&self.operand.view.sizes, &self.indices.view.sizes, &self.out.view.sizes);
        let Some((index_vector_size, batch)) = indices.split_last() else { return false };
        let slice = (0..operand.len()).filter(|d| !self.collapsed.contains(d)).map(|d| self.slice_sizes[d]);
        *index_vector_size <= operand.len()
            && self.slice_sizes.len() == operand.len()
            && self.operand.ty == self.out.ty
            && are_distinct(&self.collapsed, operand.len())
            && self.collapsed.iter().all(|d| self.slice_sizes[*d] == 1)
            && self.slice_sizes.iter().zip(operand).all(|(slice, size)| slice <= size)
            && batch.iter().copied().chain(slice).eq(out.iter().copied())
    }

    fn steps(&self) -> u64 {
        elements(&self.out.view)
    }

    fn examples() -> Vec<Self> {
        let mut all = vec![Self::matrix_rows(Type::F32, [9, 5], Type::S32, &[0])];
        for ty in [Type::U8, Type::BF16, Type::F32, Type::C64, Type::C128] {
            for indices in [Type::S32, Type::U8, Type::S64] {
                all.push(Self::matrix_rows(ty, [9, 5], indices, &[3, 4]));
            }
        }
        all
    }

    fn benchmarks() -> Vec<(&'static str, Self)> {
        vec![("gather 4096 rows of 256", Self::matrix_rows(Type::F32, [8192, 256], Type::S32, &[4096]))]
    }
}

impl Gather {
    /// Gathers rows of a matrix by an array of row indices of the sizes `batch`.
    pub fn matrix_rows(ty: Type, [rows, columns]: [usize; 2], indices: Type, batch: &[usize]) -> Self {
        Self {
            operand: Array::row_major(ty, &[rows, columns]),
            indices: Array::row_major(indices, &[batch, &[1]].concat()),
            out: Array::row_major(ty, &[batch, &[columns]].concat()),
            slice_sizes: vec![1, columns],
            collapsed: vec![0],
        }
    }
}
