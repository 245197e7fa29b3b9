//! Large programs on the Program screen in several workers.

use harness::{Condition, Page, Reply, Test};

use crate::app::{loader_with_cores, with_cores};
use crate::program::{READY, paste, wait_for_run, wait_for_value};

// Beside other tests the workers would share two cores with them: they join late, and billions of operations take minutes.
pub const TESTS: &[Test] = harness::tests![
    several_workers_give_the_values_of_one: Condition::Alone,
    a_worker_that_fails_in_a_run_is_not_needed: Condition::Alone,
];

/// A chain of large products, just enough for several workers: each needs every worker's part of the one before.
const PRODUCTS: &str = "HloModule products

ENTRY main {
  i = s32[1024,1024]{1,0} iota(), iota_dimension=0
  j = s32[1024,1024]{1,0} iota(), iota_dimension=1
  seven = s32[] constant(7)
  s = s32[1024,1024]{1,0} broadcast(seven), dimensions={}
  sum = s32[1024,1024]{1,0} add(i, j)
  r = s32[1024,1024]{1,0} remainder(sum, s)
  x = f32[1024,1024]{1,0} convert(r)
  a = f32[1024,1024]{1,0} dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[1024,1024]{1,0} dot(a, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  c = f32[1024,1024]{1,0} dot(x, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT e = f32[1024,1024]{1,0} dot(c, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}
}
";

/// A run goes on without workers that are not ready in time, as on a busy machine: then it is repeated.
const MAX_ATTEMPTS: usize = 4;

/// Runs the products; returns the number of workers and the statistics of the result.
#[track_caller]
fn run(page: &Page) -> (String, String) {
    page.goto("");
    page.goto("#program/");
    page.wait_for("document.querySelector('#program-paste')");
    paste(page, "#program-paste", PRODUCTS);
    page.wait_for(READY);
    // 8.6 GFLOP do not start by themselves.
    page.click("#program-run-long");
    wait_for_run(page, "done");
    wait_for_value(page, "e");
    let statistics =
        "[...document.querySelectorAll('[data-statistic]')].map((one) => one.textContent).join(' ')";
    (page.eval("document.querySelector('.run-status').dataset.workers"), page.eval(statistics))
}

/// The statistics of the result in one worker.
#[track_caller]
fn run_alone(page: &Page) -> String {
    with_cores(page, 1);
    let (workers, statistics) = run(page);
    assert_eq!(workers, "1");
    assert!(!statistics.is_empty());
    statistics
}

fn several_workers_give_the_values_of_one(page: &Page) {
    let alone = run_alone(page);
    for cores in [2, 3] {
        with_cores(page, cores);
        let all_joined = (0..MAX_ATTEMPTS).any(|_| {
            let (workers, statistics) = run(page);
            assert_eq!(statistics, alone, "in {workers} workers");
            workers == cores.to_string()
        });
        assert!(all_joined, "never ran in {cores} workers");
    }
}

fn a_worker_that_fails_in_a_run_is_not_needed(page: &Page) {
    let alone = run_alone(page);
    // After its first messages: it is ready, the program is compiled, two parts.
    let failing = "if (self.name === 'program-plan-peer') {
            const send = self.postMessage.bind(self);
            let messages = 0;
            self.postMessage = (...message) => {
                messages += 1;
                if (messages > 4) throw new Error('this worker fails');
                send(...message);
            };
        }\n";
    let loader = [failing.as_bytes().to_vec(), loader_with_cores(2)].concat();
    page.site().reply_with("worker_loader.js", Reply::Content(loader));
    assert_eq!(run(page), ("1".to_owned(), alone));
    page.take_problems();
}
