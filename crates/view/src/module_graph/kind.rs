//! The kinds of ops, which the graph distinguishes by colour.

use xla_ops::Category;

use crate::scene::Ink;

/// A kind of op, as the legend lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Parameters, constants, tuples: no computation.
    Data,
    /// Dots and convolutions.
    Contraction,
    /// Reductions.
    Reduction,
    /// Ops that move elements or convert them.
    Movement,
    /// Element-wise arithmetic.
    Elementwise,
    /// Calls, fusions, loops, conditionals.
    Call,
    /// Collectives, and communication with the host.
    Communication,
    /// An unknown opcode.
    Unknown,
}

impl Kind {
    /// All kinds, in the order of the legend.
    pub const ALL: [Self; 8] = [
        Self::Data,
        Self::Contraction,
        Self::Reduction,
        Self::Movement,
        Self::Elementwise,
        Self::Call,
        Self::Communication,
        Self::Unknown,
    ];

    /// The kind of an op with a category; `None` for an unknown opcode.
    pub fn new(category: Option<Category>) -> Self {
        let Some(category) = category else { return Self::Unknown };
        match category {
            Category::Unary | Category::Binary => Self::Elementwise,
            Category::Movement | Category::Conversion => Self::Movement,
            Category::Reduction => Self::Reduction,
            Category::Contraction => Self::Contraction,
            Category::Source | Category::Tuple => Self::Data,
            Category::Control => Self::Call,
            Category::Collective | Category::Host => Self::Communication,
        }
    }

    /// The colour of its dimension in the theme; `None` for a kind without a colour.
    fn dimension(self) -> Option<usize> {
        match self {
            Self::Data | Self::Unknown => None,
            Self::Contraction => Some(1),
            Self::Reduction => Some(3),
            Self::Movement => Some(2),
            Self::Elementwise => Some(0),
            Self::Call => Some(4),
            Self::Communication => Some(5),
        }
    }

    /// The translucent fill over the background; `None` without a colour.
    pub fn tint(self) -> Option<Ink> {
        self.dimension().map(Ink::Tint)
    }

    /// The colour of its mark.
    pub fn mark(self) -> Ink {
        self.dimension().map_or(Ink::LineStrong, Ink::Dimension)
    }
}
