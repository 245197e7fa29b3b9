//! `cargo xtask bench`: builds the site and measures it and its kernels against their goals in a real browser; with
//! `--native`, the kernels of a native build. `--screen` selects one table (`layout`, `ops`, `kernels`, `memory`) or
//! the sweep for performance cliffs, which only runs when selected; `--only` selects a part of the sweep, or of
//! native benchmarks.

use crate::arguments::Arguments;
use crate::browsers::Browser;
use crate::process::Process;
use crate::setup::Need;
use crate::{Result, dist, setup};

/// Chrome by default: it also reports long tasks.
pub fn run(mut arguments: Arguments) -> Result<()> {
    let browser = match arguments.value("--browser")? {
        Some(name) => Browser::from_name(&name)?,
        None => Browser::Chrome,
    };
    let screen = arguments.value("--screen")?;
    let only = arguments.value("--only")?;
    let is_native = arguments.flag("--native");
    arguments.finish()?;
    if is_native {
        let bench = Process::cargo()?.args("bench --bench kernels --");
        return only.into_iter().fold(bench, Process::arg).run();
    }
    setup::ensure(setup::DIST)?;
    setup::ensure(&[Need::Browser(browser)])?;
    dist::build()?;
    let mut bench =
        Process::cargo()?.args("run --quiet --package e2e --bin bench -- --browser").arg(browser.name());
    if let Some(screen) = screen {
        bench = bench.arg("--screen").arg(screen);
    }
    if let Some(only) = only {
        bench = bench.arg("--only").arg(only);
    }
    bench.env(browser.driver_variable(), browser.driver()?).run()
}
