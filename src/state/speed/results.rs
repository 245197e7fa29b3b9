//! What is known of a measurement: rows with their samples, and the limits of the machine.

use super::measurement::{LeftOut, Limit, Observation, Way};
use super::setup::{Setup, View};

/// A way to compute a setup, measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The way.
    pub way: Way,
    /// The size or the layout, by its number.
    pub point: usize,
    /// The kernel, or why it is left out.
    pub by: Result<String, LeftOut>,
    /// Milliseconds of a run, in the order they were measured.
    pub samples: Vec<f64>,
}

impl Row {
    /// The fastest run, milliseconds.
    pub fn best(&self) -> Option<f64> {
        self.samples.iter().copied().min_by(f64::total_cmp)
    }

    /// The run in the middle.
    pub fn median(&self) -> Option<f64> {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        let half = sorted.len() / 2;
        let upper = *sorted.get(half)?;
        Some(if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[half - 1], upper) } else { upper })
    }
}

/// What is known of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// What is measured.
    pub setup: Setup,
    /// In the order they were observed.
    pub rows: Vec<Row>,
    /// What this machine can do.
    pub limits: Vec<(Limit, f64)>,
    /// How many rows there will be.
    pub expected: usize,
}

impl Results {
    /// Of what is about to be measured.
    pub fn new(setup: Setup) -> Self {
        Self { setup, rows: Vec::new(), limits: Vec::new(), expected: 0 }
    }

    /// Adds an observation.
    pub fn observe(&mut self, observation: Observation) {
        match observation {
            Observation::Limit(limit, value) => {
                // A worker that takes over from a stuck one measures them anew.
                self.limits.retain(|(known, _)| *known != limit);
                self.limits.push((limit, value));
            }
            Observation::Rows(count) => self.expected = count as usize,
            Observation::Row { way, point, by } => match self.of(way, point) {
                // It began, and could not go on.
                Some(row) => row.by = by,
                None => self.rows.push(Row { way, point: point as usize, by, samples: Vec::new() }),
            },
            Observation::Sample { way, point, ms } => {
                if let Some(row) = self.of(way, point).filter(|_| ms.is_finite() && ms > 0.0) {
                    row.samples.push(ms);
                }
            }
        }
    }

    fn of(&mut self, way: Way, point: u32) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.way == way && row.point == point as usize)
    }

    /// The row of a way.
    pub fn row(&self, way: Way, point: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.way == way && row.point == point)
    }

    /// The setup of a row: that of its size.
    pub fn setup_of(&self, row: &Row) -> Setup {
        match self.setup.view {
            View::Sizes => self
                .setup
                .sweep()
                .into_iter()
                .nth(row.point)
                .map_or_else(|| self.setup.clone(), |(_, setup)| setup),
            _ => self.setup.clone(),
        }
    }

    /// The rate of a row's fastest run.
    pub fn rate(&self, row: &Row) -> Option<f64> {
        row.best().map(|ms| self.setup_of(row).rate(ms))
    }

    /// How many times as fast as the scalar kernel, or as the first row where layouts are compared.
    pub fn ratio(&self, row: &Row) -> Option<f64> {
        let base = match self.setup.view {
            View::Layouts => self.row(row.way, 0)?,
            _ => self.row(Way::Scalar, row.point)?,
        };
        Some(base.best()? / row.best()?)
    }

    /// How much of it is measured, from 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "a share for the eye")]
    pub fn share(&self) -> f64 {
        let done = self.rows.iter().filter(|row| row.by.is_err() || !row.samples.is_empty()).count();
        if self.expected == 0 { 0.0 } else { (done as f64 / self.expected as f64).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Cause;

    fn sample(way: Way, ms: f64) -> Observation {
        Observation::Sample { way, point: 0, ms }
    }

    #[test]
    fn the_fastest_run_counts() {
        let mut results = Results::new(Setup::default());
        results.observe(Observation::Rows(3));
        for way in [Way::Scalar, Way::Strict] {
            results.observe(Observation::Row { way, point: 0, by: Ok("dot f32".to_owned()) });
        }
        results.observe(Observation::Row {
            way: Way::Fast,
            point: 0,
            by: Err(LeftOut::Unavailable(Cause::NoRelaxedSimd)),
        });
        assert!((results.share() - 1.0 / 3.0).abs() < 1e-9);
        for ms in [8.0, 10.0, 9.0, 0.0, f64::NAN, -1.0] {
            results.observe(sample(Way::Scalar, ms));
        }
        for ms in [3.0, 2.0] {
            results.observe(sample(Way::Strict, ms));
        }
        results.observe(sample(Way::Reference, 1.0));
        let (scalar, strict) = (&results.rows[0], &results.rows[1]);
        assert_eq!((scalar.best(), scalar.median()), (Some(8.0), Some(9.0)));
        assert_eq!((strict.best(), strict.median()), (Some(2.0), Some(2.5)));
        assert_eq!(results.ratio(strict), Some(4.0));
        assert_eq!(results.rows[2].best(), None);
        assert!((results.share() - 1.0).abs() < 1e-9);
        // One that began and could not go on is the same row, left out.
        results.observe(Observation::Row { way: Way::Strict, point: 0, by: Err(LeftOut::NoWorkers) });
        assert_eq!((results.rows.len(), results.rows[1].by.clone()), (3, Err(LeftOut::NoWorkers)));
        let strict = &results.rows[1];
        let rate = results.rate(strict).unwrap();
        assert!((rate - 2.0 * 512.0 * 512.0 * 512.0 / 2e6).abs() < 1e-6, "{rate}");
    }
}
