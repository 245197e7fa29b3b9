//! `cargo xtask test`: every check, in order, until the first failure.

use crate::arguments::Arguments;
use crate::browsers::Browser;
use crate::process::Process;
use crate::steps::Steps;
use crate::{Result, dist, e2e, lint, quick, setup};

/// How long one wasm-bindgen test may take, in seconds; a browser's start on a busy machine counts.
const WASM_TEST_TIMEOUT: &str = "120";

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
    steps.step("set-up", || setup::ensure(&setup::everything(&browsers)))?;
    lint::every_step(&mut steps)?;
    steps.tests("native tests", native_tests)?;
    steps.tests("documentation tests", || {
        Process::cargo()?.line("test --workspace --exclude e2e --exclude xtask --doc").run_tests()
    })?;
    quick::stamp_all()?;
    for browser in &browsers {
        steps.tests(&format!("WebAssembly tests in {}", browser.name()), || wasm_tests(*browser))?;
    }
    steps.step("the site for the tests", dist::build_test_site)?;
    steps.tests("end-to-end tests", || e2e::parallel_tests(&browsers))?;
    steps.step("the delivered site", dist::build)?;
    steps.tests("tests of the delivered site", || e2e::delivered_tests(&browsers))?;
    steps.finish();
    Ok(())
}

/// All tests that need no browser; of the end-to-end harness, those of itself.
fn native_tests() -> Result<u64> {
    let product = Process::cargo()?.line("test --workspace --exclude e2e --tests").run_tests()?;
    Ok(product + Process::cargo()?.line("test --package e2e --lib").run_tests()?)
}

fn wasm_tests(browser: Browser) -> Result<u64> {
    // The runner takes whichever browser has its variable set, so the others' must not be.
    Process::cargo()?
        .line("test --profile e2e --target wasm32-unknown-unknown --test web")
        .without_env("CHROMEDRIVER")
        .without_env("GECKODRIVER")
        .without_env("SAFARIDRIVER")
        .without_env("MSEDGEDRIVER")
        .env(browser.driver_variable(), browser.driver()?)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner")
        .env("WASM_BINDGEN_TEST_TIMEOUT", WASM_TEST_TIMEOUT)
        .run_tests()
}
