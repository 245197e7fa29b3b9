//! An experiment as plain data: the settings of the Ops screen, which a link restores.
//!
//! Invariant: nothing here runs a user's function; it is only text.

use std::collections::{BTreeMap, BTreeSet};

use xla_array::Edition;
use xla_array::values::ValueRule;

/// Maximum size of an experiment's HLO text; longer text is too slow to edit and draw.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// Maximum size of the text of a parameter's values, which undo stores and links contain: tens of thousands of numbers.
pub const MAX_VALUES_BYTES: usize = 1 << 18;

/// The settings of the Ops screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Experiment {
    /// A module as HLO text.
    pub text: String,
    /// The values of each parameter of the entry computation, by parameter number.
    pub values: Vec<ValueRule>,
    /// The edition of XLA whose rules apply.
    pub edition: Edition,
    /// The seed of the random number generators.
    pub seed: u64,
    /// Host and devices: queues, functions, other replicas.
    pub environment: Environment,
    /// The name of the selected instruction of the entry computation; empty for the root.
    pub focus: String,
    /// The name of the documents' entry that opened the experiment; empty if there is none.
    pub document_entry: String,
    /// The selected array of a tuple result, by position among its leaves.
    pub leaf: usize,
    /// The selected output cell, as a row-major index.
    pub cursor: i64,
    /// The step within that cell, from 1; 0 for the whole cell.
    pub cell_step: i64,
    /// Whether the result is compared with that of the other edition.
    pub compares_editions: bool,
    /// The panels whose memory is shown, by title: `lhs`, `out`.
    pub shown_memory: BTreeSet<String>,
}

/// Maximum number of panels whose memory is shown; a link could name more.
pub const MAX_SHOWN_MEMORY: usize = 64;

impl Experiment {
    /// An experiment with this HLO text and defaults.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::empty() }
    }

    /// The experiment without text, which a link without an op opens.
    pub const fn empty() -> Self {
        Self {
            text: String::new(),
            values: Vec::new(),
            edition: Edition::Current,
            seed: 0,
            environment: Environment::SINGLE_REPLICA,
            focus: String::new(),
            document_entry: String::new(),
            leaf: 0,
            cursor: 0,
            cell_step: 0,
            compares_editions: false,
            shown_memory: BTreeSet::new(),
        }
    }

    /// Whether it is [`Experiment::empty`].
    pub fn is_empty(&self) -> bool {
        *self == Self::empty()
    }

    /// The experiment without selections and view settings, which do not affect its values.
    #[must_use]
    pub fn without_view(&self) -> Self {
        let (focus, shown_memory) = (String::new(), BTreeSet::new());
        Self {
            cursor: 0,
            cell_step: 0,
            leaf: 0,
            compares_editions: false,
            focus,
            shown_memory,
            ..self.clone()
        }
    }

    /// Selects an instruction, or the root if its name is empty, the first array of its value and the first cell of that.
    pub fn select(&mut self, focus: String) {
        self.focus = focus;
        self.select_leaf(0);
    }

    /// Selects an array of the result, and its first cell.
    pub fn select_leaf(&mut self, leaf: usize) {
        self.leaf = leaf;
        self.select_cell(0);
    }

    /// Selects an output cell as a whole.
    pub fn select_cell(&mut self, cursor: i64) {
        (self.cursor, self.cell_step) = (cursor.max(0), 0);
    }

    /// Shows or hides the memory of a panel.
    pub fn toggle_memory(&mut self, panel: &str) {
        if !self.shown_memory.remove(panel) && self.shown_memory.len() < MAX_SHOWN_MEMORY {
            self.shown_memory.insert(panel.to_owned());
        }
    }

    /// The values of parameter `number`.
    pub fn values(&self, number: usize) -> ValueRule {
        self.values.get(number).cloned().unwrap_or(ValueRule::Iota)
    }

    /// Sets the values of parameter `number`.
    pub fn set_values(&mut self, number: usize, values: ValueRule) {
        if self.values.len() <= number {
            self.values.resize(number + 1, ValueRule::Iota);
        }
        self.values[number] = values;
    }

    /// Sets the values of parameter `number` on a replica.
    pub fn set_values_on(&mut self, replica: usize, number: usize, values: ValueRule) {
        match replica {
            0 => self.set_values(number, values),
            _ => drop(self.environment.values.insert((replica, number), values)),
        }
    }
}

/// Maximum number of replicas, which the page shows side by side.
pub const MAX_REPLICAS: usize = 8;

/// Maximum number of items of the infeed queue, each of which has a text field.
pub const MAX_QUEUE_ITEMS: usize = 256;

/// The simulated host and devices of an experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// The items of the infeed queue, first in first out: literals without shapes. Every replica gets a copy.
    pub infeed: Vec<String>,
    /// The functions of custom calls by target, as JavaScript: the body of a function of `output` and `inputs`.
    pub functions: BTreeMap<String, String>,
    /// The number of replicas, 1 to [`MAX_REPLICAS`].
    pub replicas: usize,
    /// The index of the selected replica.
    pub selected_replica: usize,
    /// Values that override those of replica 0, by replica and parameter number.
    pub values: BTreeMap<(usize, usize), ValueRule>,
}

impl Environment {
    /// One replica without queues and functions.
    const SINGLE_REPLICA: Self = Self {
        infeed: Vec::new(),
        functions: BTreeMap::new(),
        replicas: 1,
        selected_replica: 0,
        values: BTreeMap::new(),
    };
}

impl Default for Environment {
    fn default() -> Self {
        Self::SINGLE_REPLICA
    }
}
