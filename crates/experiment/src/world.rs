//! The world outside of an experiment: what the infeed's queue holds, how many replicas run it and on what, and the
//! functions of custom calls. All of it is simulated here, and all of it is in the link.
//!
//! Invariant: nothing here runs code of the visitor; a function is a text. What a module wants of the world is asked
//! of its ops ([`Needs`]), whatever they are called. Read [`super::outside_run`] next: a run in this world.

use std::collections::BTreeMap;

use super::arguments::{NoArgument, argument};
use crate::Experiment;
use xla_array::values::Values;
use xla_array::{ArrayLiteral, Literal, Shape, Value};
use xla_hlo::{Host, Module};
use xla_ops::HostNeeds;

/// The most replicas that are shown side by side.
pub const MOST_REPLICAS: usize = 8;

/// The most items in a queue.
pub const MOST_ITEMS: usize = 256;

/// How much each replica's values are above those of the one before, where it has none of its own.
pub const STEP: i64 = 10;

/// What the visitor has set of the world outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// The items of the infeed's queue, first in first out: literals without shapes. Every replica has such a queue.
    pub infeed: Vec<String>,
    /// Functions of custom calls by name, as JavaScript: the body of a function of `output` and `inputs`.
    pub functions: BTreeMap<String, String>,
    /// How many replicas run the module, 1 to [`MOST_REPLICAS`].
    pub replicas: usize,
    /// The number of the replica that is looked at.
    pub device: usize,
    /// Values of their own that replicas beyond the first have, by replica and parameter.
    pub values: BTreeMap<(usize, usize), Values>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            infeed: Vec::new(),
            functions: BTreeMap::new(),
            replicas: 1,
            device: 0,
            values: BTreeMap::new(),
        }
    }
}

/// What a module wants of the world outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    /// The shapes of the items it takes out of the infeed, in the order of the text.
    pub items: Vec<Shape>,
    /// Whether it puts something out.
    pub outfeed: bool,
    /// The functions it calls that are not known here, each once.
    pub functions: Vec<String>,
    /// Whether it talks to other replicas.
    pub devices: bool,
    /// Whether it draws random numbers.
    pub seed: bool,
}

impl Needs {
    /// What the instructions of a module want.
    pub fn of(module: &Module) -> Self {
        let mut needs = Self::default();
        let known = Host::default().targets();
        for instruction in module.computations.iter().flat_map(|c| &c.instructions) {
            let Some(op) = instruction.op else { continue };
            match op.host_needs(&instruction.attrs, &instruction.shape) {
                HostNeeds::Nothing => {}
                HostNeeds::Item(shape) => needs.items.push(*shape),
                HostNeeds::Outfeed => needs.outfeed = true,
                HostNeeds::Function(name) => {
                    if !known.contains(&name) && !needs.functions.contains(&name) {
                        needs.functions.push(name);
                    }
                }
                HostNeeds::Devices => needs.devices = true,
                HostNeeds::Seed => needs.seed = true,
            }
        }
        needs
    }

    /// Whether it is run in this world, rather than alone: so that its answers are kept, and every cell can be traced.
    pub fn are_outside(&self) -> bool {
        self.devices || !self.items.is_empty() || self.outfeed || !self.functions.is_empty()
    }

    /// Whether it could be run alone as well, without those answers.
    pub fn could_be_alone(&self, world: &World) -> bool {
        world.replicas <= 1 && self.items.is_empty() && !self.outfeed && self.functions.is_empty()
    }

    /// The shape that item `number` of the queue is read as: the infeeds take them in the order of the text, the last
    /// one all that are left.
    pub fn item(&self, number: usize) -> Option<&Shape> {
        self.items.get(number).or(self.items.last())
    }
}

/// An item of the queue. Errors: its text cannot be read, or there is no memory.
pub fn item(shape: &Shape, text: &str) -> Result<Literal, NoArgument> {
    argument(shape, &Values::Typed(text.to_owned()))
}

/// What a parameter holds on a replica: its own values, else those of the first replica, random ones from the next seed,
/// all others [`STEP`] higher for each replica. Errors: as [`argument`].
pub fn argument_of(
    experiment: &Experiment,
    shape: &Shape,
    replica: usize,
    parameter: usize,
) -> Result<Literal, NoArgument> {
    if let Some(own) = experiment.world.values.get(&(replica, parameter)).filter(|_| replica > 0) {
        return argument(shape, own);
    }
    let number = u32::try_from(replica).unwrap_or(u32::MAX);
    match experiment.values(parameter) {
        Values::Random(seed) => argument(shape, &Values::Random(seed.wrapping_add(number))),
        values => argument(shape, &values).map(|literal| raised(literal, replica)),
    }
}

fn raised(literal: Literal, replica: usize) -> Literal {
    match literal {
        other if replica == 0 => other,
        Literal::Array(array) => {
            let by = i64::try_from(replica).unwrap_or(0) * STEP;
            let t = array.element_type();
            let value = |index: &[i64]| match array.get(index).unwrap_or(Value::Int(0)) {
                Value::Pred(x) => Value::Pred(x != (replica % 2 == 1)),
                Value::Int(x) => Value::Int(x.wrapping_add(by)).convert(t),
                Value::Uint(x) => Value::Uint(x.wrapping_add(by.unsigned_abs())).convert(t),
                Value::Float(x) => Value::Float(x + float(by)).convert(t),
                Value::Complex(re, im) => Value::Complex(re + float(by), im).convert(t),
            };
            let made = ArrayLiteral::from_fn(array.shape().clone(), |_, index| value(index));
            Literal::Array(made.unwrap_or(array))
        }
        Literal::Tuple(elements) => {
            Literal::Tuple(elements.into_iter().map(|element| raised(element, replica)).collect())
        }
        Literal::Token => Literal::Token,
    }
}

/// At most 70, so exact.
fn float(by: i64) -> f64 {
    i32::try_from(by).map_or(0.0, f64::from)
}
