//! What an experiment gives: the value of every instruction, and for a cell the cells it came from and went to.
//!
//! Everything here is asked of the ops' own bodies through [`crate::hlo`]; nothing is worked out a second time.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::super::document::Values;
use super::super::values::ValueSource;
use super::Experiment;
use crate::array::literal::parse::parse;
use crate::array::{ArrayLiteral, Dims, Edition, Literal, Shape};
use crate::diagnostic::Diagnostic;
use crate::hlo::evaluate::Values as RunValues;
use crate::hlo::{EvalError, Evaluator, InstructionId, Limits, Module};
use crate::ops::{Applied, Base, CellAt, Data, Source};

/// The most cells read while all output cells are asked where they came from, to answer where a cell went.
const MOST_READS: usize = 1 << 20;

/// What parameter `number` holds, and what is wrong with a typed one. `None` where there is no room for it.
pub fn argument(shape: &Shape, values: &Values) -> (Option<Literal>, Option<Diagnostic>) {
    match (shape, values) {
        (Shape::Buffer(array), _) => argument(&Shape::Array((**array).clone()), values),
        (Shape::Array(array), _) => {
            let (source, problem) = ValueSource::new(values, array);
            let literal = ArrayLiteral::from_fn(array.clone(), |number, _| source.value(number)).ok();
            (literal.map(Literal::Array), problem)
        }
        (Shape::Tuple(_), Values::Typed(text)) => {
            let read = parse(text, shape);
            let problem = read.diagnostics.into_iter().next();
            (read.value.or_else(|| Literal::zeros(shape).ok()), problem)
        }
        (Shape::Tuple(elements), _) => {
            let elements: Option<Vec<Literal>> = elements.iter().map(|e| argument(e, values).0).collect();
            (elements.map(Literal::Tuple), None)
        }
        (Shape::Token | Shape::Opaque, _) => (Some(Literal::Token), None),
    }
}

/// The arguments of a module's entry computation.
pub fn arguments(experiment: &Experiment, module: &Module) -> Option<Vec<Literal>> {
    let signature = crate::ops::Computations::signature(module, module.entry?)?.1;
    let shapes = signature.parameters.iter().enumerate();
    shapes.map(|(number, shape)| argument(shape, &experiment.values(number)).0).collect()
}

/// Output cells by the operand and the cell of it that they came from.
type Uses = BTreeMap<(usize, CellAt), Vec<CellAt>>;

/// [`Uses`] of an instruction, once asked for; `None` where there are too many cells.
type Known = Rc<OnceCell<Option<Uses>>>;

/// The values of a run.
#[derive(Clone)]
pub struct Ran {
    module: Rc<Module>,
    edition: Edition,
    values: Rc<RunValues>,
    /// Steps taken.
    pub steps: u64,
    uses: Rc<RefCell<BTreeMap<InstructionId, Known>>>,
}

impl PartialEq for Ran {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.values, &other.values)
    }
}

impl Ran {
    /// Runs a module without errors on the experiment's arguments, within limits. Errors: those of the run.
    pub fn new(experiment: &Experiment, module: &Rc<Module>, limits: Limits) -> Result<Self, EvalError> {
        let arguments = arguments(experiment, module).unwrap_or_default();
        let (values, steps) = {
            let mut evaluator = Evaluator::new(module).edition(experiment.edition).limits(limits);
            let values = evaluator.run_all(&arguments)?;
            (values, evaluator.steps())
        };
        Ok(Self::of(module.clone(), experiment.edition, values, steps))
    }

    /// Values that were computed elsewhere.
    pub fn of(module: Rc<Module>, edition: Edition, values: RunValues, steps: u64) -> Self {
        Self { module, edition, values: Rc::new(values), steps, uses: Rc::default() }
    }

    /// The module that ran.
    pub fn module(&self) -> &Rc<Module> {
        &self.module
    }

    /// The value of an instruction of the entry computation.
    pub fn value(&self, id: InstructionId) -> Option<&Data> {
        self.values.get(id)
    }

    fn ask<T>(
        &self,
        ask: impl FnOnce(&mut Evaluator, &RunValues) -> Result<T, EvalError>,
    ) -> Result<T, EvalError> {
        let mut evaluator = Evaluator::new(&self.module).edition(self.edition).limits(Limits::default());
        ask(&mut evaluator, &self.values)
    }

    /// The cells of an instruction's operands that a cell of its value came from, in the order they were read.
    pub fn sources(&self, id: InstructionId, cell: &CellAt) -> Result<Vec<Source>, EvalError> {
        self.ask(|evaluator, values| evaluator.provenance(values, id, cell))
    }

    /// The sources of a cell, with the calls of computations on elements that made it, in their order.
    pub fn applications(
        &self,
        id: InstructionId,
        cell: &CellAt,
    ) -> Result<(Vec<Source>, Vec<Applied>), EvalError> {
        self.ask(|evaluator, values| evaluator.applications(values, id, cell))
    }

    /// The base area of an instruction of the entry computation, where its op has one.
    pub fn base(&self, id: InstructionId) -> Option<Base> {
        let entry = self.module.entry_computation()?;
        let instruction = entry.get(id)?;
        let shapes = Module::operand_shapes(entry, instruction);
        instruction.op?.base(&self.module.infer(
            instruction,
            &shapes,
            Some(&instruction.shape),
            self.edition,
        )?)
    }

    /// The cells of the parameters that a cell came from, through all instructions between.
    pub fn origins(&self, id: InstructionId, cell: &CellAt) -> Result<Vec<Source>, EvalError> {
        self.ask(|evaluator, values| evaluator.provenance_of_parameters(values, id, cell))
    }

    /// The parameters that an instruction depends on, through whatever stands between: number and instruction.
    pub fn above(&self, id: InstructionId) -> Vec<(usize, InstructionId)> {
        let Some(entry) = self.module.entry_computation() else { return Vec::new() };
        let mut reached = std::collections::BTreeSet::from([id]);
        // Operands stand before their users.
        for (user, instruction) in entry.iter().collect::<Vec<_>>().into_iter().rev() {
            if reached.contains(&user) {
                reached.extend(instruction.operands.iter().copied());
            }
        }
        entry.parameters.iter().copied().enumerate().filter(|(_, id)| reached.contains(id)).collect()
    }

    /// The cells of an instruction's value that came, among others, from a cell of an operand; `None` where there
    /// are too many cells to ask.
    pub fn uses(&self, id: InstructionId, operand: usize, cell: &CellAt) -> Option<Vec<CellAt>> {
        let known = self.uses.borrow_mut().entry(id).or_default().clone();
        let uses = known.get_or_init(|| self.all_uses(id)).as_ref()?;
        Some(uses.get(&(operand, cell.clone())).cloned().unwrap_or_default())
    }

    fn all_uses(&self, id: InstructionId) -> Option<Uses> {
        let mut uses = Uses::new();
        let mut reads = 0;
        let cells = cells_of(self.value(id)?);
        if cells.len() > MOST_READS {
            return None;
        }
        for cell in cells {
            let sources = self.sources(id, &cell).ok()?;
            reads += sources.len();
            if reads > MOST_READS {
                return None;
            }
            for source in sources {
                let made = uses.entry((source.operand, source.cell)).or_default();
                if made.last() != Some(&cell) {
                    made.push(cell.clone());
                }
            }
        }
        Some(uses)
    }
}

/// Every cell of a value, in row-major order of each of its arrays.
fn cells_of(data: &Data) -> Vec<CellAt> {
    match data {
        Data::Array(array) => {
            let sizes = &array.shape().dimensions;
            (0..array.map().elements()).map(|number| CellAt::array(&index_of(number, sizes))).collect()
        }
        Data::Tuple(elements) => {
            let of = |(i, element): (usize, &Data)| {
                cells_of(element).into_iter().map(move |c| c.within(i)).collect::<Vec<_>>()
            };
            elements.iter().enumerate().flat_map(of).collect()
        }
        Data::Token => Vec::new(),
    }
}

/// The index of element `number` in row-major order.
pub fn index_of(number: i64, sizes: &[i64]) -> Dims {
    let (mut index, mut rest) = (Dims::from_elem(0, sizes.len()), number);
    for (e, size) in index.iter_mut().zip(sizes).rev() {
        (*e, rest) = (rest % (*size).max(1), rest / (*size).max(1));
    }
    index
}

/// The number of an element in row-major order.
pub fn number_of(index: &[i64], sizes: &[i64]) -> i64 {
    index.iter().zip(sizes).fold(0, |number, (e, size)| number * size + e)
}

/// The arrays in a value, each with its path through the tuples.
pub fn leaves(data: &Data) -> Vec<(Vec<usize>, std::sync::Arc<ArrayLiteral>)> {
    match data {
        Data::Array(array) => vec![(Vec::new(), array.clone())],
        Data::Tuple(elements) => {
            let within = |i: usize, (mut path, array): (Vec<usize>, _)| {
                path.insert(0, i);
                (path, array)
            };
            let of = |(i, element): (usize, &Data)| {
                leaves(element).into_iter().map(move |leaf| within(i, leaf)).collect::<Vec<_>>()
            };
            elements.iter().enumerate().flat_map(of).collect()
        }
        Data::Token => Vec::new(),
    }
}
