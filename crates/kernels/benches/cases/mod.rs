//! What is measured of the kernels: tasks with the cells of their buffers, and how much each is. Shared by the native
//! benchmark and the one in a browser.

#![allow(dead_code, reason = "each benchmark takes what it needs")]

use xla_kernels::task::{
    Array, Binary, Convert, Convolution, Direction, Dot, Gather, Map, Move, Reduce, ReduceWindow, Reducer,
    SelectAndScatter, Softmax, Sort, Unary, Unit, Window,
};
use xla_kernels::{Task, Type, View};

/// Something to be measured.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is called in the table.
    pub name: String,
    /// What is done.
    pub task: Task,
    /// The cells of each buffer: those that are read, then the one that is written.
    pub cells: Vec<usize>,
    /// Elements that the result has or, where they are more, that are read; multiply-adds for sums of products.
    pub elements: usize,
}

impl Case {
    /// A task, with the smallest buffers that it fits in.
    pub fn new(name: impl Into<String>, task: Task) -> Self {
        let (read, written) = task.smallest_buffers();
        let cells = [read, written].concat();
        let elements = usize::try_from(task.steps()).unwrap_or(usize::MAX).max(1);
        Self { name: name.into(), task, cells, elements }
    }

    /// What it is counted in, and how much of it there is.
    pub fn work(&self) -> (Unit, usize) {
        match self.task.unit() {
            Unit::Flop => (Unit::Flop, 2 * self.elements),
            Unit::Byte => {
                let (read, written) = self.task.types();
                let types = read.iter().chain(&written);
                (Unit::Byte, types.zip(&self.cells).map(|(ty, cells)| ty.bytes() * cells).sum())
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
    Dot::of_matrices([ty; 2], sizes, is_transposed).into()
}

/// Products of many small matrices.
pub fn batched(ty: Type, batch: usize, sizes: [usize; 3]) -> Task {
    Dot::of_batches(ty, batch, sizes).into()
}

/// How a convolution's window moves, the same along every spatial dimension.
#[derive(Clone, Copy, Debug)]
pub struct Slides {
    /// Cells of the window.
    pub size: usize,
    /// From one position to the next.
    pub stride: usize,
    /// Padding on both sides.
    pub padding: isize,
    /// From one cell of the window to the next.
    pub dilation: usize,
}

impl Slides {
    /// A window that keeps the size at stride 1.
    pub const fn same(size: usize, stride: usize, dilation: usize) -> Self {
        Self { size, stride, padding: ((size - 1) * dilation / 2).cast_signed(), dilation }
    }

    /// Along a dimension.
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

/// A convolution of one image of `inputs` features; `order` lays input and result out.
pub fn convolution(
    ty: Type,
    features: [usize; 3],
    spatial: &[usize],
    slides: Slides,
    order: &[usize],
) -> Task {
    Convolution::of_images(ty, features, spatial, slides.window(), order).into()
}

/// An array in an order, reduced along dimensions.
pub fn reduce(ty: Type, sizes: &[usize], order: &[usize], dimensions: &[usize], reducer: Reducer) -> Task {
    Reduce::of(laid_out(ty, sizes, order), dimensions, reducer).into()
}

/// Windows of some sizes with a stride, without padding.
fn windows(sizes: &[usize], stride: usize) -> Vec<Window> {
    let one = |size: &usize| {
        let stride = if *size == 1 { 1 } else { stride };
        Window { stride, ..Window::padded(*size, 0) }
    };
    sizes.iter().map(one).collect()
}

/// Windows of some sizes with a stride, without padding.
pub fn pool(ty: Type, sizes: &[usize], window: &[usize], stride: usize, reducer: Reducer) -> Task {
    ReduceWindow::of(ty, sizes, windows(window, stride), reducer).into()
}

/// The gradient of a pooling by the maximum.
pub fn unpool(ty: Type, sizes: &[usize], window: &[usize], stride: usize) -> Task {
    SelectAndScatter::of(ty, sizes, windows(window, stride), Direction::Ge).into()
}

/// A function of each element.
pub fn unary(ty: Type, sizes: &[usize], f: Unary) -> Task {
    Map::of([ty], ty, sizes, f).into()
}

/// A function of two elements.
pub fn binary([lhs, rhs]: [Array; 2], f: Binary) -> Task {
    let out = array(lhs.ty, &lhs.view.sizes);
    Task::Binary(Map { operands: [lhs, rhs], out, f })
}

/// Elements of another type.
pub fn convert(from: Type, to: Type, sizes: &[usize]) -> Task {
    Map::of([from], to, sizes, Convert).into()
}

/// A transpose.
pub fn transpose(ty: Type, sizes: &[usize], permutation: &[usize]) -> Task {
    Move::transpose(ty, sizes, permutation).into()
}

/// Cells moved.
pub fn moved(ty: Type, parts: Vec<(View, View)>, has_fill: bool) -> Task {
    Task::Move(Move { ty, parts, has_fill })
}

/// Rows taken by an index.
pub fn gather(ty: Type, [rows, columns, taken]: [usize; 3]) -> Task {
    Gather::of_rows(ty, [rows, columns], Type::S32, &[taken]).into()
}

/// Rows sorted along a dimension.
pub fn sort(ty: Type, sizes: &[usize], dimension: usize) -> Task {
    Sort::of(&[ty], sizes, dimension).into()
}

/// Softmax along a dimension.
pub fn softmax(ty: Type, sizes: &[usize], dimension: usize) -> Task {
    Softmax::of(ty, sizes, dimension).into()
}

/// The rows of the table of kernels.
pub fn table() -> Vec<Case> {
    Task::benchmarks().into_iter().map(|(name, task)| Case::new(name, task)).collect()
}

/// A large dot and a large convolution, whose memory is measured.
pub fn large() -> [Case; 2] {
    let slides = Slides { size: 7, stride: 2, padding: 3, dilation: 1 };
    [
        Case::new("dot 1024³", dot(Type::F32, [1024; 3], [false; 3])),
        Case::new(
            "conv 7x7 s2 3→64, 224²",
            convolution(Type::F32, [3, 64, 1], &[224, 224], slides, &[0, 1, 2, 3]),
        ),
    ]
}
