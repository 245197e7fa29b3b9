//! Lowers one instruction to a view of its operand, a kernel's task, or the op's semantics.

use super::reshape::reshaped;
use super::unsupported::{Reason, Unsupported};
use super::{Frame, Lowering};
use crate::array::{Array, ValueTree, dense_view};
use crate::step::{Action, StartIndices};
use xla_array::{ArrayShape, Edition, Shape};
use xla_hlo::{Instruction, Module};
use xla_kernels::task::Move;
use xla_kernels::{Kernel, PreparedTask, Task, View, choose};
use xla_ops::{AttrValue, Fallback, OpContext, OpDef, PlannedTask, Semantics, TaskContext, TaskOperand};

/// Minimum number of steps of an unprepared task for an exact kernel; below, the call costs more than interpreting the
/// op.
const MIN_EXACT_KERNEL_STEPS: u64 = 17;

/// An instruction's op with the context it was bound in.
struct BoundOp<'a> {
    op: &'static dyn OpDef,
    cx: &'a OpContext<'a>,
    shape: &'a Shape,
}

impl BoundOp<'_> {
    fn task(&self, operands: &[Array], results: &[&ArrayShape]) -> Result<PlannedTask, Fallback> {
        let operands: Vec<TaskOperand> = operands.iter().map(Array::task_operand).collect();
        self.op.task(&TaskContext { cx: self.cx, operands: &operands, values: None, results })
    }
}

/// Whether the kernels of a task give the same results for any strides of their operands, and have a fast path for each.
fn supports_any_strides(task: &Task) -> bool {
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

/// Whether the start indices of an op are operands, so that its task is only known when the step runs.
fn has_dynamic_starts(opcode: &str) -> bool {
    matches!(opcode, "dynamic-slice" | "dynamic-update-slice")
}

impl Lowering<'_> {
    /// Lowers an instruction whose operands have values.
    pub(super) fn lower_instruction(
        &mut self,
        frame: &mut Frame,
        instruction: &Instruction,
        arguments: &[ValueTree],
    ) -> Result<ValueTree, Unsupported> {
        let invalid = self.unsupported(Reason::Invalid);
        let op = instruction.op.ok_or(invalid)?;
        let operands =
            instruction.operands.iter().map(|id| frame.instruction_values.get(id.index()).cloned().flatten());
        let operands: Vec<ValueTree> = operands.collect::<Option<_>>().ok_or(invalid)?;
        let value = match (instruction.opcode.as_str(), operands.as_slice()) {
            ("tuple", elements) => ValueTree::Tuple(elements.into()),
            ("opt-barrier", [value]) => value.clone(),
            ("constant", []) => match instruction.attrs.get("literal") {
                Some(AttrValue::Literal(literal)) => self.constant(literal, &instruction.shape)?,
                _ => return Err(invalid),
            },
            ("get-tuple-element", [ValueTree::Tuple(elements)]) => {
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
                    Semantics::Suspending(_) => self.lower_control_flow(instruction, &operands)?,
                    semantics => {
                        let bound = BoundOp { op, cx: &cx, shape: &instruction.shape };
                        self.lower_op(frame, instruction, &bound, semantics, &operands)?
                    }
                }
            }
        };
        value.with_layouts_of(&instruction.shape).ok_or(invalid)
    }

    /// Lowers an op other than control flow, constants and parameters.
    fn lower_op(
        &mut self,
        frame: &mut Frame,
        instruction: &Instruction,
        bound: &BoundOp,
        semantics: Semantics,
        operands: &[ValueTree],
    ) -> Result<ValueTree, Unsupported> {
        let results = TaskContext::arrays_of(bound.shape);
        let arrays: Option<Vec<Array>> = operands.iter().map(|node| node.as_array().cloned()).collect();
        if let Some(arrays) = arrays {
            if let ([result], false) = (results.as_slice(), has_dynamic_starts(&instruction.opcode))
                && let Some(view) = self.view_of_operand(instruction, bound, &arrays, result)?
            {
                return Ok(ValueTree::Array(view));
            }
            if let Some(writes) = self.lower_to_kernel(frame, instruction, bound, arrays.clone(), &results)? {
                return Ok(array_or_tuple(bound.shape, writes));
            }
            let action = match semantics {
                Semantics::PerElement(element) => Some(Action::PerElement(element)),
                Semantics::PerElementTuple(elements) => Some(Action::PerElementTuple(elements)),
                Semantics::Eager(op) => return self.lower_eager(bound, op, operands),
                _ => None,
            };
            let action = action.ok_or_else(|| self.unsupported(Reason::Invalid))?;
            return Ok(array_or_tuple(bound.shape, self.emit(action, arrays, &results)?));
        }
        match semantics {
            Semantics::Eager(op) => self.lower_eager(bound, op, operands),
            // Only these ops take tuples and tokens.
            _ => Err(self.unsupported(Reason::Shape)),
        }
    }

    /// Lowers an op that computes all of its results eagerly, on literals.
    fn lower_eager(
        &mut self,
        bound: &BoundOp,
        op: Box<dyn xla_ops::EagerOp>,
        operands: &[ValueTree],
    ) -> Result<ValueTree, Unsupported> {
        let reads = operands.iter().flat_map(ValueTree::arrays).collect();
        let shape = bound.shape.clone();
        let results: Vec<&ArrayShape> = leaves(&shape).ok_or_else(|| self.unsupported(Reason::Shape))?;
        let opcode = bound.op.meta().opcode;
        let action = Action::Eager { op, operands: operands.to_vec(), shape: shape.clone(), opcode };
        let mut writes = self.emit(action, reads, &results)?.into_iter();
        value_tree(&shape, &mut writes).ok_or_else(|| self.unsupported(Reason::Shape))
    }

    /// The result as a view of the operand, if the op only selects or reorders elements.
    fn view_of_operand(
        &mut self,
        instruction: &Instruction,
        bound: &BoundOp,
        operands: &[Array],
        result: &ArrayShape,
    ) -> Result<Option<Array>, Unsupported> {
        let [operand] = operands else { return Ok(None) };
        let (dense, _) = dense_view(result).ok_or_else(|| self.unsupported(Reason::Layout))?;
        let view = if instruction.opcode == "reshape" {
            reshaped(&operand.view, &dense.sizes)
        } else {
            match bound.task(operands, &[result]) {
                Ok(PlannedTask { task: Task::Move(task), .. }) if !task.has_fill => {
                    match task.parts.as_slice() {
                        [(from, to)] if *to == dense => Some(from.clone()),
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

    /// Lowers an instruction to a kernel; `None` if its semantics have to compute it.
    fn lower_to_kernel(
        &mut self,
        frame: &mut Frame,
        instruction: &Instruction,
        bound: &BoundOp,
        mut arrays: Vec<Array>,
        results: &[&ArrayShape],
    ) -> Result<Option<Vec<Array>>, Unsupported> {
        let Ok(mut planned) = bound.task(&arrays, results) else { return Ok(None) };
        let Some(mut kernel) = self.kernel_for(&planned.task) else { return Ok(None) };
        if has_dynamic_starts(&instruction.opcode) {
            return self.lower_dynamic_slice_or_update(instruction, planned, arrays, results).map(Some);
        }
        if !supports_any_strides(&planned.task) && !arrays.iter().all(Array::is_dense) {
            for (array, id) in arrays.iter_mut().zip(&instruction.operands) {
                *array = self.densify_operand(frame, *id)?;
            }
            let replanned = bound.task(&arrays, results);
            planned = replanned.map_err(|_| self.unsupported(Reason::Invalid))?;
            kernel = self.kernel_for(&planned.task).ok_or_else(|| self.unsupported(Reason::Invalid))?;
        }
        let reads = planned.reads.iter().map(|i| arrays.get(*i).cloned()).collect::<Option<_>>();
        let reads = reads.ok_or_else(|| self.unsupported(Reason::Invalid))?;
        self.emit(Action::Kernel { kernel, task: planned.task }, reads, results).map(Some)
    }

    /// The kernel for a task. Small tasks are interpreted by the op's semantics, as in the evaluator, unless the kernel is exact.
    fn kernel_for(&self, task: &Task) -> Option<&'static Kernel> {
        let steps = task.steps();
        let kernel = choose(task)?;
        // An unstable sort may order equal keys differently from the op's semantics.
        let is_exact = kernel.error_bound_ulp == 0.0 && !matches!(task, Task::Sort(_));
        let is_worthwhile = || steps >= MIN_EXACT_KERNEL_STEPS || PreparedTask::new(task).is_some();
        (steps >= self.min_work.in_computation(self.origin.at.0) || is_exact && is_worthwhile())
            .then_some(kernel)
    }

    /// Lowers a slice or an update whose start indices are known when the step runs.
    fn lower_dynamic_slice_or_update(
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
        // The views of the sliced or updated array, and of the slice within it.
        let (array, slice) = match task.parts.as_slice() {
            [(from, _)] if is_slice => (&data[0].view, from),
            [(_, to), (_, slice)] if !is_slice => (to, slice),
            _ => return Err(invalid),
        };
        let max_starts_and_strides = array.sizes.iter().zip(&slice.sizes).zip(&array.strides);
        let max_starts_and_strides = max_starts_and_strides.map(|((size, slice_size), stride)| {
            Ok((i64::try_from(size.saturating_sub(*slice_size)).map_err(|_| invalid)?, *stride))
        });
        let max_starts_and_strides: Vec<(i64, isize)> = max_starts_and_strides.collect::<Result<_, _>>()?;
        let first_start = data.len();
        let locations = match starts {
            [vector] if vector.shape.rank() == 1 => {
                let stride = vector.view.strides.first().copied().unwrap_or(0).unsigned_abs();
                (0..max_starts_and_strides.len())
                    .map(|d| (first_start, vector.view.offset + d * stride))
                    .collect()
            }
            scalars => (first_start..).zip(scalars).map(|(i, start)| (i, start.scalar_offset())).collect(),
        };
        let starts = StartIndices { locations, max_starts_and_strides };
        let mut parts = task.parts.into_iter();
        let action = if is_slice {
            let (from, to) = parts.next().ok_or(invalid)?;
            let contiguous_elements = contiguous_elements(&from, &to);
            Action::Slice { to, from, starts, contiguous_elements }
        } else {
            let parts: Vec<_> = parts.collect();
            let contiguous_elements = parts.get(1).and_then(|(from, to)| contiguous_elements(from, to));
            Action::Update { task: Move { ty: task.ty, parts, has_fill: false }, starts, contiguous_elements }
        };
        self.emit(action, arrays, results)
    }
}

/// The number of elements of two views of the same sizes, if both are row-major, so that they are copied as one block.
fn contiguous_elements(from: &View, to: &View) -> Option<usize> {
    (from.is_row_major() && to.is_row_major()).then(|| from.elements())
}

/// The arrays of a shape, depth first; `None` unless it consists of arrays, tuples and tokens.
fn leaves(shape: &Shape) -> Option<Vec<&ArrayShape>> {
    match shape {
        Shape::Array(array) => Some(vec![array]),
        Shape::Tuple(elements) => {
            let mut arrays = Vec::new();
            for element in elements {
                arrays.extend(leaves(element)?);
            }
            Some(arrays)
        }
        Shape::Token => Some(Vec::new()),
        Shape::Opaque | Shape::Buffer(_) => None,
    }
}

/// The value of a shape from its arrays, depth first.
fn value_tree(shape: &Shape, arrays: &mut impl Iterator<Item = Array>) -> Option<ValueTree> {
    Some(match shape {
        Shape::Array(_) => ValueTree::Array(arrays.next()?),
        Shape::Tuple(elements) => ValueTree::Tuple(
            elements.iter().map(|element| value_tree(element, arrays)).collect::<Option<_>>()?,
        ),
        _ => ValueTree::Token,
    })
}

/// One array, or a tuple of arrays, as the shape requires.
fn array_or_tuple(shape: &Shape, mut arrays: Vec<Array>) -> ValueTree {
    match (shape, arrays.pop()) {
        (Shape::Array(_), Some(array)) => ValueTree::Array(array),
        (_, last) => ValueTree::Tuple(arrays.into_iter().chain(last).map(ValueTree::Array).collect()),
    }
}
