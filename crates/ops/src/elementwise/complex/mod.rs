//! Functions of complex numbers, in pairs of `f64`: inverse and hyperbolic functions are in `inverse`, all others in
//! `arithmetic`.

mod arithmetic;
mod inverse;

pub(crate) use arithmetic::{
    Complex, abs, add, atan2, cos, divide, exp, expm1, log, log1p, logistic, multiply, power, rsqrt, sign,
    sin, sqrt, subtract, tan, tanh,
};
pub(super) use inverse::{acos, acosh, asin, asinh, atanh, cosh, sinh};
