//! A sweep for performance cliffs: series of cases that differ in one property, each case compared with its
//! neighbours. A case that takes more than [`MAX_SLOWDOWN`] times as long per element as a neighbour is flagged,
//! unless a reason is listed here.

use harness::Page;

use crate::cases::Case;
use crate::module;
use crate::sweep_series::{Reference, Series, all_series, slow_ones};

/// The factor by which a case may be slower than its neighbour.
const MAX_SLOWDOWN: f64 = 4.0;

/// How often cases that seem slow are measured again.
const MAX_REMEASUREMENTS: usize = 5;

/// Why integer products take longer.
const INTEGER_REASON: &str =
    "integers are multiplied at half the rate of floats or less; narrow ones are widened";

/// Cases that may be slower, by a part of `series: case`, and why.
const REASONS: &[(&str, &str)] = &[
    ("functions:", "each function is another; those through f64 are right to the last bit that way"),
    ("divide, type: s", "WebAssembly divides integers one at a time"),
    ("divide, type: u", "WebAssembly divides integers one at a time"),
    ("type: f16", "no instruction knows halves: taken apart and rounded by their bits"),
    ("type: bf16", "no instruction knows halves: taken apart and rounded by their bits"),
    ("max of rows, type: u64", "WebAssembly compares no unsigned numbers of 64 bits four or two at a time"),
    ("dot 128³, type: s", INTEGER_REASON),
    ("dot 128³, type: u", INTEGER_REASON),
    ("dot 128³, type: pred", INTEGER_REASON),
    ("conv 3x3 16→16, type: s", INTEGER_REASON),
    ("conv 3x3 16→16, type: u", INTEGER_REASON),
    ("conv 3x3 16→16, type: pred", INTEGER_REASON),
    ("sum-pool 3x3, type:", "planes of f32 are pooled in registers, those of other types row by row"),
    ("max-pool 3x3 s2, type:", "planes of f32 are pooled in registers, those of other types row by row"),
    ("sort rows of 512, type: s64", "only keys of 32 bits are sorted by a network, four rows at once"),
    ("sort rows of 512, type: u64", "only keys of 32 bits are sorted by a network, four rows at once"),
    ("sort rows of 512, type: f64", "only keys of 32 bits are sorted by a network, four rows at once"),
    ("type: c64", "a complex product is four, and two lanes are one number"),
    ("type: c128", "a complex product is four"),
    ("convert from s32: f16", "rounded once, by way of f64 and to odd"),
    ("convert from s32: bf16", "rounded once, by way of f64 and to odd"),
    ("convert from f64: f16", "no instruction knows halves: taken apart and rounded by their bits"),
    ("convert from bf16: f16", "no instruction knows halves: taken apart and rounded by their bits"),
    ("convert from bf16: s64", "WebAssembly cuts to 64 bits one at a time"),
    ("sum-pool, rank: [262144]", "an element is a cell of the window: three here, nine in the next"),
    ("transpose of thin matrices: 2 rows", "one row is a plain copy"),
    ("-D, permutation", "elements move one by one; where the minor dimension stays, rows are copied whole"),
    ("layout of one", "one operand is transposed on the way; its neighbour is read in its order"),
    (
        "max-pool 3x3, stride: stride 4",
        "strides above 3 have no loop of their own: rows are dealt out by remainder",
    ),
];

/// The time of a case.
struct Time {
    /// Nanoseconds per element; infinite if it is rejected.
    ns: f64,
    kernel: String,
}

fn time(page: &Page, case: &Case) -> Time {
    let measured = module::time(page, &["strict"], case, 6.0, 5);
    let first = measured.into_iter().next();
    #[allow(clippy::cast_precision_loss, reason = "a time for display")]
    let ns = first.as_ref().and_then(|of| of.ns).map_or(f64::INFINITY, |ns| ns / case.steps as f64);
    Time { ns, kernel: first.map(|of| of.kernel).unwrap_or_default() }
}

/// The time per element of a case relative to its reference.
fn slowdown(times: &[Time], i: usize, Series { reference, cases, .. }: &Series) -> f64 {
    // Elements of less than four bytes are not expected to be faster than `f32`.
    let width = |i: usize| f64::from(u8::try_from(widest(&cases[i]).max(4)).unwrap_or(4));
    let fastest = |is_compared: &dyn Fn(usize) -> bool| {
        let compared = times.iter().enumerate().filter(|(j, _)| is_compared(*j));
        compared.map(|(_, time)| time.ns).filter(|ns| *ns > 0.0).fold(f64::INFINITY, f64::min)
    };
    let reference_ns = match reference {
        Reference::Neighbours => fastest(&|j| j.abs_diff(i) == 1),
        Reference::Fastest => fastest(&|_| true),
        Reference::F32 => fastest(&|j| cases[j].name == "f32") * width(i) / 4.0,
    };
    times[i].ns / reference_ns
}

/// The bytes of the widest element of a case.
fn widest(case: &Case) -> usize {
    let (read, written) = case.task.types();
    read.iter().chain(&written).map(|ty| ty.bytes()).max().unwrap_or(1)
}

/// Prints every series; returns whether every flagged case has a reason.
pub fn run(page: &Page, only: Option<&str>) -> bool {
    module::start(page);
    let mut flagged = Vec::new();
    let mut count = 0;
    for series in all_series() {
        let Series { name, cases, .. } = &series;
        if only.is_some_and(|part| !name.contains(part)) {
            continue;
        }
        println!("\n{name}");
        let mut times: Vec<Time> = cases.iter().map(|case| time(page, case)).collect();
        for _ in 0..MAX_REMEASUREMENTS {
            let slow: Vec<usize> =
                (0..times.len()).filter(|i| slowdown(&times, *i, &series) > MAX_SLOWDOWN).collect();
            // Other load may have slowed down a single measurement.
            for i in &slow {
                let remeasured = time(page, &cases[*i]);
                times[*i].ns = times[*i].ns.min(remeasured.ns);
            }
            if slow.is_empty() {
                break;
            }
        }
        for (i, (case, Time { ns, kernel })) in cases.iter().zip(&times).enumerate() {
            let factor = slowdown(&times, i, &series);
            let label = format!("{name}: {}", case.name);
            let reason = REASONS.iter().find(|(part, _)| label.contains(part)).map(|(_, reason)| *reason);
            let is_cliff = factor > MAX_SLOWDOWN;
            let note = if is_cliff { reason.unwrap_or("UNEXPLAINED CLIFF") } else { "" };
            println!("  {:34} {ns:9.3} ns {factor:6.2} {kernel:24} {note}", case.name);
            count += 1;
            if is_cliff && reason.is_none() {
                flagged.push(format!("{label}: {ns:.3} ns, {factor:.1} times"));
            }
        }
    }
    println!("\nA million elements, milliseconds");
    for case in slow_ones() {
        let measured = module::time(page, &["strict"], &case, 20.0, 2);
        let ms = measured.first().and_then(|of| of.ns).map_or(f64::INFINITY, |ns| ns / 1e6);
        println!("  {:34} {ms:9.3} ms", case.name);
        if ms > 1000.0 {
            flagged.push(format!("{}: {ms:.0} ms", case.name));
        }
    }
    println!("\n{count} cases, {} cliffs", flagged.len());
    for cliff in &flagged {
        println!("  {cliff}");
    }
    flagged.is_empty()
}
