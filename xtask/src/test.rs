//! `cargo xtask test`: every check, in order, until the first failure.

use crate::arguments::Arguments;
use crate::browsers::Browser;
use crate::process::Process;
use crate::steps::Steps;
use crate::{Result, dist, e2e, lint, npm_tests, quick, setup, wheel};

/// The timeout of a wasm-bindgen test in seconds, which includes starting a browser on a busy machine.
const WASM_TEST_TIMEOUT_SECONDS: &str = "120";

/// `cargo xtask test`.
pub fn run(mut arguments: Arguments) -> Result<()> {
    let is_quick = arguments.flag("--quick");
    let browsers = arguments.browsers()?;
    arguments.finish()?;
    let mut steps = Steps::new();
    if is_quick {
        steps.step("set-up", || setup::ensure(setup::LINT))?;
        quick::run(&mut steps)?;
        steps.finish();
        return Ok(());
    }
    steps.step("set-up", || setup::ensure(&setup::needs_of_every_check(&browsers)))?;
    lint::run_steps(&mut steps)?;
    steps.tests("native tests", native_tests)?;
    steps.tests("documentation tests", documentation_tests)?;
    // All packages have passed the checks of `--quick`: it need not repeat them.
    quick::stamp_all()?;
    for browser in &browsers {
        steps.tests(&format!("WebAssembly tests in {}", browser.name()), || wasm_tests(*browser))?;
    }
    steps.tests("the JavaScript package in Node.js", npm_tests::run)?;
    steps.step("test build of the site", dist::build_test_site)?;
    steps.optional_tests("the Python package", wheel::test)?;
    steps.tests("end-to-end tests", || e2e::parallel_tests(&browsers))?;
    steps.step("release build of the site", dist::build)?;
    steps.tests("end-to-end tests of the release build", || e2e::release_tests(&browsers))?;
    steps.finish();
    Ok(())
}

/// All tests without a browser, including the unit tests of the end-to-end harness.
fn native_tests() -> Result<u64> {
    Process::cargo()?.args("test --workspace --tests").run_tests()
}

/// The examples in the documentation.
fn documentation_tests() -> Result<u64> {
    Process::cargo()?.args("test --workspace --doc").run_tests()
}

fn wasm_tests(browser: Browser) -> Result<u64> {
    // The runner takes the first browser whose variable is set, so the others' must not be.
    Process::cargo()?
        .args("test --profile e2e --target wasm32-unknown-unknown --test web")
        .without_env("CHROMEDRIVER")
        .without_env("GECKODRIVER")
        .without_env("SAFARIDRIVER")
        .without_env("MSEDGEDRIVER")
        .env(browser.driver_variable(), browser.driver()?)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner")
        .env("WASM_BINDGEN_TEST_TIMEOUT", WASM_TEST_TIMEOUT_SECONDS)
        .run_tests()
}
