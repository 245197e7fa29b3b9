//! Functions of complex numbers, in pairs of `f64`: `arithmetic` has them all but the inverse and hyperbolic ones,
//! which are in `inverse`.

mod arithmetic;
mod inverse;

pub(crate) use arithmetic::{
    C, add, atan2, cos, divide, exp, expm1, length, log, log1p, logistic, multiply, power, rsqrt, sign, sin,
    sqrt, subtract, tan, tanh,
};
pub(super) use inverse::{acos, acosh, asin, asinh, atanh, cosh, sinh};
