//! Runs tests in several browsers in parallel, each test on a fresh page, and prints like `cargo test`.
//!
//! `cargo test` runs the tests of a binary in threads and never drops what they share, but a browser must be shared
//! and must end: hence this `main`. Each worker is a thread with a browser and a site, and takes the next test for
//! its kind of browser. Tests that measure time run after the others, one per kind of browser at a time.

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
use crate::request::Request;
use crate::server::Site;
use crate::test::Test;

/// Not the root, so that a site that only works at the root of its host fails.
const SUB_PATH: &str = "/some/where/";
const VIEWPORT: (u32, u32) = (1280, 800);
/// The number of slowest tests in the summary.
const LISTED_SLOW_TESTS: usize = 10;

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
    name: &'static str,
    time: Duration,
    is_passed: bool,
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
    println!("\nrunning {} tests, {} browsers of a kind at once", wanted.len(), request.browsers_of_a_kind);
    let mut outcomes = work_all(&queues(false), request.browsers_of_a_kind)?;
    outcomes.extend(work_all(&queues(true), 1)?);
    print_summary(&outcomes, tests.len() - wanted.len(), started.elapsed());
    Ok(outcomes.iter().filter(|outcome| !outcome.is_passed).count())
}

/// Runs all queues, each in several browsers of its kind.
fn work_all(queues: &[(Kind, Queue)], browsers_of_a_kind: usize) -> Result<Vec<Outcome>> {
    let ended = thread::scope(|scope| {
        let workers: Vec<_> = queues
            .iter()
            .flat_map(|queue| (0..browsers_of_a_kind).map(move |_| queue))
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
        let browser = Browser::start(kind)?;
        loop {
            let begun = Instant::now();
            let end = run_one(&browser, &site, &test);
            let (time, name, is_passed) = (begun.elapsed(), test.name, end.is_ok());
            let word = if is_passed { "ok" } else { "FAILED" };
            let why = end.map_or_else(|error| format!("\n{error}\n"), |()| String::new());
            println!("test {name} in {kind} ... {word} ({:.2} s){why}", time.as_secs_f64());
            outcomes.push(Outcome { kind, name, time, is_passed });
            let Some(following) = next() else { return Ok(outcomes) };
            test = following;
            if !is_passed && !browser.answers() {
                continue 'browser;
            }
        }
    }
}

fn print_summary(outcomes: &[Outcome], filtered_out: usize, time: Duration) {
    let failed: Vec<&Outcome> = outcomes.iter().filter(|outcome| !outcome.is_passed).collect();
    let mut slow: Vec<&Outcome> = outcomes.iter().collect();
    slow.sort_by_key(|outcome| std::cmp::Reverse(outcome.time));
    println!("\nslowest:");
    for Outcome { kind, name, time, .. } in slow.into_iter().take(LISTED_SLOW_TESTS) {
        println!("{:>8.2} s  {name} in {kind}", time.as_secs_f64());
    }
    if !failed.is_empty() {
        println!("\nfailures:");
        for Outcome { kind, name, .. } in &failed {
            println!("    {name} in {kind}");
        }
    }
    println!(
        "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; {filtered_out} filtered out; finished in {:.2}s\n",
        if failed.is_empty() { "ok" } else { "FAILED" },
        outcomes.len() - failed.len(),
        failed.len(),
        time.as_secs_f64()
    );
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
        Ok(problems) => format!("the page did wrong:\n  {}", problems.join("\n  ")),
        Err(_) => {
            let panic = PANIC.take();
            let problems = catch_unwind(AssertUnwindSafe(|| page.take_problems())).unwrap_or_default();
            let also =
                if problems.is_empty() { String::new() } else { format!("\n  {}", problems.join("\n  ")) };
            format!("{panic}{also}")
        }
    };
    let pictured = picture(&page, browser.kind(), test);
    page.close()?;
    Err(Error::new(format!("{failure}{pictured}")))
}

/// Saves a screenshot of a failed test; returns a sentence with its path.
fn picture(page: &Page, kind: Kind, test: &Test) -> String {
    let name = format!("{}-{}.png", kind.to_string().to_lowercase(), test.name.replace("::", "-"));
    let path = crate::project().join("target/e2e").join(name);
    match page.try_screenshot(&path, "viewport") {
        Ok(()) => format!("\n  the page then: {}", path.display()),
        Err(_) => String::new(),
    }
}
