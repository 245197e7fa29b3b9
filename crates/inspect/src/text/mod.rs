//! What an editor of HLO text needs: highlighting, folding, explanations, completion, navigation and formatting.
//!
//! Every function takes the text and, where names matter, the module that was parsed from it; spans are bytes of the text.
//! [`position`] converts them to what browsers count. Text with mistakes is the normal case here: whatever can be derived from
//! the tokens alone is.

mod complete;
mod folding;
mod format;
mod hover;
mod keywords;
mod navigate;
pub mod position;
mod token_context;
mod tokens;

pub use crate::instruction_at::InstructionAt;
pub use complete::{Candidate, CandidateKind, Completion, complete};
pub use folding::{Fold, FoldKind, folds};
pub use format::{Formatted, format};
pub use hover::{Hover, HoverLink, hover};
pub use navigate::{Symbol, definition, definition_of, references, rename, symbol};
pub use position::{Lines, TextPosition, TextRange};
pub use tokens::{LineState, LineTokens, TokenClass, highlight};
