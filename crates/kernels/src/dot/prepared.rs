//! A dot of few rows that is run many times, as in the body of a loop: its plan and its memory are kept between runs.

use crate::dot::batched::{MAX_UNPACKED_MULTIPLY_ADDS, Oriented};
use crate::dot::task::Dot;
use crate::gemm::few_rows::FewRows;
use crate::gemm::matrix::{MatrixOperand, Out};
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::scratch::Scratch;
use crate::support::slice::{Slice, SliceMut};

/// Maximum number of multiply-adds of a dot that is not cancelled before its end.
const MAX_MULTIPLY_ADDS: usize = 1 << 20;

/// A product of up to four rows and one batch index, of `f32`.
pub struct PreparedDot {
    oriented: Oriented,
    out_offset: isize,
    few_rows: FewRows,
}

impl PreparedDot {
    /// Prepares a dot that was checked; `None` unless [`FewRows`] computes it.
    pub fn new(dot: &Dot) -> Option<Self> {
        let is_float = [dot.lhs.ty, dot.rhs.ty, dot.out.ty] == [Type::F32; 3];
        if !is_float || dot.out.view.sizes.contains(&0) {
            return None;
        }
        let oriented = Oriented::new(dot);
        let size = oriented.size();
        let [m, n, k] = size;
        let work = m.checked_mul(n)?.checked_mul(k)?;
        if oriented.plan.batch[0].len() != 1 || work <= MAX_UNPACKED_MULTIPLY_ADDS || work > MAX_MULTIPLY_ADDS
        {
            return None;
        }
        let (mut scratch, mut tick) = (Scratch::default(), |_| true);
        let mut context = Context { scratch: &mut scratch, tick: &mut tick, packed_operand: None };
        let [left, right] = oriented.operands([Slice::F32(&[]); 2]);
        let few_rows = FewRows::new(&left, &right, size, &mut context)?;
        Some(Self { oriented, out_offset: dot.out.view.offset.cast_signed(), few_rows })
    }

    /// Runs the dot on buffers of the checked sizes.
    pub fn run(&mut self, read: &[Slice], out: &mut SliceMut) -> Result<(), KernelError> {
        let ([a, b], SliceMut::F32(out)) = (read, out) else { return Err(KernelError::InvalidTask) };
        let [left, right] = self.oriented.operands(self.oriented.operand_indices.map(|i| [*a, *b][i]));
        let plan = &self.oriented.plan;
        let mut out =
            Out { elements: out, offset: self.out_offset, rows: &plan.rows[1], columns: &plan.columns[1] };
        let (mut scratch, mut tick) = (Scratch::default(), |_| true);
        let mut context = Context { scratch: &mut scratch, tick: &mut tick, packed_operand: None };
        self.few_rows.multiply(&left, &right, &mut out, &mut context)
    }
}

impl Oriented {
    /// Rows, columns and depth.
    fn size(&self) -> [usize; 3] {
        [self.plan.rows[0].len(), self.plan.columns[0].len(), self.plan.depth[0].len()]
    }

    /// The operands of the first batch index in these buffers.
    fn operands<'a>(&'a self, slices: [Slice<'a>; 2]) -> [MatrixOperand<'a>; 2] {
        let free = [&self.plan.rows[0], &self.plan.columns[0]];
        std::array::from_fn(|i| MatrixOperand {
            elements: slices[i],
            ty: Type::F32,
            offset: self.offsets[i],
            free: free[i],
            depth: &self.plan.depth[i],
        })
    }
}
