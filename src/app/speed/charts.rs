//! Converts results to charts.

use crate::i18n::{Language, Message};
use crate::state::speed::View;
use crate::state::speed::measurement::{CeilingKind, Implementation};
use crate::state::speed::ops::Unit;
use crate::state::speed::report;
use crate::state::speed::results::{Case, Results};
use crate::view::chart::bars::{Bar, Bars};
use crate::view::chart::format_rate;
use crate::view::chart::lines::{Lines, Point, Series};
use crate::view::scene::Scene;

/// The cases in display order: layouts by speed, the others as measured.
pub fn in_order(results: &Results) -> Vec<&Case> {
    let mut cases: Vec<&Case> = results.cases.iter().collect();
    if results.setup.view == View::Layouts {
        cases.sort_by(|a, b| {
            let key = |case: &Case| case.spread().map_or(f64::MAX, |spread| spread.median);
            key(a).total_cmp(&key(b))
        });
    }
    cases
}

/// The chart of the results so far.
pub fn scene(results: &Results, language: Language, width: f64) -> Scene {
    let unit = report::unit(&results.setup).to_owned();
    if results.setup.view == View::Sizes {
        return lines(results, language, unit).scene(width);
    }
    let bar = |case: &Case| {
        let rate = results.rate(case).filter(|_| case.kernel.is_ok());
        let text = match (&case.kernel, rate) {
            (Err(why), _) => report::omission_short(why).localize(language),
            (_, None) => "…".to_owned(),
            (_, Some(rate)) => match results.speedup(case) {
                Some(ratio) => format!("{} {unit} · {}×", format_rate(rate), format_rate(ratio)),
                None => format!("{} {unit}", format_rate(rate)),
            },
        };
        Bar {
            label: report::case_name(results, case, language),
            value: rate,
            spread: rate.and_then(|_| results.rates(case)),
            ceiling: rate.and_then(|_| results.ceiling(case)),
            text,
        }
    };
    let bars = in_order(results).into_iter().map(bar).collect();
    let ceiling_label = match results.setup.op.unit {
        Unit::Flops => "speed-ceiling-flops",
        Unit::Bytes => "speed-ceiling-bytes",
    };
    let text = |key: &'static str| Message::speed(key).localize(language);
    Bars { bars, ceiling_label: text(ceiling_label), spread_label: text("speed-spread") }.scene(width)
}

fn lines(results: &Results, language: Language, unit: String) -> Lines {
    let sweep = results.setup.sweep();
    #[allow(clippy::cast_precision_loss, reason = "sizes of a sweep are small")]
    let sizes: Vec<f64> = sweep.iter().map(|(size, _)| *size as f64).collect();
    let point = |case: &Case| {
        let [low, high, _] = results.rates(case)?;
        Some(Point { size: *sizes.get(case.point)?, value: results.rate(case)?, spread: (low, high) })
    };
    let implementations = [Implementation::Scalar, Implementation::Strict, Implementation::Fast];
    let series = |implementation: Implementation| {
        let cases = results.cases.iter().filter(|case| case.implementation == implementation);
        Series {
            label: report::implementation(implementation).localize(language),
            points: cases.filter_map(point).collect(),
        }
    };
    let ceiling = |kind: CeilingKind| {
        // One point per size: cases of one size share the ceiling.
        let has_limit = |case: &&Case| CeilingKind::new(results.setup.op.unit, case.implementation) == kind;
        let mut points: Vec<(f64, f64)> = Vec::new();
        for case in results.cases.iter().filter(has_limit) {
            let Some(size) = sizes.get(case.point).copied() else { continue };
            if !points.iter().any(|(known, _)| known.to_bits() == size.to_bits()) {
                points.extend(results.ceiling(case).map(|value| (size, value)));
            }
        }
        (report::ceiling_name(kind).localize(language), points)
    };
    let mut kinds: Vec<CeilingKind> = Vec::new();
    for kind in implementations.map(|implementation| CeilingKind::new(results.setup.op.unit, implementation))
    {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    Lines {
        series: implementations.into_iter().map(series).collect(),
        ceilings: kinds.into_iter().map(ceiling).filter(|(_, points)| !points.is_empty()).collect(),
        sizes: sizes.clone(),
        unit,
        axis: Message::speed("speed-axis-size").localize(language),
    }
}
