//! The results of a measurement: rows with their samples, and the ceilings of the machine.

use super::measurement::{CeilingKind, Implementation, Observation, Omission};
use super::setup::{Setup, View};
use super::spread::{Spread, is_clear_difference};

/// The measurement of one implementation of a setup.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The implementation that was measured.
    pub implementation: Implementation,
    /// The index of the size or layout that is compared.
    pub point: usize,
    /// The kernel's name, or why the row is omitted.
    pub kernel: Result<String, Omission>,
    /// Milliseconds per run, in sampling order.
    pub samples: Vec<f64>,
}

impl Row {
    /// The spread of the samples.
    pub fn spread(&self) -> Option<Spread> {
        Spread::new(&self.samples)
    }
}

/// The samples of a ceiling.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// Which ceiling was measured.
    pub kind: CeilingKind,
    /// The index of the size; 0 if sizes are not compared.
    pub point: usize,
    /// Rates in the unit of the op, in sampling order.
    pub samples: Vec<f64>,
}

/// How a row compares with the fastest one: by median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// No row has a lower median.
    Fastest,
    /// The quartiles overlap with those of the fastest row.
    Unclear,
    /// Its median is this many times the one of the fastest row.
    Slower(f64),
}

/// The results of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The measured setup.
    pub setup: Setup,
    /// The rows, in the order they were reported.
    pub rows: Vec<Row>,
    /// The ceilings of the machine.
    pub ceilings: Vec<Ceiling>,
    /// The number of rows to expect.
    pub expected_rows: usize,
}

impl Results {
    /// The empty results of a setup.
    pub fn new(setup: Setup) -> Self {
        Self { setup, rows: Vec::new(), ceilings: Vec::new(), expected_rows: 0 }
    }

    /// Adds an observation.
    pub fn observe(&mut self, observation: Observation) {
        match observation {
            Observation::Ceiling { kind, point, rate } if rate.is_finite() && rate > 0.0 => {
                let point = point as usize;
                let known = self.ceilings.iter_mut().find(|c| c.kind == kind && c.point == point);
                match known {
                    Some(ceiling) => ceiling.samples.push(rate),
                    None => self.ceilings.push(Ceiling { kind, point, samples: vec![rate] }),
                }
            }
            Observation::Ceiling { .. } => {}
            Observation::Rows(count) => self.expected_rows = count as usize,
            Observation::Row { implementation, point, kernel } => match self.row_mut(implementation, point) {
                // It was prepared, but failed while it was measured.
                Some(row) => row.kernel = kernel,
                None => {
                    self.rows.push(Row {
                        implementation,
                        point: point as usize,
                        kernel,
                        samples: Vec::new(),
                    });
                }
            },
            Observation::Sample { implementation, point, ms } => {
                if let Some(row) = self.row_mut(implementation, point).filter(|_| ms.is_finite() && ms > 0.0)
                {
                    row.samples.push(ms);
                }
            }
        }
    }

    fn row_mut(&mut self, implementation: Implementation, point: u32) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.implementation == implementation && row.point == point as usize)
    }

    /// The row of an implementation and a point.
    pub fn row(&self, implementation: Implementation, point: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.implementation == implementation && row.point == point)
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

    /// The rate of a row's median.
    pub fn rate(&self, row: &Row) -> Option<f64> {
        row.spread().map(|spread| self.setup_of(row).rate(spread.median))
    }

    /// The rates of a row's upper quartile, lower quartile and fastest sample: from slow to fast.
    pub fn rates(&self, row: &Row) -> Option<[f64; 3]> {
        let (spread, setup) = (row.spread()?, self.setup_of(row));
        Some([spread.upper, spread.lower, spread.fastest].map(|ms| setup.rate(ms)))
    }

    /// The speedup over the scalar kernel, or over the first layout if layouts are compared; by median.
    pub fn speedup(&self, row: &Row) -> Option<f64> {
        let base = match self.setup.view {
            View::Layouts => self.row(row.implementation, 0)?,
            _ => self.row(Implementation::Scalar, row.point)?,
        };
        Some(base.spread()?.median / row.spread()?.median)
    }

    /// The rows with samples that are compared with this one: of the same size if sizes are compared.
    fn compared_rows(&self, row: &Row) -> impl Iterator<Item = (&Row, Spread)> {
        let point = (self.setup.view == View::Sizes).then_some(row.point);
        let rows = self.rows.iter().filter(move |other| point.is_none_or(|point| other.point == point));
        rows.filter(|row| row.kernel.is_ok()).filter_map(|row| Some((row, row.spread()?)))
    }

    /// How a row compares with the fastest of those it is compared with.
    pub fn verdict(&self, row: &Row) -> Option<Verdict> {
        let spread = row.spread()?;
        let (fastest, best) = self.compared_rows(row).min_by(|a, b| a.1.median.total_cmp(&b.1.median))?;
        Some(if std::ptr::eq(fastest, row) {
            Verdict::Fastest
        } else if is_clear_difference(spread, best) {
            Verdict::Slower(spread.median / best.median)
        } else {
            Verdict::Unclear
        })
    }

    /// The fastest row and those that do not differ clearly from it; if sizes are compared, at the size with the
    /// highest rate.
    pub fn fastest(&self) -> Vec<&Row> {
        let rated = self.rows.iter().filter_map(|row| Some((row, self.rate(row)?)));
        let Some((best, _)) = rated.max_by(|a, b| a.1.total_cmp(&b.1)) else { return Vec::new() };
        let ties = self.compared_rows(best).map(|(row, _)| row).filter(|row| !std::ptr::eq(*row, best));
        std::iter::once(best).chain(ties.filter(|row| self.verdict(row) == Some(Verdict::Unclear))).collect()
    }

    /// The ceiling of a row: the fastest of its samples, measured in the same passes as the row.
    pub fn ceiling(&self, row: &Row) -> Option<f64> {
        let kind = CeilingKind::new(self.setup.op.unit, row.implementation);
        let point = if self.setup.view == View::Sizes { row.point } else { 0 };
        let ceiling = self.ceilings.iter().find(|c| c.kind == kind && c.point == point)?;
        ceiling.samples.iter().copied().max_by(f64::total_cmp)
    }

    /// The rows whose rate exceeds their ceiling, which only noise explains.
    pub fn above_ceiling(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| self.rate(row) > self.ceiling(row).or(Some(f64::INFINITY)))
    }

    /// The fraction of rows measured so far, from 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "a fraction for display")]
    pub fn progress(&self) -> f64 {
        let done = self.rows.iter().filter(|row| row.kernel.is_err() || !row.samples.is_empty()).count();
        if self.expected_rows == 0 { 0.0 } else { (done as f64 / self.expected_rows as f64).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Cause;

    fn sample(implementation: Implementation, ms: f64) -> Observation {
        Observation::Sample { implementation, point: 0, ms }
    }

    #[test]
    fn speedups_compare_medians() {
        let mut results = Results::new(Setup::default());
        results.observe(Observation::Rows(3));
        for implementation in [Implementation::Scalar, Implementation::Strict] {
            results.observe(Observation::Row { implementation, point: 0, kernel: Ok("dot f32".to_owned()) });
        }
        results.observe(Observation::Row {
            implementation: Implementation::Fast,
            point: 0,
            kernel: Err(Omission::Unavailable(Cause::NoRelaxedSimd)),
        });
        assert!((results.progress() - 1.0 / 3.0).abs() < 1e-9);
        for ms in [8.0, 10.0, 9.0, 0.0, f64::NAN, -1.0] {
            results.observe(sample(Implementation::Scalar, ms));
        }
        for ms in [3.0, 2.0] {
            results.observe(sample(Implementation::Strict, ms));
        }
        results.observe(sample(Implementation::Reference, 1.0));
        let (scalar, strict) = (&results.rows[0], &results.rows[1]);
        let medians = [scalar, strict].map(|row| row.spread().map(|spread| spread.median));
        assert_eq!(medians, [Some(9.0), Some(2.5)]);
        assert_eq!(results.speedup(strict), Some(3.6));
        assert_eq!(results.rows[2].spread(), None);
        assert!((results.progress() - 1.0).abs() < 1e-9);
        let rate = results.rate(strict).unwrap();
        assert!((rate - 2.0 * 128.0 * 128.0 * 128.0 / 2.5e6).abs() < 1e-6, "{rate}");
        // A row that fails while it is measured stays one row, now omitted.
        results.observe(Observation::Row {
            implementation: Implementation::Strict,
            point: 0,
            kernel: Err(Omission::NoWorkers),
        });
        assert_eq!((results.rows.len(), results.rows[1].kernel.clone()), (3, Err(Omission::NoWorkers)));
    }

    /// Results with these samples.
    fn measured(setup: Setup, rows: &[(Implementation, u32, &[f64])]) -> Results {
        let mut results = Results::new(setup);
        for (implementation, point, samples) in rows {
            let (implementation, point) = (*implementation, *point);
            results.observe(Observation::Row { implementation, point, kernel: Ok("dot f32".to_owned()) });
            for ms in *samples {
                results.observe(Observation::Sample { implementation, point, ms: *ms });
            }
        }
        results
    }

    #[test]
    fn the_lowest_median_is_the_fastest() {
        let results = measured(
            Setup::default(),
            &[
                (Implementation::Scalar, 0, &[8.0, 8.0, 8.0, 8.0, 8.0]),
                (Implementation::Strict, 0, &[1.0, 3.0, 4.0, 5.0, 6.0]),
                (Implementation::Fast, 0, &[2.0, 2.0, 2.0, 2.5, 9.0]),
                (Implementation::Workers(2), 0, &[0.5, 2.1, 2.2, 2.3, 9.0]),
            ],
        );
        let verdicts: Vec<_> = results.rows.iter().map(|row| results.verdict(row).unwrap()).collect();
        assert_eq!(
            verdicts,
            [Verdict::Slower(4.0), Verdict::Slower(2.0), Verdict::Fastest, Verdict::Unclear]
        );
        let fastest: Vec<_> = results.fastest().iter().map(|row| row.implementation).collect();
        assert_eq!(fastest, [Implementation::Fast, Implementation::Workers(2)]);
        assert!(Results::new(Setup::default()).fastest().is_empty());
    }

    #[test]
    fn sizes_are_compared_within_a_size() {
        let setup = Setup { view: View::Sizes, ..Setup::default() };
        let results = measured(
            setup,
            &[
                (Implementation::Scalar, 0, &[0.001]),
                (Implementation::Strict, 0, &[0.002]),
                (Implementation::Scalar, 3, &[9.0]),
                (Implementation::Strict, 3, &[0.3]),
            ],
        );
        let verdicts: Vec<_> = results.rows.iter().map(|row| results.verdict(row).unwrap()).collect();
        assert_eq!(verdicts[..2], [Verdict::Fastest, Verdict::Slower(2.0)]);
        assert_eq!(verdicts[3], Verdict::Fastest);
        assert_eq!(results.fastest(), [&results.rows[3]]);
    }

    #[test]
    fn a_row_has_a_ceiling_of_its_own_and_only_noise_exceeds_it() {
        let mut results = measured(
            Setup::default(),
            &[(Implementation::Strict, 0, &[1.0]), (Implementation::Workers(2), 0, &[0.5])],
        );
        assert_eq!(results.ceiling(&results.rows[0]), None);
        assert_eq!(results.above_ceiling().count(), 0);
        for (kind, rates) in [(CeilingKind::MulAdd, [4.0, 5.0]), (CeilingKind::Workers(2), [7.0, 6.0])] {
            for rate in rates.into_iter().chain([f64::INFINITY, f64::NAN, 0.0]) {
                results.observe(Observation::Ceiling { kind, point: 0, rate });
            }
        }
        // 4.19 and 8.39 GFLOP/s.
        let ceilings: Vec<_> = results.rows.iter().map(|row| results.ceiling(row)).collect();
        assert_eq!(ceilings, [Some(5.0), Some(7.0)]);
        let above: Vec<_> = results.above_ceiling().map(|row| row.implementation).collect();
        assert_eq!(above, [Implementation::Workers(2)]);
    }
}
