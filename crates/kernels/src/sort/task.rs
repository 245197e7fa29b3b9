//! The description of a sort.

use crate::description::describe::{Buffer, Describe, elements};
use crate::description::parts::Array;
use crate::description::words::fields;
use crate::support::element::Type;
use crate::support::view::View;

/// A sort of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Operands; the first is compared. Each result has the type of its operand.
    pub operands: Vec<Array>,
    /// Results, as many as operands.
    pub outs: Vec<View>,
    /// The sorted dimension.
    pub dimension: usize,
    /// Whether the order is descending.
    pub is_descending: bool,
    /// Whether NaN and the sign of zero are ordered (`TOTALORDER`); else floats compare as numbers, and incomparable ones are
    /// ordered as the reference's merge sort leaves them.
    pub is_total_order: bool,
    /// Whether equal elements keep their order.
    pub is_stable: bool,
}

fields! { Sort { operands outs dimension is_descending is_total_order is_stable } }

impl Describe for Sort {
    const NAME: &'static str = "sort";

    fn reads(&self) -> Vec<Buffer<'_>> {
        self.operands.iter().map(Buffer::array).collect()
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        let outs = self.operands.iter().zip(&self.outs);
        outs.map(|(operand, view)| Buffer { ty: operand.ty, views: vec![view], min_length: 0 }).collect()
    }

    fn is_consistent(&self) -> bool {
        let Some(first) = self.operands.first() else { return false };
        let is_alike = |view: &View| view.sizes == first.view.sizes;
        self.dimension < first.view.rank()
            && self.operands.len() == self.outs.len()
            && self.operands.iter().all(|operand| is_alike(&operand.view))
            && self.outs.iter().all(is_alike)
    }

    fn steps(&self) -> u64 {
        self.outs.iter().map(elements).fold(0, u64::saturating_add)
    }

    fn examples() -> Vec<Self> {
        let one = |types: &[Type], sizes: &[usize], dimension, is_descending, is_stable| Self {
            is_descending,
            is_total_order: is_descending,
            is_stable,
            ..Self::row_major(types, sizes, dimension)
        };
        // Rows of wide digits, and longer than a cache; below of elements that are compared, and of narrow digits. Under Miri
        // digits are narrower.
        let [compared, narrow, wide, long] = if cfg!(miri) { [9, 25, 45, 70] } else { [37, 150, 900, 2100] };
        let mut all = vec![
            one(&[Type::F32], &[wide], 0, false, true),
            one(&[Type::S32, Type::F64], &[wide], 0, true, true),
            one(&[Type::U64], &[long], 0, false, false),
            one(&[Type::F32], &[3, 0], 1, false, true),
        ];
        // Under Miri one of each width of keys, and one that may be NaN.
        let types = [Type::U8, Type::F32, Type::F64, Type::S16, Type::F16, Type::BF16, Type::S32, Type::U64];
        for ty in types.into_iter().take(if cfg!(miri) { 3 } else { types.len() }) {
            all.push(one(&[ty], &[compared], 0, false, true));
            all.push(one(&[ty], &[narrow], 0, false, true));
            // Some of these rows have a NaN.
            all.push(one(&[ty], &[9, 7], 0, false, true));
            all.push(one(&[ty], &[6, 18], 1, false, true));
            all.push(one(&[ty], &[5, 20], 1, true, false));
            all.push(one(&[ty, Type::S32], &[9, 6], 0, false, true));
        }
        all
    }

    fn benchmarks() -> Vec<(&'static str, Self)> {
        vec![
            ("sort 1M", Self::row_major(&[Type::F32], &[1 << 20], 0)),
            ("sort rows of 1024, 1M", Self::row_major(&[Type::F32], &[1024; 2], 1)),
        ]
    }
}

impl Sort {
    /// A stable sort in ascending order along a dimension, of operands in row-major order.
    pub fn row_major(types: &[Type], sizes: &[usize], dimension: usize) -> Self {
        Self {
            operands: types.iter().map(|ty| Array::row_major(*ty, sizes)).collect(),
            outs: vec![View::row_major(sizes); types.len()],
            dimension,
            is_descending: false,
            is_total_order: false,
            is_stable: true,
        }
    }
}
