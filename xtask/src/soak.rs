//! `cargo xtask soak`: opens mutated links in a browser, to find those that break the page or make it unresponsive.

use crate::arguments::Arguments;
use crate::browsers::Browser;
use crate::process::Process;
use crate::setup::Need;
use crate::{Result, dist, setup};

/// The default number of links: some minutes of work.
const DEFAULT_LINKS: &str = "2000";

/// Builds the site and opens `--links` links, starting from number `--first`.
pub fn run(mut arguments: Arguments) -> Result<()> {
    let browser = match arguments.value("--browser")? {
        Some(name) => Browser::from_name(&name)?,
        None => Browser::Chrome,
    };
    let links = arguments.value("--links")?.unwrap_or_else(|| DEFAULT_LINKS.to_owned());
    let first = arguments.value("--first")?.unwrap_or_else(|| "0".to_owned());
    arguments.finish()?;
    setup::ensure(setup::DIST)?;
    setup::ensure(&[Need::Browser(browser)])?;
    dist::build()?;
    Process::cargo()?
        .args("run --quiet --package e2e --bin soak --")
        .arg(browser.name())
        .arg(first)
        .arg(links)
        .env(browser.driver_variable(), browser.driver()?)
        .run()
}
