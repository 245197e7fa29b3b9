//! Element-wise kernels: unary and binary ops, compare, select, clamp, convert.
//!
//! Each op has a row function ([`HasRowFunction::row_function`]), which [`for_each_row`] calls for arrays with arbitrary strides.
//! `f32` is computed in lanes or, for the functions of [`crate::map::wide`], in `f64`; `f16` and `bf16` are widened to `f32` and
//! rounded; other types have scalar loops, monomorphized for the element type. A computed NaN is canonical; negate and abs change the sign bit only, select
//! keeps all bits. Not supported: transcendental functions of `f64` and of complex numbers, where a kernel would not be faster
//! than the reference evaluator, and complex division and power.

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelEntry, only_in_kernel_builds};
use crate::description::parts::Direction;
use crate::map::blocks::for_each_row;
use crate::map::row::BoxedRowFunction;
use crate::map::task::{Binary, Clamp, Convert, Function, Map, Select, Unary};
use crate::map::{convert, float, half, loops};
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::view::View;

/// The method by which a task is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Lanes of `f32`, correctly rounded as in IEEE 754.
    F32Exact,
    /// Lanes of `f32`, by functions with an error bound.
    F32Approximate,
    /// `f32` computed in `f64`.
    ThroughF64,
    /// `f16` and `bf16` computed in `f32`, correctly rounded.
    HalfExact,
    /// `f16` and `bf16` widened to `f32`, by functions with an error bound, some of which compute in `f64`.
    HalfApproximate,
    /// A scalar loop, monomorphized for the element type.
    Scalar,
    /// A conversion to another element type.
    Convert,
}

impl Method {
    /// Whether a row function of this many operands accepts a one-element row as a broadcast operand.
    pub fn accepts_scalars(self, operands: usize) -> bool {
        self == Self::F32Exact && operands == 2
    }
}

/// The kernels of [`Unary`].
pub static UNARY: &[KernelEntry<Map<Unary, 1>>] = &kernels();
/// The kernels of [`Binary`].
pub static BINARY: &[KernelEntry<Map<Binary, 2>>] = &kernels();
/// The kernels of comparisons.
pub static COMPARE: &[KernelEntry<Map<Direction, 2>>] = &kernels();
/// The kernels of [`Select`].
pub static SELECT: &[KernelEntry<Map<Select, 3>>] = &kernels();
/// The kernels of [`Clamp`].
pub static CLAMP: &[KernelEntry<Map<Clamp, 3>>] = &kernels();
/// The kernels of [`Convert`].
pub static CONVERT: &[KernelEntry<Map<Convert, 1>>] = &kernels();

const fn kernels<F: HasRowFunction<N>, const N: usize>() -> [KernelEntry<Map<F, N>>; 7] {
    macro_rules! kernel {
        ($name:literal, $method:ident, $is_vector:literal, $bound:literal) => {
            KernelEntry {
                kernel: Kernel { name: $name, is_vector: $is_vector, error_bound_ulp: $bound },
                supports: |task| F::row_function(task).is_some_and(|(method, _)| method == Method::$method),
                run: only_in_kernel_builds(run::<F, N>),
            }
        };
    }
    [
        kernel!("map f32", F32Exact, true, 0.0),
        kernel!("map f32 functions", F32Approximate, true, 6.0),
        kernel!("map f32 through f64", ThroughF64, false, 1.0),
        kernel!("map f16 bf16 through f32", HalfExact, true, 0.0),
        kernel!("map f16 bf16 functions", HalfApproximate, true, 1.0),
        kernel!("map loop", Scalar, false, 0.0),
        kernel!("convert", Convert, false, 0.0),
    ]
}

fn is_half(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::BF16)
}

/// The method of a function of `f32` with an error bound in ulp, applied to `ty`.
fn method(ty: Type, is_vector: bool, bound: f64) -> Method {
    match (is_half(ty), is_vector, bound > 0.0) {
        (true, _, false) => Method::HalfExact,
        (true, _, true) => Method::HalfApproximate,
        (false, true, false) => Method::F32Exact,
        (false, true, true) => Method::F32Approximate,
        (false, false, true) => Method::ThroughF64,
        (false, false, false) => Method::Scalar,
    }
}

/// An op of `N` operands with kernels.
pub trait HasRowFunction<const N: usize>: Function<N> {
    /// The row function of a task, and its method; `None` if the task is not supported.
    fn row_function(map: &Map<Self, N>) -> Option<(Method, BoxedRowFunction)>;
}

impl HasRowFunction<1> for Unary {
    fn row_function(map: &Map<Self, 1>) -> Option<(Method, BoxedRowFunction)> {
        let (ty, to) = (map.operands[0].ty, map.out.ty);
        if ty == to
            && (ty == Type::F32 || is_half(ty))
            && let Some((row, is_vector, bound)) = float::unary(map.f)
        {
            return Some((method(ty, is_vector, bound), half::adapt_unary(ty, map.f, row)));
        }
        Some((Method::Scalar, loops::unary(map.f, ty, to)?))
    }
}

impl HasRowFunction<2> for Binary {
    fn row_function(map: &Map<Self, 2>) -> Option<(Method, BoxedRowFunction)> {
        let ty = map.out.ty;
        if map.operands.iter().any(|operand| operand.ty != ty) {
            return None;
        }
        if (ty == Type::F32 || is_half(ty))
            && let Some((row, is_vector, bound)) = float::binary(map.f)
        {
            return Some((method(ty, is_vector, bound), half::adapt_binary(ty, row)));
        }
        Some((Method::Scalar, loops::binary(map.f, ty)?))
    }
}

impl HasRowFunction<2> for Direction {
    fn row_function(map: &Map<Self, 2>) -> Option<(Method, BoxedRowFunction)> {
        let ty = map.operands[0].ty;
        (map.operands[1].ty == ty && map.out.ty == Type::Pred).then_some(())?;
        Some((Method::Scalar, loops::compare(map.f, ty)?))
    }
}

impl HasRowFunction<3> for Select {
    fn row_function(map: &Map<Self, 3>) -> Option<(Method, BoxedRowFunction)> {
        let ty = map.out.ty;
        let [on, a, b] = &map.operands;
        (on.ty == Type::Pred && a.ty == ty && b.ty == ty).then(|| (Method::Scalar, loops::select(ty)))
    }
}

impl HasRowFunction<3> for Clamp {
    fn row_function(map: &Map<Self, 3>) -> Option<(Method, BoxedRowFunction)> {
        let ty = map.out.ty;
        map.operands.iter().all(|operand| operand.ty == ty).then_some(())?;
        let method = if ty == Type::F32 {
            Method::F32Exact
        } else if is_half(ty) {
            Method::HalfExact
        } else {
            Method::Scalar
        };
        Some((method, loops::clamp(ty)?))
    }
}

impl HasRowFunction<1> for Convert {
    fn row_function(map: &Map<Self, 1>) -> Option<(Method, BoxedRowFunction)> {
        Some((Method::Convert, convert::row(map.operands[0].ty, map.out.ty)?))
    }
}

fn run<F: HasRowFunction<N>, const N: usize>(
    task: CheckedTask<Map<F, N>>,
    context: &mut Context,
) -> Result<(), KernelError> {
    let (map, read, [out]) = task.into_parts() else { return Err(KernelError::InvalidTask) };
    let (method, row) = F::row_function(map).ok_or(KernelError::WrongKernel)?;
    let accepts_scalars = method.accepts_scalars(N);
    let views: Vec<&View> = map.operands.iter().chain([&map.out]).map(|array| &array.view).collect();
    for_each_row(&views, read, out, context, accepts_scalars, &*row)
}
