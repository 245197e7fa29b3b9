//! The description of a select-and-scatter.

use crate::description::describe::{Buffer, Describe, elements, product};
use crate::description::parts::{Array, Direction, Reducer, Window, has_positions};
use crate::description::words::fields;
use crate::support::element::Type;

/// Each position of a sliding window selects an element of the operand; the element of the source is added to the result there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectAndScatter {
    /// The operand, from which elements are selected.
    pub operand: Array,
    /// Source, one element for each position of the window. The buffer after it holds the initial value.
    pub source: Array,
    /// Result, of the operand's sizes.
    pub out: Array,
    /// The window along each dimension.
    pub window: Vec<Window>,
    /// The comparison that keeps the selected element: a later one replaces it if `select(selected, later)` is false.
    pub select: Direction,
    /// The reduction operator that adds the source.
    pub scatter: Reducer,
}

fields! { SelectAndScatter { operand source out window select scatter } }

impl Describe for SelectAndScatter {
    const NAME: &'static str = "select-and-scatter";

    fn reads(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.operand), Buffer::array(&self.source), Buffer::scalar(self.operand.ty)]
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.out)]
    }

    fn is_consistent(&self) -> bool {
        self.operand.ty == self.out.ty
            && self.operand.ty == self.source.ty
            && self.operand.view.sizes == self.out.view.sizes
            && has_positions(&self.operand.view.sizes, &self.window, &self.source.view.sizes)
    }

    fn steps(&self) -> u64 {
        elements(&self.source.view).saturating_mul(product(self.window.iter().map(|window| window.size)))
    }

    fn examples() -> Vec<Self> {
        let one = |ty, sizes: &[usize], window, select| {
            Self::row_major(ty, sizes, vec![window; sizes.len()], select)
        };
        let halves = Window { stride: 2, ..Window::padded(2, 0) };
        let mut all = Vec::new();
        // There is no `unsafe` code: under Miri one type is enough.
        let types = [Type::F32, Type::F16, Type::BF16, Type::F64, Type::S8, Type::U32];
        for ty in types.into_iter().take(if cfg!(miri) { 1 } else { types.len() }) {
            all.push(one(ty, &[6, 18], halves, Direction::Ge));
            all.push(one(ty, &[5, 7], Window::padded(3, 1), Direction::Lt));
            // No elements, and no position for a window.
            all.push(one(ty, &[0, 4], halves, Direction::Ge));
            all.push(one(ty, &[1, 4], halves, Direction::Ge));
        }
        all
    }

    fn benchmarks() -> Vec<(&'static str, Self)> {
        let [plain, two] = [Window::padded(1, 0), Window { stride: 2, ..Window::padded(2, 0) }];
        let window = vec![plain, plain, two, two];
        let task = Self::row_major(Type::F32, &[1, 64, 112, 112], window, Direction::Ge);
        vec![("gradient of max-pool 2x2, 64x112²", task)]
    }
}

impl SelectAndScatter {
    /// Adds the source to the elements that windows select; all arrays are in row-major order.
    pub fn row_major(ty: Type, sizes: &[usize], window: Vec<Window>, select: Direction) -> Self {
        let positions = window.iter().zip(sizes).filter_map(|(window, size)| window.positions(*size));
        Self {
            operand: Array::row_major(ty, sizes),
            source: Array::row_major(ty, &positions.collect::<Vec<_>>()),
            out: Array::row_major(ty, sizes),
            window,
            select,
            scatter: Reducer::Add,
        }
    }
}
