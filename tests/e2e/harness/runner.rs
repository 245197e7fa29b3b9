//! Runs tests one after another in one browser, each on a fresh page, and prints as `cargo test` does.
//!
//! `cargo test` starts all tests of a binary in threads and never drops what they share; a browser must be shared and
//! must end. So the tests of the site have this `main` instead. Arguments are parts of names to run; without any, all.

use std::cell::Cell;
use std::env;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use crate::browser::Browser;
use crate::driver::Kind;
use crate::emulation::Emulation;
use crate::error::{Error, Result};
use crate::page::Page;
use crate::server::Site;

/// Not the root: a site that only works at the root of its host is broken.
const SUB_PATH: &str = "/some/where/";
const VIEWPORT: (u32, u32) = (1280, 800);

/// A test of the site.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    /// Its module and name.
    pub name: &'static str,
    /// What it does with a fresh page; it fails by panicking.
    pub body: fn(&Page),
}

/// The tests of a module, by the names of their functions.
#[macro_export]
macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        &[$($crate::Test { name: concat!(module_path!(), "::", stringify!($name)), body: $name }),+]
    };
}

thread_local! {
    /// What the last panic said, and where.
    static PANIC: Cell<String> = const { Cell::new(String::new()) };
}

/// Runs the tests the arguments ask for, in the browser `XLA_PLAYGROUND_BROWSER` names.
pub fn run(modules: &[&[Test]]) -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let wanted: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|each| !each.starts_with('-')).collect();
    let tests: Vec<Test> = modules.concat();
    let total = tests.len();
    let tests: Vec<Test> = tests
        .into_iter()
        .filter(|test| wanted.is_empty() || wanted.iter().any(|part| test.name.contains(part)))
        .collect();
    if arguments.iter().any(|each| each == "--list") {
        for test in &tests {
            println!("{}: test", test.name);
        }
        return ExitCode::SUCCESS;
    }
    match run_all(&tests, total) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs `tests` and prints their results; answers how many failed.
fn run_all(tests: &[Test], total: usize) -> Result<usize> {
    let started = Instant::now();
    let kind = Kind::from_env()?;
    let site = Site::serve(&crate::dist(), SUB_PATH)?;
    let browser = Browser::start(kind)?;
    panic::set_hook(Box::new(|info| PANIC.set(info.to_string())));
    println!("\nrunning {} tests in {kind}", tests.len());
    let mut failures = Vec::new();
    for test in tests {
        let begun = Instant::now();
        let outcome = run_one(&browser, &site, test);
        let word = if outcome.is_ok() { "ok" } else { "FAILED" };
        println!("test {} ... {word} ({:.2} s)", test.name, begun.elapsed().as_secs_f64());
        if let Err(error) = outcome {
            println!("{error}\n");
            failures.push(test.name);
        }
    }
    if !failures.is_empty() {
        println!("\nfailures in {kind}:\n    {}", failures.join("\n    "));
    }
    println!(
        "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; {} filtered out; finished in {:.2}s\n",
        if failures.is_empty() { "ok" } else { "FAILED" },
        tests.len() - failures.len(),
        failures.len(),
        total - tests.len(),
        started.elapsed().as_secs_f64()
    );
    Ok(failures.len())
}

/// Runs one test; a page that did anything wrong fails it too.
fn run_one(browser: &Browser, site: &Site, test: &Test) -> Result<()> {
    site.answer_as_usual();
    let page = browser.page(site)?;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        page.emulate(Emulation::default());
        page.viewport(VIEWPORT.0, VIEWPORT.1);
        (test.body)(&page);
        page.settle();
        page.take_problems()
    }));
    let failure = match outcome {
        Ok(problems) if problems.is_empty() => return page.close(),
        Ok(problems) => format!("the page did wrong:\n  {}", problems.join("\n  ")),
        Err(_) => {
            let panic = PANIC.take();
            let problems = catch_unwind(AssertUnwindSafe(|| page.take_problems())).unwrap_or_default();
            let also =
                if problems.is_empty() { String::new() } else { format!("\n  {}", problems.join("\n  ")) };
            format!("{panic}{also}")
        }
    };
    let picture = crate::project().join(format!(
        "target/e2e/{}-{}.png",
        browser.kind().to_string().to_lowercase(),
        test.name.replace("::", "-")
    ));
    let pictured = match page.try_screenshot(&picture, "viewport") {
        Ok(()) => format!("\n  the page then: {}", picture.display()),
        Err(_) => String::new(),
    };
    page.close()?;
    Err(Error::new(format!("{failure}{pictured}")))
}
