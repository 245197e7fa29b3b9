//! The download size of each screen: every script and WebAssembly module of the site, uncompressed and with brotli.
//!
//! Each screen loads its own code and has a budget; the worker is loaded on first use.

use std::path::{Path, PathBuf};

use crate::Result;
use crate::process::Process;

/// The label of each bundle, the prefix of its files, and its budget in bytes compressed with brotli; the landing page has
/// the files that no other entry matches.
const BUNDLES: [(&str, &str, u64); 14] = [
    ("strict kernels, in the worker", "kernels-strict", 285_000),
    ("fast kernels, on request", "kernels-fast", 289_000),
    ("scalar kernels, for the Speed screen", "kernels-scalar", 298_000),
    ("plans of large programs, on request", "plans", 980_000),
    ("worker, on first use", "worker", 1_150_000),
    ("Ops screen", "ops", 1_114_000),
    ("Program screen", "program", 549_000),
    ("editor of the Program screen, on request", "editor", 110_000),
    ("Speed screen", "speed", 184_000),
    ("dialogs, comparison, typed values, on first use", "extras", 80_000),
    ("messages of an embed, where its page asks", "talk", 3_000),
    ("script of the example page", "lecture", 1_500),
    ("offline copy, once the page is idle", "service-worker", 4_000),
    // The compressed size differs between machines by some hundred bytes.
    ("landing page", "", 250_000),
];

/// Node compresses: it is installed for wasm-opt, and its brotli is the reference implementation.
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

/// The files with their sizes.
fn measure_files<'a>(code: &[&'a PathBuf]) -> Result<Vec<CodeFile<'a>>> {
    let measure = Process::new("node")?.arg("-e").arg(COMPRESS).arg("--");
    let measured = code.iter().fold(measure, Process::arg).output()?;
    let mut sized = Vec::new();
    for (path, line) in code.iter().zip(measured.lines()) {
        let (raw, brotli) = line.split_once(' ').ok_or("node printed no sizes")?;
        sized.push(CodeFile { path, raw: raw.parse()?, brotli: brotli.parse()? });
    }
    Ok(sized)
}

/// Prints the sizes of files.
pub fn print(files: &[PathBuf]) -> Result<()> {
    println!("\n{:>10} {:>10}  bytes", "raw", "brotli");
    for file in measure_files(&files.iter().collect::<Vec<_>>())? {
        println!("{:>10} {:>10}  {}", file.raw, file.brotli, file.path.display());
    }
    Ok(())
}

/// Prints the sizes of the site's code and fails if a bundle exceeds its budget.
pub fn check(files: &[PathBuf]) -> Result<()> {
    let is_code = |path: &&PathBuf| path.extension().is_some_and(|end| end == "js" || end == "wasm");
    let code: Vec<&PathBuf> = files.iter().filter(is_code).collect();
    let sized = measure_files(&code)?;
    println!("\n{:>10} {:>10}  bytes", "raw", "brotli");
    for (name, prefix, budget) in BUNDLES {
        let group: Vec<&CodeFile> = sized.iter().filter(|file| bundle_prefix(file.path) == prefix).collect();
        let total = print_group(name, &group);
        println!("{name}: {total} of {budget} bytes brotli ({} %)", total.saturating_mul(100) / budget);
        if total > budget {
            return Err(format!("{name} is {} bytes over its budget", total - budget).into());
        }
    }
    Ok(())
}

/// The file prefix of the bundle that a file belongs to.
fn bundle_prefix(path: &Path) -> &'static str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    BUNDLES.iter().map(|(_, prefix, _)| *prefix).find(|prefix| name.starts_with(prefix)).unwrap_or_default()
}

/// Prints the files and their sum; returns the compressed sum.
fn print_group(name: &str, files: &[&CodeFile]) -> u64 {
    for file in files {
        println!("{:>10} {:>10}  {}", file.raw, file.brotli, file.path.display());
    }
    let brotli = files.iter().map(|file| file.brotli).sum();
    println!("{:>10} {:>10}  {name}", files.iter().map(|file| file.raw).sum::<u64>(), brotli);
    brotli
}
