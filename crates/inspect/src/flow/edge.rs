//! The value on an edge from an operand to its user: its shape, layout and size.

use xla_array::{Edition, Shape, shape_util};
use xla_hlo::{Computation, InstructionId};

use crate::calls::index32;
use crate::shortened::shortened;

/// Maximum number of characters of a shape.
const MAX_SHAPE_CHARS: usize = 200;

/// The use of a value by an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The operand.
    pub from: InstructionId,
    /// Its user.
    pub to: InstructionId,
    /// The position among the user's operands.
    pub number: u32,
    /// The shape of the value, without layouts.
    pub shape: String,
    /// The layout of an array.
    pub layout: Option<String>,
    /// The bytes of the value that the user reads: of a tuple, those of the element that a `get-tuple-element` takes. `None`
    /// if they are unknown.
    pub bytes: Option<u64>,
}

impl Edge {
    /// The edge to an operand of an instruction, by its index.
    pub fn new(computation: &Computation, to: InstructionId, number: usize) -> Option<Self> {
        let user = computation.get(to)?;
        let from = *user.operands.get(number).filter(|operand| **operand < to)?;
        let shape = &computation.get(from)?.shape;
        let layout = shape.as_array().and_then(|array| array.layout.as_ref());
        // A tuple is not copied to take an element.
        let read = if user.opcode == "get-tuple-element" { &user.shape } else { shape };
        Some(Self {
            from,
            to,
            number: index32(number),
            shape: shortened(shape.human_string(), MAX_SHAPE_CHARS),
            layout: layout.map(|layout| shortened(layout, MAX_SHAPE_CHARS)),
            bytes: value_bytes(read),
        })
    }
}

/// Every edge to the operands of an instruction.
pub fn edges_to(computation: &Computation, to: InstructionId) -> Vec<Edge> {
    let count = computation.get(to).map_or(0, |user| user.operands.len());
    (0..count).filter_map(|number| Edge::new(computation, to, number)).collect()
}

/// Every edge from an instruction to its users, by user and operand number; `users` are those of the instruction.
pub fn edges_from(computation: &Computation, from: InstructionId, users: &[InstructionId]) -> Vec<Edge> {
    let of_user = |user: &InstructionId| {
        let user = *user;
        let operands = computation.get(user).map_or(&[][..], |instruction| &instruction.operands);
        let numbers = (0..operands.len()).filter(move |number| operands[*number] == from);
        numbers.filter_map(move |number| Edge::new(computation, user, number))
    };
    users.iter().flat_map(of_user).collect()
}

/// The bytes of a value's data: elements without padding by tiles, all elements of a tuple; 0 for a token. `None` if the
/// shape does not say, or on overflow.
pub fn value_bytes(shape: &Shape) -> Option<u64> {
    let mut total = 0_u64;
    // A worklist, because tuples may be nested deeply.
    let mut stack = vec![shape];
    while let Some(shape) = stack.pop() {
        let bytes = match shape {
            Shape::Tuple(elements) => {
                stack.extend(elements.iter());
                0
            }
            Shape::Array(_) | Shape::Token => shape_util::byte_size_of(shape, 0, Edition::Current)?,
            Shape::Buffer(array) => {
                shape_util::byte_size_of(&Shape::Array((**array).clone()), 0, Edition::Current)?
            }
            Shape::Opaque => return None,
        };
        total = total.checked_add(u64::try_from(bytes).ok()?)?;
    }
    Some(total)
}
