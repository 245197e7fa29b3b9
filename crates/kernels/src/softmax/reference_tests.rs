//! Softmax along every dimension of every layout, against `f64`.

use crate::half_rows as half;
use crate::task::{Array, Softmax};
use crate::{Slice, SliceMut, Task, Type, View};

use crate::testing::{Random, run_task, slots};

/// The rows along a dimension: the row-major positions of their elements.
fn rows(sizes: &[usize], d: usize) -> Vec<Vec<usize>> {
    let view = View::row_major(sizes);
    let starts = View {
        sizes: view.sizes.iter().enumerate().map(|(i, n)| if i == d { 1 } else { *n }).collect(),
        ..view.clone()
    };
    slots(&starts)
        .iter()
        .map(|at| (0..sizes[d]).map(|i| at + i * view.strides[d] as usize).collect())
        .collect()
}

#[test]
fn softmax_is_close_to_f64() {
    let mut random = Random::new(31);
    for round in 0..300 {
        let rank = 1 + random.below(4);
        let sizes = random.sizes(rank, [0, 300, 90, 20, 8][rank]);
        let dimension = random.below(rank);
        let ty = [Type::F32, Type::F32, Type::F32, Type::F16, Type::BF16][round % 5];
        let ((from, elements), (to, out_elements)) = (random.layout(&sizes), random.layout(&sizes));
        let array = |view: &View| Array { ty, view: view.clone() };
        let task = Task::Softmax(Softmax { operand: array(&from), out: array(&to), dimension });
        let scale = [1.0, 20.0, 200.0][round % 3];
        let has_special = round % 4 == 3;
        let number = |random: &mut Random| match random.below(40) {
            0 if has_special => f32::NEG_INFINITY,
            1 if has_special && random.below(4) == 0 => f32::INFINITY,
            2 if has_special && random.below(4) == 0 => f32::NAN,
            _ => random.unit() * scale,
        };
        let mut x: Vec<f32> = (0..elements).map(|_| number(&mut random)).collect();
        let (to_code, of_code): (fn(f32) -> u16, fn(u16) -> f32) =
            if ty == Type::F16 { (half::to_f16, half::from_f16) } else { (half::to_bf16, half::from_bf16) };
        let mut out = vec![7.0; out_elements];
        if ty == Type::F32 {
            run_task(&task, &[Slice::F32(&x)], &mut [SliceMut::F32(&mut out)]).unwrap();
        } else {
            let codes: Vec<u16> = x.iter().map(|x| to_code(*x)).collect();
            x = codes.iter().map(|code| of_code(*code)).collect();
            let mut out_codes = vec![0; out_elements];
            run_task(&task, &[Slice::U16(&codes)], &mut [SliceMut::U16(&mut out_codes)]).unwrap();
            out = out_codes.iter().map(|code| of_code(*code)).collect();
        }
        let (from_slots, to_slots) = (slots(&from), slots(&to));
        for row in rows(&sizes, dimension) {
            let number = |i: &usize| f64::from(x[from_slots[*i]]);
            let top = row
                .iter()
                .map(number)
                .fold(f64::NEG_INFINITY, |a, b| if b > a || b.is_nan() { b } else { a });
            let sum: f64 = row.iter().map(|i| (number(i) - top).exp()).sum();
            for i in &row {
                let (exact, result) = ((number(i) - top).exp() / sum, out[to_slots[*i]]);
                if exact.is_nan() {
                    assert_eq!(result.to_bits(), f32::NAN.to_bits(), "{task:?}");
                    continue;
                }
                let unit = match ty {
                    Type::F32 => 2f64.powi(-23) * 8.0,
                    Type::F16 => 2f64.powi(-10),
                    _ => 2f64.powi(-7),
                };
                // The difference is rounded before the exponential: half a unit of its last place.
                let bound = exact * (unit + (number(i) - top).abs().min(200.0) * 2f64.powi(-24)) + 1e-44;
                let bound = bound + if ty == Type::F16 { 6e-8 } else { 1e-40 };
                assert!((f64::from(result) - exact).abs() <= bound, "{task:?}: {result} for {exact}");
            }
        }
    }
}
