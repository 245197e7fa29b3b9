//! The worker's clock.

use crate::worker::channel::server::scope;

/// The time in milliseconds, at the finest resolution that the browser allows.
pub fn now() -> f64 {
    scope()
        .and_then(|scope| scope.performance())
        .map_or_else(js_sys::Date::now, |performance| performance.now())
}

/// The smallest step of the clock, in milliseconds.
pub fn resolution() -> f64 {
    let mut smallest = f64::MAX;
    for _ in 0..5 {
        let start = now();
        let mut end = now();
        while end <= start {
            end = now();
        }
        smallest = smallest.min(end - start);
    }
    smallest
}
