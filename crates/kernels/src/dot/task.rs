//! The description of a dot.

use crate::description::describe::{Buffer, Describe, Unit, elements, product};
use crate::description::parts::{Array, are_distinct};
use crate::description::words::fields;
use crate::ground::element::Type;
use crate::ground::view::View;

/// A dot: sums of products.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dot {
    /// Left operand.
    pub lhs: Array,
    /// Right operand.
    pub rhs: Array,
    /// Result: batch dimensions, then the free ones of the left, then of the right operand.
    pub out: Array,
    /// Batch dimensions of the left operand.
    pub lhs_batch: Vec<usize>,
    /// Batch dimensions of the right operand, in the same order.
    pub rhs_batch: Vec<usize>,
    /// Dimensions of the left operand that are contracted.
    pub lhs_contracting: Vec<usize>,
    /// Dimensions of the right operand that are contracted, in the same order.
    pub rhs_contracting: Vec<usize>,
}

fields! { Dot { lhs rhs out lhs_batch rhs_batch lhs_contracting rhs_contracting } }

impl Describe for Dot {
    const NAME: &'static str = "dot";
    const UNIT: Unit = Unit::Flop;

    fn reads(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::of(&self.lhs), Buffer::of(&self.rhs)]
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::of(&self.out)]
    }

    fn is_consistent(&self) -> bool {
        let (lhs, rhs) = (&self.lhs.view.sizes, &self.rhs.view.sizes);
        let all = |batch: &[usize], contracting: &[usize]| [batch, contracting].concat();
        let (left, right) =
            (all(&self.lhs_batch, &self.lhs_contracting), all(&self.rhs_batch, &self.rhs_contracting));
        if !are_distinct(&left, lhs.len())
            || !are_distinct(&right, rhs.len())
            || self.lhs_batch.len() != self.rhs_batch.len()
            || left.len() != right.len()
            || left.iter().zip(&right).any(|(l, r)| lhs[*l] != rhs[*r])
        {
            return false;
        }
        let batch = self.lhs_batch.iter().map(|d| lhs[*d]);
        let free_left = (0..lhs.len()).filter(|d| !left.contains(d)).map(|d| lhs[d]);
        let free_right = (0..rhs.len()).filter(|d| !right.contains(d)).map(|d| rhs[d]);
        batch.chain(free_left).chain(free_right).eq(self.out.view.sizes.iter().copied())
    }

    fn steps(&self) -> u64 {
        let depth = product(self.lhs_contracting.iter().map(|d| self.lhs.view.sizes[*d]));
        elements(&self.out.view).saturating_mul(depth)
    }

    fn examples() -> Vec<Self> {
        let types = [
            (Type::F32, Type::F32),
            (Type::F16, Type::F16),
            (Type::BF16, Type::F32),
            (Type::F64, Type::F64),
            (Type::C64, Type::C64),
            (Type::C128, Type::C128),
            (Type::S8, Type::S32),
            (Type::U64, Type::U64),
            (Type::Pred, Type::Pred),
        ];
        // Tiny; few rows times contiguous columns and times contiguous depths; tiles with remainders; two vectors.
        let sizes = [[2, 3, 2], [3, 20, 19], [1, 40, 7], [9, 11, 13], [1, 300, 1]];
        let mut all = Vec::new();
        for (from, to) in types {
            for (i, [m, k, n]) in sizes.into_iter().enumerate() {
                let turned = |ty, sizes: [usize; 2], is_turned: bool| {
                    let [rows, columns] = sizes.map(usize::cast_signed);
                    let strides = if is_turned { vec![1, rows] } else { vec![columns, 1] };
                    Array { ty, view: View { offset: 0, sizes: sizes.to_vec(), strides } }
                };
                all.push(Self {
                    lhs: turned(from, [m, k], i == 3),
                    rhs: turned(from, [k, n], i == 2),
                    out: turned(to, [m, n], i == 3),
                    lhs_batch: vec![],
                    rhs_batch: vec![],
                    lhs_contracting: vec![1],
                    rhs_contracting: vec![0],
                });
            }
        }
        let array = |sizes: &[usize]| Array::row_major(Type::F32, sizes);
        all.push(Self {
            lhs: array(&[3, 4, 5]),
            rhs: array(&[3, 5, 6]),
            out: array(&[3, 4, 6]),
            lhs_batch: vec![0],
            rhs_batch: vec![0],
            lhs_contracting: vec![2],
            rhs_contracting: vec![1],
        });
        all
    }
}
