//! Runs models from a folder of `NAME.hlo` and `NAME.bin` (the concatenated parameters, then the expected result) and prints the
//! times: `cargo run --release -p xla-plan --example models -- FOLDER NAME…`.

#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_precision_loss, reason = "a measurement")]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::rc::Rc;
use std::time::Instant;

use xla_array::{ArrayLiteral, Literal};
use xla_hlo::{Limits, parse};
use xla_plan::{Options, Plan, Runner};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap();
    for name in arguments {
        run(&folder, &name);
    }
}

/// Decodes elements of four bytes each.
fn decode<T>(bytes: &[u8], from_bytes: fn([u8; 4]) -> T) -> Vec<T> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| from_bytes(*bytes)).collect()
}

fn run(folder: &str, name: &str) {
    let text = fs::read_to_string(format!("{folder}/{name}.hlo")).unwrap();
    let data = fs::read(format!("{folder}/{name}.bin")).unwrap();
    let module = parse(&text).into_module().unwrap();
    let mut rest = &data[..];
    let mut arguments: Vec<Literal> = Vec::new();
    for shape in &module.interface().unwrap().parameters {
        let shape = shape.as_array().unwrap();
        let count = usize::try_from(shape.elements().unwrap()).unwrap();
        let (parameter, after) = rest.split_at(4 * count);
        rest = after;
        let dimensions = shape.dimensions.iter().copied();
        let array = if shape.element_type.name() == "s32" {
            ArrayLiteral::from_slice(dimensions, &decode(parameter, i32::from_le_bytes))
        } else {
            ArrayLiteral::from_slice(dimensions, &decode(parameter, f32::from_le_bytes))
        };
        arguments.push(array.unwrap().into());
    }
    let expected = decode(rest, f32::from_le_bytes);
    let begin = Instant::now();
    let constant_parameters = arguments.len() - 1;
    let plan = Plan::compile(&module, Options { constant_parameters, ..Options::default() }).unwrap();
    let compile_time = begin.elapsed();
    // The minimum time of each step; and the running step with its start.
    let plan = Rc::new(plan);
    let profile: Rc<RefCell<BTreeMap<usize, f64>>> = Rc::default();
    let running = Rc::new(Cell::new((usize::MAX, Instant::now())));
    let on_step = {
        let (profile, running) = (profile.clone(), running.clone());
        move |step: usize| {
            let (finished, start) = running.replace((step, Instant::now()));
            let mut profile = profile.borrow_mut();
            let min = profile.entry(finished).or_insert(f64::INFINITY);
            *min = min.min(start.elapsed().as_secs_f64() * 1e3);
        }
    };
    let on_step = Rc::new(on_step);
    let mut runner = Runner::new(plan.clone());
    let mut profiled = Runner::new(plan.clone()).on_step(on_step.clone());
    let arguments: Vec<&Literal> = arguments.iter().collect();
    let limits = Limits { bytes: 1 << 33, ..Limits::default() };
    let mut times = Vec::new();
    for _ in 0..12 {
        running.set((usize::MAX, Instant::now()));
        profiled.run(&arguments, limits, None).unwrap();
        on_step(usize::MAX);
        let begin = Instant::now();
        let result = runner.run(&arguments, limits, None).unwrap();
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        let got = result.as_array().unwrap().as_slice::<f32>().unwrap();
        let relative_error = |(got, want): (&f32, &f32)| (got - want).abs() / (1e-3 + want.abs());
        let max_error = got.iter().zip(&expected).map(relative_error).fold(0.0, f32::max);
        assert!(max_error < 0.02, "{name} differs by {max_error}");
    }
    println!(
        "{name}: compiled in {compile_time:?}, {:?} steps, {} kB (peak live {} kB), ms {times:.1?}",
        plan.step_counts(),
        plan.bytes() / 1000,
        plan.peak_live_bytes() / 1000,
    );
    let mut totals: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    for (step, ms) in profile.borrow().iter() {
        let (count, total) = totals.entry(plan.step_name(*step)).or_default();
        *count += 1;
        *total += ms;
    }
    let mut lines: Vec<_> = totals.iter().collect();
    lines.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    for (step, (count, ms)) in lines.iter().take(25) {
        println!("{ms:10.4} ms {count:5} x {step}");
    }
}
