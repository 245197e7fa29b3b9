//! `cargo xtask coverage`: the lines of the core that the native tests cover.
//!
//! It needs cargo-llvm-cov, which only this command uses: without it an error says how to install it.

use crate::arguments::Arguments;
use crate::process::Process;
use crate::{Result, project};

/// The reported parts, as paths in the report.
const PARTS: [&str; 3] = ["crates/array/src/", "crates/ops/src/", "crates/hlo/src/"];
/// The number of least covered files to list.
const LISTED_FILES: usize = 15;

/// The lines of one or several files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    total: u64,
    covered: u64,
}

impl Lines {
    /// Covered lines in tenths of a percent.
    fn tenths(self) -> u64 {
        (self.covered * 1000).checked_div(self.total).unwrap_or(1000)
    }

    fn text(self) -> String {
        format!("{:>3}.{} % of {:>6} lines", self.tenths() / 10, self.tenths() % 10, self.total)
    }
}

/// `cargo xtask coverage`.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    if project::find_program(&["cargo-llvm-cov"]).is_none() {
        return Err("cargo-llvm-cov is missing: `rustup component add llvm-tools`, then \
                    `cargo install cargo-llvm-cov --locked`"
            .into());
    }
    Process::cargo()?
        .args("llvm-cov --no-report --no-fail-fast --workspace --exclude e2e --lib --tests")
        .run()?;
    let report = Process::cargo()?.args("llvm-cov report --lcov").output()?;
    let files = files(&report);
    let sum = |includes: &dyn Fn(&str) -> bool| {
        files.iter().filter(|(name, _)| includes(name)).fold(Lines::default(), |sum, (_, lines)| Lines {
            total: sum.total + lines.total,
            covered: sum.covered + lines.covered,
        })
    };
    let is_core = |name: &str| PARTS.iter().any(|part| name.starts_with(part));
    for part in PARTS {
        println!("{part:<40} {}", sum(&|name| name.starts_with(part)).text());
    }
    println!("{:<40} {}", "total", sum(&is_core).text());
    let mut least_covered: Vec<_> = files.iter().filter(|(name, _)| is_core(name)).collect();
    least_covered.sort_by_key(|(name, lines)| (lines.tenths(), name.clone()));
    println!("\nleast covered:");
    for (name, lines) in least_covered.into_iter().take(LISTED_FILES) {
        println!("{name:<40} {}", lines.text());
    }
    Ok(())
}

/// The files of a report in lcov format, by their path in the package.
fn files(report: &str) -> Vec<(String, Lines)> {
    let mut found = Vec::new();
    let mut name = String::new();
    let mut lines = Lines::default();
    for line in report.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            let path = path.replace('\\', "/");
            let at = path.rfind("/crates/").or_else(|| path.rfind("/src/"));
            name = at.map_or(path.clone(), |at| path[at + 1..].to_owned());
            lines = Lines::default();
        } else if let Some((_, count)) = line.strip_prefix("DA:").and_then(|line| line.split_once(',')) {
            lines.total += 1;
            lines.covered += u64::from(count.trim() != "0");
        } else if line == "end_of_record" {
            found.push((std::mem::take(&mut name), lines));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_counted_by_file() {
        let report = "TN:\nSF:/here/crates/hlo/src/lexer.rs\nDA:1,3\nDA:2,0\nDA:3,1\nend_of_record\nSF:/here/src/add.rs\nend_of_record\n";
        let found = files(report);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["crates/hlo/src/lexer.rs", "src/add.rs"]);
        assert_eq!(found[0].1, Lines { total: 3, covered: 2 });
        assert_eq!((found[0].1.tenths(), found[1].1.tenths()), (666, 1000));
    }
}
