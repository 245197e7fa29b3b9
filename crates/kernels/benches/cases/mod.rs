//! What is measured of the kernels: tasks with the cells of their buffers, and how much each is. Shared by the native
//! benchmark and the one in a browser.

#![allow(dead_code, reason = "each benchmark takes what it needs")]

use xla_kernels::task::{
    Array, Binary, Convert, Convolution, Dot, Gather, Map, Move, Reduce, ReduceWindow, Reducer,
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
        let elements = usize::try_from(task.steps()).unwrap_or(usize::MAX);
        let elements = if let Task::Reduce(_) = &task { elements } else { elements.max(1) };
        Self { name: name.into(), task, cells, elements: elements.max(1) }
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
    Array { ty, view: View::row_major(sizes) }
}

/// An array whose dimensions lie in this order, major to minor.
pub fn laid_out(ty: Type, sizes: &[usize], order: &[usize]) -> Array {
    let (mut strides, mut stride) = (vec![0; sizes.len()], 1);
    for d in order.iter().rev() {
        strides[*d] = stride;
        stride *= sizes[*d].cast_signed();
    }
    Array { ty, view: View { offset: 0, sizes: sizes.to_vec(), strides } }
}

/// `lhs[m,k] · rhs[k,n]`, each operand and the result turned or not.
pub fn dot(ty: Type, [m, k, n]: [usize; 3], are_turned: [bool; 3]) -> Task {
    let one = |sizes: [usize; 2], is_turned| laid_out(ty, &sizes, if is_turned { &[1, 0] } else { &[0, 1] });
    Task::Dot(Dot {
        lhs: one([m, k], are_turned[0]),
        rhs: one([k, n], are_turned[1]),
        out: one([m, n], are_turned[2]),
        lhs_batch: vec![],
        rhs_batch: vec![],
        lhs_contracting: vec![1],
        rhs_contracting: vec![0],
    })
}

/// Products of many small matrices.
pub fn batched(ty: Type, batch: usize, [m, k, n]: [usize; 3]) -> Task {
    Task::Dot(Dot {
        lhs: array(ty, &[batch, m, k]),
        rhs: array(ty, &[batch, k, n]),
        out: array(ty, &[batch, m, n]),
        lhs_batch: vec![0],
        rhs_batch: vec![0],
        lhs_contracting: vec![2],
        rhs_contracting: vec![1],
    })
}

/// How a convolution's window moves, the same along every spatial dimension.
#[derive(Clone, Copy, Debug)]
pub struct Slides {
    /// Cells of the window.
    pub size: usize,
    /// From one place to the next.
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
    [inputs, outputs, groups]: [usize; 3],
    spatial: &[usize],
    slides: Slides,
    order: &[usize],
) -> Task {
    let with = |batch, features, sizes: &[usize]| [&[batch, features], sizes].concat();
    let places: Vec<usize> = spatial.iter().filter_map(|size| slides.window().places(*size)).collect();
    let kernel = vec![slides.size; spatial.len()];
    Task::Convolution(Convolution {
        lhs: laid_out(ty, &with(1, inputs, spatial), order),
        rhs: array(ty, &with(outputs, inputs / groups, &kernel)),
        out: laid_out(ty, &with(1, outputs, &places), order),
        window: vec![slides.window(); spatial.len()],
        feature_groups: groups,
        batch_groups: 1,
    })
}

/// An array in an order, reduced along dimensions.
pub fn reduce(ty: Type, sizes: &[usize], order: &[usize], dimensions: &[usize], fold: Reducer) -> Task {
    let left: Vec<usize> = (0..sizes.len()).filter(|d| !dimensions.contains(d)).map(|d| sizes[d]).collect();
    Task::Reduce(Reduce {
        operand: laid_out(ty, sizes, order),
        out: array(ty, &left),
        dimensions: dimensions.to_vec(),
        reducer: fold,
    })
}

/// Windows of some sizes with a stride, without padding.
pub fn pool(ty: Type, sizes: &[usize], window: &[usize], stride: usize, fold: Reducer) -> Task {
    let one = |size: &usize| {
        let stride = if *size == 1 { 1 } else { stride };
        Slides { size: *size, stride, padding: 0, dilation: 1 }.window()
    };
    let window: Vec<Window> = window.iter().map(one).collect();
    let places: Vec<usize> = window.iter().zip(sizes).filter_map(|(w, size)| w.places(*size)).collect();
    Task::ReduceWindow(ReduceWindow {
        operand: array(ty, sizes),
        out: array(ty, &places),
        window,
        reducer: fold,
    })
}

/// The gradient of a pooling by the maximum.
pub fn unpool(ty: Type, sizes: &[usize], window: &[usize], stride: usize) -> Task {
    let Task::ReduceWindow(pool) = pool(ty, sizes, window, stride, Reducer::Max) else { unreachable!() };
    Task::SelectAndScatter(SelectAndScatter {
        operand: pool.operand.clone(),
        source: pool.out,
        out: pool.operand,
        window: pool.window,
        select: xla_kernels::task::Direction::Ge,
        scatter: Reducer::Add,
    })
}

/// A function of each element.
pub fn unary(ty: Type, sizes: &[usize], f: Unary) -> Task {
    Task::Unary(Map { operands: [array(ty, sizes)], out: array(ty, sizes), f })
}

/// A function of two elements.
pub fn binary([lhs, rhs]: [Array; 2], f: Binary) -> Task {
    let out = array(lhs.ty, &lhs.view.sizes);
    Task::Binary(Map { operands: [lhs, rhs], out, f })
}

/// Elements of another type.
pub fn convert(from: Type, to: Type, sizes: &[usize]) -> Task {
    Task::Convert(Map { operands: [array(from, sizes)], out: array(to, sizes), f: Convert })
}

/// A transpose.
pub fn transpose(ty: Type, sizes: &[usize], permutation: &[usize]) -> Task {
    let from = View::row_major(sizes).permuted(permutation);
    let to = View::row_major(&from.sizes);
    moved(ty, vec![(from, to)], false)
}

/// Cells moved.
pub fn moved(ty: Type, parts: Vec<(View, View)>, has_fill: bool) -> Task {
    Task::Move(Move { ty, parts, has_fill })
}

/// Rows taken by an index.
pub fn gather(ty: Type, [rows, columns, taken]: [usize; 3]) -> Task {
    Task::Gather(Gather {
        operand: array(ty, &[rows, columns]),
        indices: array(Type::S32, &[taken, 1]),
        out: array(ty, &[taken, columns]),
        slice_sizes: vec![1, columns],
        collapsed: vec![0],
    })
}

/// Rows sorted along a dimension.
pub fn sort(ty: Type, sizes: &[usize], dimension: usize) -> Task {
    Task::Sort(Sort {
        operands: vec![array(ty, sizes)],
        outs: vec![View::row_major(sizes)],
        dimension,
        is_descending: false,
        is_total: false,
        is_stable: true,
    })
}

/// Softmax along a dimension.
pub fn softmax(ty: Type, sizes: &[usize], dimension: usize) -> Task {
    Task::Softmax(Softmax { operand: array(ty, sizes), out: array(ty, sizes), dimension })
}

/// The rows of the table of kernels.
pub fn table() -> Vec<Case> {
    const ROWS: [usize; 4] = [0, 1, 2, 3];
    let f32 = Type::F32;
    let straight = [false; 3];
    let conv = |sizes: [usize; 3], side: usize, slides: Slides| {
        convolution(f32, sizes, &[side, side], slides, &ROWS)
    };
    let square = [1024, 1024];
    let both = |sizes: &[usize]| [array(f32, sizes), array(f32, sizes)];
    vec![
        Case::new("dot 256³", dot(f32, [256; 3], straight)),
        Case::new("dot 512³", dot(f32, [512; 3], straight)),
        Case::new("dot 1024³", dot(f32, [1024; 3], straight)),
        Case::new("dot 128x768x3072", dot(f32, [128, 768, 3072], straight)),
        Case::new("dot 1x1024x1024", dot(f32, [1, 1024, 1024], straight)),
        Case::new("dot 256³ f64", dot(Type::F64, [256; 3], straight)),
        Case::new("dot 256³ s32", dot(Type::S32, [256; 3], straight)),
        Case::new("dot 256³ bf16", dot(Type::BF16, [256; 3], straight)),
        Case::new(
            "conv 7x7 s2 3→64, 224²",
            conv([3, 64, 1], 224, Slides { size: 7, stride: 2, padding: 3, dilation: 1 }),
        ),
        Case::new("conv 3x3 64→64, 56²", conv([64, 64, 1], 56, Slides::same(3, 1, 1))),
        Case::new("conv 3x3 dilated 64→64, 56²", conv([64, 64, 1], 56, Slides::same(3, 1, 2))),
        Case::new("conv 1x1 256→64, 56²", conv([256, 64, 1], 56, Slides::same(1, 1, 1))),
        Case::new("conv 3x3 depthwise 96, 112²", conv([96, 96, 96], 112, Slides::same(3, 1, 1))),
        Case::new("sum of rows, 1024²", reduce(f32, &square, &[0, 1], &[1], Reducer::Add)),
        Case::new("sum of columns, 1024²", reduce(f32, &square, &[0, 1], &[0], Reducer::Add)),
        Case::new("sum, 1024²", reduce(f32, &square, &[0, 1], &[0, 1], Reducer::Add)),
        Case::new("max of rows, 1024²", reduce(f32, &square, &[0, 1], &[1], Reducer::Max)),
        Case::new("max-pool 3x3 s2, 64x112²", pool(f32, &[1, 64, 112, 112], &[1, 1, 3, 3], 2, Reducer::Max)),
        Case::new("gradient of max-pool 2x2, 64x112²", unpool(f32, &[1, 64, 112, 112], &[1, 1, 2, 2], 2)),
        Case::new("negate, 1M", unary(f32, &square, Unary::Negate)),
        Case::new("exponential, 1M", unary(f32, &square, Unary::Exponential)),
        Case::new("tanh, 1M", unary(f32, &square, Unary::Tanh)),
        Case::new("add, 1M", binary(both(&square), Binary::Add)),
        Case::new("power, 1M", binary(both(&square), Binary::Power)),
        Case::new("transpose 1024²", transpose(f32, &square, &[1, 0])),
        Case::new("transpose 2048²", transpose(f32, &[2048, 2048], &[1, 0])),
        Case::new("NHWC → NCHW, 56x56x256", transpose(f32, &[1, 56, 56, 256], &[0, 3, 1, 2])),
        Case::new("gather 4096 rows of 256", gather(f32, [8192, 256, 4096])),
        Case::new("sort 1M", sort(f32, &[1 << 20], 0)),
        Case::new("sort rows of 1024, 1M", sort(f32, &square, 1)),
        Case::new("softmax of rows, 1024²", softmax(f32, &square, 1)),
        Case::new("convert f32 → bf16, 1M", convert(f32, Type::BF16, &square)),
    ]
}

/// A large dot and a large convolution, whose memory is looked at.
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
