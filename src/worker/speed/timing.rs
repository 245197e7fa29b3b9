//! Sample lengths and counts: samples are far longer than the clock's resolution, numerous enough for quartiles, and take
//! no longer than a time budget.

/// The shortest sample in milliseconds, however fine the clock.
const MIN_SAMPLE_MS: f64 = 4.0;

/// The clock steps per sample: the resolution is then a fiftieth of the sample.
const CLOCK_STEPS_PER_SAMPLE: f64 = 50.0;

/// The longest sample to extend by repetition, in milliseconds.
const MAX_SAMPLE_MS: f64 = 60.0;

/// Maximum number of runs per sample.
const MAX_RUNS: u32 = 1_000_000;

/// Minimum and maximum passes over the cases of a group.
const MIN_PASSES: u32 = 3;
const MAX_PASSES: u32 = 15;

/// Maximum number of workers of a dot.
const MAX_WORKERS: u32 = 16;

/// The target length of a sample, in milliseconds, for a clock of this resolution.
pub fn target_sample_ms(resolution: f64) -> f64 {
    (resolution * CLOCK_STEPS_PER_SAMPLE).clamp(MIN_SAMPLE_MS, MAX_SAMPLE_MS)
}

/// The number of runs to try next, after `runs` took `ms` in total; `None` if they make a sample of `target` ms, or
/// nearly. A time below the clock's resolution is unreliable, so the number grows by at most a factor of ten.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
pub fn more_runs(runs: u32, ms: f64, target: f64) -> Option<u32> {
    if ms >= target * 0.75 || runs >= MAX_RUNS {
        return None;
    }
    let factor = (target / ms.max(target / 10.0)).max(1.25);
    Some(((f64::from(runs) * factor).ceil() as u32).min(MAX_RUNS))
}

/// The number of passes that fit in `budget_ms`, if one takes about `pass_ms`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
pub fn passes(pass_ms: f64, budget_ms: f64) -> u32 {
    let passes_that_fit = (budget_ms / pass_ms.max(1e-6)).min(1e6) as u32;
    // A pass that takes seconds is not repeated.
    let min_passes = if pass_ms > budget_ms { 1 } else { MIN_PASSES };
    passes_that_fit.clamp(min_passes, MAX_PASSES)
}

/// The distance in passes between two samples of a slow case, which takes `case_ms` per sample: one to three samples, which
/// take about `budget_ms`, are spread over all passes. Other cases are sampled in every pass.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
pub fn slow_sampling_stride(case_ms: f64, budget_ms: f64, passes: u32) -> u32 {
    let samples = ((budget_ms / case_ms.max(1e-6)).min(1e6) as u32).clamp(1, MIN_PASSES);
    passes.div_ceil(samples).max(1)
}

/// Whether a case that takes `case_ms` per sample is too slow for every pass.
pub fn is_slow(case_ms: f64, budget_ms: f64) -> bool {
    case_ms > budget_ms / f64::from(MAX_PASSES)
}

/// The number of rows of each worker if the `m` rows of a matrix are distributed evenly; the first workers get the
/// remainder.
pub fn rows_per_worker(m: u32, workers: u32) -> Vec<u32> {
    let (rows, extra) = (m / workers.max(1), m % workers.max(1));
    (0..workers).map(|worker| rows + u32::from(worker < extra)).collect()
}

/// The worker counts to compare: 2, 4, 8 and all cores.
pub fn worker_counts(cores: u32) -> Vec<u32> {
    let cores = cores.min(MAX_WORKERS);
    let mut counts: Vec<u32> = [2, 4, 8].into_iter().filter(|count| *count < cores).collect();
    counts.extend((cores >= 2).then_some(cores));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_far_longer_than_the_resolution_and_short_for_visitors() {
        assert!((target_sample_ms(0.005) - MIN_SAMPLE_MS).abs() < 1e-9);
        assert!((target_sample_ms(0.1) - 5.0).abs() < 1e-9);
        assert!((target_sample_ms(100.0) - MAX_SAMPLE_MS).abs() < 1e-9);
        assert_eq!(more_runs(1, 7.0, 5.0), None);
        assert_eq!((more_runs(1, 0.0, 5.0), more_runs(10, 2.5, 5.0)), (Some(10), Some(20)));
        // For any run time, few tries find a sample, and not one many times too long.
        for run_ms in [1e-9, 1e-4, 0.003, 0.4, 4.9, 80.0] {
            let (mut runs, mut tries) = (1, 0);
            while let Some(extra) = more_runs(runs, (run_ms * f64::from(runs) / 0.1).floor() * 0.1, 5.0) {
                (runs, tries) = (extra, tries + 1);
                assert!(tries < 10, "{run_ms}");
            }
            assert!(runs == 1 || run_ms * f64::from(runs) <= 8.0, "{run_ms}: {runs}");
        }
        assert_eq!((passes(100.0, 3000.0), passes(900.0, 3000.0), passes(9000.0, 3000.0)), (15, 3, 1));
        assert_eq!(passes(2000.0, 3000.0), 3);
    }

    #[test]
    fn slow_rows_are_sampled_at_most_three_times_over_all_passes() {
        let samples = |run_ms, passes| {
            (0..passes).filter(|pass| pass % slow_sampling_stride(run_ms, 4000.0, passes) == 0).count()
        };
        assert!(is_slow(300.0, 4000.0) && !is_slow(200.0, 4000.0));
        assert_eq!((samples(300.0, 15), samples(1500.0, 15), samples(9000.0, 15)), (3, 2, 1));
        assert_eq!((samples(300.0, 1), samples(300.0, 4), samples(0.0, 15)), (1, 2, 3));
    }

    #[test]
    fn all_rows_are_distributed() {
        for m in [2, 3, 7, 1024, 1025] {
            for workers in worker_counts(9) {
                assert_eq!(rows_per_worker(m, workers).iter().sum::<u32>(), m);
            }
        }
        assert!(worker_counts(1).is_empty());
        assert_eq!(worker_counts(2), [2]);
        assert_eq!(worker_counts(6), [2, 4, 6]);
        assert_eq!(worker_counts(64), [2, 4, 8, 16]);
    }
}
