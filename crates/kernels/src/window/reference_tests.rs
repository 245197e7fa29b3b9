//! Windows: every rank, stride, padding and dilation, against a loop over the taps of each window.

use crate::task::{Array, ReduceWindow, Reducer, Window};
use crate::{KernelError, Slice, SliceMut, Task, Type, View};

use crate::testing::{Random, floats, floats_of, run_task, same, slots};

/// A window without dilation.
fn sliding(size: usize, stride: usize, low: isize, high: isize) -> Window {
    Window { size, stride, low, high, base_dilation: 1, dilation: 1, is_reversed: false }
}

/// A random window that fits at least once over `size` elements, and the number of its positions.
fn window(random: &mut Random, size: usize) -> (Window, usize) {
    if random.below(4) == 0 {
        return (sliding(1, 1, 0, 0), size);
    }
    loop {
        let long = random.below(6) == 0;
        let one_of =
            |random: &mut Random, max: usize| if random.below(2) == 0 { 1 } else { 1 + random.below(max) };
        let window = Window {
            size: 1 + random.below(if long { 40 } else { 5 }),
            stride: one_of(random, 4),
            low: random.below(8) as isize - 3,
            high: random.below(if long { 40 } else { 8 }) as isize - 3,
            base_dilation: if random.below(4) == 0 { one_of(random, 3) } else { 1 },
            dilation: one_of(random, 3),
            is_reversed: random.below(5) == 0,
        };
        if let Some(positions) = window.positions(size).filter(|positions| *positions > 0) {
            return (window, positions);
        }
    }
}

pub struct Case {
    pub sizes: Vec<usize>,
    pub window: Vec<Window>,
    pub positions: Vec<usize>,
}

impl Case {
    /// Windows along dimensions of these sizes; along those before them nothing slides. `None` where they have no position.
    fn new(sizes: &[usize], windows: &[Window]) -> Option<Self> {
        let mut window = vec![sliding(1, 1, 0, 0); sizes.len() - windows.len()];
        window.extend_from_slice(windows);
        let positions: Vec<usize> =
            sizes.iter().zip(&window).map(|(size, w)| w.positions(*size)).collect::<Option<_>>()?;
        (!positions.contains(&0)).then(|| Self { sizes: sizes.to_vec(), window, positions })
    }

    fn task(&self, reducer: Reducer, from: &View, to: &View) -> Task {
        Task::ReduceWindow(ReduceWindow {
            operand: floats(from),
            out: floats(to),
            window: self.window.clone(),
            reducer,
        })
    }

    /// Runs the task, and compares each position, and that no other element is written.
    fn check(&self, reducer: Reducer, from: &View, (to, elements): &(View, usize), x: &[f32], init: f32) {
        self.check_covered(&covered_slots(self, from), reducer, from, (to, *elements), x, init);
    }

    fn check_covered(
        &self,
        covered_slots: &[Vec<usize>],
        reducer: Reducer,
        from: &View,
        (to, elements): (&View, usize),
        x: &[f32],
        init: f32,
    ) {
        let task = self.task(reducer, from, to);
        let out = floats_of(&task, &[x, &[init]], elements);
        let mut written = vec![false; elements];
        for (slot, group) in slots(to).iter().zip(covered_slots) {
            let expected = group.iter().fold(init, |a, slot| combined(reducer, a, x[*slot]));
            assert!(same(out[*slot], expected), "{task:?}: {} for {expected}", out[*slot]);
            written[*slot] = true;
        }
        let is_kept = out.iter().zip(&written).all(|(x, is_written)| *is_written || *x == 7.0);
        assert!(is_kept, "{task:?}: elements outside the result were written");
    }
}

/// The reduction operator: 0 is above -0, and NaN is the result of any NaN.
fn combined(reducer: Reducer, a: f32, b: f32) -> f32 {
    let order = |x: f32| if x == 0.0 { if x.is_sign_negative() { -1 } else { 0 } } else { 1 };
    match reducer {
        Reducer::Add => a + b,
        Reducer::Mul => a * b,
        _ if a.is_nan() || b.is_nan() => f32::NAN,
        Reducer::Max if a > b || a == b && order(a) >= order(b) => a,
        Reducer::Min if a < b || a == b && order(a) <= order(b) => a,
        _ => b,
    }
}

/// The identity of an operator.
fn identity_of(reducer: Reducer) -> f32 {
    match reducer {
        Reducer::Add => -0.0,
        Reducer::Mul => 1.0,
        Reducer::Max => f32::NEG_INFINITY,
        _ => f32::INFINITY,
    }
}

pub fn case(random: &mut Random) -> Case {
    let rank = random.below(5);
    let sizes = random.sizes(rank, [1, 90, 20, 8, 5][rank]);
    let (window, positions) = sizes.iter().map(|size| window(random, *size)).unzip();
    Case { sizes, window, positions }
}

/// The slots of the elements that the window covers at each position, both in row-major order.
pub fn covered_slots(case: &Case, view: &View) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![vec![view.offset]];
    for (d, window) in case.window.iter().enumerate() {
        let covered_slots_at = |position: usize| -> Vec<isize> {
            let taps = (0..window.size)
                .map(|k| (position * window.stride + k * window.dilation) as isize - window.low);
            let base = window.base_dilation as isize;
            let covered = taps.filter(|at| *at >= 0 && at % base == 0 && at / base < case.sizes[d] as isize);
            covered.map(|at| at / base * view.strides[d]).collect()
        };
        let positions: Vec<Vec<isize>> = (0..case.positions[d]).map(covered_slots_at).collect();
        all = all
            .iter()
            .flat_map(|slots| {
                positions.iter().map(move |steps| {
                    let step = |slot: &usize| {
                        steps.iter().map(|step| slot.wrapping_add_signed(*step)).collect::<Vec<_>>()
                    };
                    slots.iter().flat_map(step).collect::<Vec<_>>()
                })
            })
            .collect();
    }
    all
}

fn layout(random: &mut Random, sizes: &[usize]) -> (View, usize) {
    let (mut view, elements) = random.layout(sizes);
    if !sizes.is_empty() && random.below(6) == 0 {
        let d = random.below(sizes.len());
        view.offset = view.offset.wrapping_add_signed(view.strides[d] * (sizes[d] as isize - 1));
        view.strides[d] = -view.strides[d];
    }
    (view, elements)
}

#[test]
fn float_windows_are_reduced() {
    let mut random = Random::new(11);
    for round in 0..1500 {
        let case = case(&mut random);
        let reducer = [Reducer::Add, Reducer::Max, Reducer::Min, Reducer::Mul][round % 4];
        let ((from, elements), to) = (layout(&mut random, &case.sizes), layout(&mut random, &case.positions));
        let exact = matches!(reducer, Reducer::Max | Reducer::Min);
        let x: Vec<f32> = (0..elements)
            .map(|_| if exact { random.float() } else { random.below(3) as f32 - 1.0 })
            .collect();
        let init = if exact { random.float() } else { 1.0 };
        case.check(reducer, &from, &to, &x, init);
    }
}

#[test]
fn windows_of_other_types_are_reduced() {
    use crate::half_rows as half;
    let mut random = Random::new(12);
    for round in 0..400 {
        let case = case(&mut random);
        let ((from, elements), (to, out_elements)) =
            (layout(&mut random, &case.sizes), layout(&mut random, &case.positions));
        let ty = [Type::S32, Type::F16, Type::F64, Type::U8, Type::S64, Type::BF16][round % 6];
        let array = |view: &View| Array { ty, view: view.clone() };
        let task = Task::ReduceWindow(ReduceWindow {
            operand: array(&from),
            out: array(&to),
            window: case.window.clone(),
            reducer: Reducer::Max,
        });
        let x: Vec<u8> = (0..elements).map(|_| random.below(200) as u8).collect();
        let expected = |group: &[usize]| group.iter().fold(3, |a: u8, slot| a.max(x[*slot]));
        macro_rules! run {
            ($variant:ident $native:ty, $to:expr) => {{
                let elements: Vec<$native> = x.iter().map(|x| $to(*x)).collect();
                let mut out = vec![<$native>::default(); out_elements];
                let read = [Slice::$variant(&elements), Slice::$variant(&[$to(3)])];
                run_task(&task, &read, &mut [SliceMut::$variant(&mut out)]).unwrap();
                for (slot, group) in slots(&to).iter().zip(covered_slots(&case, &from)) {
                    assert_eq!(out[*slot], $to(expected(&group)), "{task:?}");
                }
            }};
        }
        match ty {
            Type::S32 => run!(I32 i32, i32::from),
            Type::S64 => run!(I64 i64, i64::from),
            Type::U8 => run!(U8 u8, u8::from),
            Type::F64 => run!(F64 f64, f64::from),
            Type::F16 => run!(U16 u16, |x: u8| half::to_f16(f32::from(x))),
            _ => run!(U16 u16, |x: u8| half::to_bf16(f32::from(x))),
        }
    }
}

#[test]
fn operands_without_elements_give_the_initial_value() {
    let case = Case::new(&[0], &[sliding(2, 1, 2, 1)]).unwrap();
    let task = case.task(Reducer::Add, &View::row_major(&[0]), &View::row_major(&case.positions));
    assert_eq!(floats_of(&task, &[&[], &[5.0]], case.positions[0]), vec![5.0; case.positions[0]]);
}

#[test]
fn wide_padding_falls_back_to_the_reference_evaluator() {
    let case = Case::new(&[3], &[sliding(1 << 20, 1, 1 << 20, 0)]).unwrap();
    let task = case.task(Reducer::Add, &View::row_major(&[3]), &View::row_major(&case.positions));
    let mut out = vec![0.0; case.positions[0]];
    let read = [Slice::F32(&[1.0; 3]), Slice::F32(&[0.0])];
    assert_eq!(run_task(&task, &read, &mut [SliceMut::F32(&mut out)]), Err(KernelError::NoKernel));
}

/// The strides of an array whose dimension `d` is innermost, the others row-major.
fn with_minor_dimension(sizes: &[usize], d: usize) -> View {
    let mut order: Vec<usize> = (0..sizes.len()).filter(|other| *other != d).collect();
    order.push(d);
    let permuted = View::row_major(&order.iter().map(|d| sizes[*d]).collect::<Vec<_>>());
    let mut strides = vec![0; sizes.len()];
    order.iter().zip(&permuted.strides).for_each(|(d, stride)| strides[*d] = *stride);
    View { offset: 0, sizes: sizes.to_vec(), strides }
}

/// An operation, numbers for it, and an initial value: mostly numbers without NaN, some of them zeros of both signs; products
/// are of powers of two.
fn numbers(random: &mut Random, elements: usize) -> (Reducer, Vec<f32>, f32) {
    let reducer = [Reducer::Add, Reducer::Max, Reducer::Min, Reducer::Mul][random.below(4)];
    let is_exact = matches!(reducer, Reducer::Max | Reducer::Min);
    let specials = random.below(4);
    let mut number = || match random.below(6) {
        _ if specials == 0 && is_exact => random.float(),
        0 if is_exact => -0.0,
        1 if is_exact => 0.0,
        _ if reducer == Reducer::Mul => [1.0, -1.0, 2.0, 0.5][random.below(4)],
        _ => random.below(7) as f32 - 6.0,
    };
    let mut x: Vec<f32> = (0..elements).map(|_| number()).collect();
    let init = number();
    let init = match reducer {
        Reducer::Add => 1.0,
        Reducer::Mul => 2.0,
        _ if random.below(3) == 0 => init,
        _ => identity_of(reducer),
    };
    // A single special number must have its effect in every element.
    if specials == 1 {
        x[random.below(elements)] = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY][random.below(4)];
    }
    (reducer, x, init)
}

#[test]
fn images_with_contiguous_channels_are_pooled() {
    let mut random = Random::new(19);
    for round in 0..700 {
        let (size, stride) = (2 + random.below(2), 1 + random.below(3));
        let one = |random: &mut Random| {
            sliding(size, stride, random.below(4) as isize - 1, random.below(4) as isize - 1)
        };
        let windows = [one(&mut random), one(&mut random)];
        let channels = if random.below(3) == 0 { 1 + random.below(40) } else { 1 + random.below(9) };
        let sizes = [1 + random.below(2), channels, 2 + random.below(8), 2 + random.below(50)];
        let Some(case) = Case::new(&sizes, &windows) else { continue };
        let from = with_minor_dimension(&case.sizes, 1);
        let to = match round % 5 {
            0 => random.layout(&case.positions),
            _ => (with_minor_dimension(&case.positions, 1), case.positions.iter().product()),
        };
        let (reducer, x, init) = numbers(&mut random, from.elements());
        case.check(reducer, &from, &to, &x, init);
    }
}

#[test]
fn planes_are_pooled() {
    let mut random = Random::new(17);
    for round in 0..1200 {
        let size = 2 + random.below(2);
        let one = |random: &mut Random, stride: usize| {
            sliding(size, stride, random.below(2) as isize, random.below(2) as isize)
        };
        let stride = 1 + random.below(3);
        let windows = [one(&mut random, 1 + round % 3), one(&mut random, stride)];
        let sizes = [1 + random.below(3), 1 + random.below(9), 4 + random.below(40)];
        let Some(case) = Case::new(&sizes, &windows) else { continue };
        let (from, to) = (View::row_major(&case.sizes), random.layout(&case.positions));
        let (reducer, x, init) = numbers(&mut random, from.elements());
        case.check(reducer, &from, &to, &x, init);
    }
}

/// Images with contiguous channels and with contiguous columns, windows of 2 and 3 taps, and strides of 1 to 3.
fn small_windows() -> impl Iterator<Item = (Case, View, View)> {
    let shapes = (0..72).map(|i| (2 + i % 2, 1 + i / 2 % 3, i / 6 % 2, i / 12 % 2, i / 24));
    shapes.filter_map(|(size, stride, low, wide_low, layout)| {
        let rows = 4 + (size + stride + low) % 3;
        let sizes = match layout {
            2 => [1, 5, rows, 7],
            _ => [1, 2, rows, 19],
        };
        // Of planes the strides may be two.
        let wide = if layout == 1 { 1 + stride % 3 } else { stride };
        let windows = [sliding(size, stride, low as isize, 1), sliding(size, wide, wide_low as isize, 1)];
        let case = Case::new(&sizes, &windows)?;
        let view = |sizes: &[usize]| {
            if layout == 2 { with_minor_dimension(sizes, 1) } else { View::row_major(sizes) }
        };
        let (from, to) = (view(&case.sizes), view(&case.positions));
        Some((case, from, to))
    })
}

#[test]
fn nan_propagates_from_every_element() {
    for (case, from, to) in small_windows() {
        let covered_slots = covered_slots(&case, &from);
        let mut x = vec![-1.0; from.elements()];
        for at in 0..x.len() {
            x[at] = if at % 2 == 0 { f32::NAN } else { -f32::NAN };
            for reducer in [Reducer::Max, Reducer::Min] {
                case.check_covered(
                    &covered_slots,
                    reducer,
                    &from,
                    (&to, to.elements()),
                    &x,
                    identity_of(reducer),
                );
            }
            x[at] = -1.0;
        }
    }
}

#[test]
fn zeros_are_ordered_in_every_element() {
    for (case, from, to) in small_windows() {
        let covered_slots = covered_slots(&case, &from);
        for (reducer, other) in [(Reducer::Max, -1.0), (Reducer::Min, 1.0)] {
            let mut x = vec![other; from.elements()];
            let (row, column) = (from.strides[2].cast_unsigned(), from.strides[3].cast_unsigned());
            for (at, apart, zero) in (0..x.len()).flat_map(|at| [(at, row, 0.0), (at, column, -0.0)]) {
                let Some(next) = Some(at + apart).filter(|next| *next < x.len()) else { continue };
                (x[at], x[next]) = if at % 2 == 0 { (zero, -zero) } else { (-zero, zero) };
                case.check_covered(
                    &covered_slots,
                    reducer,
                    &from,
                    (&to, to.elements()),
                    &x,
                    identity_of(reducer),
                );
                (x[at], x[next]) = (other, other);
            }
        }
    }
}

#[test]
fn sums_have_the_same_bits_in_both_layouts() {
    let mut random = Random::new(20);
    for (k, stride, low) in [(2, 1, 0), (2, 2, 1), (2, 3, 0), (3, 1, 1), (3, 2, 1), (3, 3, 0), (3, 2, 0)] {
        for channels in [4, 7, 16, 37] {
            let sizes = [1, channels, 9 + random.below(9), 13 + random.below(30)];
            let case = Case::new(&sizes, &[sliding(k, stride, low, low); 2]).unwrap();
            let numbers: Vec<f32> = (0..sizes.iter().product()).map(|_| random.unit()).collect();
            let sums = |from: View, to: View| {
                let mut x = vec![0.0; numbers.len()];
                slots(&from).iter().zip(&numbers).for_each(|(slot, number)| x[*slot] = *number);
                let out = floats_of(&case.task(Reducer::Add, &from, &to), &[&x, &[0.25]], to.elements());
                slots(&to).iter().map(|slot| out[*slot].to_bits()).collect::<Vec<_>>()
            };
            let channels_minor =
                sums(with_minor_dimension(&sizes, 1), with_minor_dimension(&case.positions, 1));
            let columns_minor = sums(View::row_major(&sizes), View::row_major(&case.positions));
            assert!(channels_minor == columns_minor, "{k} {stride} {channels}");
        }
    }
}
