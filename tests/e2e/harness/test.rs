//! A test of the site: a function of a fresh page, with the conditions under which it runs.

use crate::driver::Kind;
use crate::page::Page;

/// A test of the site.
#[derive(Debug, Clone, Copy)]
pub struct Test {
    /// Its module and name.
    pub name: &'static str,
    /// Its body, which gets a fresh page and fails by panicking.
    pub body: fn(&Page),
    /// Its condition, if any.
    pub condition: Option<Condition>,
}

/// Where and when a test runs. Without one, it runs in every browser, in parallel with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// It measures time, or needs several cores: it runs after the parallel tests, with at most one other, in another kind
    /// of browser, on the release build.
    Alone,
    /// In one browser: what it checks cannot differ between browsers, for this reason.
    OneBrowser(Kind, &'static str),
    /// The smoke test: it runs on the release build, whose code is optimized differently, in every browser.
    Smoke,
}

impl Test {
    /// A test that runs in every browser, in parallel with others.
    pub const fn new(name: &'static str, body: fn(&Page)) -> Self {
        Self { name, body, condition: None }
    }

    /// The same test under a condition.
    #[must_use]
    pub const fn on(mut self, condition: Condition) -> Self {
        self.condition = Some(condition);
        self
    }

    /// Whether it must not run in parallel with other tests.
    pub fn runs_alone(&self) -> bool {
        self.condition == Some(Condition::Alone)
    }

    /// Whether it is part of the smoke test.
    pub fn is_smoke(&self) -> bool {
        self.condition == Some(Condition::Smoke)
    }

    /// Whether it runs in `kind` in a run with the browsers `kinds`. If its own browser is not among them, it runs in
    /// the first.
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
