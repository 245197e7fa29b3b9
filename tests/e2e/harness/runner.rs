//! Runs tests in several browsers in parallel, each test on a fresh page, and prints like `cargo test`.
//!
//! `cargo test` runs the tests of a binary in threads and never drops shared values, but browsers must be shared and
//! must be closed: hence this `main`. Each worker is a thread with a browser and a site, and takes the next test for
//! its kind of browser. Tests that measure time run after the others, one per kind of browser at a time.
//!
//! A failed test is retried when all others are done, in a separate browser, so that a machine too busy for
//! a browser's timeouts does not fail the run. It is listed as flaky, with its failure; one that fails again fails.

use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::browser::Browser;
use crate::driver::Kind;
use crate::emulation::Emulation;
use crate::error::{Error, Result};
use crate::page::Page;
use crate::problems::LAST_INPUTS;
use crate::request::Request;
use crate::server::Site;
use crate::test::Test;

/// Not the root, so that a site that only works at the root of its host fails.
const SUB_PATH: &str = "/some/where/";
const VIEWPORT: (u32, u32) = (1280, 800);
/// The number of slowest tests in the summary.
const LISTED_SLOW_TESTS: usize = 10;
/// The lines of a failure that the summary repeats.
const MAX_FAILURE_LINES: usize = 30;
/// With more failures than this, none is retried.
const MAX_RETRIED: usize = 5;

thread_local! {
    /// The message and location of the last panic.
    static PANIC: Cell<String> = const { Cell::new(String::new()) };
}

/// Runs the tests selected by the arguments.
pub fn run(modules: &[&[Test]]) -> ExitCode {
    let tests = modules.concat();
    match Request::parse(std::env::args().skip(1)).and_then(|request| run_request(&request, &tests)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The result of a test in a browser.
struct Outcome {
    kind: Kind,
    test: Test,
    time: Duration,
    /// What went wrong, if it failed.
    failure: Option<String>,
}

/// The remaining tests for a kind of browser.
type Queue = Mutex<VecDeque<Test>>;

/// Runs the tests and prints their results; returns the number of failures.
fn run_request(request: &Request, tests: &[Test]) -> Result<usize> {
    let wanted: Vec<Test> = tests.iter().copied().filter(|test| request.wants(test)).collect();
    if request.is_list {
        for test in &wanted {
            println!("{}: test", test.name);
        }
        return Ok(0);
    }
    let started = Instant::now();
    panic::set_hook(Box::new(|info| PANIC.set(info.to_string())));
    let of_kind = |kind: Kind, runs_alone: bool| -> VecDeque<Test> {
        let runs = |test: &&Test| test.runs_alone() == runs_alone && test.runs_in(kind, &request.kinds);
        wanted.iter().filter(runs).copied().collect()
    };
    let queues = |runs_alone: bool| -> Vec<(Kind, Queue)> {
        request.kinds.iter().map(|kind| (*kind, Mutex::new(of_kind(*kind, runs_alone)))).collect()
    };
    println!("\nrunning {} tests in {} browsers per kind", wanted.len(), request.browsers_per_kind);
    let mut outcomes = work_all(&queues(false), request.browsers_per_kind)?;
    outcomes.extend(work_all(&queues(true), 1)?);
    let flaky = retry_failed(&mut outcomes)?;
    print_summary(&outcomes, &flaky, tests.len() - wanted.len(), started.elapsed());
    Ok(outcomes.iter().filter(|outcome| outcome.failure.is_some()).count())
}

/// Runs each failed test once more, alone, and replaces its outcome; returns the first outcomes of those that passed.
/// More than [`MAX_RETRIED`] failures are not accidental and are not retried.
fn retry_failed(outcomes: &mut [Outcome]) -> Result<Vec<Outcome>> {
    let failed = outcomes.iter_mut().filter(|outcome| outcome.failure.is_some()).collect::<Vec<_>>();
    let mut flaky = Vec::new();
    if failed.len() > MAX_RETRIED {
        return Ok(flaky);
    }
    for outcome in failed {
        let queue = Mutex::new(VecDeque::from([outcome.test]));
        if let Some(second) = work(outcome.kind, &queue)?.pop() {
            let first = std::mem::replace(outcome, second);
            if outcome.failure.is_none() {
                flaky.push(first);
            }
        }
    }
    Ok(flaky)
}

/// Runs all queues, each in several browsers of its kind.
fn work_all(queues: &[(Kind, Queue)], browsers_per_kind: usize) -> Result<Vec<Outcome>> {
    let ended = thread::scope(|scope| {
        let workers: Vec<_> = queues
            .iter()
            .flat_map(|queue| (0..browsers_per_kind).map(move |_| queue))
            .map(|(kind, queue)| scope.spawn(move || work(*kind, queue)))
            .collect();
        workers.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let mut outcomes = Vec::new();
    for end in ended {
        outcomes.extend(end.map_err(|_| Error::new("a worker of the tests panicked".to_owned()))??);
    }
    Ok(outcomes)
}

/// Runs the tests of a queue in a browser until none is left. A browser crash fails one test.
fn work(kind: Kind, queue: &Queue) -> Result<Vec<Outcome>> {
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let mut outcomes = Vec::new();
    let Some(mut test) = next() else { return Ok(outcomes) };
    let site = Site::serve(&crate::site(), SUB_PATH)?;
    'browser: loop {
        // Starting may fail on a busy machine; a missing browser fails both times.
        let browser = Browser::start(kind).or_else(|_| Browser::start(kind))?;
        loop {
            let begun = Instant::now();
            let end = run_one(&browser, &site, &test);
            let (time, failure) = (begun.elapsed(), end.err().map(|error| error.to_string()));
            let (name, is_passed) = (test.name, failure.is_none());
            let word = if is_passed { "ok" } else { "FAILED" };
            let why = failure.as_ref().map_or_else(String::new, |failure| format!("\n{failure}\n"));
            println!("test {name} in {kind} ... {word} ({:.2} s){why}", time.as_secs_f64());
            outcomes.push(Outcome { kind, test, time, failure });
            let Some(following) = next() else { return Ok(outcomes) };
            test = following;
            if !is_passed && !browser.is_responsive() {
                continue 'browser;
            }
        }
    }
}

fn print_summary(outcomes: &[Outcome], flaky: &[Outcome], filtered_out: usize, time: Duration) {
    let failed: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.failure.is_some()).collect();
    let mut slow: Vec<&Outcome> = outcomes.iter().collect();
    slow.sort_by_key(|outcome| std::cmp::Reverse(outcome.time));
    println!("\nslowest:");
    for Outcome { kind, test, time, .. } in slow.into_iter().take(LISTED_SLOW_TESTS) {
        println!("{:>8.2} s  {} in {kind}", time.as_secs_f64(), test.name);
    }
    print_failures("flaky (failed once, passed alone)", flaky);
    print_failures("failures", failed.iter().copied());
    println!(
        "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; {filtered_out} filtered out; finished in {:.2}s\n",
        if failed.is_empty() { "ok" } else { "FAILED" },
        outcomes.len() - failed.len(),
        failed.len(),
        time.as_secs_f64()
    );
}

/// Repeats the failures at the end of the output.
fn print_failures<'a>(heading: &str, outcomes: impl IntoIterator<Item = &'a Outcome>) {
    let mut outcomes = outcomes.into_iter().peekable();
    if outcomes.peek().is_some() {
        println!("\n{heading}:");
    }
    for Outcome { kind, test, failure, .. } in outcomes {
        println!("    {} in {kind}", test.name);
        for line in failure.iter().flat_map(|failure| failure.lines()).take(MAX_FAILURE_LINES) {
            println!("        {line}");
        }
    }
}

/// Runs one test; a problem of the page fails it too.
fn run_one(browser: &Browser, site: &Site, test: &Test) -> Result<()> {
    site.reset_replies();
    let page = browser.page(site)?;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        page.emulate(Emulation::default());
        page.viewport(VIEWPORT.0, VIEWPORT.1);
        (test.body)(&page);
        page.wait_two_frames();
        page.take_problems()
    }));
    let failure = match outcome {
        Ok(problems) if problems.is_empty() => return page.close(),
        Ok(problems) => format!("the page reported problems:\n  {}", problems.join("\n  ")),
        Err(_) => {
            let panic = PANIC.take();
            let problems = catch_unwind(AssertUnwindSafe(|| page.take_problems())).unwrap_or_default();
            let other_problems =
                if problems.is_empty() { String::new() } else { format!("\n  {}", problems.join("\n  ")) };
            format!("{panic}{other_problems}")
        }
    };
    let screenshot = save_screenshot(&page, browser.kind(), test);
    let inputs = page.try_eval::<Vec<String>>(LAST_INPUTS).unwrap_or_default();
    let inputs = inputs.join("\n    ");
    page.close()?;
    Err(Error::new(format!("{failure}{screenshot}\n  last input:\n    {inputs}")))
}

/// Saves a screenshot of a failed test; returns a line with its path.
fn save_screenshot(page: &Page, kind: Kind, test: &Test) -> String {
    let name = format!("{}-{}.png", kind.to_string().to_lowercase(), test.name.replace("::", "-"));
    let path = crate::project().join("target/e2e").join(name);
    match page.try_screenshot(&path, "viewport") {
        Ok(()) => format!("\n  screenshot: {}", path.display()),
        Err(_) => String::new(),
    }
}
