//! The table of kernels, module next to module, and their memory.

use harness::Page;

use xla_playground::kernels::task::Unit;

use crate::cases::{Case, large, table};
use crate::module::{self, MODULES, Measured};

/// Milliseconds per sample, because Firefox's clock has whole milliseconds.
const SAMPLE_MS: f64 = 20.0;

/// A formatted rate.
fn rate(case: &Case, measured: &Measured) -> String {
    #[allow(clippy::cast_precision_loss, reason = "a number to be read")]
    match (case.work(), measured.ns) {
        ((Unit::Flop, work), Some(ns)) => format!("{:.3} ms, {:.1} GFLOP/s", ns / 1e6, work as f64 / ns),
        ((Unit::Byte, work), Some(ns)) => format!("{:.3} ms, {:.1} GB/s", ns / 1e6, work as f64 / ns),
        (_, None) => format!("refused ({})", measured.answer),
    }
}

/// Prints the table.
pub fn print(page: &Page) {
    module::start(page);
    println!("\n| task | kernel | {} |\n|---|---|--:|--:|--:|", MODULES.join(" | "));
    for case in table() {
        let measured = module::time(page, &MODULES, &case, SAMPLE_MS, 5);
        let kernel = measured.iter().map(|of| of.kernel.as_str()).find(|name| !name.is_empty());
        let rates: Vec<String> = measured.iter().map(|of| rate(&case, of)).collect();
        println!("| {} | {} | {} |", case.name, kernel.unwrap_or("none"), rates.join(" | "));
    }
}

/// Prints the memory that large tasks take.
pub fn print_memory(page: &Page) {
    println!("\n| task | module | operands and result, kB | scratch, kB | memory before, kB | peak, kB |");
    println!("|---|---|--:|--:|--:|--:|");
    for case in large() {
        for name in ["strict", "fast"] {
            // A module instance for each: memory never shrinks.
            module::start(page);
            let held = module::hold(page, name, &case, 1);
            let bytes = 4 * case.cells.iter().sum::<usize>();
            let kb = |bytes: usize| bytes / 1000;
            println!(
                "| {} | {name} | {} | {} | {} | {} |",
                case.name,
                kb(bytes),
                kb(held.scratch),
                kb(held.before),
                kb(held.peak)
            );
        }
    }
}
