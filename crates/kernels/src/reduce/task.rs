//! The description of a reduction.

use crate::description::describe::{Buffer, Describe, elements};
use crate::description::parts::{Array, Reducer, are_distinct};
use crate::description::words::fields;
use crate::support::element::Type;

/// A reduction over some dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduce {
    /// Operand. The buffer after it holds the initial value.
    pub operand: Array,
    /// Result: the kept dimensions, in their order.
    pub out: Array,
    /// The reduced dimensions.
    pub dimensions: Vec<usize>,
    /// The reduction operator.
    pub reducer: Reducer,
}

fields! { Reduce { operand out dimensions reducer } }

impl Describe for Reduce {
    const NAME: &'static str = "reduce";

    fn reads(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.operand), Buffer::scalar(self.operand.ty)]
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.out)]
    }

    fn is_consistent(&self) -> bool {
        let is_kept = |d: &usize| !self.dimensions.contains(d);
        let sizes = &self.operand.view.sizes;
        let kept = (0..sizes.len()).filter(is_kept).map(|d| sizes[d]);
        are_distinct(&self.dimensions, sizes.len())
            && kept.eq(self.out.view.sizes.iter().copied())
            && self.operand.ty == self.out.ty
    }

    fn steps(&self) -> u64 {
        elements(&self.operand.view)
    }

    fn examples() -> Vec<Self> {
        let types = [
            Type::F32,
            Type::F16,
            Type::BF16,
            Type::F64,
            Type::C64,
            Type::C128,
            Type::S8,
            Type::U16,
            Type::S32,
            Type::U64,
            Type::Pred,
        ];
        let mut all = Vec::new();
        // A long row and many long columns, which are read interleaved.
        let interleaved = [(&[9000][..], 0), (&[6, 40, 50], 1)];
        // Under Miri four chunks of a row and a remainder, and a page of rows, which are smaller there.
        let small = [(&[1100][..], 0), (&[5, 9, 18], 1)];
        for (sizes, dimension) in if cfg!(miri) { small } else { interleaved } {
            for reducer in [Reducer::Add, Reducer::Max] {
                all.push(Self::row_major(Array::row_major(Type::F32, sizes), &[dimension], reducer));
            }
        }
        // Nothing to reduce, and no result.
        all.push(Self::row_major(Array::row_major(Type::F32, &[3, 0]), &[1], Reducer::Add));
        all.push(Self::row_major(Array::row_major(Type::F32, &[0, 3]), &[1], Reducer::Add));
        // The other types have no `unsafe` code of their own.
        let types = if cfg!(miri) { &[Type::F32, Type::F16, Type::S32][..] } else { &types };
        for ty in types.iter().copied() {
            for (reducer, sizes, dimensions) in [
                (Reducer::Add, &[5, 37][..], &[1][..]),
                (Reducer::Add, &[37, 21], &[0]),
                (Reducer::Add, &[6, 18], &[0]),
                (Reducer::Max, &[7, 18], &[0]),
                (Reducer::Mul, &[4, 3, 18], &[0, 2]),
                (Reducer::Max, &[3, 150], &[1]),
                (Reducer::Min, &[20, 3], &[1]),
            ] {
                let is_complex = matches!(ty, Type::C64 | Type::C128);
                let reducer = if is_complex && reducer != Reducer::Mul { Reducer::Add } else { reducer };
                all.push(Self::row_major(Array::row_major(ty, sizes), dimensions, reducer));
            }
        }
        all
    }

    fn benchmarks() -> Vec<(&'static str, Self)> {
        let reduce = |dimensions, reducer| {
            Self::row_major(Array::row_major(Type::F32, &[1024; 2]), dimensions, reducer)
        };
        vec![
            ("sum of rows, 1024²", reduce(&[1], Reducer::Add)),
            ("sum of columns, 1024²", reduce(&[0], Reducer::Add)),
            ("sum, 1024²", reduce(&[0, 1], Reducer::Add)),
            ("max of rows, 1024²", reduce(&[1], Reducer::Max)),
        ]
    }
}

impl Reduce {
    /// An array reduced over dimensions, to a result in row-major order.
    pub fn row_major(operand: Array, dimensions: &[usize], reducer: Reducer) -> Self {
        let sizes = &operand.view.sizes;
        let kept = (0..sizes.len()).filter(|d| !dimensions.contains(d)).map(|d| sizes[d]);
        let out = Array::row_major(operand.ty, &kept.collect::<Vec<_>>());
        Self { operand, out, dimensions: dimensions.to_vec(), reducer }
    }
}
