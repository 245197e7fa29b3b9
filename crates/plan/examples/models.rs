//! Runs models from a folder of `NAME.hlo`, `NAME.json` and `NAME.bin` (parameters one after the other, then the expected result)
//! and prints the times: `cargo run --release -p xla-plan --example models -- FOLDER NAME…`.

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
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap();
    for name in words {
        run(&folder, &name);
    }
}

/// Cells of four bytes.
fn cells<T>(bytes: &[u8], of: fn([u8; 4]) -> T) -> Vec<T> {
    bytes.as_chunks::<4>().0.iter().map(|cell| of(*cell)).collect()
}

fn run(folder: &str, name: &str) {
    let text = fs::read_to_string(format!("{folder}/{name}.hlo")).unwrap();
    let all = fs::read(format!("{folder}/{name}.bin")).unwrap();
    let module = parse(&text).into_module().unwrap();
    let mut rest = &all[..];
    let mut arguments: Vec<Literal> = Vec::new();
    for shape in &module.interface().unwrap().parameters {
        let shape = shape.as_array().unwrap();
        let count = usize::try_from(shape.elements().unwrap()).unwrap();
        let (own, after) = rest.split_at(4 * count);
        rest = after;
        let dimensions = shape.dimensions.iter().copied();
        let array = if shape.element_type.name() == "s32" {
            ArrayLiteral::from_slice(dimensions, &cells(own, i32::from_le_bytes))
        } else {
            ArrayLiteral::from_slice(dimensions, &cells(own, f32::from_le_bytes))
        };
        arguments.push(array.unwrap().into());
    }
    let want = cells(rest, f32::from_le_bytes);
    let begin = Instant::now();
    let constant_parameters = arguments.len() - 1;
    let plan = Plan::compile(&module, Options { constant_parameters, ..Options::default() }).unwrap();
    let planned = begin.elapsed();
    // Of each step, its least time; the step that runs, and since when.
    let plan = Rc::new(plan);
    let profile: Rc<RefCell<BTreeMap<usize, f64>>> = Rc::default();
    let running = Rc::new(Cell::new((usize::MAX, Instant::now())));
    let watch = {
        let (profile, running) = (profile.clone(), running.clone());
        move |step: usize| {
            let (before, since) = running.replace((step, Instant::now()));
            let mut profile = profile.borrow_mut();
            let least = profile.entry(before).or_insert(f64::INFINITY);
            *least = least.min(since.elapsed().as_secs_f64() * 1e3);
        }
    };
    let watch = Rc::new(watch);
    let mut runner = Runner::new(plan.clone()).watch(watch.clone());
    let arguments: Vec<&Literal> = arguments.iter().collect();
    let limits = Limits { bytes: 1 << 33, ..Limits::default() };
    let mut times = Vec::new();
    for _ in 0..12 {
        running.set((usize::MAX, Instant::now()));
        let begin = Instant::now();
        let result = runner.run(&arguments, limits, None).unwrap();
        watch(usize::MAX);
        times.push(begin.elapsed().as_secs_f64() * 1e3);
        let got = result.as_array().unwrap().as_slice::<f32>().unwrap();
        let far = |(got, want): (&f32, &f32)| (got - want).abs() / (1e-3 + want.abs());
        let far = got.iter().zip(&want).map(far).fold(0.0, f32::max);
        assert!(far < 0.02, "{name} differs by {far}");
    }
    println!(
        "{name}: planned in {planned:?}, {:?} steps, {} kB (alive at once {} kB), ms {times:.1?}",
        plan.step_counts(),
        plan.bytes() / 1000,
        plan.peak_live_bytes() / 1000,
    );
    let mut named: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    for (step, ms) in profile.borrow().iter() {
        let (count, all) = named.entry(plan.step_name(*step)).or_default();
        *count += 1;
        *all += ms;
    }
    let mut lines: Vec<_> = named.iter().collect();
    lines.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    for (what, (count, ms)) in lines.iter().take(25) {
        println!("{ms:9.2} ms {count:5} x {what}");
    }
}
