//! `cargo xtask e2e`: the end-to-end tests, or some of them, on the test build of the site.

use crate::arguments::Arguments;
use crate::browsers::{self, Browser};
use crate::process::Process;
use crate::project::{DIST, TEST_SITE};
use crate::setup::{self, Need};
use crate::{Result, dist, npm_tests};

/// `cargo xtask e2e [FILTER..] [--browser NAME] [--jobs N]`: the tests whose names contain a filter.
pub fn run(mut arguments: Arguments) -> Result<()> {
    let browsers = arguments.browsers()?;
    let options = arguments.rest();
    setup::ensure(setup::DIST)?;
    setup::ensure(&needs(&browsers))?;
    dist::build_test_site()?;
    npm_tests::prepare()?;
    let tests = with_headless_shell(tests_on(TEST_SITE, &browsers)?);
    options.iter().fold(tests, Process::arg).run()
}

/// Runs the tests that may run in parallel on the test build; returns the number of passed tests.
pub fn parallel_tests(browsers: &[Browser]) -> Result<u64> {
    with_headless_shell(tests_on(TEST_SITE, browsers)?).arg("--parallel").run_tests()
}

/// The tests with Chromium's headless shell, if it is installed. Those of the release build run in the full browser.
fn with_headless_shell(tests: Process) -> Process {
    match browsers::headless_shell() {
        Some(shell) => tests.env("XLA_PLAYGROUND_CHROME", shell),
        None => tests,
    }
}

/// Runs the smoke test and the tests that run alone on the release build; returns the number of passed tests.
pub fn release_tests(browsers: &[Browser]) -> Result<u64> {
    tests_on(DIST, browsers)?.arg("--delivered").run_tests()
}

fn needs(browsers: &[Browser]) -> Vec<Need> {
    browsers.iter().map(|browser| Need::Browser(*browser)).chain([Need::Axe]).collect()
}

/// The tests' program on a site, in these browsers. All packages are selected, as for the native tests: cargo enables the features
/// that any selected package needs, and would compile everything again for other packages.
fn tests_on(site: &str, browsers: &[Browser]) -> Result<Process> {
    let site = std::env::current_dir()?.join(site);
    let mut tests =
        Process::cargo()?.args("test --workspace --test site --").env("XLA_PLAYGROUND_SITE", site);
    for browser in browsers {
        tests = tests.env(browser.driver_variable(), browser.driver()?);
    }
    if let [browser] = browsers {
        tests = tests.arg("--browser").arg(browser.name());
    }
    Ok(tests)
}
