//! Converts results to charts.

use crate::i18n::{Language, Message};
use crate::state::speed::View;
use crate::state::speed::measurement::{CeilingKind, Implementation};
use crate::state::speed::ops::Unit;
use crate::state::speed::report;
use crate::state::speed::results::{Results, Row};
use crate::view::chart::bars::{Bar, Bars};
use crate::view::chart::format_rate;
use crate::view::chart::lines::{Lines, Point, Series};
use crate::view::scene::Scene;

/// The rows in display order: layouts by speed, the others as measured.
pub fn in_order(results: &Results) -> Vec<&Row> {
    let mut rows: Vec<&Row> = results.rows.iter().collect();
    if results.setup.view == View::Layouts {
        rows.sort_by(|a, b| {
            let key = |row: &Row| row.spread().map_or(f64::MAX, |spread| spread.median);
            key(a).total_cmp(&key(b))
        });
    }
    rows
}

/// The chart of the results so far.
pub fn scene(results: &Results, language: Language, width: f64) -> Scene {
    let unit = report::unit(&results.setup).to_owned();
    if results.setup.view == View::Sizes {
        return lines(results, language, unit).scene(width);
    }
    let bar = |row: &Row| {
        let rate = results.rate(row).filter(|_| row.kernel.is_ok());
        let text = match (&row.kernel, rate) {
            (Err(why), _) => report::omission_short(why).localize(language),
            (_, None) => "…".to_owned(),
            (_, Some(rate)) => match results.speedup(row) {
                Some(ratio) => format!("{} {unit} · {}×", format_rate(rate), format_rate(ratio)),
                None => format!("{} {unit}", format_rate(rate)),
            },
        };
        Bar {
            label: report::row_name(results, row, language),
            value: rate,
            spread: rate.and_then(|_| results.rates(row)),
            ceiling: rate.and_then(|_| results.ceiling(row)),
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
    let point = |row: &Row| {
        let [low, high, _] = results.rates(row)?;
        Some(Point { size: *sizes.get(row.point)?, value: results.rate(row)?, spread: (low, high) })
    };
    let implementations = [Implementation::Scalar, Implementation::Strict, Implementation::Fast];
    let series = |implementation: Implementation| {
        let rows = results.rows.iter().filter(|row| row.implementation == implementation);
        Series {
            label: report::implementation(implementation).localize(language),
            points: rows.filter_map(point).collect(),
        }
    };
    let ceiling = |kind: CeilingKind| {
        // One point per size: rows of one size share the ceiling.
        let has_limit = |row: &&Row| CeilingKind::new(results.setup.op.unit, row.implementation) == kind;
        let mut points: Vec<(f64, f64)> = Vec::new();
        for row in results.rows.iter().filter(has_limit) {
            let Some(size) = sizes.get(row.point).copied() else { continue };
            if !points.iter().any(|(known, _)| known.to_bits() == size.to_bits()) {
                points.extend(results.ceiling(row).map(|value| (size, value)));
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
