//! The kernel op of each row that kernels compute.

use xla_kernels::task::{Binary, Unary};

/// The kernel op for an opcode of one operand.
pub(super) fn unary(opcode: &str) -> Option<Unary> {
    Some(match opcode {
        "abs" => Unary::Abs,
        "negate" => Unary::Negate,
        "sign" => Unary::Sign,
        "not" => Unary::Not,
        "ceil" => Unary::Ceil,
        "floor" => Unary::Floor,
        "round-nearest-even" => Unary::RoundNearestEven,
        "round-nearest-afz" => Unary::RoundNearestAfz,
        "exponential" => Unary::Exponential,
        "exponential-minus-one" => Unary::ExponentialMinusOne,
        "log" => Unary::Log,
        "log-plus-one" => Unary::LogPlusOne,
        "logistic" => Unary::Logistic,
        "tanh" => Unary::Tanh,
        "sqrt" => Unary::Sqrt,
        "rsqrt" => Unary::Rsqrt,
        "cbrt" => Unary::Cbrt,
        "sine" => Unary::Sine,
        "cosine" => Unary::Cosine,
        "tan" => Unary::Tan,
        "erf" => Unary::Erf,
        "popcnt" => Unary::PopulationCount,
        "count-leading-zeros" => Unary::CountLeadingZeros,
        "is-finite" => Unary::IsFinite,
        _ => return None,
    })
}

/// The kernel op for an opcode of two operands.
pub(super) fn binary(opcode: &str) -> Option<Binary> {
    Some(match opcode {
        "add" => Binary::Add,
        "subtract" => Binary::Subtract,
        "multiply" => Binary::Multiply,
        "divide" => Binary::Divide,
        "remainder" => Binary::Remainder,
        "maximum" => Binary::Maximum,
        "minimum" => Binary::Minimum,
        "power" => Binary::Power,
        "atan2" => Binary::Atan2,
        "and" => Binary::And,
        "or" => Binary::Or,
        "xor" => Binary::Xor,
        "shift-left" => Binary::ShiftLeft,
        "shift-right-arithmetic" => Binary::ShiftRightArithmetic,
        "shift-right-logical" => Binary::ShiftRightLogical,
        _ => return None,
    })
}
