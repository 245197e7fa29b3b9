//! The benchmark cases of the kernels: tasks with the lengths of their buffers and their amount of work. Shared by the native
//! benchmark and the one in a browser.

#![allow(dead_code, reason = "no benchmark uses all")]

use xla_kernels::task::{
    Array, Binary, Convert, Convolution, Direction, Dot, Gather, Map, Move, Reduce, ReduceWindow, Reducer,
    SelectAndScatter, Softmax, Sort, Unary, Unit, Window,
};
use xla_kernels::{Task, Type, View};

/// A benchmark case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name in the table.
    pub name: String,
    /// The task that is measured.
    pub task: Task,
    /// The length in elements of each buffer: those that are read, then the one that is written.
    pub buffer_lengths: Vec<usize>,
    /// The steps of the task: multiply-adds for sums of products, else elements.
    pub steps: usize,
}

impl Case {
    /// The case of a task, with the smallest buffers that it fits in.
    pub fn new(name: impl Into<String>, task: Task) -> Self {
        let (read, written) = task.smallest_buffers();
        let buffer_lengths = [read, written].concat();
        let steps = usize::try_from(task.steps()).unwrap_or(usize::MAX).max(1);
        Self { name: name.into(), task, buffer_lengths, steps }
    }

    /// The unit and the amount of the work of one run.
    pub fn work(&self) -> (Unit, usize) {
        match self.task.unit() {
            Unit::Flop => (Unit::Flop, 2 * self.steps),
            Unit::Byte => {
                let (read, written) = self.task.types();
                let types = read.iter().chain(&written);
                (Unit::Byte, types.zip(&self.buffer_lengths).map(|(ty, length)| ty.bytes() * length).sum())
            }
        }
    }
}

/// An array in row-major order.
pub fn array(ty: Type, sizes: &[usize]) -> Array {
    Array::row_major(ty, sizes)
}

/// An array with its dimensions in this order, major to minor.
pub fn laid_out(ty: Type, sizes: &[usize], order: &[usize]) -> Array {
    Array::laid_out(ty, sizes, order)
}

/// `lhs[m,k] · rhs[k,n]`, each operand and the result transposed or not.
pub fn dot(ty: Type, sizes: [usize; 3], is_transposed: [bool; 3]) -> Task {
    Dot::matrix_product([ty; 2], sizes, is_transposed).into()
}

/// Products of many small matrices.
pub fn batched(ty: Type, batch: usize, sizes: [usize; 3]) -> Task {
    Dot::batched_product(ty, batch, sizes).into()
}

/// The window of a convolution, the same along every spatial dimension.
#[derive(Clone, Copy, Debug)]
pub struct WindowParams {
    /// The number of taps of the window.
    pub size: usize,
    /// The stride from one position to the next.
    pub stride: usize,
    /// Padding on both sides.
    pub padding: isize,
    /// The distance from one tap of the window to the next.
    pub dilation: usize,
}

impl WindowParams {
    /// A window with `same` padding: it keeps the size at stride 1.
    pub const fn same(size: usize, stride: usize, dilation: usize) -> Self {
        Self { size, stride, padding: ((size - 1) * dilation / 2).cast_signed(), dilation }
    }

    /// The window along one dimension.
    pub fn window(self) -> Window {
        Window {
            size: self.size,
            stride: self.stride,
            low: self.padding,
            high: self.padding,
            base_dilation: 1,
            dilation: self.dilation,
            is_reversed: false,
        }
    }
}

/// A convolution of one image; `features` are the input features, output features and groups, `order` is the order of the
/// dimensions of input and result, major to minor.
pub fn convolution(
    ty: Type,
    features: [usize; 3],
    spatial: &[usize],
    window: WindowParams,
    order: &[usize],
) -> Task {
    Convolution::single_image(ty, features, spatial, window.window(), order).into()
}

/// A reduction along `dimensions` of an array with its dimensions in this order, major to minor.
pub fn reduce(ty: Type, sizes: &[usize], order: &[usize], dimensions: &[usize], reducer: Reducer) -> Task {
    Reduce::row_major(laid_out(ty, sizes, order), dimensions, reducer).into()
}

/// Windows of these sizes with a stride, without padding.
fn windows(sizes: &[usize], stride: usize) -> Vec<Window> {
    let one = |size: &usize| {
        let stride = if *size == 1 { 1 } else { stride };
        Window { stride, ..Window::padded(*size, 0) }
    };
    sizes.iter().map(one).collect()
}

/// Pooling with windows of these sizes with a stride, without padding.
pub fn pool(ty: Type, sizes: &[usize], window: &[usize], stride: usize, reducer: Reducer) -> Task {
    ReduceWindow::row_major(ty, sizes, windows(window, stride), reducer).into()
}

/// The gradient of max pooling.
pub fn unpool(ty: Type, sizes: &[usize], window: &[usize], stride: usize) -> Task {
    SelectAndScatter::row_major(ty, sizes, windows(window, stride), Direction::Ge).into()
}

/// A function of each element.
pub fn unary(ty: Type, sizes: &[usize], f: Unary) -> Task {
    Map::row_major([ty], ty, sizes, f).into()
}

/// A function of two elements.
pub fn binary([lhs, rhs]: [Array; 2], f: Binary) -> Task {
    let out = array(lhs.ty, &lhs.view.sizes);
    Task::Binary(Map { operands: [lhs, rhs], out, f })
}

/// Conversion to another element type.
pub fn convert(from: Type, to: Type, sizes: &[usize]) -> Task {
    Map::row_major([from], to, sizes, Convert).into()
}

/// The task of a transpose.
pub fn transpose(ty: Type, sizes: &[usize], permutation: &[usize]) -> Task {
    Move::transpose(ty, sizes, permutation).into()
}

/// A copy of parts.
pub fn moved(ty: Type, parts: Vec<(View, View)>, has_fill: bool) -> Task {
    Task::Move(Move { ty, parts, has_fill })
}

/// Rows of a matrix selected by `taken` indices.
pub fn gather(ty: Type, [rows, columns, taken]: [usize; 3]) -> Task {
    Gather::matrix_rows(ty, [rows, columns], Type::S32, &[taken]).into()
}

/// A sort along a dimension.
pub fn sort(ty: Type, sizes: &[usize], dimension: usize) -> Task {
    Sort::row_major(&[ty], sizes, dimension).into()
}

/// Softmax along a dimension.
pub fn softmax(ty: Type, sizes: &[usize], dimension: usize) -> Task {
    Softmax::row_major(ty, sizes, dimension).into()
}

/// The rows of the table of kernels.
pub fn table() -> Vec<Case> {
    Task::benchmarks().into_iter().map(|(name, task)| Case::new(name, task)).collect()
}

/// A large dot and a large convolution, whose memory is measured.
pub fn large() -> [Case; 2] {
    let window = WindowParams { size: 7, stride: 2, padding: 3, dilation: 1 };
    [
        Case::new("dot 1024³", dot(Type::F32, [1024; 3], [false; 3])),
        Case::new(
            "conv 7x7 s2 3→64, 224²",
            convolution(Type::F32, [3, 64, 1], &[224, 224], window, &[0, 1, 2, 3]),
        ),
    ]
}
