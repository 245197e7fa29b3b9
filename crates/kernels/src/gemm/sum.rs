//! The type that sums of products are accumulated in.

use crate::support::element::Type;

/// The type that sums are accumulated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    /// `f32`.
    F32,
    /// `f64`.
    F64,
    /// 32 bits, wrapping.
    I32,
    /// 64 bits, wrapping.
    I64,
    /// Two `f32`.
    C64,
    /// Two `f64`.
    C128,
}

/// The type that sums are accumulated in for a result of type `to`.
pub fn sum_of(to: Type) -> Sum {
    match to {
        Type::F32 | Type::F16 | Type::BF16 => Sum::F32,
        Type::F64 => Sum::F64,
        Type::C64 => Sum::C64,
        Type::C128 => Sum::C128,
        Type::S64 | Type::U64 => Sum::I64,
        _ => Sum::I32,
    }
}

/// Whether a product of operands of type `from` may have a result of type `to`: the same type, or a wider one.
pub fn is_wider(from: Type, to: Type) -> bool {
    use Type::{BF16, C64, C128, F16, F32, F64, Pred};
    let is_integer = |ty| !matches!(ty, Pred | F16 | BF16 | F32 | F64 | C64 | C128);
    from == to
        || match from {
            F16 | BF16 => matches!(to, F16 | BF16 | F32 | F64),
            F32 => to == F64,
            C64 => to == C128,
            Pred | F64 | C128 => false,
            _ => is_integer(to) && to.bytes() >= from.bytes(),
        }
}
