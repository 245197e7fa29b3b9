//! What a run of the end-to-end tests is asked for, by its arguments.

use crate::driver::Kind;
use crate::error::{Error, Result};
use crate::test::Test;

/// How many browsers of a kind run at once unless it is said. Pages wait much, so that two of each keep two cores busy.
const BROWSERS_OF_A_KIND: usize = 2;

/// `[FILTER..] [--browser chrome|firefox] [--jobs N] [--parallel | --delivered] [--list]`; other options are those of
/// `cargo test` and ignored.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The browsers to run in.
    pub(crate) kinds: Vec<Kind>,
    /// How many browsers of a kind run at once.
    pub(crate) browsers_of_a_kind: usize,
    /// Whether only the names of the tests are printed.
    pub(crate) is_list: bool,
    part: Part,
    /// Parts of names; without any, all tests.
    filters: Vec<String>,
}

/// Which tests a site is for.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    All,
    /// Those that may run beside others, on the site that is built for them.
    Parallel,
    /// The smoke test and the tests that measure time, on the delivered site.
    Delivered,
}

impl Request {
    /// Reads the arguments of a process, without its name.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut request = Self {
            kinds: vec![Kind::Chrome, Kind::Firefox],
            browsers_of_a_kind: BROWSERS_OF_A_KIND,
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
                    request.browsers_of_a_kind =
                        count.ok_or_else(|| Error::new(format!("--jobs {value}: it is a number from 1")))?;
                }
                "--parallel" => request.part = Part::Parallel,
                "--delivered" => request.part = Part::Delivered,
                "--list" => request.is_list = true,
                option if option.starts_with('-') => {}
                _ => request.filters.push(argument),
            }
        }
        Ok(request)
    }

    /// Whether a test is asked for.
    pub(crate) fn wants(&self, test: &Test) -> bool {
        let is_named = self.filters.is_empty() || self.filters.iter().any(|part| test.name.contains(part));
        let is_in_part = match self.part {
            Part::All => true,
            Part::Parallel => !test.is_alone(),
            Part::Delivered => test.is_smoke() || test.is_alone(),
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
        assert_eq!((&request.kinds[..], request.browsers_of_a_kind), (&[Kind::Firefox][..], 3));
        assert_eq!(request.filters, ["keyboard", "ops::"]);
        assert!(request.wants(&Test::new("site::ops::opens", |_| ())));
        assert!(!request.wants(&Test::new("site::links::opens", |_| ())));
        assert_eq!(parsed("").unwrap().kinds.len(), 2);
    }

    #[test]
    fn the_parts_cover_every_test() {
        let (parallel, delivered) = (parsed("--parallel").unwrap(), parsed("--delivered").unwrap());
        let test = Test::new("a", |_| ());
        for test in [test, test.on(Condition::Alone), test.on(Condition::Smoke)] {
            assert!(parallel.wants(&test) || delivered.wants(&test));
            assert_eq!(parallel.wants(&test) && delivered.wants(&test), test.is_smoke());
        }
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        assert!(
            ["--browser", "--browser opera", "--jobs 0", "--jobs x"]
                .into_iter()
                .all(|line| parsed(line).is_err())
        );
    }
}
