//! The table of the kernels' throughput in each module, and of their memory.

use harness::Page;

use xla_playground::kernels::task::Unit;

use crate::cases::{Case, large, table};
use crate::module::{self, MODULES, Measured};

/// Milliseconds per sample, because Firefox's clock has whole milliseconds.
const SAMPLE_MS: f64 = 20.0;

/// A formatted rate.
fn rate(case: &Case, measured: &Measured) -> String {
    #[allow(clippy::cast_precision_loss, reason = "a rate for display")]
    match (case.work(), measured.ns) {
        ((Unit::Flop, work), Some(ns)) => format!("{:.3} ms, {:.1} GFLOP/s", ns / 1e6, work as f64 / ns),
        ((Unit::Byte, work), Some(ns)) => format!("{:.3} ms, {:.1} GB/s", ns / 1e6, work as f64 / ns),
        (_, None) => format!("rejected ({})", measured.code),
    }
}

/// Prints the table.
pub fn print(page: &Page) {
    module::start(page);
    println!("\n| task | strict kernel | {} |\n|---|---|--:|--:|--:|", MODULES.join(" | "));
    for case in table() {
        let measured = module::time(page, &MODULES, &case, SAMPLE_MS, 5);
        // The scalar module may use another kernel.
        let strict = MODULES.iter().zip(&measured).find(|(module, _)| **module == "strict");
        let kernel = strict.map(|(_, measured)| measured.kernel.as_str()).filter(|name| !name.is_empty());
        let rates: Vec<String> = measured.iter().map(|measured| rate(&case, measured)).collect();
        println!("| {} | {} | {} |", case.name, kernel.unwrap_or("none"), rates.join(" | "));
    }
}

/// Prints the memory that large tasks take.
pub fn print_memory(page: &Page) {
    println!("\n| task | module | operands and result, kB | scratch, kB | memory before, kB | peak, kB |");
    println!("|---|---|--:|--:|--:|--:|");
    for case in large() {
        for name in ["strict", "fast"] {
            // A new instance for each case: memory never shrinks.
            module::start(page);
            let memory = module::measure_memory(page, name, &case, 1);
            let bytes = 4 * case.buffer_lengths.iter().sum::<usize>();
            let kb = |bytes: usize| bytes / 1000;
            println!(
                "| {} | {name} | {} | {} | {} | {} |",
                case.name,
                kb(bytes),
                kb(memory.scratch),
                kb(memory.before),
                kb(memory.peak)
            );
        }
    }
}
