//! An experiment as plain data: all that the visitor of the Ops screen has set, and all that a link restores.
//!
//! Invariant: nothing here runs code of the visitor; a function is a text.

use std::collections::BTreeMap;

use xla_array::Edition;
use xla_array::values::Values;

/// The longest text of an experiment, in bytes. HLO itself has no limit; a page has to draw it.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// The longest text of values that may be typed, bytes: some ten thousand numbers. Undo keeps it, and a link carries it.
pub const MAX_VALUES_BYTES: usize = 1 << 18;

/// All that the visitor has set, and all that a link restores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Experiment {
    /// A module as HLO text.
    pub text: String,
    /// What each parameter of the entry computation holds, by number; letters stand for their numbers.
    pub values: Vec<Values>,
    /// Which XLA answers.
    pub edition: Edition,
    /// What random numbers start from.
    pub seed: u64,
    /// Host and devices: queues, functions, other replicas.
    pub environment: Environment,
    /// The name of the selected instruction of the entry computation; empty for the root.
    pub focus: String,
    /// Which array of the result is stepped through, where it is a tuple.
    pub leaf: usize,
    /// The output cell that is stepped to: its number in row-major order.
    pub cursor: i64,
}

impl Experiment {
    /// A text and nothing else.
    pub fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::empty() }
    }

    pub(crate) fn empty() -> Self {
        Self {
            text: String::new(),
            values: Vec::new(),
            edition: Edition::Now,
            seed: 0,
            environment: Environment::default(),
            focus: String::new(),
            leaf: 0,
            cursor: 0,
        }
    }

    /// What parameter `number` holds.
    pub fn values(&self, number: usize) -> Values {
        self.values.get(number).cloned().unwrap_or(Values::Iota)
    }

    /// Sets what a parameter holds.
    pub fn set_values(&mut self, number: usize, values: Values) {
        if self.values.len() <= number {
            self.values.resize(number + 1, Values::Iota);
        }
        self.values[number] = values;
    }
}

/// The most replicas that are shown side by side.
pub const MAX_REPLICAS: usize = 8;

/// The most items in a queue.
pub const MAX_QUEUE_ITEMS: usize = 256;

/// Host and devices of an experiment, all simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// The items of the infeed's queue, first in first out: literals without shapes. Every replica has its own queue.
    pub infeed: Vec<String>,
    /// Functions of custom calls by name, as JavaScript: the body of a function of `output` and `inputs`.
    pub functions: BTreeMap<String, String>,
    /// How many replicas run the module, 1 to [`MAX_REPLICAS`].
    pub replicas: usize,
    /// The number of the selected replica.
    pub device: usize,
    /// Values of their own that replicas beyond the first have, by replica and parameter.
    pub values: BTreeMap<(usize, usize), Values>,
}

impl Default for Environment {
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
