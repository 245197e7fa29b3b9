//! `cargo xtask shot`: a screenshot of the last build of the site.

use crate::Result;
use crate::arguments::Arguments;
use crate::browsers::Browser;
use crate::process::Process;
use crate::setup::{self, Need};

/// Passes the arguments to the harness, whose `shot --help` lists them.
pub fn run(arguments: Arguments) -> Result<()> {
    let arguments = arguments.rest();
    let named = arguments.windows(2).find(|pair| pair[0] == "--browser").map(|pair| pair[1].as_str());
    let browser = named.map_or(Ok(Browser::Chrome), Browser::from_name)?;
    setup::ensure(&[Need::Browser(browser)])?;
    let shot = Process::cargo()?
        .args("run --quiet --package e2e --bin shot --")
        .env(browser.driver_variable(), browser.driver()?);
    arguments.iter().fold(shot, Process::arg).run()
}
