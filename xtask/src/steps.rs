//! A sequence of steps, each with a heading and its time, which ends at the first failure.

use std::time::{Duration, Instant};

use crate::Result;

/// The steps done so far.
pub struct Steps {
    started: Instant,
    done: Vec<(String, Duration)>,
}

impl Steps {
    /// Nothing done yet.
    pub fn new() -> Self {
        Self { started: Instant::now(), done: Vec::new() }
    }

    /// Does one step; its failure names it.
    pub fn step(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("\n== {name}");
        let begun = Instant::now();
        let outcome = work();
        let time = begun.elapsed();
        println!("-- {name}: {} in {}", if outcome.is_ok() { "passed" } else { "FAILED" }, shown(time));
        self.done.push((name.to_owned(), time));
        outcome.map_err(|error| format!("{name}: {error}").into())
    }

    /// Prints every step's time and, as the last line, that all passed.
    pub fn finish(self) {
        println!();
        for (name, time) in &self.done {
            println!("{:>12}  {name}", shown(*time));
        }
        println!("all {} steps passed in {}", self.done.len(), shown(self.started.elapsed()));
    }
}

/// A duration as people say it.
fn shown(time: Duration) -> String {
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
    fn times_read_well() {
        assert_eq!(shown(Duration::from_millis(4230)), "4.2 s");
        assert_eq!(shown(Duration::from_secs(605)), "10 min 05 s");
    }

    #[test]
    fn a_failure_names_its_step() {
        let mut steps = Steps::new();
        assert!(steps.step("first", || Ok(())).is_ok());
        let error = steps.step("second", || Err("broken".into())).unwrap_err();
        assert_eq!(error.to_string(), "second: broken");
    }
}
