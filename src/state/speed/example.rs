//! The results shown before the first measurement. They were measured on the Speed screen; `example.txt` has the samples.
//!
//! One block per view: the link of the setup, then lines `ceiling NAME POINT RATE…` in thousandths of the unit, and
//! `row NAME POINT KERNEL TIME…` in nanoseconds. Integers, because a float parser would add as
//! much code as the file has data.

use super::link;
use super::measurement::{CeilingKind, Implementation, Observation};
use super::results::Results;
use super::setup::View;

const EXAMPLES: &str = include_str!("example.txt");

/// The example of a view.
pub fn example(view: View) -> Option<Results> {
    EXAMPLES.split("\n\n").filter_map(read).find(|results| results.setup.view == view)
}

/// Reads a block.
fn read(block: &str) -> Option<Results> {
    let mut lines = block.trim().lines();
    let mut results = Results::new(link::read(lines.next()?).setup);
    for line in lines {
        let mut words = line.split(' ');
        let (kind, name) = (words.next()?, words.next()?);
        let point: u32 = words.next()?.parse().ok()?;
        if kind == "ceiling" {
            let ceiling = ceiling_kind(name)?;
            for rate in words {
                let rate = f64::from(rate.parse::<u32>().ok()?) / 1e3;
                results.observe(Observation::Ceiling { kind: ceiling, point, rate });
            }
        } else {
            let implementation = implementation(name)?;
            let kernel = Ok(words.next()?.trim_matches('-').replace('+', " "));
            results.observe(Observation::Case { implementation, point, kernel });
            for time in words {
                let ms = f64::from(time.parse::<u32>().ok()?) / 1e6;
                results.observe(Observation::Sample { implementation, point, ms });
            }
        }
    }
    Some(results)
}

fn ceiling_kind(name: &str) -> Option<CeilingKind> {
    Some(match name {
        "MulAdd" => CeilingKind::MulAdd,
        "Fused" => CeilingKind::Fused,
        "Copy" => CeilingKind::Copy,
        name => CeilingKind::Workers(name.strip_prefix("Workers")?.parse().ok()?),
    })
}

fn implementation(name: &str) -> Option<Implementation> {
    Some(match name {
        "Reference" => Implementation::Reference,
        "Scalar" => Implementation::Scalar,
        "Strict" => Implementation::Strict,
        "Fast" => Implementation::Fast,
        name => Implementation::Workers(name.strip_prefix("Workers")?.parse().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_has_an_example_in_which_every_row_is_measured_and_has_a_ceiling() {
        for (view, name) in View::ALL {
            let results = example(view).unwrap_or_else(|| panic!("{name}"));
            let samples: usize = results.cases.iter().map(|case| case.samples.len()).sum();
            let words: usize = EXAMPLES
                .split("\n\n")
                .filter(|block| read(block).is_some_and(|block| block == results))
                .flat_map(str::lines)
                .filter(|line| line.starts_with("row "))
                .map(|line| line.split(' ').count() - 4)
                .sum();
            assert_eq!(samples, words, "{name}: every sample is read");
            assert!(results.cases.len() >= 4, "{name}");
            for case in &results.cases {
                assert!(case.samples.len() >= 3, "{name} {case:?}");
                let (rate, ceiling) = (results.rate(case).unwrap(), results.ceiling(case).unwrap());
                assert!(rate < ceiling, "{name} {case:?}: {rate} of {ceiling}");
            }
            assert!(!results.fastest().is_empty());
        }
    }
}
