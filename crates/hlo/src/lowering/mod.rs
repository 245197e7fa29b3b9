//! Forms of the [`ComputationBuilder`](crate::ComputationBuilder) in HLO text: implicit broadcasting, `collapse`, `SAME`
//! padding …, which the builder lowers to plain HLO. Source: XLA's operation semantics of 2017.
//!
//! The builder itself lowers a form (`forms`), with the operands as parameters; [`text`] prints what it added as
//! statements around the user's instruction. So text and builder cannot disagree. [`arguments`] are what a form writes
//! that HLO lacks; [`dimension`] and [`window`] are the two that become numbers in place: dimension -1, `pad=same`.
//! The parser recognises forms where it infers shapes; [`lower`](crate::lower) applies them.

pub mod arguments;
pub mod dimension;
mod forms;
pub mod text;
pub mod window;

pub use forms::{Request, recognise};

use crate::module::Module;
use xla_array::Shape;
use xla_messages::i18n::Message;

/// The kinds of forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
    /// A scalar per start index, which came after 2017.
    Starts,
}

impl Kind {
    /// The label of the note that names the form.
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
            Self::Starts => "dynamic-slice-2017",
        }
    }

    /// What the builder does with the form.
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
            Self::Starts => "op-dynamic-slice-starts-2017",
        })
    }

    /// The name of the fix that writes the form as plain HLO.
    pub fn fix(self) -> Message {
        Message::ops(match self {
            Self::Broadcasting => "lowering-insert-broadcast",
            Self::ReshapeOrder => "lowering-insert-transpose",
            Self::Starts => "lowering-join-starts",
            _ => "lowering-write-hlo",
        })
    }
}

/// A form that the builder has lowered.
pub struct Form {
    /// Its kind.
    pub kind: Kind,
    /// A module whose entry computation has the form's operands as parameters, and the lowered form as its root.
    pub built: Module,
    /// The shape of the root.
    pub shape: Shape,
}
