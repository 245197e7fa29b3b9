//! Measurements of the page: input to paint, frames, long tasks, startup.
//!
//! Times are milliseconds of the browser's clock. A frame counts as painted in the first task after its animation
//! frame callbacks, the closest that a page can observe; the result overestimates.

use std::fmt;

use serde_json::json;

use crate::browser::Browser;
use crate::error::Result;
use crate::input::Point;
use crate::page::Page;
use crate::server::Site;

/// Measured times in milliseconds, sorted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Sorts measured times.
    pub fn new(mut milliseconds: Vec<f64>) -> Self {
        milliseconds.sort_by(f64::total_cmp);
        Self(milliseconds)
    }

    /// The number of samples.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The smallest sample that at least `percent` % of the samples do not exceed; `None` without samples.
    pub fn percentile(&self, percent: usize) -> Option<f64> {
        let rank = (self.0.len() * percent.min(100)).div_ceil(100);
        self.0.get(rank.saturating_sub(1)).copied()
    }
}

/// A metric of the benchmark, with its goals.
#[derive(Debug)]
pub struct Metric {
    /// The name of the metric.
    pub name: String,
    /// The measured times.
    pub samples: Samples,
    /// The goals: percentiles with their limits in milliseconds.
    pub goals: Vec<(usize, f64)>,
}

impl Metric {
    /// Whether every goal is met; without samples none is.
    pub fn is_met(&self) -> bool {
        self.goals
            .iter()
            .all(|(percent, limit)| self.samples.percentile(*percent).is_some_and(|time| time <= *limit))
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time =
            |percent| self.samples.percentile(percent).map_or("-".to_owned(), |time| format!("{time:.1}"));
        let goal = |(percent, limit): &(usize, f64)| {
            if *percent == 100 { format!("max ≤ {limit}") } else { format!("p{percent} ≤ {limit}") }
        };
        let goals = self.goals.iter().map(goal).collect::<Vec<_>>().join(", ");
        let verdict = if self.is_met() { "met" } else { "MISSED" };
        write!(
            formatter,
            "{:<56} {:>5} {:>8} {:>8} {:>8}  {goals}: {verdict}",
            self.name,
            self.samples.count(),
            time(50),
            time(95),
            time(100)
        )
    }
}

/// The heading of a table of [`Metric`]s.
pub fn heading() -> String {
    format!("{:<56} {:>5} {:>8} {:>8} {:>8}  goal (ms unless stated)", "measure", "n", "p50", "p95", "max")
}

/// Measures navigation to the app's first painted frame, each time in a fresh page with an empty cache.
pub fn startup_times(browser: &Browser, site: &Site, address: &str, times: usize) -> Result<Samples> {
    let mut samples = Vec::new();
    for _ in 0..times {
        let page = browser.page(site)?;
        page.goto(address);
        samples.push(page.eval("window[Symbol.for('e2e.started')]"));
        page.close()?;
    }
    Ok(Samples::new(samples))
}

impl Page<'_> {
    /// Moves the pointer to each point and measures from the browser's time of the event to the first painted frame
    /// for which the JavaScript expression `shown` is true (`"true"` for the next frame).
    #[track_caller]
    pub fn hover_to_paint(&self, points: &[Point], shown: &str) -> Samples {
        self.input_to_paint("pointermove", shown, points.len(), |page, step| page.hover_at(points[step]))
    }

    /// Repeats an input `times` times and measures each from the event named `event` to the first painted frame for
    /// which `shown` is true.
    #[track_caller]
    pub fn input_to_paint(
        &self,
        event: &str,
        shown: &str,
        times: usize,
        input: impl Fn(&Self, usize),
    ) -> Samples {
        self.run(&format!(
            "const times = window[Symbol.for('e2e.times')] = [];
             const listen = (event) => requestAnimationFrame(function frame() {{
                 const painted = new MessageChannel();
                 painted.port1.onmessage = () => {{
                     if ({shown}) times.push(performance.now() - event.timeStamp);
                     else requestAnimationFrame(frame);
                 }};
                 painted.port2.postMessage(null);
             }});
             addEventListener({name}, listen, {{ capture: true, passive: true }});
             window[Symbol.for('e2e.stop')] = () => removeEventListener({name}, listen, true);",
            name = json!(event)
        ));
        for step in 0..times {
            input(self, step);
            self.wait_for(&format!("window[Symbol.for('e2e.times')].length > {step}"));
        }
        self.run("window[Symbol.for('e2e.stop')]();");
        Samples::new(self.eval("window[Symbol.for('e2e.times')]"))
    }

    /// The times between animation frames while `during` runs.
    #[track_caller]
    pub fn frames(&self, during: impl FnOnce(&Self)) -> Samples {
        self.run(
            "const state = window[Symbol.for('e2e.frames')] = { on: true, times: [], last: 0 };
             requestAnimationFrame(function frame(now) {
                 if (state.last) state.times.push(now - state.last);
                 state.last = now;
                 if (state.on) requestAnimationFrame(frame);
             });",
        );
        during(self);
        self.wait_two_frames();
        Samples::new(
            self.eval(
                "((state) => { state.on = false; return state.times; })(window[Symbol.for('e2e.frames')])",
            ),
        )
    }

    /// The longest time for which the main thread ran no timer while `during` runs: its longest task, and what other processes took.
    #[track_caller]
    pub fn longest_pause(&self, during: impl FnOnce(&Self)) -> Samples {
        self.run(
            "const state = window[Symbol.for('e2e.pauses')] = { on: true, longest: 0 };
             let last = performance.now();
             (function tick() {
                 const now = performance.now();
                 state.longest = Math.max(state.longest, now - last);
                 last = now;
                 if (state.on) setTimeout(tick);
             })();",
        );
        during(self);
        self.wait_two_frames();
        let longest =
            "((state) => { state.on = false; return state.longest; })(window[Symbol.for('e2e.pauses')])";
        Samples::new(vec![self.eval(longest)])
    }

    /// The main thread's tasks over 50 ms while `during` runs; `None` if the browser does not report them.
    #[track_caller]
    pub fn long_tasks(&self, during: impl FnOnce(&Self)) -> Option<Samples> {
        let observed: bool = self.eval(
            "(() => {
                if (!PerformanceObserver.supportedEntryTypes.includes('longtask')) return false;
                const tasks = window[Symbol.for('e2e.tasks')] = [];
                new PerformanceObserver((list) =>
                    tasks.push(...list.getEntries().map((task) => task.duration))).observe({ type: 'longtask' });
                return true;
            })()",
        );
        during(self);
        self.wait_two_frames();
        observed.then(|| Samples::new(self.eval("window[Symbol.for('e2e.tasks')]")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let samples = Samples::new((1..=20).rev().map(f64::from).collect());
        assert_eq!(samples.percentile(50), Some(10.0));
        assert_eq!(samples.percentile(95), Some(19.0));
        assert_eq!(samples.percentile(100), Some(20.0));
        assert_eq!(Samples::default().percentile(50), None);
    }

    #[test]
    fn a_goal_without_samples_is_missed() {
        let measure = |times: &[f64], goals: &[(usize, f64)]| {
            Metric { name: "x".into(), samples: Samples::new(times.to_vec()), goals: goals.to_vec() }.is_met()
        };
        assert!(measure(&[10.0, 40.0], &[(50, 20.0), (95, 100.0)]));
        assert!(!measure(&[10.0, 140.0], &[(50, 20.0), (95, 100.0)]));
        assert!(!measure(&[], &[(50, 20.0)]));
    }
}
