//! Module → steps.
//!
//! [`instruction`] lowers one instruction, [`control`] calls, loops and conditionals; [`reshape`] reshapes views.
//!
//! Invariant: the steps of a computation are in the order of its instructions, so every value is written before it is read. Only
//! branches and loop bodies may be skipped, and their values are not used outside of them.

mod control;
mod instruction;
mod reshape;
pub mod unsupported;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use unsupported::{Reason, Unsupported};
use xla_array::{ArrayShape, Dynamic, Edition, ElementType, Literal, Shape};
use xla_hlo::eval::kernel::{MIN_KERNEL_WORK, MinKernelWork};
use xla_hlo::eval::regions::Regions;
use xla_hlo::{Computation, Instruction, InstructionId, Module, verify};
use xla_kernels::task::Move;
use xla_kernels::{Kernel, Task, choose};
use xla_ops::tasks::copy_type;
use xla_ops::{ComputationId, Effect};

use crate::array::{Array, Location, ValueId, ValueInfo, ValueTree, dense_view};
use crate::observation::{Observed, ObservedInstruction};
use crate::step::{Action, Loop, Origin, Step};

/// Maximum length of a plan: its steps, instructions, operands and result arrays, counted after inlining. Without it,
/// computations that call the next one twice would double the plan at every level.
const MAX_PLAN_LENGTH: usize = 1 << 18;

/// Maximum number of elements of a precomputed value, which occupies memory between runs.
const MAX_PRECOMPUTED_ELEMENTS: i64 = 1 << 22;

/// The parts of a plan, before allocations are assigned.
#[derive(Default)]
pub struct Lowered {
    pub values: Vec<ValueInfo>,
    /// Steps that depend only on constants: they are executed once, in the first run.
    pub precomputed_steps: Vec<Step>,
    pub steps: Vec<Step>,
    pub loops: Vec<Loop>,
    /// The array literals of constants.
    pub constants: Vec<Arc<Literal>>,
    /// The precomputed values.
    pub precomputed: Vec<ValueId>,
    pub result: Option<ValueTree>,
    /// The shapes of the arguments.
    pub parameters: Vec<Shape>,
    /// The instructions that `Action::Observe` refers to.
    pub observed: Vec<ObservedInstruction>,
}

/// A computation that is being lowered.
struct Frame<'m> {
    computation: &'m Computation,
    /// The values of the instructions that are already lowered, by index.
    instruction_values: Vec<Option<ValueTree>>,
    /// The index of each observed instruction in `Lowered::observed`.
    observed: Vec<Option<usize>>,
}

/// Options for compiling a plan.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Minimum work of a task for which kernels may round differently from the op's semantics: for smaller tasks, the semantics
    /// are fast enough, and round once. Within loops, the minimum is lower ([`MinKernelWork`]). In steps of the evaluator, about
    /// one operation on an element each.
    pub min_kernel_work: u64,
    /// The number of leading arguments that are the same in every run, e.g. weights: values that depend only on them are
    /// precomputed, and kernels pack them once.
    pub constant_parameters: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { min_kernel_work: MIN_KERNEL_WORK, constant_parameters: 0 }
    }
}

/// Rejects modules with side effects.
fn check_effects(module: &Module) -> Result<(), Unsupported> {
    for (index, computation) in (0..).zip(&module.computations) {
        for (id, instruction) in computation.iter() {
            if instruction.op.is_none_or(|op| op.effect(&instruction.attrs) != Effect::None) {
                return Err(Unsupported { at: Some((ComputationId(index), id)), reason: Reason::Effect });
            }
        }
    }
    Ok(())
}

/// The state of lowering.
pub struct Lowering<'m> {
    module: &'m Module,
    regions: Rc<Regions<'m>>,
    min_work: MinKernelWork,
    precomputes_constants: bool,
    lowered: Lowered,
    observed: Observed<'m>,
    origin: Origin,
    /// The number of loops and branches that enclose the current instruction.
    control_depth: usize,
    /// The number of calls that enclose it.
    call_depth: usize,
    /// The length so far, up to [`MAX_PLAN_LENGTH`].
    length: usize,
    /// The value of each constant that is already lowered.
    constants: BTreeMap<(ComputationId, InstructionId), ValueTree>,
}

/// The number of arrays, tokens and tuples of a shape.
fn part_count(shape: &Shape) -> usize {
    if let Shape::Tuple(elements) = shape { 1 + elements.iter().map(part_count).sum::<usize>() } else { 1 }
}

impl<'m> Lowering<'m> {
    /// Lowers a module.
    pub fn run(module: &'m Module, options: Options, observed: Observed<'m>) -> Result<Lowered, Unsupported> {
        let Options { min_kernel_work, constant_parameters } = options;
        let invalid = Unsupported { at: None, reason: Reason::Invalid };
        if verify::check_edition(module, Edition::Current).is_err() {
            return Err(invalid);
        }
        check_effects(module)?;
        let entry = module.entry.ok_or(invalid)?;
        let computation = module.get(entry).ok_or(invalid)?;
        let origin = Origin { at: (entry, InstructionId(0)), entry: (entry, InstructionId(0)) };
        let mut this = Self {
            module,
            regions: Rc::new(Regions::new(module)),
            min_work: MinKernelWork::for_module(module, min_kernel_work),
            precomputes_constants: constant_parameters > 0,
            lowered: Lowered::default(),
            observed,
            origin,
            control_depth: 0,
            call_depth: 0,
            length: 0,
            constants: BTreeMap::new(),
        };
        let mut arguments = Vec::new();
        for (index, id) in computation.parameters.iter().enumerate() {
            let shape = &computation.get(*id).ok_or(invalid)?.shape;
            arguments.push(this.new_argument(shape, index < constant_parameters)?);
            this.lowered.parameters.push(shape.clone());
        }
        let root = this.lower_computation(entry, &arguments)?;
        let interface = module.interface().ok_or(invalid)?;
        this.lowered.result = Some(root.with_layouts_of(&interface.result).ok_or(invalid)?);
        Ok(this.lowered)
    }

    fn unsupported(&self, reason: Reason) -> Unsupported {
        Unsupported { at: Some(self.origin.at), reason }
    }

    /// Adds to the length of the plan. Fails if it exceeds [`MAX_PLAN_LENGTH`].
    fn add_length(&mut self, by: usize) -> Result<(), Unsupported> {
        self.length = self.length.saturating_add(by);
        if self.length > MAX_PLAN_LENGTH { Err(self.unsupported(Reason::Length)) } else { Ok(()) }
    }

    /// Adds a step that writes existing values, and returns its index.
    fn emit_into(
        &mut self,
        action: Action,
        reads: Vec<Array>,
        writes: Vec<Array>,
    ) -> Result<usize, Unsupported> {
        self.add_length(1)?;
        self.lowered.steps.push(Step { action, reads, writes, origin: self.origin });
        Ok(self.lowered.steps.len() - 1)
    }

    /// Creates a value with the layout of a shape.
    fn new_value(
        &mut self,
        shape: &ArrayShape,
        location: Location,
        is_constant: bool,
    ) -> Result<Array, Unsupported> {
        if shape.dynamic.iter().any(|dynamic| *dynamic != Dynamic::Static) {
            return Err(self.unsupported(Reason::Shape));
        }
        let (view, elements) = dense_view(shape).ok_or_else(|| self.unsupported(Reason::Layout))?;
        let value = ValueId(self.lowered.values.len());
        let element_type = shape.element_type;
        self.lowered.values.push(ValueInfo { element_type, elements, location, is_constant });
        Ok(Array { value, shape: Rc::new(shape.clone()), view })
    }

    fn value_info(&self, value: ValueId) -> ValueInfo {
        self.lowered.values[value.0]
    }

    /// Creates the values of an argument.
    fn new_argument(&mut self, shape: &Shape, is_constant: bool) -> Result<ValueTree, Unsupported> {
        Ok(match shape {
            Shape::Array(shape) => {
                // Arguments are created first, so the index of an argument equals its `ValueId`.
                let index = self.lowered.values.len();
                ValueTree::Array(self.new_value(shape, Location::Argument(index), is_constant)?)
            }
            Shape::Tuple(elements) => {
                let trees = elements.iter().map(|element| self.new_argument(element, is_constant));
                ValueTree::Tuple(trees.collect::<Result<_, _>>()?)
            }
            Shape::Token => ValueTree::Token,
            Shape::Opaque | Shape::Buffer(_) => return Err(self.unsupported(Reason::Shape)),
        })
    }

    /// The value of the constant of the current instruction, with the layouts of its shape. All calls of its computation share
    /// the value, and the value shares the module's literal if that has the same layout.
    fn constant(&mut self, literal: &Arc<Literal>, shape: &Shape) -> Result<ValueTree, Unsupported> {
        if let Some(known) = self.constants.get(&self.origin.at) {
            return Ok(known.clone());
        }
        let tree = self.new_constant(literal, shape)?;
        self.constants.insert(self.origin.at, tree.clone());
        Ok(tree)
    }

    fn new_constant(&mut self, literal: &Arc<Literal>, shape: &Shape) -> Result<ValueTree, Unsupported> {
        let invalid = self.unsupported(Reason::Invalid);
        Ok(match (&**literal, shape) {
            (Literal::Array(_), Shape::Array(to)) if !to.is_static() => {
                return Err(self.unsupported(Reason::Shape));
            }
            (Literal::Array(array), Shape::Array(to)) => {
                let layout_matches = to.layout.is_none() || array.shape().layout == to.layout;
                let shared = if layout_matches {
                    literal.clone()
                } else {
                    Arc::new(Literal::Array(array.relayout_to(to.clone()).map_err(|_| invalid)?))
                };
                let shape = shared.as_array().ok_or(invalid)?.shape();
                let value = self.new_value(shape, Location::Constant(self.lowered.constants.len()), true)?;
                self.lowered.constants.push(shared);
                ValueTree::Array(value)
            }
            (Literal::Tuple(elements), Shape::Tuple(to)) if elements.len() == to.len() => {
                let pairs = elements.iter().zip(to);
                let trees = pairs.map(|(element, to)| self.new_constant(&Arc::new(element.clone()), to));
                ValueTree::Tuple(trees.collect::<Result<_, _>>()?)
            }
            (Literal::Token, Shape::Token) => ValueTree::Token,
            _ => return Err(invalid),
        })
    }

    /// Adds a step that writes new values of these shapes, and returns them.
    fn emit(
        &mut self,
        action: Action,
        reads: Vec<Array>,
        results: &[&ArrayShape],
    ) -> Result<Vec<Array>, Unsupported> {
        let is_pure =
            matches!(action, Action::Kernel { .. } | Action::PerElement(_) | Action::PerElementTuple(_));
        let element_count = results.iter().filter_map(|shape| shape.elements()).fold(0, i64::saturating_add);
        let is_constant = self.precomputes_constants
            && is_pure
            && self.control_depth == 0
            && element_count <= MAX_PRECOMPUTED_ELEMENTS
            && reads.iter().all(|array| self.value_info(array.value).is_constant);
        let mut writes = Vec::new();
        for shape in results {
            let location = if is_constant {
                Location::Precomputed(self.lowered.precomputed.len())
            } else {
                Location::Allocated
            };
            let array = self.new_value(shape, location, is_constant)?;
            if is_constant {
                self.lowered.precomputed.push(array.value);
            }
            writes.push(array);
        }
        if is_constant {
            self.add_length(1)?;
            let step = Step { action, reads, writes: writes.clone(), origin: self.origin };
            self.lowered.precomputed_steps.push(step);
        } else {
            self.emit_into(action, reads, writes.clone())?;
        }
        Ok(writes)
    }

    /// Copies an array to a new value with the layout of its shape.
    fn emit_copy(&mut self, array: &Array) -> Result<Array, Unsupported> {
        let (to, _) = dense_view(&array.shape).ok_or_else(|| self.unsupported(Reason::Layout))?;
        let (kernel, task) = self.copy_task(array.shape.element_type, array, to)?;
        let action = Action::Kernel { kernel, task };
        let shape = array.shape.clone();
        let mut writes = self.emit(action, vec![array.clone()], &[&shape])?;
        writes.pop().ok_or_else(|| self.unsupported(Reason::Invalid))
    }

    /// Copies an array to the initial state of a loop.
    fn emit_initialize(&mut self, array: &Array, to: &Array) -> Result<(), Unsupported> {
        let (kernel, task) = self.copy_task(array.shape.element_type, array, to.view.clone())?;
        let action = Action::Initialize { kernel, task };
        self.emit_into(action, vec![array.clone()], vec![to.clone()]).map(|_| ())
    }

    fn copy_task(
        &self,
        element_type: ElementType,
        from: &Array,
        to: xla_kernels::View,
    ) -> Result<(&'static Kernel, Task), Unsupported> {
        let parts = vec![(from.view.clone(), to)];
        let task = Task::Move(Move { ty: copy_type(element_type), parts, has_fill: false });
        let kernel = choose(&task).ok_or_else(|| self.unsupported(Reason::Layout))?;
        Ok((kernel, task))
    }

    /// Replaces the array of an instruction of the frame with a copy in the layout of its shape, unless it has that layout.
    /// Returns the dense array.
    fn densify_operand(&mut self, frame: &mut Frame, id: InstructionId) -> Result<Array, Unsupported> {
        let tree = frame.instruction_values.get(id.index()).and_then(Option::as_ref);
        let array =
            tree.and_then(ValueTree::as_array).cloned().ok_or_else(|| self.unsupported(Reason::Invalid))?;
        if array.is_dense() {
            return Ok(array);
        }
        let copy = self.emit_copy(&array)?;
        frame.instruction_values[id.index()] = Some(ValueTree::Array(copy.clone()));
        Ok(copy)
    }

    /// Adds a step that makes the value of the current instruction observable. It does not count towards the length of the plan.
    fn observe(
        &mut self,
        frame: &mut Frame,
        (id, instruction): (InstructionId, &Instruction),
        value: &ValueTree,
    ) {
        let index = self.lowered.observed.len();
        let operands =
            instruction.operands.iter().filter_map(|id| frame.observed.get(id.index()).copied()?);
        self.lowered.observed.push(ObservedInstruction::new(
            self.origin.at,
            instruction,
            operands.collect(),
            value.clone(),
        ));
        frame.observed[id.index()] = Some(index);
        let action = Action::Observe(index);
        let step = Step { action, reads: value.arrays(), writes: Vec::new(), origin: self.origin };
        self.lowered.steps.push(step);
    }

    /// Lowers the instructions of a computation that its root needs; returns the root's value.
    fn lower_computation(
        &mut self,
        id: ComputationId,
        arguments: &[ValueTree],
    ) -> Result<ValueTree, Unsupported> {
        let computation = self.module.get(id).ok_or_else(|| self.unsupported(Reason::Invalid))?;
        let root = computation.root.ok_or_else(|| self.unsupported(Reason::Invalid))?;
        let count = computation.instructions.len();
        // Dead instructions are visited, too.
        self.add_length(count)?;
        let mut needed = vec![false; count];
        needed[root.index()] = true;
        for at in self.observed.by_name().iter().filter(|at| at.0 == id) {
            if let Some(needed) = needed.get_mut(at.1.index()) {
                *needed = true;
            }
        }
        for (position, instruction) in computation.instructions.iter().enumerate().rev() {
            if needed[position] {
                instruction.operands.iter().for_each(|operand| needed[operand.index()] = true);
            }
        }
        let call_site = self.origin;
        let mut frame =
            Frame { computation, instruction_values: vec![None; count], observed: vec![None; count] };
        for (instruction_id, instruction) in computation.iter() {
            self.origin = Origin {
                at: (id, instruction_id),
                entry: if self.call_depth == 0 { (id, instruction_id) } else { call_site.entry },
            };
            if needed[instruction_id.index()] {
                let parts = part_count(&instruction.shape).max(instruction.operands.len());
                self.add_length(parts.saturating_sub(1))?;
                let value = self.lower_instruction(&mut frame, instruction, arguments)?;
                if self.observed.includes((id, instruction_id)) {
                    self.observe(&mut frame, (instruction_id, instruction), &value);
                }
                frame.instruction_values[instruction_id.index()] = Some(value);
            }
        }
        self.origin = call_site;
        frame.instruction_values[root.index()].take().ok_or_else(|| self.unsupported(Reason::Invalid))
    }
}
