//! The description of a reduction.

use crate::description::describe::{Buffer, Describe, elements};
use crate::description::parts::{Array, Reducer, are_distinct};
use crate::description::words::fields;
use crate::ground::element::Type;

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
        vec![Buffer::of(&self.operand), Buffer::scalar(self.operand.ty)]
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::of(&self.out)]
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
        for (sizes, dimension) in [(vec![9000], 0), (vec![6, 40, 50], 1)] {
            let kept: Vec<usize> = (0..sizes.len()).filter(|d| *d != dimension).map(|d| sizes[d]).collect();
            for reducer in [Reducer::Add, Reducer::Max] {
                let [operand, out] = [&sizes, &kept].map(|sizes| Array::row_major(Type::F32, sizes));
                all.push(Self { operand, out, dimensions: vec![dimension], reducer });
            }
        }
        for ty in types {
            for (reducer, sizes, dimensions) in [
                (Reducer::Add, vec![5, 37], vec![1]),
                (Reducer::Add, vec![37, 21], vec![0]),
                (Reducer::Mul, vec![4, 3, 18], vec![0, 2]),
                (Reducer::Max, vec![3, 150], vec![1]),
                (Reducer::Min, vec![20, 3], vec![1]),
            ] {
                let kept = (0..sizes.len()).filter(|d| !dimensions.contains(d)).map(|d| sizes[d]);
                let out = Array::row_major(ty, &kept.collect::<Vec<_>>());
                let is_complex = matches!(ty, Type::C64 | Type::C128);
                let reducer = if is_complex && reducer != Reducer::Mul { Reducer::Add } else { reducer };
                all.push(Self { operand: Array::row_major(ty, &sizes), out, dimensions, reducer });
            }
        }
        all
    }
}
