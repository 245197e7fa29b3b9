//! Runs numbered cases on all cores; a failure (panic, hang, too much memory) is reported with its number.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::memory;

/// Failures after which a run ends.
const MAX_FAILURES: usize = 40;

thread_local! {
    /// The location and message of this thread's last panic.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// The maxima of the measurements, each with the number of its case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worst {
    /// The longest time.
    pub time: (Duration, u64),
    /// Maximum number of bytes held at the same time.
    pub bytes: (isize, u64),
}

impl Worst {
    fn add(&mut self, other: Self) {
        self.time = self.time.max(other.time);
        self.bytes = self.bytes.max(other.bytes);
    }
}

/// A number of repetitions, from the environment or by default.
pub fn count(variable: &str, default: u64) -> u64 {
    number(variable).unwrap_or(default)
}

/// A number from the environment.
fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|number| number.parse().unwrap())
}

/// Checks the cases below `count`; `text` returns the text of a case, for messages. No case may take longer than
/// `limit`.
pub fn run(
    count: u64,
    limit: Duration,
    text: impl Fn(u64) -> String + Sync,
    check: impl Fn(u64, &str) + Sync,
) -> Worst {
    set_hook(Box::new(|info| PANIC.set(info.to_string())));
    let only = number("MUTATION").map(|number| (number, number + 1));
    let (first, count) = only.unwrap_or((number("FIRST_MUTATION").unwrap_or(0), count));
    let next = AtomicU64::new(first);
    let failures = Mutex::new(Vec::<String>::new());
    let worst = Mutex::new(Worst::default());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    // The current case of each worker, and its start.
    let at: Vec<Mutex<(u64, Instant)>> = (0..workers).map(|_| Mutex::new((0, Instant::now()))).collect();
    let one = |number: u64, status: &Mutex<(u64, Instant)>| {
        let text = text(number);
        if only.is_some() {
            // The process may end with it.
            eprintln!("case {number}: {text:?}");
        }
        let started = Instant::now();
        *status.lock().unwrap() = (number, started);
        memory::watch(number);
        let result = catch_unwind(AssertUnwindSafe(|| check(number, &text)));
        let (bytes, time) = (memory::peak(), started.elapsed());
        worst.lock().unwrap().add(Worst { time: (time, number), bytes: (bytes, number) });
        let problem = match result {
            Err(_) => PANIC.take(),
            Ok(()) if bytes > memory::MAX_BYTES => format!("holds {bytes} bytes at once"),
            Ok(()) if time > limit => format!("takes {time:?}"),
            Ok(()) => return,
        };
        let start: String = text.chars().take(2_000).collect();
        let failure = format!("case {number} ({} bytes): {problem}\n{start:?}", text.len());
        // Printed at once: a later case may end the process.
        eprintln!("{failure}");
        let mut failures = failures.lock().unwrap();
        failures.push(failure);
        if failures.len() >= MAX_FAILURES {
            next.store(count, Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let work = |status: &Mutex<(u64, Instant)>| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return;
                }
                one(number, status);
            }
        };
        // The stack size of a program's main thread, on which the terminal runs.
        let worker = || std::thread::Builder::new().stack_size(8 << 20);
        let handles: Vec<_> =
            at.iter().map(|status| worker().spawn_scoped(scope, move || work(status)).unwrap()).collect();
        while handles.iter().any(|handle| !handle.is_finished()) {
            std::thread::sleep(Duration::from_millis(50));
            for (status, handle) in at.iter().zip(&handles) {
                let (number, since) = *status.lock().unwrap();
                if !handle.is_finished() && since.elapsed() > 3 * limit {
                    // The thread cannot be stopped, so the test ends here.
                    let text = text(number);
                    let start: String = text.chars().take(2_000).collect();
                    eprintln!("case {number} ({} bytes) hangs:\n{start:?}", text.len());
                    std::process::exit(101);
                }
            }
        }
    });
    drop(std::panic::take_hook());
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n\n"));
    worst.into_inner().unwrap()
}
