//! The arguments of a run of the end-to-end tests.

use crate::driver::Kind;
use crate::error::{Error, Result};
use crate::test::Test;

/// The default number of browsers per kind. Pages mostly wait, so two of each kind keep two cores busy.
const DEFAULT_BROWSERS_PER_KIND: usize = 2;

/// `[FILTER..] [--browser chrome|firefox] [--jobs N] [--parallel | --delivered] [--list]`; options of `cargo test`
/// are ignored.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The browsers to run in.
    pub(crate) kinds: Vec<Kind>,
    /// The number of browsers per kind.
    pub(crate) browsers_per_kind: usize,
    /// Whether to print only the names of the tests.
    pub(crate) is_list: bool,
    part: Part,
    /// Substrings of names; all tests if empty.
    filters: Vec<String>,
}

/// The tests to run, by the site that they need.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    All,
    /// Tests that may run in parallel, on the test build.
    Parallel,
    /// The smoke test and the tests that measure time, on the release build.
    Release,
}

impl Request {
    /// Parses the arguments of a process, without its name.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut request = Self {
            kinds: vec![Kind::Chrome, Kind::Firefox],
            browsers_per_kind: DEFAULT_BROWSERS_PER_KIND,
            is_list: false,
            part: Part::All,
            filters: Vec::new(),
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| Error::new(format!("{argument} needs a value")));
            match argument.as_str() {
                "--browser" => request.kinds = vec![Kind::from_name(&value()?)?],
                "--jobs" => {
                    let value = value()?;
                    let count = value.parse().ok().filter(|count| *count > 0);
                    request.browsers_per_kind = count
                        .ok_or_else(|| Error::new(format!("--jobs {value}: expected a number from 1")))?;
                }
                "--parallel" => request.part = Part::Parallel,
                "--delivered" => request.part = Part::Release,
                "--list" => request.is_list = true,
                option if option.starts_with('-') => {}
                _ => request.filters.push(argument),
            }
        }
        Ok(request)
    }

    /// Whether to run a test.
    pub(crate) fn wants(&self, test: &Test) -> bool {
        let is_named = self.filters.is_empty() || self.filters.iter().any(|part| test.name.contains(part));
        let is_in_part = match self.part {
            Part::All => true,
            Part::Parallel => !test.runs_alone() && !test.is_smoke(),
            Part::Release => test.is_smoke() || test.runs_alone(),
        };
        is_named && is_in_part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test::Condition;

    fn parsed(line: &str) -> Result<Request> {
        Request::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read_in_any_order() {
        let request = parsed("keyboard --browser firefox --jobs 3 --nocapture ops::").unwrap();
        assert_eq!((&request.kinds[..], request.browsers_per_kind), (&[Kind::Firefox][..], 3));
        assert_eq!(request.filters, ["keyboard", "ops::"]);
        assert!(request.wants(&Test::new("site::ops::opens", |_| ())));
        assert!(!request.wants(&Test::new("site::links::opens", |_| ())));
        assert_eq!(parsed("").unwrap().kinds.len(), 2);
    }

    #[test]
    fn every_test_is_in_one_part() {
        let (parallel, delivered) = (parsed("--parallel").unwrap(), parsed("--delivered").unwrap());
        let test = Test::new("a", |_| ());
        for test in [test, test.on(Condition::Alone), test.on(Condition::Smoke)] {
            assert_ne!(parallel.wants(&test), delivered.wants(&test));
        }
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        assert!(
            ["--browser", "--browser opera", "--jobs 0", "--jobs x"]
                .into_iter()
                .all(|line| parsed(line).is_err())
        );
    }
}
