//! The description of a window reduction.

use crate::description::describe::{Buffer, Describe, elements, product};
use crate::description::parts::{Array, Reducer, Window, has_positions};
use crate::description::words::fields;
use crate::support::element::Type;

/// A reduction over the elements of a sliding window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReduceWindow {
    /// Operand. The buffer after it holds the initial value, which padding holds, too.
    pub operand: Array,
    /// The result, one element for each position of the window.
    pub out: Array,
    /// The window along each dimension.
    pub window: Vec<Window>,
    /// The reduction operator.
    pub reducer: Reducer,
}

fields! { ReduceWindow { operand out window reducer } }

impl Describe for ReduceWindow {
    const NAME: &'static str = "reduce-window";

    fn reads(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.operand), Buffer::scalar(self.operand.ty)]
    }

    fn writes(&self) -> Vec<Buffer<'_>> {
        vec![Buffer::array(&self.out)]
    }

    fn is_consistent(&self) -> bool {
        self.operand.ty == self.out.ty
            && has_positions(&self.operand.view.sizes, &self.window, &self.out.view.sizes)
    }

    fn steps(&self) -> u64 {
        elements(&self.out.view).saturating_mul(product(self.window.iter().map(|window| window.size)))
    }

    fn examples() -> Vec<Self> {
        let one = Self::row_major;
        let plain = Window::padded(1, 0);
        let pool = |size, stride, padding| Window { stride, ..Window::padded(size, padding) };
        let mut all = Vec::new();
        // No type but `f32` has `unsafe` code of its own, and that of the minimum is that of the maximum.
        let (types, reducers) = if cfg!(miri) {
            (&[Type::F32, Type::F16, Type::S32][..], &[Reducer::Add, Reducer::Max][..])
        } else {
            (
                &[Type::F32, Type::F16, Type::F64, Type::S32, Type::U8][..],
                &[Reducer::Add, Reducer::Max, Reducer::Min][..],
            )
        };
        for ty in types.iter().copied() {
            for reducer in reducers.iter().copied().take(if ty == Type::F32 || !cfg!(miri) { 3 } else { 1 }) {
                // Pooling with rows minor and with channels minor, a long window, dilation and padding.
                all.push(one(ty, &[2, 10, 21], vec![plain, pool(2, 2, 0), pool(2, 2, 0)], reducer));
                all.push(one(ty, &[7, 12], vec![pool(3, 2, 1), pool(3, 2, 1)], reducer));
                all.push(one(ty, &[8, 25], vec![pool(3, 3, 0), pool(3, 3, 0)], reducer));
                all.push(one(ty, &[6, 13], vec![pool(2, 1, 0), pool(2, 1, 0)], reducer));
                all.push(one(ty, &[6, 6, 9], vec![pool(3, 1, 1), pool(3, 1, 1), plain], reducer));
                all.push(one(ty, &[4, 4, 20], vec![pool(2, 2, 0), pool(2, 2, 0), plain], reducer));
                all.push(one(ty, &[6, 13], vec![pool(3, 1, 1), pool(3, 1, 1)], reducer));
                all.push(one(ty, &[4, 6], vec![pool(3, 1, 1), pool(3, 1, 1)], reducer));
                // The last vector of a row overlaps the one before, covers an element after it, or does not exist.
                all.push(one(ty, &[5, 26], vec![pool(3, 3, 1), pool(3, 3, 1)], reducer));
                all.push(one(ty, &[4, 16], vec![pool(2, 2, 0), pool(2, 2, 0)], reducer));
                all.push(one(ty, &[4, 16], vec![pool(3, 2, 1), pool(3, 2, 1)], reducer));
                all.push(one(ty, &[5, 22], vec![pool(3, 3, 1), pool(3, 3, 1)], reducer));
                all.push(one(ty, &[45], vec![pool(20, 1, 3)], reducer));
                // No elements but padding, and no position for a window.
                all.push(one(ty, &[0], vec![pool(2, 1, 1)], reducer));
                all.push(one(ty, &[3, 2], vec![pool(3, 1, 0); 2], reducer));
                for (size, stride) in [(2, 2), (3, 2), (5, 2), (3, 1)] {
                    all.push(one(ty, &[23], vec![pool(size, stride, 0)], reducer));
                }
                let dilated = Window { dilation: 2, base_dilation: 2, ..Window::padded(2, 1) };
                all.push(one(ty, &[4, 9], vec![dilated; 2], reducer));
            }
        }
        all
    }

    fn benchmarks() -> Vec<(&'static str, Self)> {
        let [plain, three] = [Window::padded(1, 0), Window { stride: 2, ..Window::padded(3, 0) }];
        let pool =
            Self::row_major(Type::F32, &[1, 64, 112, 112], vec![plain, plain, three, three], Reducer::Max);
        vec![("max-pool 3x3 s2, 64x112²", pool)]
    }
}

impl ReduceWindow {
    /// Windows that slide over an array in row-major order, to a result in row-major order.
    pub fn row_major(ty: Type, sizes: &[usize], window: Vec<Window>, reducer: Reducer) -> Self {
        let positions = window.iter().zip(sizes).filter_map(|(window, size)| window.positions(*size));
        let out = Array::row_major(ty, &positions.collect::<Vec<_>>());
        Self { operand: Array::row_major(ty, sizes), out, window, reducer }
    }
}
