//! `cargo xtask bench`: builds the site and measures it against its goals in a real browser.

use crate::arguments::Arguments;
use crate::browsers::Browser;
use crate::process::Process;
use crate::setup::Need;
use crate::{Result, dist, setup};

/// Chrome unless another browser is asked for: it also reports long tasks.
pub fn run(mut arguments: Arguments) -> Result<()> {
    let browser = match arguments.value("--browser")? {
        Some(name) => Browser::from_name(&name)?,
        None => Browser::Chrome,
    };
    let screen = arguments.value("--screen")?;
    arguments.finish()?;
    setup::ensure(setup::DIST)?;
    setup::ensure(&[Need::Browser(browser)])?;
    dist::build()?;
    let mut bench =
        Process::cargo()?.line("run --quiet --package e2e --bin bench -- --browser").arg(browser.name());
    if let Some(screen) = screen {
        bench = bench.arg("--screen").arg(screen);
    }
    bench.env(browser.driver_variable(), browser.driver()?).run()
}
