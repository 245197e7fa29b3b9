//! Ops as tasks for kernels: what an op says so that [`xla_kernels`] can do it instead of its body.
//!
//! Invariant: a task means what the body means. Where it cannot (another edition, an order of its own, a layout with
//! tiles), the op answers a [`Fallback`], and the body is run; the app shows which of both it was, and why.

use super::attrs::{AttrValue, WindowDim};
use super::computations::Simple;
use super::data::Data;
use super::infer::OpContext;
use xla_array::{ArrayShape, Edition, ElementType, MemoryMap, Shape};
use xla_kernels::task::{Array, Direction, Reducer, Window};
use xla_kernels::{Task, Type, View};
use xla_messages::cause::Cause;

/// Why an instruction is left to its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// No kernel does what the op does.
    NoKernel,
    /// It is so small that the body is as quick, and rounds once.
    Small,
    /// A layout has tiles or packs elements.
    Layout,
    /// No kernel takes the element type.
    ElementType,
    /// The computation is not one that kernels know.
    Computation,
    /// Whoever looks on wants to see each application.
    Observed,
    /// In this edition the op is another.
    Edition,
    /// Kernels do not support these values, e.g. NaN in a sort.
    Values,
    /// Kernels are switched off.
    Off,
    /// No kernel supports the task, by its element types, shapes or attributes.
    Unsupported,
    /// A kernel would, and was not available.
    Unavailable(Cause),
}

impl Fallback {
    /// Every one but [`Fallback::Unavailable`].
    pub const ALL: [Self; 10] = [
        Self::NoKernel,
        Self::Small,
        Self::Layout,
        Self::ElementType,
        Self::Computation,
        Self::Observed,
        Self::Edition,
        Self::Values,
        Self::Off,
        Self::Unsupported,
    ];

    /// The key of its sentence in the catalogues.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::NoKernel => "fallback-no-kernel",
            Self::Small => "fallback-small",
            Self::Layout => "fallback-layout",
            Self::ElementType => "fallback-element-type",
            Self::Computation => "fallback-computation",
            Self::Observed => "fallback-watched",
            Self::Edition => "fallback-edition",
            Self::Values => "fallback-values",
            Self::Off => "fallback-off",
            Self::Unsupported => "fallback-unsupported",
            Self::Unavailable(_) => "fallback-unavailable",
        }
    }
}

/// A task, and the operands that it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedTask {
    /// The task.
    pub task: Task,
    /// Operand numbers, in the order of the task's inputs.
    pub reads: Vec<usize>,
}

/// The instruction for which an op returns a task, with its values.
pub struct TaskContext<'a> {
    /// The instruction.
    pub cx: &'a OpContext<'a>,
    /// The values of its operands.
    pub operands: &'a [Data],
    /// The arrays of the result, with layouts.
    pub results: &'a [&'a ArrayShape],
}

/// The kernel type for copying elements.
fn copy_type(element_type: ElementType) -> Type {
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
pub(super) fn count(number: i64) -> Result<usize, Fallback> {
    usize::try_from(number).map_err(|_| Fallback::NoKernel)
}

fn view(map: &MemoryMap) -> Result<View, Fallback> {
    let strides = map.strides().ok_or(Fallback::Layout)?;
    let strides = strides.iter().map(|stride| isize::try_from(*stride).map_err(|_| Fallback::Layout));
    let sizes = map.sizes().iter().map(|size| count(*size));
    Ok(View {
        offset: 0,
        sizes: sizes.collect::<Result<_, _>>()?,
        strides: strides.collect::<Result<_, _>>()?,
    })
}

impl TaskContext<'_> {
    /// Refuses ops of XLA 2017, which no kernel computes.
    pub fn require_current_edition(&self) -> Result<(), Fallback> {
        if self.cx.edition == Edition::Now { Ok(()) } else { Err(Fallback::Edition) }
    }

    /// The view of an operand.
    pub fn view(&self, operand: usize) -> Result<View, Fallback> {
        view(self.operands.get(operand).and_then(Data::as_array).ok_or(Fallback::NoKernel)?.map())
    }

    /// An operand to compute with.
    pub fn array(&self, operand: usize) -> Result<Array, Fallback> {
        let array = self.operands.get(operand).and_then(Data::as_array).ok_or(Fallback::NoKernel)?;
        Ok(Array {
            ty: task_type(array.element_type()).ok_or(Fallback::ElementType)?,
            view: view(array.map())?,
        })
    }

    /// An operand to compute with, broadcast to the sizes of the result if it is a scalar.
    pub fn repeated(&self, operand: usize) -> Result<Array, Fallback> {
        let (mut array, out) = (self.array(operand)?, self.out_view()?);
        if array.view.rank() == 0 && out.rank() > 0 {
            array.view = View { offset: 0, strides: vec![0; out.rank()], sizes: out.sizes };
        }
        Ok(array)
    }

    /// The kernel type by which elements of an operand are copied: their own, or an unsigned integer of their width.
    pub fn copy_type(&self, operand: usize) -> Result<Type, Fallback> {
        let array = self.operands.get(operand).and_then(Data::as_array).ok_or(Fallback::NoKernel)?;
        Ok(copy_type(array.element_type()))
    }

    fn result(&self, i: usize) -> Result<&ArrayShape, Fallback> {
        self.results.get(i).copied().ok_or(Fallback::NoKernel)
    }

    /// The view of a result.
    pub fn result_view(&self, i: usize) -> Result<View, Fallback> {
        view(&MemoryMap::new(self.result(i)?).map_err(|_| Fallback::Layout)?)
    }

    /// The view of the only result.
    pub fn out_view(&self) -> Result<View, Fallback> {
        if self.results.len() == 1 { self.result_view(0) } else { Err(Fallback::NoKernel) }
    }

    /// The only result, to be computed.
    pub fn out(&self) -> Result<Array, Fallback> {
        let view = self.out_view()?;
        Ok(Array { ty: task_type(self.result(0)?.element_type).ok_or(Fallback::ElementType)?, view })
    }

    /// A task that copies one view of an operand to a view of the result.
    pub fn moves(&self, operand: usize, from: View, to: View) -> Result<PlannedTask, Fallback> {
        let ty = self.copy_type(operand)?;
        let task = Task::Move(xla_kernels::task::Move { ty, parts: vec![(from, to)], has_fill: false });
        Ok(PlannedTask { task, reads: vec![operand] })
    }

    /// The reducer of a computation that is one op, supported by kernels, on both its parameters.
    pub fn reducer(&self, attr: &'static str, ty: Type) -> Result<Reducer, Fallback> {
        let known = || Some(self.simple(attr)?.opcode);
        let is_pred = ty == Type::Pred;
        Ok(match known().ok_or(Fallback::Computation)? {
            "add" | "maximum" if is_pred => Reducer::Or,
            "multiply" | "minimum" if is_pred => Reducer::And,
            "add" => Reducer::Add,
            "multiply" => Reducer::Mul,
            "maximum" => Reducer::Max,
            "minimum" => Reducer::Min,
            "and" => Reducer::And,
            "or" => Reducer::Or,
            "xor" => Reducer::Xor,
            _ => return Err(Fallback::Computation),
        })
    }

    /// A computation that is one op on both its parameters, in either order.
    fn simple(&self, attr: &'static str) -> Option<Simple<'_>> {
        let simple = self.cx.computations.simple(self.cx.computation(attr).ok()?)?;
        (simple.parameters == [0, 1] || simple.parameters == [1, 0]).then_some(simple)
    }

    /// The direction by which a computation compares its first two parameters, and whether by the total order.
    pub fn compares(&self, attr: &'static str) -> Result<(Direction, bool), Fallback> {
        let found = || {
            let simple = self.simple(attr).filter(|simple| simple.opcode == "compare")?;
            let word = |name| match simple.attrs.get(name) {
                Some(AttrValue::Word(word)) => Some(*word),
                _ => None,
            };
            let direction = direction(word("direction"))?;
            let direction = if simple.parameters == [0, 1] { direction } else { turned(direction) };
            Some((direction, word("type") == Some("TOTALORDER")))
        };
        found().ok_or(Fallback::Computation)
    }

    /// The result's arrays of a shape.
    pub fn arrays_of(shape: &Shape) -> Vec<&ArrayShape> {
        match shape {
            Shape::Array(array) => vec![array],
            Shape::Tuple(elements) => elements.iter().filter_map(Shape::as_array).collect(),
            _ => Vec::new(),
        }
    }
}

/// The direction with this word; equality, the default, without one.
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

/// The direction with both sides exchanged.
fn turned(direction: Direction) -> Direction {
    match direction {
        Direction::Lt => Direction::Gt,
        Direction::Le => Direction::Ge,
        Direction::Gt => Direction::Lt,
        Direction::Ge => Direction::Le,
        same => same,
    }
}

/// A window as kernels know it; one that breaks no rule always fits, but for numbers beyond the machine's.
pub(super) fn windows(dims: &[WindowDim]) -> Result<Vec<Window>, Fallback> {
    let padding = |number: i64| isize::try_from(number).map_err(|_| Fallback::NoKernel);
    let window = |dim: &WindowDim| {
        Ok(Window {
            size: count(dim.size)?,
            stride: count(dim.stride)?,
            low: padding(dim.pad_low)?,
            high: padding(dim.pad_high)?,
            base_dilation: count(dim.base_dilation)?,
            dilation: count(dim.window_dilation)?,
            is_reversed: dim.reversal,
        })
    };
    dims.iter().map(window).collect()
}
