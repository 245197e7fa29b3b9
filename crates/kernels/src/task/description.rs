//! What kernels are asked to do: an op on arrays in memory, with nothing of HLO text left.
//!
//! The buffers come beside it, in the order of the fields: those that are read, then those that are written. A task
//! comes from the ops through `OpDef::task`, or as numbers ([`crate::task::words`]).

use crate::ground::view::View;

/// The type of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Type {
    /// Truth values, 0 or 1.
    Pred,
    /// 8-bit signed integers.
    S8,
    /// 16-bit signed integers.
    S16,
    /// 32-bit signed integers.
    S32,
    /// 64-bit signed integers.
    S64,
    /// 8-bit unsigned integers.
    U8,
    /// 16-bit unsigned integers.
    U16,
    /// 32-bit unsigned integers.
    U32,
    /// 64-bit unsigned integers.
    U64,
    /// IEEE half precision.
    F16,
    /// The upper half of an `f32`.
    BF16,
    /// IEEE single precision.
    F32,
    /// IEEE double precision.
    F64,
    /// Two `f32`.
    C64,
    /// Two `f64`.
    C128,
}

impl Type {
    /// Every type, in the order of their numbers.
    pub const ALL: [Self; 15] = [
        Self::Pred,
        Self::S8,
        Self::S16,
        Self::S32,
        Self::S64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::BF16,
        Self::F32,
        Self::F64,
        Self::C64,
        Self::C128,
    ];

    /// Bytes of an element.
    pub const fn bytes(self) -> usize {
        match self {
            Self::Pred | Self::S8 | Self::U8 => 1,
            Self::S16 | Self::U16 | Self::F16 | Self::BF16 => 2,
            Self::S32 | Self::U32 | Self::F32 => 4,
            Self::S64 | Self::U64 | Self::F64 | Self::C64 => 8,
            Self::C128 => 16,
        }
    }
}

/// An array of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// What its elements are.
    pub ty: Type,
    /// Where they lie.
    pub view: View,
}

/// What many elements are made one with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Fold {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// The smallest; NaN wins, -0 is below 0.
    Min,
    /// The largest; NaN wins, 0 is above -0.
    Max,
    /// Of truth values or bits: both.
    And,
    /// Of truth values or bits: either.
    Or,
    /// Of truth values or bits: one of them.
    Xor,
}

impl Fold {
    /// Every one, in the order of their numbers.
    pub const ALL: [Self; 7] = [Self::Add, Self::Mul, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor];
}

/// How a window moves along a dimension (`WindowDimension` of XLA).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Cells of the window.
    pub size: usize,
    /// From one place to the next.
    pub stride: usize,
    /// Padding below; may be negative.
    pub low: isize,
    /// Padding above; may be negative.
    pub high: isize,
    /// From one element of the base area to the next.
    pub base_dilation: usize,
    /// From one cell of the window to the next.
    pub dilation: usize,
    /// Whether the window is read backwards.
    pub is_reversed: bool,
}

/// How two elements are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Direction {
    /// Every one, in the order of their numbers.
    pub const ALL: [Self; 6] = [Self::Eq, Self::Ne, Self::Lt, Self::Le, Self::Gt, Self::Ge];
}

/// Of one element. The names are those of HLO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are those of HLO's opcodes")]
pub enum Unary {
    Abs,
    Negate,
    Sign,
    Not,
    Ceil,
    Floor,
    RoundNearestEven,
    RoundNearestAfz,
    Exponential,
    ExponentialMinusOne,
    Log,
    LogPlusOne,
    Logistic,
    Tanh,
    Sqrt,
    Rsqrt,
    Cbrt,
    Sine,
    Cosine,
    Tan,
    Erf,
    PopulationCount,
    CountLeadingZeros,
    IsFinite,
}

impl Unary {
    /// Every one, in the order of their numbers.
    pub const ALL: [Self; 24] = [
        Self::Abs,
        Self::Negate,
        Self::Sign,
        Self::Not,
        Self::Ceil,
        Self::Floor,
        Self::RoundNearestEven,
        Self::RoundNearestAfz,
        Self::Exponential,
        Self::ExponentialMinusOne,
        Self::Log,
        Self::LogPlusOne,
        Self::Logistic,
        Self::Tanh,
        Self::Sqrt,
        Self::Rsqrt,
        Self::Cbrt,
        Self::Sine,
        Self::Cosine,
        Self::Tan,
        Self::Erf,
        Self::PopulationCount,
        Self::CountLeadingZeros,
        Self::IsFinite,
    ];
}

/// Of two elements. The names are those of HLO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are those of HLO's opcodes")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Maximum,
    Minimum,
    Power,
    Atan2,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightArithmetic,
    ShiftRightLogical,
}

impl Binary {
    /// Every one, in the order of their numbers.
    pub const ALL: [Self; 15] = [
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
        Self::Maximum,
        Self::Minimum,
        Self::Power,
        Self::Atan2,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::ShiftLeft,
        Self::ShiftRightArithmetic,
        Self::ShiftRightLogical,
    ];
}

/// Sums of products.
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
    /// Dimensions of the left operand that are summed over.
    pub lhs_contracting: Vec<usize>,
    /// Dimensions of the right operand that are summed over, in the same order.
    pub rhs_contracting: Vec<usize>,
}

/// Convolution; the dimensions of the views stand in the order that each field says, whatever the `dim_labels` were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convolution {
    /// Input: batch, feature, spatial dimensions.
    pub lhs: Array,
    /// Kernel: output feature, input feature (of one group), spatial dimensions.
    pub rhs: Array,
    /// Result: batch, feature, spatial dimensions.
    pub out: Array,
    /// Of each spatial dimension.
    pub window: Vec<Window>,
    /// Groups of features.
    pub feature_groups: usize,
    /// Groups of the batch.
    pub batch_groups: usize,
}

/// Many elements made one, dimension by dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduce {
    /// Operand. The buffer after it holds one element: where the fold begins.
    pub operand: Array,
    /// Result: the dimensions that stay, in their order.
    pub out: Array,
    /// Dimensions that go.
    pub dimensions: Vec<usize>,
    /// What makes two one.
    pub fold: Fold,
}

/// A window that slides and makes one element of those in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReduceWindow {
    /// Operand. The buffer after it holds one element: where each fold begins, also what padding holds.
    pub operand: Array,
    /// Result.
    pub out: Array,
    /// Of each dimension.
    pub window: Vec<Window>,
    /// What makes two one.
    pub fold: Fold,
}

/// A window that slides, selects an element, and gives the source's element to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectAndScatter {
    /// Operand.
    pub operand: Array,
    /// Source, an element for each place of the window. The buffer after it holds one element: where the fold begins.
    pub source: Array,
    /// Result, of the operand's sizes.
    pub out: Array,
    /// Of each dimension.
    pub window: Vec<Window>,
    /// The selected element stays while `select(selected, next)` holds.
    pub select: Direction,
    /// What makes two one.
    pub scatter: Fold,
}

/// Element by element; a dimension of an operand that is repeated has stride 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<F, const N: usize> {
    /// Operands, all of the result's sizes.
    pub operands: [Array; N],
    /// Result.
    pub out: Array,
    /// What is done.
    pub f: F,
}

/// Cells moved: whatever of transpose, slice, reverse, broadcast, relayout, pad, concatenate, and of dynamic slices once
/// their starts are known, is to be copied. Parts are moved one after the other: where two overlap, the later one stays.
/// The buffers of all parts come first, then, with `has_fill`, one element, then that of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The type of the elements, whose size alone matters.
    pub ty: Type,
    /// From where to where; both have the same sizes. Each part has a buffer of its own.
    pub parts: Vec<(View, View)>,
    /// Whether every cell of the result that lies in no part is given the element; else it stays what it is.
    pub has_fill: bool,
}

/// Whole slices taken by an index (`gather`), or such slices written (`scatter` that replaces is no task).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gather {
    /// Operand: the dimensions that the indices choose come first, in the order of the index vector's elements.
    pub operand: Array,
    /// Start indices: batch dimensions, then the index vector.
    pub indices: Array,
    /// Result: the batch dimensions of the indices, then the dimensions of a slice.
    pub out: Array,
    /// The size of a slice in each dimension of `operand`; starts are clamped so that it fits.
    pub slice_sizes: Vec<usize>,
    /// Of the dimensions of `operand`, those that the result does not have (their slice size is 1).
    pub collapsed: Vec<usize>,
}

/// Rows sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Operands; the first is what is compared. Each result has the type of its operand.
    pub operands: Vec<Array>,
    /// Results, as many as operands.
    pub outs: Vec<View>,
    /// The dimension that is sorted along.
    pub dimension: usize,
    /// Whether the larger come first.
    pub is_descending: bool,
    /// Whether NaN and the sign of zero have a place (`TOTALORDER`); else floats compare as numbers, and what does not
    /// compare stays as the merge of the reference leaves it.
    pub is_total: bool,
    /// Whether what is equal keeps its order.
    pub is_stable: bool,
}

/// `exp(x - max) / sum(exp(x - max))` along a dimension, as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Softmax {
    /// Operand.
    pub operand: Array,
    /// Result, of the same sizes.
    pub out: Array,
    /// The dimension.
    pub dimension: usize,
}

/// What a kernel is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Sums of products.
    Dot(Dot),
    /// Convolution.
    Convolution(Convolution),
    /// Many elements made one.
    Reduce(Reduce),
    /// A window that slides and folds.
    ReduceWindow(ReduceWindow),
    /// A window that slides and selects.
    SelectAndScatter(SelectAndScatter),
    /// Of one element.
    Unary(Map<Unary, 1>),
    /// Of two elements.
    Binary(Map<Binary, 2>),
    /// Two elements compared; the result is `pred`.
    Compare(Map<Direction, 2>),
    /// `pred`, then what is taken where it holds and where not.
    Select(Map<(), 3>),
    /// Lower bound, operand, upper bound.
    Clamp(Map<(), 3>),
    /// Elements of another type.
    Convert(Map<(), 1>),
    /// Cells moved.
    Move(Move),
    /// Slices taken by an index.
    Gather(Gather),
    /// Rows sorted.
    Sort(Sort),
    /// Softmax along a dimension.
    Softmax(Softmax),
}

impl Task {
    /// Its name, as in the table of kernels.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Dot(_) => "dot",
            Self::Convolution(_) => "convolution",
            Self::Reduce(_) => "reduce",
            Self::ReduceWindow(_) => "reduce-window",
            Self::SelectAndScatter(_) => "select-and-scatter",
            Self::Unary(_) => "unary",
            Self::Binary(_) => "binary",
            Self::Compare(_) => "compare",
            Self::Select(_) => "select",
            Self::Clamp(_) => "clamp",
            Self::Convert(_) => "convert",
            Self::Move(_) => "move",
            Self::Gather(_) => "gather",
            Self::Sort(_) => "sort",
            Self::Softmax(_) => "softmax",
        }
    }
}
