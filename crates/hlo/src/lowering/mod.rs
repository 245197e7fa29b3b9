//! Forms of the [`ComputationBuilder`](crate::ComputationBuilder) in HLO text: implicit broadcasting, `collapse`, `SAME`
//! padding …, which the builder lowers to plain HLO. Source: XLA's operation semantics of 2017.
//!
//! The builder itself lowers a form (`forms`), with the operands as parameters; [`text`] prints what it added as
//! statements before the user's instruction. So text and builder cannot disagree. [`arguments`] has the arguments of forms that
//! HLO lacks; [`dimension`] and [`window`] lower the two forms that only replace an attribute value: dimension -1, `pad=same`.
//! The parser recognizes forms where it infers shapes; [`lower`](crate::lower) applies them.

pub mod arguments;
pub mod dimension;
mod forms;
pub mod text;
pub mod window;

pub use forms::{Candidate, recognize};

use crate::module::Module;
use xla_array::Shape;
use xla_messages::i18n::Message;

/// The kinds of builder forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormKind {
    /// Operands of different sizes, with or without `broadcast_dimensions`.
    Broadcasting,
    /// `broadcast` with `broadcast_sizes`.
    BroadcastSizes,
    /// The opcode `collapse`.
    Collapse,
    /// `reshape` with `dimensions`.
    ReshapeOrder,
    /// `SAME` and `VALID`.
    Padding,
    /// `map` with static operands.
    StaticOperands,
    /// `rng` with `rng_bernoulli`.
    Bernoulli,
    /// A dimension counted from the end, or a letter.
    Dimension,
    /// A scalar per start index, which XLA 2017 does not have.
    ScalarStartIndices,
}

impl FormKind {
    /// The `rule` of the note about the form.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Broadcasting => "builder-broadcasting",
            Self::BroadcastSizes => "builder-broadcast-sizes",
            Self::Collapse => "builder-collapse",
            Self::ReshapeOrder => "builder-reshape-order",
            Self::Padding => "builder-padding",
            Self::StaticOperands => "builder-static-operands",
            Self::Bernoulli => "builder-bernoulli",
            Self::Dimension => "builder-dimension",
            Self::ScalarStartIndices => "dynamic-slice-2017",
        }
    }

    /// A message that says how the builder lowers the form.
    pub fn note(self) -> Message {
        Message::ops(match self {
            Self::Broadcasting => "lowering-broadcasting",
            Self::BroadcastSizes => "lowering-broadcast-sizes",
            Self::Collapse => "lowering-collapse",
            Self::ReshapeOrder => "lowering-reshape-order",
            Self::Padding => "lowering-padding",
            Self::StaticOperands => "lowering-static-operands",
            Self::Bernoulli => "lowering-bernoulli",
            Self::Dimension => "lowering-dimension",
            Self::ScalarStartIndices => "op-dynamic-slice-starts-2017",
        })
    }

    /// The title of the fix that writes the form as plain HLO.
    pub fn fix(self) -> Message {
        Message::ops(match self {
            Self::Broadcasting => "lowering-insert-broadcast",
            Self::ReshapeOrder => "lowering-insert-transpose",
            Self::ScalarStartIndices => "lowering-join-starts",
            _ => "lowering-write-hlo",
        })
    }
}

/// A form, lowered by the builder.
pub struct LoweredForm {
    /// Which form it is.
    pub kind: FormKind,
    /// A module whose entry computation has the form's distinct operands as parameters, and the lowered form as its root.
    pub module: Module,
    /// The shape of the root.
    pub shape: Shape,
}
