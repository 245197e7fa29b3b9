//! The results of a measurement: rows with their samples, and the ceilings of the machine.

use super::measurement::{Limit, Observation, Omission, Way};
use super::setup::{Setup, View};

/// The measurement of one way to compute a setup.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The way to compute it.
    pub way: Way,
    /// The index of the size or layout.
    pub point: usize,
    /// The kernel's name, or why the row is omitted.
    pub by: Result<String, Omission>,
    /// Milliseconds per run, in sampling order.
    pub samples: Vec<f64>,
}

impl Row {
    /// The fastest sample, in milliseconds.
    pub fn best(&self) -> Option<f64> {
        self.samples.iter().copied().min_by(f64::total_cmp)
    }

    /// The median sample, in milliseconds.
    pub fn median(&self) -> Option<f64> {
        let mut sorted = self.samples.clone();
        sorted.sort_by(f64::total_cmp);
        let half = sorted.len() / 2;
        let upper = *sorted.get(half)?;
        Some(if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[half - 1], upper) } else { upper })
    }
}

/// The results of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The measured setup.
    pub setup: Setup,
    /// The rows, in the order they were reported.
    pub rows: Vec<Row>,
    /// The ceilings of the machine, in the unit of the op.
    pub limits: Vec<(Limit, f64)>,
    /// The number of rows to expect.
    pub expected: usize,
}

impl Results {
    /// The empty results of a setup.
    pub fn new(setup: Setup) -> Self {
        Self { setup, rows: Vec::new(), limits: Vec::new(), expected: 0 }
    }

    /// Adds an observation.
    pub fn observe(&mut self, observation: Observation) {
        match observation {
            Observation::Limit(limit, value) => {
                // A worker that replaces a stuck one measures the ceilings again.
                self.limits.retain(|(known, _)| *known != limit);
                self.limits.push((limit, value));
            }
            Observation::Rows(count) => self.expected = count as usize,
            Observation::Row { way, point, by } => match self.row_mut(way, point) {
                // It was prepared, but failed while it was measured.
                Some(row) => row.by = by,
                None => self.rows.push(Row { way, point: point as usize, by, samples: Vec::new() }),
            },
            Observation::Sample { way, point, ms } => {
                if let Some(row) = self.row_mut(way, point).filter(|_| ms.is_finite() && ms > 0.0) {
                    row.samples.push(ms);
                }
            }
        }
    }

    fn row_mut(&mut self, way: Way, point: u32) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.way == way && row.point == point as usize)
    }

    /// The row of a way and a point.
    pub fn row(&self, way: Way, point: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.way == way && row.point == point)
    }

    /// The setup of a row, with the row's sizes.
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

    /// The rate of a row's fastest sample.
    pub fn rate(&self, row: &Row) -> Option<f64> {
        row.best().map(|ms| self.setup_of(row).rate(ms))
    }

    /// The speedup over the scalar kernel, or over the first layout if layouts are compared.
    pub fn ratio(&self, row: &Row) -> Option<f64> {
        let base = match self.setup.view {
            View::Layouts => self.row(row.way, 0)?,
            _ => self.row(Way::Scalar, row.point)?,
        };
        Some(base.best()? / row.best()?)
    }

    /// The share of rows measured so far, from 0 to 1.
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
    fn ratios_compare_the_fastest_samples() {
        let mut results = Results::new(Setup::default());
        results.observe(Observation::Rows(3));
        for way in [Way::Scalar, Way::Strict] {
            results.observe(Observation::Row { way, point: 0, by: Ok("dot f32".to_owned()) });
        }
        results.observe(Observation::Row {
            way: Way::Fast,
            point: 0,
            by: Err(Omission::Unavailable(Cause::NoRelaxedSimd)),
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
        // A row that fails while it is measured stays one row, now omitted.
        results.observe(Observation::Row { way: Way::Strict, point: 0, by: Err(Omission::NoWorkers) });
        assert_eq!((results.rows.len(), results.rows[1].by.clone()), (3, Err(Omission::NoWorkers)));
        let strict = &results.rows[1];
        let rate = results.rate(strict).unwrap();
        assert!((rate - 2.0 * 512.0 * 512.0 * 512.0 / 2e6).abs() < 1e-6, "{rate}");
    }
}
