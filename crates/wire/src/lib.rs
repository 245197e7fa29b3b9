//! The JSON types of the terminal's `--json` and of the JavaScript interface.
//!
//! They are separate from the core's types: the core may change, their fields may not. Each documents its JSON; only
//! [`literal`] is parsed as well. [`diagnostic_record`] has the errors and diagnostics of the JavaScript package.

pub mod diagnostic_record;
pub mod inspect;
pub mod literal;

use serde::ser::{SerializeSeq, Serializer};
use serde::{Deserialize, Serialize};

use xla_array::layout_util::NamedOrder;
use xla_array::memory::SlotKind;
use xla_array::shape_util::{documented_true_rank, letter, true_rank};
use xla_array::{ArrayShape, Dims, MemoryMap, Shape};
use xla_hlo::{EvalError, Module};
use xla_messages::bug::OrBug as _;
use xla_messages::diagnostic::{Diagnostic, Severity};
use xla_messages::i18n::{Language, Message};

/// Maximum number of slots that are listed by default.
pub const MAX_LISTED_SLOTS: i64 = 65_536;

/// The memory layout of a shape.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum LayoutReport {
    /// An array, or a buffer that holds one.
    Array(Box<ArrayReport>),
    /// The layouts of a tuple's elements.
    Tuple {
        /// In XLA's syntax, without 2017 padding.
        shape: String,
        /// One report per element.
        elements: Vec<LayoutReport>,
    },
    /// A token or an opaque.
    Other {
        /// In XLA's syntax.
        shape: String,
    },
}

/// The memory layout of an array.
#[derive(Clone, Debug, Serialize)]
pub struct ArrayReport {
    /// In XLA's syntax, without 2017 padding.
    pub shape: String,
    /// The padded size of each dimension (2017); null without padding.
    pub padded: Option<Vec<i64>>,
    /// The content of padding (2017): `"zero"`, `"one"`, `"lowest"`, `"highest"`, `"unknown"` or `"invalid"`, which is
    /// not set; null without padding.
    pub padding_value: Option<&'static str>,
    /// The number of dimensions.
    pub rank: usize,
    /// The number of dimensions whose size is not 1, as XLA's code counts.
    pub true_rank: usize,
    /// The number of dimensions whose size is greater than 1, as XLA's documentation counts: it differs if a size is 0.
    pub documented_true_rank: usize,
    /// The letters of the dimensions in XLA's documentation, `["y", "x"]` at rank 2; null at rank 0 and above 4.
    pub letters: Option<Vec<char>>,
    /// Both names of the dimension order in XLA's documentation, `["dim 0 is minor", "column-major"]`: the second is
    /// exact at rank 2, and by analogy above. Null below rank 2 and for other orders.
    pub order: Option<[&'static str; 2]>,
    /// Elements between adjacent indices of each dimension; null if tiled.
    pub strides: Option<Vec<i64>>,
    /// Slots in memory; null if a dimension is unbounded.
    pub cells: Option<i64>,
    /// Bytes in memory; null if a dimension is unbounded.
    pub bytes: Option<i64>,
    /// The index of each slot, or null for padding, in memory order; omitted above [`MAX_LISTED_SLOTS`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Slots>,
}

/// Serializes the index of each slot without holding all of them.
#[derive(Clone, Debug)]
pub struct Slots(MemoryMap);

impl Serialize for Slots {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(usize::try_from(self.0.slot_count()).ok())?;
        let mut index = Dims::from_elem(0, self.0.rank());
        for slot in 0..self.0.slot_count() {
            let element = self.0.index_of(slot, &mut index) == SlotKind::Element;
            list.serialize_element(&element.then_some(&index[..]))?;
        }
        list.end()
    }
}

impl LayoutReport {
    /// The report of a valid shape; `lists_all_slots` overrides [`MAX_LISTED_SLOTS`].
    pub fn of(shape: &Shape, lists_all_slots: bool) -> Self {
        match shape {
            Shape::Array(array) => {
                Self::Array(Box::new(ArrayReport::of(array, shape.xla_text(), lists_all_slots)))
            }
            Shape::Buffer(array) => {
                Self::Array(Box::new(ArrayReport::of(array, shape.xla_text(), lists_all_slots)))
            }
            Shape::Tuple(elements) => Self::Tuple {
                shape: shape.xla_text(),
                elements: elements.iter().map(|element| Self::of(element, lists_all_slots)).collect(),
            },
            Shape::Token | Shape::Opaque => Self::Other { shape: shape.xla_text() },
        }
    }
}

impl ArrayReport {
    fn of(array: &ArrayShape, shape: String, lists_all_slots: bool) -> Self {
        let map = MemoryMap::new(array).ok();
        let padding = array.layout.as_ref().and_then(|layout| layout.padding.as_ref());
        let padding = padding.filter(|p| !p.dimensions.is_empty());
        let strides = map.as_ref().and_then(MemoryMap::strides);
        let rank = array.rank();
        let array_shape = Shape::Array(array.clone());
        Self {
            shape,
            padded: padding.map(|p| p.dimensions.to_vec()),
            padding_value: padding.map(|p| p.value.word()),
            rank,
            true_rank: true_rank(&array_shape).or_bug(rank, "an array without a true rank"),
            documented_true_rank: documented_true_rank(&array_shape)
                .or_bug(rank, "an array without a true rank"),
            letters: (0..rank).map(|d| letter(rank, d)).collect::<Option<_>>().filter(|_| rank > 0),
            order: NamedOrder::of_array(array).map(NamedOrder::names),
            strides: strides.map(|strides| strides.to_vec()),
            cells: map.as_ref().map(MemoryMap::slot_count),
            bytes: map.as_ref().map(MemoryMap::bytes),
            memory: map.filter(|map| lists_all_slots || map.slot_count() <= MAX_LISTED_SLOTS).map(Slots),
        }
    }
}

/// The slot of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotOfIndexReport {
    /// The slot, counted from 0.
    #[serde(rename = "linear")]
    pub slot: i64,
}

/// The content of a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SlotContentsReport {
    /// The slot holds an element.
    Element {
        /// The index of the element in the array.
        index: Vec<i64>,
    },
    /// The slot is padding.
    Padding {
        /// Always true; marks the report of padding.
        padding: bool,
    },
}

/// An invalid input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorReport {
    /// The error.
    pub error: ErrorBody,
    /// The shape as far as it was parsed, if the error is in its layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
}

/// An error in an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// The text for the user, in the requested language.
    pub message: String,
    /// The identifier of the rule.
    pub rule: String,
    /// What to do; null if there is no hint.
    pub hint: Option<String>,
    /// Its column, in characters from 1.
    pub column: usize,
}

impl ErrorReport {
    /// The report of a diagnostic of `source`.
    pub fn of(diagnostic: &Diagnostic, source: &str, shape: Option<String>, language: Language) -> Self {
        let (_, column) = diagnostic.position(source);
        let hint = diagnostic.hints.first().map(|hint| hint.message.localize(language));
        let message = diagnostic.message.localize(language);
        Self { error: ErrorBody { message, rule: diagnostic.rule.to_owned(), hint, column }, shape }
    }
}

/// An error of a module, the value of `"error"`, or a form of the documentation's builder that was lowered, an item of
/// `"notes"`, whose hint is the plain HLO.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The text for the user, in the requested language.
    pub message: String,
    /// The identifier of the rule.
    pub rule: String,
    /// What to do; null if there is no hint.
    pub hint: Option<String>,
    /// The line of the HLO text, from 1; null if the error is not in the text.
    pub line: Option<usize>,
    /// The column in the line, in characters from 1; null together with the line.
    pub column: Option<usize>,
}

impl Problem {
    /// An error without a position in the text.
    pub fn new(rule: &str, message: &Message, hint: Option<&Message>, language: Language) -> Self {
        let hint = hint.map(|hint| hint.localize(language));
        Self { message: message.localize(language), rule: rule.to_owned(), hint, line: None, column: None }
    }

    /// A diagnostic of `source`.
    pub fn of(diagnostic: &Diagnostic, source: &str, language: Language) -> Self {
        let (line, column) = diagnostic.position(source);
        let hint = diagnostic.hints.first().map(|hint| &hint.message);
        let problem = Self::new(diagnostic.rule, &diagnostic.message, hint, language);
        Self { line: Some(line), column: Some(column), ..problem }
    }

    /// The notes among the diagnostics of `source`.
    pub fn notes(diagnostics: &[Diagnostic], source: &str, language: Language) -> Vec<Self> {
        let notes = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Note);
        notes.map(|note| Self::of(note, source, language)).collect()
    }

    /// An error of a run, at the position in `source` of the failed instruction.
    pub fn from_run_error(error: &EvalError, module: &Module, source: &str, language: Language) -> Self {
        Self::of(&error.diagnostic(module), source, language).with_position_if(error.at.is_some())
    }

    fn with_position_if(self, has_position: bool) -> Self {
        if has_position { self } else { Self { line: None, column: None, ..self } }
    }
}
