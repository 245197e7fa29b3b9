//! The description of a dot.

use crate::description::describe::{Buffer, Describe, Unit, elements, product};
use crate::description::parts::{Array, are_distinct};
use crate::description::words::fields;
use crate::support::element::Type;

/// A dot: sums of products.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dot {
    /// The left operand.
    pub lhs: Array,
    /// The right operand.
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
        vec![Buffer::array(&self.lhs), Buffer::array(&self.rhs)]
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.out)]
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
        // Tiny; few rows times contiguous columns and times contiguous depths; tiles with remainders; two vectors; nothing.
        // Under Miri each of these has a second block of rows, columns and depth, which are smaller there.
        let sizes = if cfg!(miri) {
            [[2, 3, 2], [3, 22, 39], [1, 41, 7], [5, 18, 21], [1, 75, 1], [2, 0, 3]]
        } else {
            [[2, 3, 2], [3, 20, 19], [1, 40, 7], [9, 11, 13], [1, 300, 1], [2, 0, 3]]
        };
        let mut all = Vec::new();
        for (from, to) in types {
            for (i, sizes) in sizes.into_iter().enumerate() {
                // Few rows and two vectors are paths of `f32` alone.
                if cfg!(miri) && from != Type::F32 && matches!(i, 1 | 2 | 4) {
                    continue;
                }
                let is_transposed = [i == 3, i == 2, i == 3];
                all.push(Self::matrix_product([from, to], sizes, is_transposed));
            }
        }
        // The last panel has fewer columns, which are a whole vector.
        all.push(Self::batched_product(Type::F32, 2, [5, 6, 12]));
        all
    }

    fn benchmarks() -> Vec<(&'static str, Self)> {
        let plain = |ty, sizes| Self::matrix_product([ty; 2], sizes, [false; 3]);
        vec![
            ("dot 256³", plain(Type::F32, [256; 3])),
            ("dot 512³", plain(Type::F32, [512; 3])),
            ("dot 1024³", plain(Type::F32, [1024; 3])),
            ("dot 128x768x3072", plain(Type::F32, [128, 768, 3072])),
            ("dot 1x1024x1024", plain(Type::F32, [1, 1024, 1024])),
            ("dot 256³ f64", plain(Type::F64, [256; 3])),
            ("dot 256³ s32", plain(Type::S32, [256; 3])),
            ("dot 256³ bf16", plain(Type::BF16, [256; 3])),
        ]
    }
}

impl Dot {
    /// `lhs[m,k] · rhs[k,n]` of operands and a result of these types, each in row-major order or transposed.
    pub fn matrix_product([from, to]: [Type; 2], [m, k, n]: [usize; 3], is_transposed: [bool; 3]) -> Self {
        let matrix = |ty, sizes: [usize; 2], is_transposed| {
            Array::laid_out(ty, &sizes, if is_transposed { &[1, 0] } else { &[0, 1] })
        };
        Self {
            lhs: matrix(from, [m, k], is_transposed[0]),
            rhs: matrix(from, [k, n], is_transposed[1]),
            out: matrix(to, [m, n], is_transposed[2]),
            lhs_batch: vec![],
            rhs_batch: vec![],
            lhs_contracting: vec![1],
            rhs_contracting: vec![0],
        }
    }

    /// `lhs[b,m,k] · rhs[b,k,n]` for each `b`.
    pub fn batched_product(ty: Type, batch: usize, [m, k, n]: [usize; 3]) -> Self {
        Self {
            lhs: Array::row_major(ty, &[batch, m, k]),
            rhs: Array::row_major(ty, &[batch, k, n]),
            out: Array::row_major(ty, &[batch, m, n]),
            lhs_batch: vec![0],
            rhs_batch: vec![0],
            lhs_contracting: vec![2],
            rhs_contracting: vec![1],
        }
    }
}
