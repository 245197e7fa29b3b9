//! How often to run what is measured: long enough against the grain of the clock, often enough to find the minimum, and
//! not longer than a visitor waits.

/// The least milliseconds of a sample, however fine the clock.
const LEAST: f64 = 4.0;

/// A sample is so many grains of the clock long: the grain is then one part in fifty of it.
const GRAINS: f64 = 50.0;

/// A sample is never made longer than this by repetition, milliseconds.
const LONGEST: f64 = 60.0;

/// The most runs of a sample.
const MOST: u32 = 1_000_000;

/// Rounds through all rows, at least and at most.
const ROUNDS: (u32, u32) = (3, 15);

/// How long a sample should be with a clock of this grain, milliseconds.
pub fn sample_ms(grain: f64) -> f64 {
    (grain * GRAINS).clamp(LEAST, LONGEST)
}

/// How many runs to try next, after so many took `ms` together; `None` where those made a sample of `target` already, or
/// nearly. What the clock does not see says little: the number grows step by step.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
pub fn more_runs(runs: u32, ms: f64, target: f64) -> Option<u32> {
    if ms >= target * 0.75 || runs >= MOST {
        return None;
    }
    let factor = (target / ms.max(target / 10.0)).max(1.25);
    Some(((f64::from(runs) * factor).ceil() as u32).min(MOST))
}

/// How many rounds fit `patience` milliseconds where one takes about `round`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
pub fn rounds(round: f64, patience: f64) -> u32 {
    let fit = (patience / round.max(1e-6)).min(1e6) as u32;
    // What takes seconds is not made to take minutes.
    let least = if round > patience { 1 } else { ROUNDS.0 };
    fit.clamp(least, ROUNDS.1)
}

/// Rows of `m` for each of so many workers, the first ones longer by one where it does not divide.
pub fn shares(m: u32, workers: u32) -> Vec<u32> {
    let (each, more) = (m / workers.max(1), m % workers.max(1));
    (0..workers).map(|worker| each + u32::from(worker < more)).collect()
}

/// The numbers of workers to compare: 2, 4, 8 … and all cores.
pub fn crews(cores: u32) -> Vec<u32> {
    let cores = cores.min(16);
    let mut crews: Vec<u32> = [2, 4, 8].into_iter().filter(|crew| *crew < cores).collect();
    crews.extend((cores >= 2).then_some(cores));
    crews
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_long_against_the_clock_and_short_against_patience() {
        assert!((sample_ms(0.005) - LEAST).abs() < 1e-9);
        assert!((sample_ms(0.1) - 5.0).abs() < 1e-9);
        assert!((sample_ms(100.0) - LONGEST).abs() < 1e-9);
        assert_eq!(more_runs(1, 7.0, 5.0), None);
        assert_eq!((more_runs(1, 0.0, 5.0), more_runs(10, 2.5, 5.0)), (Some(10), Some(20)));
        // However long a run takes, a sample is soon found, and not many times too long.
        for once in [1e-9, 1e-4, 0.003, 0.4, 4.9, 80.0] {
            let (mut runs, mut tries) = (1, 0);
            while let Some(more) = more_runs(runs, (once * f64::from(runs) / 0.1).floor() * 0.1, 5.0) {
                (runs, tries) = (more, tries + 1);
                assert!(tries < 10, "{once}");
            }
            assert!(runs == 1 || once * f64::from(runs) <= 8.0, "{once}: {runs}");
        }
        assert_eq!((rounds(100.0, 3000.0), rounds(900.0, 3000.0), rounds(9000.0, 3000.0)), (15, 3, 1));
        assert_eq!(rounds(2000.0, 3000.0), 3);
    }

    #[test]
    fn rows_are_all_given_out() {
        for m in [2, 3, 7, 1024, 1025] {
            for workers in crews(9) {
                assert_eq!(shares(m, workers).iter().sum::<u32>(), m);
            }
        }
        assert!(crews(1).is_empty());
        assert_eq!(crews(2), [2]);
        assert_eq!(crews(6), [2, 4, 6]);
        assert_eq!(crews(64), [2, 4, 8, 16]);
    }
}
