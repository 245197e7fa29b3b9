//! How much a visitor loads: every script and WebAssembly module of the site, as it is and compressed with brotli.
//!
//! The worker loads when it is first needed; all else counts for the landing page, which has a budget.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::process::Process;

/// The most the landing page's WebAssembly and JavaScript may weigh, in bytes compressed with brotli.
const LANDING_BUDGET: u64 = 350_000;

/// Node compresses: it is there for wasm-opt, and its brotli is the reference implementation.
const COMPRESS: &str = "for (const path of process.argv.slice(1)) {
    const raw = require('fs').readFileSync(path);
    console.log(raw.length, require('zlib').brotliCompressSync(raw).length);
}";

/// A file with its sizes in bytes.
struct CodeFile<'a> {
    path: &'a Path,
    raw: u64,
    brotli: u64,
}

/// Prints the sizes of the site's code and fails if the landing page is over its budget.
pub fn check(files: &[PathBuf]) -> Result<()> {
    let is_code = |path: &&PathBuf| path.extension().is_some_and(|end| end == "js" || end == "wasm");
    let code: Vec<&PathBuf> = files.iter().filter(is_code).collect();
    let measure = Process::new("node")?.arg("-e").arg(COMPRESS).arg("--");
    let measured = code.iter().fold(measure, Process::arg).output()?;
    let mut weighed = Vec::new();
    for (path, line) in code.iter().zip(measured.lines()) {
        let (raw, brotli) = line.split_once(' ').ok_or("node printed no sizes")?;
        weighed.push(CodeFile { path, raw: raw.parse()?, brotli: brotli.parse()? });
    }
    let (worker, landing): (Vec<CodeFile>, Vec<CodeFile>) =
        weighed.into_iter().partition(|each| is_worker(each.path));
    println!("\n{:>10} {:>10}  bytes", "raw", "brotli");
    print_group("worker, when first needed", &worker);
    let total = print_group("landing page", &landing);
    let used = total.saturating_mul(100) / LANDING_BUDGET;
    println!("landing page: {total} of {LANDING_BUDGET} bytes brotli ({used} %)");
    if total > LANDING_BUDGET {
        return Err(format!("the landing page is {} bytes over its budget", total - LANDING_BUDGET).into());
    }
    Ok(())
}

fn is_worker(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("worker"))
}

/// Prints the files and their sum, and answers the sum compressed.
fn print_group(name: &str, files: &[CodeFile]) -> u64 {
    for file in files {
        println!("{:>10} {:>10}  {}", file.raw, file.brotli, file.path.display());
    }
    let brotli = files.iter().map(|file| file.brotli).sum();
    println!("{:>10} {:>10}  {name}", files.iter().map(|file| file.raw).sum::<u64>(), brotli);
    brotli
}
