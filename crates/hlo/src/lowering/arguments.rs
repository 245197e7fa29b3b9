//! Arguments of the builder's methods that have no HLO attribute.

use crate::builder::Padding;
use crate::module::InstructionId;
use xla_array::Dims;

/// The element-wise binary operations, whose operands the builder broadcasts.
const BROADCASTING_OPCODES: [&str; 17] = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "remainder",
    "maximum",
    "minimum",
    "power",
    "and",
    "or",
    "xor",
    "shift-left",
    "shift-right-arithmetic",
    "shift-right-logical",
    "atan2",
    "complex",
    "compare",
];

/// The operations with windows that accept named padding.
const WINDOW_OPCODES: [&str; 3] = ["convolution", "reduce-window", "select-and-scatter"];

/// The distribution of `RngBernoulli`.
pub const BERNOULLI: &str = "rng_bernoulli";

/// The opcode of `Collapse`, which HLO lacks.
pub const COLLAPSE: &str = "collapse";

/// An argument of the builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The result dimension of each dimension of the operand of lower rank.
    BroadcastDimensions,
    /// The sizes of new leading dimensions.
    BroadcastSizes,
    /// The dimensions to collapse, or the order in which `reshape` collapses them.
    Dimensions,
    /// `SAME` or `VALID`.
    Padding,
    /// The names of operands that a map passes to its computation as whole arrays.
    StaticOperands,
}

impl Argument {
    /// All arguments that HLO text lacks.
    const ALL: [Self; 5] = [
        Self::BroadcastDimensions,
        Self::BroadcastSizes,
        Self::Dimensions,
        Self::Padding,
        Self::StaticOperands,
    ];

    /// Its name in text.
    pub fn name(self) -> &'static str {
        match self {
            Self::BroadcastDimensions => "broadcast_dimensions",
            Self::BroadcastSizes => "broadcast_sizes",
            Self::Dimensions => "dimensions",
            Self::Padding => "padding",
            Self::StaticOperands => "static_operands",
        }
    }

    /// The key of its description.
    pub fn description(self) -> &'static str {
        match self {
            Self::BroadcastDimensions => "builder-argument-broadcast-dimensions",
            Self::BroadcastSizes => "builder-argument-broadcast-sizes",
            Self::Dimensions => "builder-argument-dimension-order",
            Self::Padding => "builder-argument-named-padding",
            Self::StaticOperands => "builder-argument-static-operands",
        }
    }

    fn belongs_to(self, opcode: &str) -> bool {
        match self {
            Self::BroadcastDimensions => broadcasts(opcode),
            Self::BroadcastSizes => opcode == "broadcast",
            Self::Dimensions => matches!(opcode, "reshape" | COLLAPSE),
            Self::Padding => WINDOW_OPCODES.contains(&opcode),
            Self::StaticOperands => opcode == "map",
        }
    }

    /// The builder arguments that an opcode has.
    pub fn of_opcode(opcode: &str) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |argument| argument.belongs_to(opcode))
    }

    /// The argument of an opcode with this name.
    pub fn find(opcode: &str, name: &str) -> Option<Self> {
        Self::of_opcode(opcode).find(|argument| argument.name() == name)
    }
}

/// Whether the builder broadcasts the operands of an opcode.
pub fn broadcasts(opcode: &str) -> bool {
    BROADCASTING_OPCODES.contains(&opcode)
}

/// Parses the name of a padding: `SAME` or `kSame`, `VALID` or `kValid`, case-insensitive.
pub fn parse_padding(word: &str) -> Option<Padding> {
    match word.to_ascii_lowercase().as_str() {
        "same" | "ksame" => Some(Padding::Same),
        "valid" | "kvalid" => Some(Padding::Valid),
        _ => None,
    }
}

/// The arguments of an instruction.
#[derive(Clone, Debug, Default)]
pub struct Arguments {
    /// Of [`Argument::BroadcastDimensions`].
    pub broadcast_dimensions: Option<Dims>,
    /// Of [`Argument::BroadcastSizes`].
    pub broadcast_sizes: Option<Dims>,
    /// Of [`Argument::Dimensions`].
    pub dimensions: Option<Dims>,
    /// Of [`Argument::Padding`], or `pad=same` in a window.
    pub padding: Option<Padding>,
    /// Of [`Argument::StaticOperands`].
    pub static_operands: Option<Vec<InstructionId>>,
    /// Whether the distribution is [`BERNOULLI`].
    pub is_bernoulli: bool,
}

impl Arguments {
    /// The name of the first argument that is set.
    pub fn first_name(&self) -> Option<&'static str> {
        let named = [
            (self.broadcast_dimensions.is_some(), Argument::BroadcastDimensions),
            (self.broadcast_sizes.is_some(), Argument::BroadcastSizes),
            (self.dimensions.is_some(), Argument::Dimensions),
            (self.padding.is_some(), Argument::Padding),
            (self.static_operands.is_some(), Argument::StaticOperands),
        ];
        let first = named.into_iter().find(|(is_set, _)| *is_set).map(|(_, argument)| argument.name());
        first.or(self.is_bernoulli.then_some("distribution"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_use_opcodes_of_hlo() {
        let opcodes =
            BROADCASTING_OPCODES.iter().chain(&WINDOW_OPCODES).chain(&["broadcast", "reshape", "map", "rng"]);
        for opcode in opcodes {
            assert!(xla_ops::find(opcode).is_some(), "{opcode}");
        }
        assert!(xla_ops::find(COLLAPSE).is_none());
        assert_eq!(
            ["kSame", "VALID", "none"].map(parse_padding),
            [Some(Padding::Same), Some(Padding::Valid), None]
        );
    }
}
