//! Element by element: unary and binary ops, compare, select, clamp, convert.
//!
//! An op is a function of rows ([`find`]), which [`each_row`] calls for arrays of any strides. `f32` goes by lanes or, for
//! the functions of `map_wide`, through `f64`; `f16` and `bf16` go through `f32` and are rounded once more; the rest are
//! loops over one type. A NaN that is computed is the canonical one; negate and abs touch the sign bit only, select
//! keeps all bits. Not supported: transcendental functions of `f64` and of complex numbers, whose reference is as fast as
//! a careful kernel would be, and complex division and power.

use crate::description::check::CheckedTask;
use crate::description::kernel::{Kernel, KernelOf, linked};
use crate::description::parts::Direction;
use crate::ground::context::Context;
use crate::ground::element::Type;
use crate::ground::stop::Stop;
use crate::ground::view::View;
use crate::map::blocks::each_row;
use crate::map::row::Row;
use crate::map::task::{Binary, Clamp, Convert, Function, Map, Select, Unary};
use crate::map::{convert, float, half, loops};

/// How a task is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By lanes, each operation rounded as IEEE says.
    Lanes,
    /// By lanes, functions with a bound.
    Functions,
    /// Through `f64`.
    Wide,
    /// `f16` and `bf16`, through `f32`: exact.
    Half,
    /// `f16` and `bf16`, through functions of `f32`.
    HalfFunctions,
    /// A loop over one type.
    Loops,
    /// Conversion.
    Convert,
}

/// The kernels of [`Unary`].
pub static UNARY: &[KernelOf<Map<Unary, 1>>] = &kernels();
/// The kernels of [`Binary`].
pub static BINARY: &[KernelOf<Map<Binary, 2>>] = &kernels();
/// The kernels of comparisons.
pub static COMPARE: &[KernelOf<Map<Direction, 2>>] = &kernels();
/// The kernels of [`Select`].
pub static SELECT: &[KernelOf<Map<Select, 3>>] = &kernels();
/// The kernels of [`Clamp`].
pub static CLAMP: &[KernelOf<Map<Clamp, 3>>] = &kernels();
/// The kernels of [`Convert`].
pub static CONVERT: &[KernelOf<Map<Convert, 1>>] = &kernels();

const fn kernels<F: Rows<N>, const N: usize>() -> [KernelOf<Map<F, N>>; 7] {
    macro_rules! kernel {
        ($name:literal, $way:ident, $is_vector:literal, $bound:literal) => {
            KernelOf {
                kernel: Kernel { name: $name, is_vector: $is_vector, bound: $bound },
                supports: |task| F::find(task).is_some_and(|(way, _)| way == Way::$way),
                run: linked(run::<F, N>),
            }
        };
    }
    [
        kernel!("map f32", Lanes, true, 0.0),
        kernel!("map f32 functions", Functions, true, 6.0),
        kernel!("map f32 through f64", Wide, false, 1.0),
        kernel!("map f16 bf16 through f32", Half, true, 0.0),
        kernel!("map f16 bf16 functions", HalfFunctions, true, 1.0),
        kernel!("map loop", Loops, false, 0.0),
        kernel!("convert", Convert, false, 0.0),
    ]
}

fn is_half(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::BF16)
}

/// The way of `f32` functions with this bound, and of halves through it.
fn way(ty: Type, is_vector: bool, bound: f64) -> Way {
    match (is_half(ty), is_vector, bound > 0.0) {
        (true, _, false) => Way::Half,
        (true, _, true) => Way::HalfFunctions,
        (false, true, false) => Way::Lanes,
        (false, true, true) => Way::Functions,
        (false, false, true) => Way::Wide,
        (false, false, false) => Way::Loops,
    }
}

/// A function of `N` elements with functions of rows.
trait Rows<const N: usize>: Function<N> {
    /// The function of rows that computes a task, and which way that is; `None` where the task is not supported.
    fn find(map: &Map<Self, N>) -> Option<(Way, Row)>;
}

impl Rows<1> for Unary {
    fn find(map: &Map<Self, 1>) -> Option<(Way, Row)> {
        let (ty, to) = (map.operands[0].ty, map.out.ty);
        if ty == to
            && (ty == Type::F32 || is_half(ty))
            && let Some((row, is_vector, bound)) = float::unary(map.f)
        {
            return Some((way(ty, is_vector, bound), half::of_one(ty, map.f, row)));
        }
        Some((Way::Loops, loops::unary(map.f, ty, to)?))
    }
}

impl Rows<2> for Binary {
    fn find(map: &Map<Self, 2>) -> Option<(Way, Row)> {
        let ty = map.out.ty;
        if map.operands.iter().any(|operand| operand.ty != ty) {
            return None;
        }
        if (ty == Type::F32 || is_half(ty))
            && let Some((row, is_vector, bound)) = float::binary(map.f)
        {
            return Some((way(ty, is_vector, bound), half::of_two(ty, row)));
        }
        Some((Way::Loops, loops::binary(map.f, ty)?))
    }
}

impl Rows<2> for Direction {
    fn find(map: &Map<Self, 2>) -> Option<(Way, Row)> {
        let ty = map.operands[0].ty;
        (map.operands[1].ty == ty && map.out.ty == Type::Pred).then_some(())?;
        Some((Way::Loops, loops::compare(map.f, ty)?))
    }
}

impl Rows<3> for Select {
    fn find(map: &Map<Self, 3>) -> Option<(Way, Row)> {
        let ty = map.out.ty;
        let [on, a, b] = &map.operands;
        (on.ty == Type::Pred && a.ty == ty && b.ty == ty).then(|| (Way::Loops, loops::select(ty)))
    }
}

impl Rows<3> for Clamp {
    fn find(map: &Map<Self, 3>) -> Option<(Way, Row)> {
        let ty = map.out.ty;
        map.operands.iter().all(|operand| operand.ty == ty).then_some(())?;
        let way = if ty == Type::F32 {
            Way::Lanes
        } else if is_half(ty) {
            Way::Half
        } else {
            Way::Loops
        };
        Some((way, loops::clamp(ty)?))
    }
}

impl Rows<1> for Convert {
    fn find(map: &Map<Self, 1>) -> Option<(Way, Row)> {
        Some((Way::Convert, convert::row(map.operands[0].ty, map.out.ty)?))
    }
}

fn run<F: Rows<N>, const N: usize>(task: CheckedTask<Map<F, N>>, context: &mut Context) -> Result<(), Stop> {
    let (map, read, [out]) = task.into_parts() else { return Err(Stop::InvalidTask) };
    let (way, row) = F::find(map).ok_or(Stop::WrongKernel)?;
    // Binary functions of `f32` accept a broadcast operand as one number.
    let takes_one = way == Way::Lanes && N == 2;
    let views: Vec<&View> = map.operands.iter().chain([&map.out]).map(|array| &array.view).collect();
    each_row(&views, read, out, context, takes_one, &*row)
}
