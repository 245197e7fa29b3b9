//! Element by element: unary and binary ops, compare, select, clamp, convert.
//!
//! An op is a function of rows ([`find`]), which [`each_row`] calls for arrays of any strides. `f32` goes by lanes or, for
//! the functions of `map_wide`, through `f64`; `f16` and `bf16` go through `f32` and are rounded once more; the rest are
//! loops over one type. A NaN that is computed is the canonical one; negate and abs touch the sign bit only, select
//! keeps all bits. Not served: transcendental functions of `f64` and of complex numbers, whose reference is as fast as
//! a careful kernel would be, and complex division and power.

use crate::map::convert;
use crate::task::kernel::{Context, Kernel, Stop, linked};
use crate::map::blocks::each_row;
use crate::map::float;
use crate::map::half;
use crate::map::loops;
use crate::ground::slice::{Slice, SliceMut};
use crate::task::description::{Task, Type};
use crate::ground::view::View;

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

/// A function of the operands' rows and the result's.
pub type Row = Box<dyn Fn(&[Slice], &mut SliceMut)>;

macro_rules! kernel {
    ($name:literal, $way:ident, $is_vector:literal, $bound:literal) => {
        Kernel {
            name: $name,
            serves: |task| find(task).is_some_and(|(way, _)| way == Way::$way),
            is_vector: $is_vector,
            bound: $bound,
            run: linked(run),
        }
    };
}

/// The kernels of this file.
pub static KERNELS: &[Kernel] = &[
    kernel!("map f32", Lanes, true, 0.0),
    kernel!("map f32 functions", Functions, true, 6.0),
    kernel!("map f32 through f64", Wide, false, 1.0),
    kernel!("map f16 bf16 through f32", Half, true, 0.0),
    kernel!("map f16 bf16 functions", HalfFunctions, true, 1.0),
    kernel!("map loop", Loops, false, 0.0),
    kernel!("convert", Convert, false, 0.0),
];

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

/// What does the rows of a task, and which way that is; `None` where the task is not served.
fn find(task: &Task) -> Option<(Way, Row)> {
    match task {
        Task::Unary(map) => {
            let (ty, to) = (map.operands[0].ty, map.out.ty);
            if ty == to
                && (ty == Type::F32 || is_half(ty))
                && let Some((row, is_vector, bound)) = float::unary(map.f)
            {
                return Some((way(ty, is_vector, bound), half::of_one(ty, map.f, row)));
            }
            Some((Way::Loops, loops::unary(map.f, ty, to)?))
        }
        Task::Binary(map) => {
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
        Task::Compare(map) => {
            let ty = map.operands[0].ty;
            (map.operands[1].ty == ty && map.out.ty == Type::Pred).then_some(())?;
            Some((Way::Loops, loops::compare(map.f, ty)?))
        }
        Task::Select(map) => {
            let ty = map.out.ty;
            let [on, a, b] = &map.operands;
            (on.ty == Type::Pred && a.ty == ty && b.ty == ty).then(|| (Way::Loops, loops::select(ty)))
        }
        Task::Clamp(map) => {
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
        Task::Convert(map) => Some((Way::Convert, convert::row(map.operands[0].ty, map.out.ty)?)),
        _ => None,
    }
}

fn views(task: &Task) -> Vec<&View> {
    fn all<F, const N: usize>(map: &crate::task::description::Map<F, N>) -> Vec<&View> {
        map.operands.iter().chain([&map.out]).map(|array| &array.view).collect()
    }
    match task {
        Task::Unary(map) => all(map),
        Task::Binary(map) => all(map),
        Task::Compare(map) => all(map),
        Task::Select(map) | Task::Clamp(map) => all(map),
        Task::Convert(map) => all(map),
        _ => Vec::new(),
    }
}

fn run(task: &Task, read: &[Slice], written: &mut [SliceMut], context: &mut Context) -> Result<(), Stop> {
    let (way, row) = find(task).ok_or(Stop::Unserved)?;
    let takes_one = way == Way::Lanes && matches!(task, Task::Binary(_));
    let out = written.first_mut().ok_or(Stop::Invalid)?;
    each_row(&views(task), read, out, context, takes_one, &*row)
}
