//! What leaves the program as data: the terminal's `--json`, and later the worker and JavaScript.
//!
//! These types are twins of the core's: the core may change, their fields may not. Each says the JSON it makes.
//! [`literal`] is the one that is read too.

pub mod literal;

use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

use crate::array::memory::CellKind;
use crate::array::{ArrayShape, Dims, MemoryMap, Shape};
use crate::diagnostic::Diagnostic;
use crate::hlo::{EvalError, Module};
use crate::i18n::{Language, Message};

/// The most slots whose indices are listed unless all are asked for.
pub const LISTED_CELLS: i64 = 65_536;

/// How a value of some shape lies in memory.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum LayoutReport {
    /// An array, or a buffer that holds one.
    Array(Box<ArrayReport>),
    /// A tuple: its shape and its elements.
    Tuple {
        /// As XLA prints it, without the padding of 2017.
        shape: String,
        /// One report an element.
        elements: Vec<LayoutReport>,
    },
    /// A token or an opaque: its shape alone.
    Other {
        /// As XLA prints it.
        shape: String,
    },
}

/// How an array lies in memory.
#[derive(Clone, Debug, Serialize)]
pub struct ArrayReport {
    /// As XLA prints it, without the padding of 2017.
    pub shape: String,
    /// The sizes that the padding of 2017 gives the dimensions; null without such padding.
    pub padded: Option<Vec<i64>>,
    /// The number of dimensions.
    pub rank: usize,
    /// The number of dimensions whose size is not 1.
    pub true_rank: usize,
    /// Elements from one index of a dimension to the next; null where tiled.
    pub strides: Option<Vec<i64>>,
    /// Slots in memory; null where a dimension has no bound.
    pub cells: Option<i64>,
    /// Bytes in memory; null where a dimension has no bound.
    pub bytes: Option<i64>,
    /// Each slot's index, or null for padding, in memory order; left out where there are very many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Slots>,
}

/// The indices of all slots, written while they are walked: they are never held at once.
#[derive(Clone, Debug)]
pub struct Slots(MemoryMap);

impl Serialize for Slots {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(usize::try_from(self.0.cells()).ok())?;
        let mut index = Dims::from_elem(0, self.0.rank());
        for slot in 0..self.0.cells() {
            let element = self.0.index_of(slot, &mut index) == CellKind::Element;
            list.serialize_element(&element.then_some(&index[..]))?;
        }
        list.end()
    }
}

impl LayoutReport {
    /// The report of a valid shape; with `all` the slots are listed however many there are.
    pub fn of(shape: &Shape, all: bool) -> Self {
        match shape {
            Shape::Array(array) => Self::Array(Box::new(ArrayReport::of(array, shape.xla_text(), all))),
            Shape::Buffer(array) => Self::Array(Box::new(ArrayReport::of(array, shape.xla_text(), all))),
            Shape::Tuple(elements) => Self::Tuple {
                shape: shape.xla_text(),
                elements: elements.iter().map(|element| Self::of(element, all)).collect(),
            },
            Shape::Token | Shape::Opaque => Self::Other { shape: shape.xla_text() },
        }
    }
}

impl ArrayReport {
    fn of(array: &ArrayShape, shape: String, all: bool) -> Self {
        let map = MemoryMap::new(array).ok();
        let padding = array.layout.as_ref().and_then(|layout| layout.padding.as_ref());
        let strides = map.as_ref().and_then(MemoryMap::strides);
        Self {
            shape,
            padded: padding.filter(|p| !p.dimensions.is_empty()).map(|p| p.dimensions.to_vec()),
            rank: array.rank(),
            true_rank: array.dimensions.iter().filter(|size| **size != 1).count(),
            strides: strides.map(|strides| strides.to_vec()),
            cells: map.as_ref().map(MemoryMap::cells),
            bytes: map.as_ref().map(MemoryMap::bytes),
            memory: map.filter(|map| all || map.cells() <= LISTED_CELLS).map(Slots),
        }
    }
}

/// The slot of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinearReport {
    /// The slot, counted from 0.
    pub linear: i64,
}

/// What lies in a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SlotReport {
    /// An element.
    Element {
        /// Its index.
        index: Vec<i64>,
    },
    /// Padding.
    Padding {
        /// Always true.
        padding: bool,
    },
}

/// An input that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// What is wrong.
    pub error: ErrorBody,
    /// The shape as far as it was understood, where that is what is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
}

/// What is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// What is wrong, in a sentence.
    pub message: String,
    /// The label of the rule.
    pub rule: String,
    /// What to do; null where nothing is known.
    pub hint: Option<String>,
    /// Where it is, in characters from 1.
    pub column: usize,
}

impl ErrorReport {
    /// The report of this diagnostic of `source`.
    pub fn of(diagnostic: &Diagnostic, source: &str, shape: Option<String>, language: Language) -> Self {
        let (_, column) = diagnostic.position(source);
        let hint = diagnostic.hints.first().map(|hint| hint.message.say(language));
        let message = diagnostic.message.say(language);
        Self { error: ErrorBody { message, rule: diagnostic.rule.to_owned(), hint, column }, shape }
    }
}

/// Why a module has no result: what stands behind `"error"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What is wrong, in a sentence.
    pub message: String,
    /// The label of the rule.
    pub rule: String,
    /// What to do; null where nothing is known.
    pub hint: Option<String>,
    /// The line of the HLO text, from 1; null where it is not the text that is wrong.
    pub line: Option<usize>,
    /// Characters into the line, from 1; null with the line.
    pub column: Option<usize>,
}

impl Problem {
    /// What has no place in a text.
    pub fn new(rule: &str, message: &Message, hint: Option<&Message>, language: Language) -> Self {
        let hint = hint.map(|hint| hint.say(language));
        Self { message: message.say(language), rule: rule.to_owned(), hint, line: None, column: None }
    }

    /// A diagnostic of `source`.
    pub fn of(diagnostic: &Diagnostic, source: &str, language: Language) -> Self {
        let (line, column) = diagnostic.position(source);
        let hint = diagnostic.hints.first().map(|hint| &hint.message);
        let problem = Self::new(diagnostic.rule, &diagnostic.message, hint, language);
        Self { line: Some(line), column: Some(column), ..problem }
    }

    /// An error of a run, at the instruction of `source` it happened at.
    pub fn of_run(error: &EvalError, module: &Module, source: &str, language: Language) -> Self {
        Self::of(&error.diagnostic(module), source, language).placed(error.at.is_some())
    }

    fn placed(self, is_placed: bool) -> Self {
        if is_placed { self } else { Self { line: None, column: None, ..self } }
    }
}
