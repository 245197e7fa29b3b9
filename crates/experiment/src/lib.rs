//! What the visitor of the Ops screen has set: HLO text, the values of its parameters, and where the step is.
//!
//! An [`Experiment`] is all that a link restores. The text is the single source: forms change parts of it
//! ([`edit`]), nothing is kept beside it, so that whatever runs here can be copied into any other XLA tool. The ops
//! are known only through `xla_ops`; nothing here names one. Read [`preset`] for where experiments come from,
//! [`run`] for what they give.

pub mod arguments;
pub mod compared;
pub mod edit;
pub mod editions;
pub mod foreign;
pub mod iterations;
pub mod outside_run;
pub mod preset;
pub mod run;
mod uses;
pub mod world;

use xla_array::Edition;
use xla_array::values::Values;

/// The longest text an experiment may have here, bytes. HLO itself has no limit; a page has to draw it.
pub const MAX_TEXT_BYTES: usize = 1 << 20;

/// The longest text of values that may be typed, bytes: some ten thousand numbers. Undo keeps it, and a link carries it.
pub const LONGEST_VALUES: usize = 1 << 18;

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
    /// What lies outside: queues, functions, other replicas.
    pub world: world::World,
    /// The name of the instruction of the entry computation that is looked at; the root where it is empty.
    pub focus: String,
    /// Which array of the result is stepped through, where it is a tuple.
    pub leaf: usize,
    /// The output cell that is stepped to: its number in row-major order.
    pub cursor: i64,
}

impl Default for Experiment {
    /// The first example of the documents' figures: a window over a small array would say more, but broadcast comes
    /// first in the text they know.
    fn default() -> Self {
        preset::all().next().map_or_else(Self::empty, |preset| preset.experiment())
    }
}

impl Experiment {
    /// A text and nothing else.
    pub fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::empty() }
    }

    fn empty() -> Self {
        Self {
            text: String::new(),
            values: Vec::new(),
            edition: Edition::Now,
            seed: 0,
            world: world::World::default(),
            focus: String::new(),
            leaf: 0,
            cursor: 0,
        }
    }

    /// What parameter `number` holds.
    pub fn values(&self, number: usize) -> Values {
        self.values.get(number).cloned().unwrap_or(Values::Iota)
    }

    /// What parameter `number`, of this shape, holds on the replica that is looked at, as the visitor would write it.
    pub fn values_here(&self, shape: &xla_array::Shape, number: usize) -> Values {
        let device = self.world.device;
        let own = self.world.values.get(&(device, number)).cloned();
        match (device, own, self.values(number)) {
            (0, _, values) | (_, Some(values), _) => values,
            (_, None, Values::Random(seed)) => {
                Values::Random(seed.wrapping_add(u32::try_from(device).unwrap_or(u32::MAX)))
            }
            (_, None, _) => {
                match world::argument_of(self, shape, device, number) {
                    Ok(literal) => Values::Typed(literal.text(xla_array::value::text::Exactness::RoundTrip)),
                    // The text that cannot be read is the first replica's.
                    Err(_) => self.values(number),
                }
            }
        }
    }

    /// Sets what a parameter holds.
    pub fn set_values(&mut self, number: usize, values: Values) {
        if self.values.len() <= number {
            self.values.resize(number + 1, Values::Iota);
        }
        self.values[number] = values;
    }
}
