//! The role of a called computation for its caller.

/// The role of a called computation for the calling instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The instructions that a fusion computes together.
    Fused,
    /// The computation that a call, an asynchronous op or a custom call executes once.
    Called,
    /// The condition of a loop.
    Condition,
    /// The body of a loop.
    Body,
    /// A branch of a conditional.
    Branch,
    /// The step of a scan.
    Step,
    /// The function that a map applies to each element.
    Mapped,
    /// The reduction operator of a reduction, a reduction window, a scatter or a collective.
    Reducer,
    /// The comparator of a sort.
    Comparator,
    /// The predicate that selects an element of a window.
    Selector,
    /// Any other.
    Other,
}

impl Role {
    /// The role of a computation that an attribute of an instruction with this opcode names.
    pub(super) fn of(opcode: &str, attribute: &str) -> Self {
        let wrapped = ["-start", "-update", "-done"].iter().find_map(|suffix| opcode.strip_suffix(suffix));
        match (wrapped.unwrap_or(opcode), attribute) {
            ("fusion", "calls") => Self::Fused,
            ("while", "condition") => Self::Condition,
            ("while", "body") => Self::Body,
            ("conditional", _) => Self::Branch,
            ("scan", "to_apply") => Self::Step,
            ("map", "to_apply") => Self::Mapped,
            ("sort" | "topk", "to_apply") => Self::Comparator,
            ("select-and-scatter", "select") => Self::Selector,
            ("reduce" | "reduce-window" | "scatter" | "all-reduce" | "reduce-scatter", "to_apply")
            | ("select-and-scatter", "scatter") => Self::Reducer,
            ("call" | "async" | "custom-call", _) | (_, "calls") => Self::Called,
            _ => Self::Other,
        }
    }

    /// Whether the computation is applied to scalars, once per element.
    pub fn is_scalar(self) -> bool {
        matches!(self, Self::Mapped | Self::Reducer | Self::Comparator | Self::Selector)
    }
}
