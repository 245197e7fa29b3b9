//! Search of a module's instructions by name, opcode, shape, metadata and attributes.
//!
//! [`SearchIndex`] has the lower-cased texts of each [`Field`], every distinct text once; an
//! [`IndexBuilder`] makes it in steps. A [`Search`] looks for the terms of
//! a query in these texts, then visits the instructions, in as many steps as the caller likes; the best hits so far are
//! available at any time. Case is ignored for ASCII letters only, so that positions in the text are those of the original.

mod index;
mod query;
mod run;
mod table;

pub use index::{IndexBuilder, SearchIndex};
pub use query::{Query, Term};
pub use run::{Hit, Search};

/// The property of an instruction that the text states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Field {
    /// Its name.
    Name,
    /// Its opcode.
    Opcode,
    /// Its shape with the layout.
    Shape,
    /// The `op_name` of its metadata: its name in the program it was compiled from.
    OpName,
    /// The source location: file, line and function.
    Source,
    /// Its attributes and annotations, without metadata: `dimensions={0}, sharding={replicated}`.
    Attributes,
    /// The name of its computation.
    Computation,
}

impl Field {
    /// All fields.
    pub const ALL: [Self; 7] = [
        Self::Name,
        Self::Opcode,
        Self::Shape,
        Self::OpName,
        Self::Source,
        Self::Attributes,
        Self::Computation,
    ];

    /// The word that restricts a term to the field: `op:dot`.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Opcode => "op",
            Self::Shape => "shape",
            Self::OpName => "op_name",
            Self::Source => "source",
            Self::Attributes => "attr",
            Self::Computation => "in",
        }
    }

    /// The score of a match inside a word; the whole text scores four times as much, its start three times, the start
    /// of a word twice.
    fn score(self) -> u32 {
        match self {
            Self::Name => 12,
            Self::Opcode => 10,
            Self::OpName => 5,
            Self::Shape => 4,
            Self::Source => 3,
            Self::Attributes | Self::Computation => 2,
        }
    }

    /// Whether a term without a prefix is looked for here. The name of a computation would match all its instructions.
    fn is_default(self) -> bool {
        self != Self::Computation
    }
}
