//! Reports of violated invariants, which no input can cause. A build with debug assertions, so every test build, panics;
//! a release build reports to a hook and continues with a neutral value, so that a page loses a value and not its
//! session.
//!
//! A default that an input can cause is not a bug: a comment there says why it is the right value.

use std::sync::{PoisonError, RwLock};

static HOOK: RwLock<fn(&str)> = RwLock::new(ignore);

fn ignore(_: &str) {}

/// Sets the function that a release build calls with the text of a violated invariant; by default there is none.
pub fn set_hook(hook: fn(&str)) {
    *HOOK.write().unwrap_or_else(PoisonError::into_inner) = hook;
}

/// Reports a violated invariant, see [`bug!`](crate::bug!).
///
/// # Panics
///
/// With debug assertions, always.
#[cold]
#[track_caller]
pub fn report(violation: &str) {
    let caller = std::panic::Location::caller();
    let text = format!("bug at {}:{}: {violation}", caller.file(), caller.line());
    #[allow(clippy::panic, clippy::manual_assert, reason = "test builds must fail")]
    if cfg!(debug_assertions) {
        panic!("{text}");
    }
    call_hook(&text);
}

fn call_hook(text: &str) {
    let hook = *HOOK.read().unwrap_or_else(PoisonError::into_inner);
    hook(text);
}

/// Reports a violated invariant, formatted as by [`format!`]: a panic with debug assertions, else a call of the hook.
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

/// Unwraps a value that must be present, with a report and a neutral value if it is not.
pub trait OrBug<T> {
    /// The value; if there is none, reports `violation`, which says how the invariant is violated, and returns `neutral`.
    fn or_bug(self, neutral: T, violation: &str) -> T;
}

impl<T> OrBug<T> for Option<T> {
    #[track_caller]
    fn or_bug(self, neutral: T, violation: &str) -> T {
        if let Some(value) = self {
            return value;
        }
        report(violation);
        neutral
    }
}

impl<T, E> OrBug<T> for Result<T, E> {
    #[track_caller]
    fn or_bug(self, neutral: T, violation: &str) -> T {
        self.ok().or_bug(neutral, violation)
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
    fn a_present_value_is_not_a_bug() {
        assert_eq!((Some(1).or_bug(0, "one"), Ok::<_, ()>(2).or_bug(0, "two")), (1, 2));
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "an element")]
    fn a_missing_value_fails_a_test_build() {
        None.or_bug(0, "an element");
    }
}
