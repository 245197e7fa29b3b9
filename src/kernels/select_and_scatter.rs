//! A window that slides, selects an element, and gives the source's element to it: the gradient of max pooling.
//!
//! Each window is walked in row-major order of the dimensions; the first element is selected, a later one takes its place
//! where `select(selected, later)` is false. Sources are added in row-major order of the windows, beginning with the
//! initial value, in the type itself (`f16` and `bf16` rounded at each step): the reference's bits. A window on padding
//! only gives nothing. A NaN that is computed is the canonical one.

use super::kernel::{Context, Kernel, Stop};
use super::map_half as half;
use super::map_integers::Integer;
use super::slice::{Cell, Slice, SliceMut};
use super::task::{Direction, Fold, SelectAndScatter, Task, Type};

/// Cells between two looks at whether to go on.
const LOOK: u64 = 1 << 18;
/// Cells of a window, at most.
const MOST: usize = 1 << 20;

/// The kernels of this file.
pub static KERNELS: &[Kernel] = &[Kernel {
    name: "select-and-scatter",
    serves: |task| matches!(task, Task::SelectAndScatter(task) if is_served(task)),
    is_vector: false,
    bound: 0.0,
    run,
}];

fn is_served(task: &SelectAndScatter) -> bool {
    task.scatter == Fold::Add
        && !matches!(task.operand.ty, Type::Pred | Type::C64 | Type::C128)
        && task.window.len() <= 32
        && matches!(task.select, Direction::Ge | Direction::Gt | Direction::Le | Direction::Lt)
        && task
            .window
            .iter()
            .try_fold(1usize, |all, window| all.checked_mul(window.size))
            .is_some_and(|all| all <= MOST)
}

fn run(task: &Task, read: &[Slice], written: &mut [SliceMut], context: &mut Context) -> Result<(), Stop> {
    let (Task::SelectAndScatter(task), [operand, source, init], [out]) = (task, read, written) else {
        return Err(Stop::Invalid);
    };
    macro_rules! each {
        ($($variant:ident $value:expr, $add:expr;)*) => {
            match (operand, source, init, out) {
                (Slice::U16(x), Slice::U16(source), Slice::U16(init), SliceMut::U16(out)) if task.operand.ty == Type::F16 => {
                    let add = |a, b| half::to_f16(half::from_f16(a) + half::from_f16(b));
                    scatter(task, x, source, init, out, context, half::from_f16, add)
                }
                (Slice::U16(x), Slice::U16(source), Slice::U16(init), SliceMut::U16(out)) if task.operand.ty == Type::BF16 => {
                    let add = |a, b| half::to_bf16(half::from_bf16(a) + half::from_bf16(b));
                    scatter(task, x, source, init, out, context, half::from_bf16, add)
                }
                $((Slice::$variant(x), Slice::$variant(source), Slice::$variant(init), SliceMut::$variant(out)) => {
                    scatter(task, x, source, init, out, context, $value, $add)
                })*
                _ => Err(Stop::Unserved),
            }
        };
    }
    each! {
        F32 |x| x, |a: f32, b| if (a + b).is_nan() { f32::NAN } else { a + b };
        F64 |x| x, |a: f64, b| if (a + b).is_nan() { f64::NAN } else { a + b };
        U8 |x| x, Integer::plus;
        I8 |x| x, Integer::plus;
        U16 |x| x, Integer::plus;
        I16 |x| x, Integer::plus;
        U32 |x| x, Integer::plus;
        I32 |x| x, Integer::plus;
        U64 |x| x, Integer::plus;
        I64 |x| x, Integer::plus;
    }
}

/// Along one dimension, the elements that the window lies on at a place: as many, and where each lies in the operand and in
/// the result.
type Taps = Vec<(isize, isize)>;

#[allow(clippy::too_many_arguments, reason = "four arrays, and two functions")]
fn scatter<T: Cell, K: PartialOrd + Copy>(
    task: &SelectAndScatter,
    x: &[T],
    source: &[T],
    init: &[T],
    out: &mut [T],
    context: &mut Context,
    value: impl Fn(T) -> K,
    add: impl Fn(T, T) -> T,
) -> Result<(), Stop> {
    let (from, to, given) = (&task.operand.view, &task.out.view, &task.source.view);
    let init = init.first().copied().ok_or(Stop::Invalid)?;
    super::reduce::each_cell(to, |slot| out[slot] = init);
    if given.sizes.contains(&0) || from.sizes.contains(&0) {
        return Ok(());
    }
    let (wants_larger, stays) = match task.select {
        Direction::Ge => (true, true),
        Direction::Gt => (true, false),
        Direction::Le => (false, true),
        _ => (false, false),
    };
    let keeps = |selected: K, next: K| match (wants_larger, stays) {
        (true, true) => selected >= next,
        (true, false) => selected > next,
        (false, true) => selected <= next,
        (false, false) => selected < next,
    };
    // Of each dimension and place, the taps.
    let taps: Vec<Vec<Taps>> = (0..from.rank())
        .map(|d| {
            let window = task.window[d];
            let of = |place: usize| {
                let start = (place * window.stride).cast_signed() - window.low;
                let base = window.base_dilation.cast_signed();
                let cells = (0..window.size).map(|cell| start + (cell * window.dilation).cast_signed());
                let on =
                    cells.filter(|at| *at >= 0 && at % base == 0 && at / base < from.sizes[d].cast_signed());
                on.map(|at| (at / base * from.strides[d], at / base * to.strides[d])).collect()
            };
            (0..given.sizes[d]).map(of).collect()
        })
        .collect();
    let rank = from.rank();
    let mut place = vec![0usize; rank];
    let mut slot = given.offset.cast_signed();
    let mut steps = 0;
    let one: &[(isize, isize)] = &[(0, 0)];
    loop {
        let here = |d: usize| &taps[d][place[d]];
        let is_empty = (0..rank).any(|d| here(d).is_empty());
        if !is_empty {
            // The two innermost dimensions in two loops, those before them by counting.
            let inner = rank.checked_sub(1).map_or(one, |d| here(d));
            let rows = rank.checked_sub(2).map_or(one, |d| here(d));
            let outer = rank.saturating_sub(2);
            let mut selected: Option<(K, isize)> = None;
            let mut cell = [0usize; 32];
            loop {
                let (mut a, mut b) = (from.offset.cast_signed(), to.offset.cast_signed());
                for (d, cell) in cell[..outer].iter().enumerate() {
                    let (more_a, more_b) = here(d)[*cell];
                    (a, b) = (a + more_a, b + more_b);
                }
                for (row_a, row_b) in rows {
                    for (in_a, in_b) in inner {
                        let next = value(x[(a + row_a + in_a).cast_unsigned()]);
                        if !selected.is_some_and(|(selected, _)| keeps(selected, next)) {
                            selected = Some((next, b + row_b + in_b));
                        }
                    }
                }
                steps += (rows.len() * inner.len()) as u64;
                let more = (0..outer).rev().any(|d| {
                    cell[d] = (cell[d] + 1) % here(d).len();
                    cell[d] > 0
                });
                if !more {
                    break;
                }
            }
            if let Some((_, to)) = selected {
                let to = to.cast_unsigned();
                out[to] = add(out[to], source[slot.cast_unsigned()]);
            }
        }
        if steps >= LOOK {
            context.tick(std::mem::take(&mut steps))?;
        }
        let more = (0..rank).rev().any(|d| {
            place[d] += 1;
            slot += given.strides[d];
            if place[d] < given.sizes[d] {
                return true;
            }
            slot -= given.strides[d] * given.sizes[d].cast_signed();
            place[d] = 0;
            false
        });
        if !more {
            return context.tick(steps);
        }
    }
}
