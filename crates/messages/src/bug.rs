//! Broken invariants: what no input can cause. A build with debug assertions, so every test build, panics; a release
//! build reports to a hook and goes on with a neutral value, so that a page loses one number and not its session.
//!
//! A default that an input can cause is no bug: it says in a comment why it is the right value.

use std::sync::{PoisonError, RwLock};

static HOOK: RwLock<fn(&str)> = RwLock::new(ignore);

fn ignore(_: &str) {}

/// Sets what a release build calls with the text of a broken invariant; nothing is called before.
pub fn set_hook(hook: fn(&str)) {
    *HOOK.write().unwrap_or_else(PoisonError::into_inner) = hook;
}

/// Reports a broken invariant, see [`bug!`](crate::bug!).
///
/// # Panics
///
/// With debug assertions, always.
#[cold]
#[track_caller]
pub fn report(what: &str) {
    let place = std::panic::Location::caller();
    let text = format!("broken invariant at {}:{}: {what}", place.file(), place.line());
    #[allow(clippy::panic, clippy::manual_assert, reason = "that every test build fails is the purpose")]
    if cfg!(debug_assertions) {
        panic!("{text}");
    }
    call_hook(&text);
}

fn call_hook(text: &str) {
    let hook = *HOOK.read().unwrap_or_else(PoisonError::into_inner);
    hook(text);
}

/// Reports a broken invariant, formatted as by [`format!`]: a panic with debug assertions, else a call of the hook.
///
/// ```should_panic
/// let class = "complex";
/// xla_messages::bug!("an ordered comparison of {class} numbers");
/// ```
#[macro_export]
macro_rules! bug {
    ($($argument:tt)+) => {
        $crate::bug::report(&::std::format!($($argument)+))
    };
}

/// A value that is always there, or a neutral one and a report.
pub trait OrBug<T> {
    /// The value; where an invariant is broken and there is none, `neutral`, after a report that `what` is missing.
    fn or_bug(self, neutral: T, what: &str) -> T;
}

impl<T> OrBug<T> for Option<T> {
    #[track_caller]
    fn or_bug(self, neutral: T, what: &str) -> T {
        if let Some(value) = self {
            return value;
        }
        report(what);
        neutral
    }
}

impl<T, E> OrBug<T> for Result<T, E> {
    #[track_caller]
    fn or_bug(self, neutral: T, what: &str) -> T {
        self.ok().or_bug(neutral, what)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static LENGTHS: AtomicUsize = AtomicUsize::new(0);

    #[test]
    fn the_hook_gets_the_text() {
        call_hook("ignored before a hook is set");
        set_hook(|text| {
            LENGTHS.fetch_add(text.len(), Ordering::Relaxed);
        });
        call_hook("seven..");
        assert_eq!(LENGTHS.load(Ordering::Relaxed), 7);
    }

    #[test]
    fn what_is_there_is_no_bug() {
        assert_eq!((Some(1).or_bug(0, "one"), Ok::<_, ()>(2).or_bug(0, "two")), (1, 2));
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "an element")]
    fn what_is_missing_fails_a_test_build() {
        None.or_bug(0, "an element");
    }
}
