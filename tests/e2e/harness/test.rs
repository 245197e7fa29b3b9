//! What a test of the site is: a function of a fresh page, with the conditions under which it runs.

use crate::driver::Kind;
use crate::page::Page;

/// A test of the site.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    /// Its module and name.
    pub name: &'static str,
    /// What it does with a fresh page; it fails by panicking.
    pub body: fn(&Page),
    /// Where and when it runs, if not everywhere and at any time.
    pub condition: Option<Condition>,
}

/// Where and when a test runs. Without one, it runs in every browser and beside other tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// After the tests that run in parallel, and beside one of another kind of browser at most: it measures time, so that the
    /// delivered site counts.
    Alone,
    /// In one browser: what it checks cannot differ between browsers, for this reason.
    OneBrowser(Kind, &'static str),
    /// Also on the delivered site, whose code is optimized otherwise than the code under test: the smoke test.
    Smoke,
}

impl Test {
    /// A test that runs in every browser and beside other tests.
    pub const fn new(name: &'static str, body: fn(&Page)) -> Self {
        Self { name, body, condition: None }
    }

    /// The same test under a condition.
    #[must_use]
    pub const fn on(mut self, condition: Condition) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Whether no other test may run at the same time.
    pub fn is_alone(&self) -> bool {
        self.condition == Some(Condition::Alone)
    }

    /// Whether it is part of the smoke test.
    pub fn is_smoke(&self) -> bool {
        self.condition == Some(Condition::Smoke)
    }

    /// Whether it runs in `kind`, if the run is in these browsers. A run without a test's own browser takes its first.
    pub fn runs_in(&self, kind: Kind, kinds: &[Kind]) -> bool {
        match self.condition {
            Some(Condition::OneBrowser(own, _)) if kinds.contains(&own) => own == kind,
            Some(Condition::OneBrowser(..)) => kinds.first() == Some(&kind),
            Some(Condition::Alone | Condition::Smoke) | None => true,
        }
    }
}

/// The tests of a module, by the names of their functions, each with its [`Condition`] if it has one:
/// `tests![opens, answers_soon: Condition::Alone]`.
#[macro_export]
macro_rules! tests {
    ($($name:ident $(: $condition:expr)?),+ $(,)?) => {
        &[$($crate::Test::new(concat!(module_path!(), "::", stringify!($name)), $name)$(.on($condition))?),+]
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Kind; 2] = [Kind::Chrome, Kind::Firefox];

    #[test]
    fn a_test_of_one_browser_runs_once_in_every_run() {
        let test = Test::new("a", |_| ()).on(Condition::OneBrowser(Kind::Firefox, "arithmetic"));
        let count = |kinds: &[Kind]| kinds.iter().filter(|kind| test.runs_in(**kind, kinds)).count();
        assert_eq!([count(&BOTH), count(&BOTH[..1]), count(&BOTH[1..])], [1; 3]);
        assert!(!test.runs_in(Kind::Chrome, &BOTH));
    }

    #[test]
    fn a_test_without_condition_runs_in_every_browser() {
        let test = Test::new("a", |_| ());
        assert!(BOTH.into_iter().all(|kind| test.runs_in(kind, &BOTH)));
    }
}
