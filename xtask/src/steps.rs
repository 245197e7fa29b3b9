//! A sequence of steps, each with a heading, its time and its tests; it ends at the first failure.

use std::time::{Duration, Instant};

use crate::Result;

/// The completed steps.
pub struct Steps {
    started: Instant,
    done: Vec<Step>,
}

/// A completed step.
struct Step {
    name: String,
    end: End,
    time: Duration,
}

/// How a step ended.
#[derive(Clone, Copy)]
enum End {
    /// It has no tests.
    Passed,
    /// The number of passed tests.
    Tests(u64),
    /// This machine lacks what its tests need.
    Skipped,
}

impl Steps {
    /// No completed steps.
    pub fn new() -> Self {
        Self { started: Instant::now(), done: Vec::new() }
    }

    /// Runs a step without tests; an error contains its name.
    pub fn step(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        self.run_timed(name, || work().map(|()| End::Passed))
    }

    /// Runs a step that returns the number of passed tests; zero is a failure.
    pub fn tests(&mut self, name: &str, work: impl FnOnce() -> Result<u64>) -> Result<()> {
        self.run_timed(name, || match work()? {
            0 => Err("no test ran".into()),
            count => Ok(End::Tests(count)),
        })
    }

    /// Runs a step that returns the number of passed tests, or `None` if this machine lacks what it needs: then it is skipped. Zero is
    /// a failure.
    pub fn optional_tests(&mut self, name: &str, work: impl FnOnce() -> Result<Option<u64>>) -> Result<()> {
        self.run_timed(name, || match work()? {
            Some(0) => Err("no test ran".into()),
            Some(count) => Ok(End::Tests(count)),
            None => Ok(End::Skipped),
        })
    }

    fn run_timed(&mut self, name: &str, work: impl FnOnce() -> Result<End>) -> Result<()> {
        println!("\n== {name}");
        let begun = Instant::now();
        let outcome = work();
        let time = begun.elapsed();
        let outcome_text = match outcome {
            Ok(End::Skipped) => "SKIPPED",
            Ok(_) => "passed",
            Err(_) => "FAILED",
        };
        println!("-- {name}: {outcome_text} in {}", format_duration(time));
        let end = outcome.map_err(|error| format!("{name}: {error}"))?;
        self.done.push(Step { name: name.to_owned(), end, time });
        Ok(())
    }

    /// Prints a table of all steps and, on the last line, how many passed.
    pub fn finish(self) {
        println!("\n{}", table(&self.done));
        let skipped = self.done.iter().filter(|step| matches!(step.end, End::Skipped)).count();
        let time = format_duration(self.started.elapsed());
        match skipped {
            0 => println!("all {} steps passed in {time}", self.done.len()),
            _ => println!("{} steps passed and {skipped} were SKIPPED in {time}", self.done.len() - skipped),
        }
    }
}

/// A row of the table: name, number of tests and time.
fn table(steps: &[Step]) -> String {
    let width = steps.iter().map(|step| step.name.len()).max().unwrap_or_default().max("step".len());
    let line = |name: &str, tests: &str, time: &str| format!("{name:<width$}  {tests:>7}  {time:>12}\n");
    let mut table = line("step", "tests", "time");
    for Step { name, end, time } in steps {
        let tests = match end {
            End::Passed => "-".to_owned(),
            End::Tests(count) => count.to_string(),
            End::Skipped => "SKIPPED".to_owned(),
        };
        table.push_str(&line(name, &tests, &format_duration(*time)));
    }
    table
}

/// A duration as text.
fn format_duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 {
        format!("{:.1} s", time.as_secs_f64())
    } else {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_formatted() {
        assert_eq!(format_duration(Duration::from_millis(4230)), "4.2 s");
        assert_eq!(format_duration(Duration::from_secs(605)), "10 min 05 s");
    }

    #[test]
    fn a_failure_names_its_step() {
        let mut steps = Steps::new();
        assert!(steps.step("first", || Ok(())).is_ok());
        let error = steps.step("second", || Err("broken".into())).unwrap_err();
        assert_eq!(error.to_string(), "second: broken");
    }

    #[test]
    fn a_step_without_a_test_fails() {
        let mut steps = Steps::new();
        assert!(steps.tests("some", || Ok(3)).is_ok());
        assert!(steps.tests("none", || Ok(0)).is_err());
    }

    #[test]
    fn the_table_has_a_line_for_each_step() {
        let step = |name: &str, end| Step { name: name.to_owned(), end, time: Duration::from_secs(2) };
        let table = table(&[step("formatting", End::Passed), step("native tests", End::Tests(1200))]);
        let words: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|w| !w.is_empty()).collect())
            .collect();
        assert_eq!(
            words,
            [
                vec!["step", "tests", "time"],
                vec!["formatting", "-", "2.0 s"],
                vec!["native tests", "1200", "2.0 s"]
            ]
        );
    }
}
