//! The scalar type that sums of products are accumulated in, for each element type of the result.

use crate::support::element::Type;

/// The type that sums are accumulated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccumulatorType {
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
pub fn accumulator_type(to: Type) -> AccumulatorType {
    match to {
        Type::F32 | Type::F16 | Type::BF16 => AccumulatorType::F32,
        Type::F64 => AccumulatorType::F64,
        Type::C64 => AccumulatorType::C64,
        Type::C128 => AccumulatorType::C128,
        Type::S64 | Type::U64 => AccumulatorType::I64,
        _ => AccumulatorType::I32,
    }
}

/// Whether kernels support a product of operands of type `from` with a result of type `to`: the same type, a wider one of its
/// kind, or another half-precision type.
pub fn supports_result(from: Type, to: Type) -> bool {
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
