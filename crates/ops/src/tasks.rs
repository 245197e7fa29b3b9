//! Conversion of instructions to kernel tasks ([`xla_kernels::Task`]), which replace the op's semantics for large
//! inputs.
//!
//! Invariant: a task computes the same values as the semantics. If no task does (XLA 2017, an evaluation order that
//! kernels do not follow, a tiled layout), the op returns a [`Fallback`] and the semantics run; the app shows the
//! choice and its reason.

use super::attrs::{AttrValue, WindowDim};
use super::computations::SingleBinaryOp;
use super::data::Data;
use super::infer::OpContext;
use xla_array::{ArrayShape, Edition, ElementType, MemoryMap, Shape};
use xla_kernels::task::{Array, Direction, Reducer, Window};
use xla_kernels::{Task, Type, View};
use xla_messages::cause::Cause;

/// The reason why the reference evaluator, not a kernel, computes an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// No kernel implements the op.
    NoKernel,
    /// The instruction is too small for a kernel to be faster.
    TooSmall,
    /// A layout is tiled or packs several elements into a byte.
    UnsupportedLayout,
    /// No kernel supports the element type.
    UnsupportedElementType,
    /// Kernels do not support the called computation, e.g. a reducer of several ops.
    UnsupportedComputation,
    /// The observer wants every call of a computation, which kernels do not report.
    Observed,
    /// Kernels do not implement the op of XLA 2017.
    UnsupportedEdition,
    /// Kernels do not support these values, e.g. NaN in a sort.
    UnsupportedValues,
    /// The user disabled kernels.
    KernelsOff,
    /// No kernel supports the task, by its element types, shapes or attributes.
    UnsupportedTask,
    /// A kernel supports it, but could not be loaded or run.
    Unavailable(Cause),
}

impl Fallback {
    /// All except [`Fallback::Unavailable`], in an order that the worker's messages rely on.
    pub const ALL: [Self; 10] = [
        Self::NoKernel,
        Self::TooSmall,
        Self::UnsupportedLayout,
        Self::UnsupportedElementType,
        Self::UnsupportedComputation,
        Self::Observed,
        Self::UnsupportedEdition,
        Self::UnsupportedValues,
        Self::KernelsOff,
        Self::UnsupportedTask,
    ];

    /// The message key.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::NoKernel => "fallback-no-kernel",
            Self::TooSmall => "fallback-small",
            Self::UnsupportedLayout => "fallback-layout",
            Self::UnsupportedElementType => "fallback-element-type",
            Self::UnsupportedComputation => "fallback-computation",
            Self::Observed => "fallback-observed",
            Self::UnsupportedEdition => "fallback-edition",
            Self::UnsupportedValues => "fallback-values",
            Self::KernelsOff => "fallback-off",
            Self::UnsupportedTask => "fallback-unsupported",
            Self::Unavailable(_) => "fallback-unavailable",
        }
    }
}

/// A task and the operands it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTask {
    /// The task for a kernel.
    pub task: Task,
    /// Operand numbers, in the order of the task's inputs.
    pub reads: Vec<usize>,
}

/// An array operand of a task: its element type, and the view of its elements in the operand's buffer.
#[derive(Clone, Debug)]
pub struct TaskOperand {
    /// The element type.
    pub element_type: ElementType,
    /// Its elements, with strides of at least 0, or the reason why there is no view.
    pub view: Result<View, Fallback>,
}

impl TaskOperand {
    /// An array in the layout of this map.
    pub fn from_map(map: &MemoryMap) -> Self {
        Self { element_type: map.element_type(), view: view(map) }
    }
}

/// An instruction that is about to run, or is planned, with its operands, all of which are arrays.
pub struct TaskContext<'a> {
    /// The instruction, as shape inference sees it.
    pub cx: &'a OpContext<'a>,
    /// The views of its operands.
    pub operands: &'a [TaskOperand],
    /// The values of its operands; `None` in a plan, which adds the offsets that depend on them itself.
    pub values: Option<&'a [Data]>,
    /// The shapes of the result's arrays, with layouts.
    pub results: &'a [&'a ArrayShape],
}

/// The kernel type for copying elements.
pub fn copy_type(element_type: ElementType) -> Type {
    task_type(element_type).unwrap_or(match element_type.bytes() {
        2 => Type::U16,
        4 => Type::U32,
        8 => Type::U64,
        _ => Type::U8,
    })
}

/// The kernel type for computing with elements.
fn task_type(element_type: ElementType) -> Option<Type> {
    Some(match element_type {
        ElementType::Pred => Type::Pred,
        ElementType::S8 => Type::S8,
        ElementType::S16 => Type::S16,
        ElementType::S32 => Type::S32,
        ElementType::S64 => Type::S64,
        ElementType::U8 => Type::U8,
        ElementType::U16 => Type::U16,
        ElementType::U32 => Type::U32,
        ElementType::U64 => Type::U64,
        ElementType::F16 => Type::F16,
        ElementType::BF16 => Type::BF16,
        ElementType::F32 => Type::F32,
        ElementType::F64 => Type::F64,
        ElementType::C64 => Type::C64,
        ElementType::C128 => Type::C128,
        _ => return None,
    })
}

/// A size or dimension number as `usize`.
pub(super) fn to_usize(number: i64) -> Result<usize, Fallback> {
    usize::try_from(number).map_err(|_| Fallback::NoKernel)
}

/// The view of an array in the layout of this map; fails for a layout with tiles.
fn view(map: &MemoryMap) -> Result<View, Fallback> {
    let strides = map.strides().ok_or(Fallback::UnsupportedLayout)?;
    let strides =
        strides.iter().map(|stride| isize::try_from(*stride).map_err(|_| Fallback::UnsupportedLayout));
    let sizes = map.sizes().iter().map(|size| to_usize(*size));
    Ok(View {
        offset: 0,
        sizes: sizes.collect::<Result<_, _>>()?,
        strides: strides.collect::<Result<_, _>>()?,
    })
}

impl TaskContext<'_> {
    /// Fails in XLA 2017, whose ops kernels do not implement.
    pub fn require_current_edition(&self) -> Result<(), Fallback> {
        if self.cx.edition == Edition::Current { Ok(()) } else { Err(Fallback::UnsupportedEdition) }
    }

    /// The view of an operand.
    pub fn view(&self, operand: usize) -> Result<View, Fallback> {
        self.operands.get(operand).ok_or(Fallback::NoKernel)?.view.clone()
    }

    /// An operand to compute with.
    pub fn array(&self, operand: usize) -> Result<Array, Fallback> {
        let array = self.operands.get(operand).ok_or(Fallback::NoKernel)?;
        Ok(Array {
            ty: task_type(array.element_type).ok_or(Fallback::UnsupportedElementType)?,
            view: array.view.clone()?,
        })
    }

    /// An operand to compute with; a scalar is broadcast to the sizes of the result, by strides of 0.
    pub fn broadcast_array(&self, operand: usize) -> Result<Array, Fallback> {
        let (mut array, out) = (self.array(operand)?, self.out_view()?);
        if array.view.rank() == 0 && out.rank() > 0 {
            array.view = View { offset: array.view.offset, strides: vec![0; out.rank()], sizes: out.sizes };
        }
        Ok(array)
    }

    /// The kernel type by which elements of an operand are copied: their own, or an unsigned integer of their width.
    pub fn copy_type(&self, operand: usize) -> Result<Type, Fallback> {
        Ok(copy_type(self.operands.get(operand).ok_or(Fallback::NoKernel)?.element_type))
    }

    fn result(&self, i: usize) -> Result<&ArrayShape, Fallback> {
        self.results.get(i).copied().ok_or(Fallback::NoKernel)
    }

    /// The view of a result.
    pub fn result_view(&self, i: usize) -> Result<View, Fallback> {
        view(&MemoryMap::new(self.result(i)?).map_err(|_| Fallback::UnsupportedLayout)?)
    }

    /// The view of the only result.
    pub fn out_view(&self) -> Result<View, Fallback> {
        if self.results.len() == 1 { self.result_view(0) } else { Err(Fallback::NoKernel) }
    }

    /// The only result, as the output array of a task.
    pub fn out(&self) -> Result<Array, Fallback> {
        let view = self.out_view()?;
        Ok(Array {
            ty: task_type(self.result(0)?.element_type).ok_or(Fallback::UnsupportedElementType)?,
            view,
        })
    }

    /// A task that copies one view of an operand to a view of the result.
    pub fn copy_task(&self, operand: usize, from: View, to: View) -> Result<PlannedTask, Fallback> {
        let ty = self.copy_type(operand)?;
        let task = Task::Move(xla_kernels::task::Move { ty, parts: vec![(from, to)], has_fill: false });
        Ok(PlannedTask { task, reads: vec![operand] })
    }

    /// The reducer of a computation that is one op, supported by kernels, on both its parameters.
    pub fn reducer(&self, attr: &'static str, ty: Type) -> Result<Reducer, Fallback> {
        let is_pred = ty == Type::Pred;
        Ok(match self.single_binary_op(attr).ok_or(Fallback::UnsupportedComputation)?.opcode {
            "add" | "maximum" if is_pred => Reducer::Or,
            "multiply" | "minimum" if is_pred => Reducer::And,
            "add" => Reducer::Add,
            "multiply" => Reducer::Mul,
            "maximum" => Reducer::Max,
            "minimum" => Reducer::Min,
            "and" => Reducer::And,
            "or" => Reducer::Or,
            "xor" => Reducer::Xor,
            _ => return Err(Fallback::UnsupportedComputation),
        })
    }

    /// A computation that is a single binary op on its two parameters, in either order.
    fn single_binary_op(&self, attr: &'static str) -> Option<SingleBinaryOp<'_>> {
        let op = self.cx.computations.single_binary_op(self.cx.computation(attr).ok()?)?;
        (op.parameters == [0, 1] || op.parameters == [1, 0]).then_some(op)
    }

    /// The comparison direction of a computation that compares its first two parameters, and whether it uses the total
    /// order.
    pub fn comparison(&self, attr: &'static str) -> Result<(Direction, bool), Fallback> {
        let found = || {
            let compare = self.single_binary_op(attr).filter(|op| op.opcode == "compare")?;
            let word = |name| match compare.attrs.get(name) {
                Some(AttrValue::Keyword(word)) => Some(*word),
                _ => None,
            };
            let direction = direction(word("direction"))?;
            let direction =
                if compare.parameters == [0, 1] { direction } else { with_swapped_operands(direction) };
            Some((direction, word("type") == Some("TOTALORDER")))
        };
        found().ok_or(Fallback::UnsupportedComputation)
    }

    /// The arrays of a result shape: itself, or its tuple elements.
    pub fn arrays_of(shape: &Shape) -> Vec<&ArrayShape> {
        match shape {
            Shape::Array(array) => vec![array],
            Shape::Tuple(elements) => elements.iter().filter_map(Shape::as_array).collect(),
            _ => Vec::new(),
        }
    }
}

/// The comparison direction of this name; equality, XLA's default, without one.
pub(super) fn direction(word: Option<&str>) -> Option<Direction> {
    Some(match word.unwrap_or("EQ") {
        "EQ" => Direction::Eq,
        "NE" => Direction::Ne,
        "LT" => Direction::Lt,
        "LE" => Direction::Le,
        "GT" => Direction::Gt,
        "GE" => Direction::Ge,
        _ => return None,
    })
}

/// The direction with the same result for swapped operands.
fn with_swapped_operands(direction: Direction) -> Direction {
    match direction {
        Direction::Lt => Direction::Gt,
        Direction::Le => Direction::Ge,
        Direction::Gt => Direction::Lt,
        Direction::Ge => Direction::Le,
        same => same,
    }
}

/// Converts a window for kernels. Fails only if a number does not fit in `usize`.
pub(super) fn windows(dims: &[WindowDim]) -> Result<Vec<Window>, Fallback> {
    let padding = |number: i64| isize::try_from(number).map_err(|_| Fallback::NoKernel);
    let window = |dim: &WindowDim| {
        Ok(Window {
            size: to_usize(dim.size)?,
            stride: to_usize(dim.stride)?,
            low: padding(dim.pad_low)?,
            high: padding(dim.pad_high)?,
            base_dilation: to_usize(dim.base_dilation)?,
            dilation: to_usize(dim.window_dilation)?,
            is_reversed: dim.reversal,
        })
    };
    dims.iter().map(window).collect()
}
