//! The results of a measurement: cases with their samples, and the ceilings of the machine.

use super::measurement::{CeilingKind, Implementation, Observation, Omission};
use super::setup::{Setup, View};
use super::spread::{Spread, is_clear_difference};

/// A measured case: an implementation at a size or in a layout, with its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The implementation that was measured.
    pub implementation: Implementation,
    /// The index of the size or layout that is compared.
    pub point: usize,
    /// The kernel's name, or why the case is omitted.
    pub kernel: Result<String, Omission>,
    /// Milliseconds per run, in sampling order.
    pub samples: Vec<f64>,
}

impl Case {
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

/// How a case compares with the fastest one: by median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// No case has a lower median.
    Fastest,
    /// The quartiles overlap with those of the fastest case.
    Unclear,
    /// Its median is this many times the one of the fastest case.
    Slower(f64),
}

/// The results of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The measured setup.
    pub setup: Setup,
    /// The cases, in the order in which they were reported.
    pub cases: Vec<Case>,
    /// The ceilings of the machine.
    pub ceilings: Vec<Ceiling>,
    /// The number of cases to expect.
    pub case_count: usize,
}

impl Results {
    /// The empty results of a setup.
    pub fn new(setup: Setup) -> Self {
        Self { setup, cases: Vec::new(), ceilings: Vec::new(), case_count: 0 }
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
            Observation::CaseCount(count) => self.case_count = count as usize,
            Observation::Case { implementation, point, kernel } => match self.case_mut(implementation, point)
            {
                // It was prepared, but failed while it was measured.
                Some(case) => case.kernel = kernel,
                None => {
                    self.cases.push(Case {
                        implementation,
                        point: point as usize,
                        kernel,
                        samples: Vec::new(),
                    });
                }
            },
            Observation::Sample { implementation, point, ms } => {
                if let Some(case) =
                    self.case_mut(implementation, point).filter(|_| ms.is_finite() && ms > 0.0)
                {
                    case.samples.push(ms);
                }
            }
        }
    }

    fn case_mut(&mut self, implementation: Implementation, point: u32) -> Option<&mut Case> {
        self.cases
            .iter_mut()
            .find(|case| case.implementation == implementation && case.point == point as usize)
    }

    /// The case of an implementation and a point.
    pub fn case(&self, implementation: Implementation, point: usize) -> Option<&Case> {
        self.cases.iter().find(|case| case.implementation == implementation && case.point == point)
    }

    /// The setup of a case, with the case's sizes.
    pub fn setup_of(&self, case: &Case) -> Setup {
        match self.setup.view {
            View::Sizes => self
                .setup
                .sweep()
                .into_iter()
                .nth(case.point)
                .map_or_else(|| self.setup.clone(), |(_, setup)| setup),
            _ => self.setup.clone(),
        }
    }

    /// The rate of a case's median.
    pub fn rate(&self, case: &Case) -> Option<f64> {
        case.spread().map(|spread| self.setup_of(case).rate(spread.median))
    }

    /// The rates of a case's upper quartile, lower quartile and fastest sample: from slow to fast.
    pub fn rates(&self, case: &Case) -> Option<[f64; 3]> {
        let (spread, setup) = (case.spread()?, self.setup_of(case));
        Some([spread.upper, spread.lower, spread.fastest].map(|ms| setup.rate(ms)))
    }

    /// The speedup over the scalar kernel, or over the first layout if layouts are compared; by median.
    pub fn speedup(&self, case: &Case) -> Option<f64> {
        let base = match self.setup.view {
            View::Layouts => self.case(case.implementation, 0)?,
            _ => self.case(Implementation::Scalar, case.point)?,
        };
        Some(base.spread()?.median / case.spread()?.median)
    }

    /// The cases with samples that are compared with this one: of the same size if sizes are compared.
    fn compared_with(&self, case: &Case) -> impl Iterator<Item = (&Case, Spread)> {
        let point = (self.setup.view == View::Sizes).then_some(case.point);
        let cases = self.cases.iter().filter(move |other| point.is_none_or(|point| other.point == point));
        cases.filter(|case| case.kernel.is_ok()).filter_map(|case| Some((case, case.spread()?)))
    }

    /// How a case compares with the fastest of those it is compared with.
    pub fn verdict(&self, case: &Case) -> Option<Verdict> {
        let spread = case.spread()?;
        let (fastest, best) = self.compared_with(case).min_by(|a, b| a.1.median.total_cmp(&b.1.median))?;
        Some(if std::ptr::eq(fastest, case) {
            Verdict::Fastest
        } else if is_clear_difference(spread, best) {
            Verdict::Slower(spread.median / best.median)
        } else {
            Verdict::Unclear
        })
    }

    /// The fastest case and those that do not differ clearly from it; if sizes are compared, at the size with the
    /// highest rate.
    pub fn fastest(&self) -> Vec<&Case> {
        let rated = self.cases.iter().filter_map(|case| Some((case, self.rate(case)?)));
        let Some((best, _)) = rated.max_by(|a, b| a.1.total_cmp(&b.1)) else { return Vec::new() };
        let ties = self.compared_with(best).map(|(case, _)| case).filter(|case| !std::ptr::eq(*case, best));
        std::iter::once(best)
            .chain(ties.filter(|case| self.verdict(case) == Some(Verdict::Unclear)))
            .collect()
    }

    /// The ceiling of a case: the fastest of its samples, measured in the same passes as the case.
    pub fn ceiling(&self, case: &Case) -> Option<f64> {
        let kind = CeilingKind::new(self.setup.op.unit, case.implementation);
        let point = if self.setup.view == View::Sizes { case.point } else { 0 };
        let ceiling = self.ceilings.iter().find(|c| c.kind == kind && c.point == point)?;
        ceiling.samples.iter().copied().max_by(f64::total_cmp)
    }

    /// The cases whose rate exceeds their ceiling, which only noise explains.
    pub fn above_ceiling(&self) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(|case| self.rate(case) > self.ceiling(case).or(Some(f64::INFINITY)))
    }

    /// The fraction of cases measured so far, from 0 to 1.
    #[allow(clippy::cast_precision_loss, reason = "a fraction for display")]
    pub fn progress(&self) -> f64 {
        let done = self.cases.iter().filter(|case| case.kernel.is_err() || !case.samples.is_empty()).count();
        if self.case_count == 0 { 0.0 } else { (done as f64 / self.case_count as f64).min(1.0) }
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
        results.observe(Observation::CaseCount(3));
        for implementation in [Implementation::Scalar, Implementation::Strict] {
            results.observe(Observation::Case { implementation, point: 0, kernel: Ok("dot f32".to_owned()) });
        }
        results.observe(Observation::Case {
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
        let (scalar, strict) = (&results.cases[0], &results.cases[1]);
        let medians = [scalar, strict].map(|case| case.spread().map(|spread| spread.median));
        assert_eq!(medians, [Some(9.0), Some(2.5)]);
        assert_eq!(results.speedup(strict), Some(3.6));
        assert_eq!(results.cases[2].spread(), None);
        assert!((results.progress() - 1.0).abs() < 1e-9);
        let rate = results.rate(strict).unwrap();
        assert!((rate - 2.0 * 128.0 * 128.0 * 128.0 / 2.5e6).abs() < 1e-6, "{rate}");
        // A case that fails while it is measured stays one case, now omitted.
        results.observe(Observation::Case {
            implementation: Implementation::Strict,
            point: 0,
            kernel: Err(Omission::NoWorkers),
        });
        assert_eq!((results.cases.len(), results.cases[1].kernel.clone()), (3, Err(Omission::NoWorkers)));
    }

    /// Results with these samples.
    fn measured(setup: Setup, cases: &[(Implementation, u32, &[f64])]) -> Results {
        let mut results = Results::new(setup);
        for (implementation, point, samples) in cases {
            let (implementation, point) = (*implementation, *point);
            results.observe(Observation::Case { implementation, point, kernel: Ok("dot f32".to_owned()) });
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
        let verdicts: Vec<_> = results.cases.iter().map(|case| results.verdict(case).unwrap()).collect();
        assert_eq!(
            verdicts,
            [Verdict::Slower(4.0), Verdict::Slower(2.0), Verdict::Fastest, Verdict::Unclear]
        );
        let fastest: Vec<_> = results.fastest().iter().map(|case| case.implementation).collect();
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
        let verdicts: Vec<_> = results.cases.iter().map(|case| results.verdict(case).unwrap()).collect();
        assert_eq!(verdicts[..2], [Verdict::Fastest, Verdict::Slower(2.0)]);
        assert_eq!(verdicts[3], Verdict::Fastest);
        assert_eq!(results.fastest(), [&results.cases[3]]);
    }

    #[test]
    fn a_row_has_a_ceiling_of_its_own_and_only_noise_exceeds_it() {
        let mut results = measured(
            Setup::default(),
            &[(Implementation::Strict, 0, &[1.0]), (Implementation::Workers(2), 0, &[0.5])],
        );
        assert_eq!(results.ceiling(&results.cases[0]), None);
        assert_eq!(results.above_ceiling().count(), 0);
        for (kind, rates) in [(CeilingKind::MulAdd, [4.0, 5.0]), (CeilingKind::Workers(2), [7.0, 6.0])] {
            for rate in rates.into_iter().chain([f64::INFINITY, f64::NAN, 0.0]) {
                results.observe(Observation::Ceiling { kind, point: 0, rate });
            }
        }
        // 4.19 and 8.39 GFLOP/s.
        let ceilings: Vec<_> = results.cases.iter().map(|case| results.ceiling(case)).collect();
        assert_eq!(ceilings, [Some(5.0), Some(7.0)]);
        let above: Vec<_> = results.above_ceiling().map(|case| case.implementation).collect();
        assert_eq!(above, [Implementation::Workers(2)]);
    }
}
