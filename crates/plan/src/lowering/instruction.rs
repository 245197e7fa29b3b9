//! One instruction: a view of its operand, a kernel's task, or the op's body.

use super::reshaped::reshaped;
use super::unsupported::{Reason, Unsupported};
use super::{Frame, Lowering};
use crate::array::{Array, Node, plain_view};
use crate::step::{Action, Starts};
use xla_array::{ArrayShape, Edition, Shape};
use xla_hlo::{Instruction, Module};
use xla_kernels::{Kernel, Task, choose};
use xla_ops::{AttrValue, Fallback, OpContext, OpDef, PlannedTask, Semantics, TaskContext, TaskOperand};

/// Steps up to which the body is quicker than a kernel with the same results.
const MAX_BODY_STEPS: u64 = 16;

/// The instruction as its op sees it.
struct Bound<'a> {
    op: &'static dyn OpDef,
    cx: &'a OpContext<'a>,
    shape: &'a Shape,
}

impl Bound<'_> {
    fn task(&self, operands: &[Array], results: &[&ArrayShape]) -> Result<PlannedTask, Fallback> {
        let operands: Vec<TaskOperand> = operands.iter().map(Array::task_operand).collect();
        self.op.task(&TaskContext { cx: self.cx, operands: &operands, values: None, results })
    }
}

/// Whether a kernel has the same results for any strides of what it reads, and is not slow with some.
fn reads_views(task: &Task) -> bool {
    matches!(
        task,
        Task::Move(_)
            | Task::Unary(_)
            | Task::Binary(_)
            | Task::Compare(_)
            | Task::Select(_)
            | Task::Clamp(_)
            | Task::Convert(_)
            | Task::Dot(_)
    )
}

/// Whether the start indices of an op are operands.
fn is_dynamic(opcode: &str) -> bool {
    matches!(opcode, "dynamic-slice" | "dynamic-update-slice")
}

impl Lowering<'_> {
    /// The value of an instruction, whose operands are lowered.
    pub(super) fn instruction(
        &mut self,
        frame: &mut Frame,
        instruction: &Instruction,
        arguments: &[Node],
    ) -> Result<Node, Unsupported> {
        let invalid = self.unsupported(Reason::Invalid);
        let op = instruction.op.ok_or(invalid)?;
        let operands = instruction.operands.iter().map(|id| frame.values.get(id.index()).cloned().flatten());
        let operands: Vec<Node> = operands.collect::<Option<_>>().ok_or(invalid)?;
        let value = match (instruction.opcode.as_str(), operands.as_slice()) {
            ("tuple", elements) => Node::Tuple(elements.into()),
            ("opt-barrier", [value]) => value.clone(),
            ("constant", []) => match instruction.attrs.get("literal") {
                Some(AttrValue::Literal(literal)) => self.constant(literal, &instruction.shape)?,
                _ => return Err(invalid),
            },
            ("get-tuple-element", [Node::Tuple(elements)]) => {
                let index = match instruction.attrs.get("index") {
                    Some(AttrValue::Int(index)) => usize::try_from(*index).ok(),
                    _ => None,
                };
                index.and_then(|index| elements.get(index)).cloned().ok_or(invalid)?
            }
            _ => {
                let regions = self.regions.clone();
                let shapes = Module::operand_shapes(frame.computation, instruction);
                let cx = regions.infer(instruction, &shapes, Some(&instruction.shape), Edition::Current);
                let cx = cx.ok_or(invalid)?;
                match xla_ops::bind(op, &cx).map_err(|_| invalid)? {
                    Semantics::Parameter(number) => arguments.get(number).cloned().ok_or(invalid)?,
                    Semantics::Constant(_) => return Err(invalid),
                    Semantics::Suspending(_) => self.control(instruction, &operands)?,
                    body => {
                        let bound = Bound { op, cx: &cx, shape: &instruction.shape };
                        self.computed(frame, instruction, &bound, body, &operands)?
                    }
                }
            }
        };
        value.laid_out(&instruction.shape).ok_or(invalid)
    }

    fn computed(
        &mut self,
        frame: &mut Frame,
        instruction: &Instruction,
        bound: &Bound,
        body: Semantics,
        operands: &[Node],
    ) -> Result<Node, Unsupported> {
        let results = TaskContext::arrays_of(bound.shape);
        let arrays: Option<Vec<Array>> = operands.iter().map(|node| node.as_array().cloned()).collect();
        if let Some(arrays) = arrays {
            if let ([result], false) = (results.as_slice(), is_dynamic(&instruction.opcode))
                && let Some(view) = self.viewed(instruction, bound, &arrays, result)?
            {
                return Ok(Node::Array(view));
            }
            if let Some(writes) = self.task(frame, instruction, bound, arrays.clone(), &results)? {
                return Ok(in_shape(bound.shape, writes));
            }
            let action = match body {
                Semantics::PerElement(cell) => Some(Action::Cells(cell)),
                Semantics::PerElementTuple(cells) => Some(Action::TupleCells(cells)),
                Semantics::Whole(op) => return self.whole(bound, op, operands),
                _ => None,
            };
            let action = action.ok_or_else(|| self.unsupported(Reason::Invalid))?;
            return Ok(in_shape(bound.shape, self.push(action, arrays, &results)?));
        }
        match body {
            Semantics::Whole(op) => self.whole(bound, op, operands),
            // A body of cells whose operands are not all arrays.
            _ => Err(self.unsupported(Reason::Shape)),
        }
    }

    /// An op that is evaluated at once, on literals.
    fn whole(
        &mut self,
        bound: &Bound,
        op: Box<dyn xla_ops::WholeOp>,
        operands: &[Node],
    ) -> Result<Node, Unsupported> {
        let reads = operands.iter().flat_map(Node::arrays).collect();
        let shape = bound.shape.clone();
        let results: Vec<&ArrayShape> = leaves(&shape).ok_or_else(|| self.unsupported(Reason::Shape))?;
        let opcode = bound.op.meta().opcode;
        let action = Action::Whole { op, operands: operands.to_vec(), shape: shape.clone(), opcode };
        let mut writes = self.push(action, reads, &results)?.into_iter();
        structured(&shape, &mut writes).ok_or_else(|| self.unsupported(Reason::Shape))
    }

    /// The result as a view of an operand, if it has the same cells.
    fn viewed(
        &mut self,
        instruction: &Instruction,
        bound: &Bound,
        operands: &[Array],
        result: &ArrayShape,
    ) -> Result<Option<Array>, Unsupported> {
        let [operand] = operands else { return Ok(None) };
        let (plain, _) = plain_view(result).ok_or_else(|| self.unsupported(Reason::Layout))?;
        let view = if instruction.opcode == "reshape" {
            reshaped(&operand.view, &plain.sizes)
        } else {
            match bound.task(operands, &[result]) {
                Ok(PlannedTask { task: Task::Move(task), .. }) if !task.has_fill => {
                    match task.parts.as_slice() {
                        [(from, to)] if *to == plain => Some(from.clone()),
                        _ => None,
                    }
                }
                _ => None,
            }
        };
        let is_same_type = operand.shape.element_type == result.element_type;
        let view = view.filter(|view| is_same_type && view.strides.iter().all(|stride| *stride >= 0));
        Ok(view.map(|view| Array { value: operand.value, shape: std::rc::Rc::new(result.clone()), view }))
    }

    /// The results by a kernel, if one is to compute the instruction.
    fn task(
        &mut self,
        frame: &mut Frame,
        instruction: &Instruction,
        bound: &Bound,
        mut arrays: Vec<Array>,
        results: &[&ArrayShape],
    ) -> Result<Option<Vec<Array>>, Unsupported> {
        let Ok(mut planned) = bound.task(&arrays, results) else { return Ok(None) };
        let Some(mut kernel) = self.chosen(&planned.task) else { return Ok(None) };
        if is_dynamic(&instruction.opcode) {
            return self.dynamic(instruction, planned, arrays, results).map(Some);
        }
        if !reads_views(&planned.task) && !arrays.iter().all(Array::is_plain) {
            for (array, id) in arrays.iter_mut().zip(&instruction.operands) {
                *array = self.plain(frame, *id)?;
            }
            let again = bound.task(&arrays, results);
            planned = again.map_err(|_| self.unsupported(Reason::Invalid))?;
            kernel = self.chosen(&planned.task).ok_or_else(|| self.unsupported(Reason::Invalid))?;
        }
        let reads = planned.reads.iter().map(|i| arrays.get(*i).cloned()).collect::<Option<_>>();
        let reads = reads.ok_or_else(|| self.unsupported(Reason::Invalid))?;
        self.push(Action::Kernel { kernel, task: planned.task }, reads, results).map(Some)
    }

    /// The kernel for a task. A small one goes to the op's body, as in the evaluator, unless the kernel has the same bits.
    fn chosen(&self, task: &Task) -> Option<&'static Kernel> {
        let steps = task.steps();
        let kernel = choose(task)?;
        // Where the order of equal keys is free, the kernel's may differ from the body's.
        let is_exact =
            kernel.error_bound_ulp == 0.0 && steps > MAX_BODY_STEPS && !matches!(task, Task::Sort(_));
        (steps >= self.min_steps || is_exact).then_some(kernel)
    }

    /// A slice or an update whose start is known when the step runs.
    fn dynamic(
        &mut self,
        instruction: &Instruction,
        planned: PlannedTask,
        arrays: Vec<Array>,
        results: &[&ArrayShape],
    ) -> Result<Vec<Array>, Unsupported> {
        let invalid = self.unsupported(Reason::Invalid);
        let is_slice = instruction.opcode == "dynamic-slice";
        let Task::Move(task) = planned.task else { return Err(invalid) };
        let (data, starts) = arrays.split_at(if is_slice { 1 } else { 2 });
        // The part has its own sizes within the sizes of all: those of the operand.
        let (of, part) = match task.parts.as_slice() {
            [(from, _)] if is_slice => (&data[0].view, from),
            [(_, to), (_, part)] if !is_slice => (to, part),
            _ => return Err(invalid),
        };
        let limits = of.sizes.iter().zip(&part.sizes).zip(&of.strides);
        let limits = limits.map(|((all, own), stride)| {
            Ok((i64::try_from(all.saturating_sub(*own)).map_err(|_| invalid)?, *stride))
        });
        let limits: Vec<(i64, isize)> = limits.collect::<Result<_, _>>()?;
        let first = data.len();
        let cells = match starts {
            [all] if all.shape.rank() == 1 => {
                let stride = all.view.strides.first().copied().unwrap_or(0).unsigned_abs();
                (0..limits.len()).map(|d| (first, all.view.offset + d * stride)).collect()
            }
            each => (first..).zip(each).map(|(i, start)| (i, start.first_cell())).collect(),
        };
        let starts = Starts { cells, limits };
        let mut parts = task.parts.into_iter();
        let action = if is_slice {
            let (from, to) = parts.next().ok_or(invalid)?;
            Action::Slice { to, from, starts }
        } else {
            Action::Update {
                task: xla_kernels::task::Move { parts: parts.collect(), ..task_of(task.ty) },
                starts,
            }
        };
        self.push(action, arrays, results)
    }
}

fn task_of(ty: xla_kernels::Type) -> xla_kernels::task::Move {
    xla_kernels::task::Move { ty, parts: Vec::new(), has_fill: false }
}

/// The arrays of a shape, depth first; `None` if it has something else than arrays, tuples and tokens.
fn leaves(shape: &Shape) -> Option<Vec<&ArrayShape>> {
    match shape {
        Shape::Array(array) => Some(vec![array]),
        Shape::Tuple(elements) => {
            let mut all = Vec::new();
            for element in elements {
                all.extend(leaves(element)?);
            }
            Some(all)
        }
        Shape::Token => Some(Vec::new()),
        Shape::Opaque | Shape::Buffer(_) => None,
    }
}

/// A value of a shape that has these arrays.
fn structured(shape: &Shape, arrays: &mut impl Iterator<Item = Array>) -> Option<Node> {
    Some(match shape {
        Shape::Array(_) => Node::Array(arrays.next()?),
        Shape::Tuple(elements) => {
            Node::Tuple(elements.iter().map(|element| structured(element, arrays)).collect::<Option<_>>()?)
        }
        _ => Node::Token,
    })
}

/// An array, or a tuple of arrays.
fn in_shape(shape: &Shape, mut arrays: Vec<Array>) -> Node {
    match (shape, arrays.pop()) {
        (Shape::Array(_), Some(array)) => Node::Array(array),
        (_, last) => Node::Tuple(arrays.into_iter().chain(last).map(Node::Array).collect()),
    }
}
