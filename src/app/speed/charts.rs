//! Converts results to charts.

use crate::i18n::Language;
use crate::state::speed::View;
use crate::state::speed::measurement::Way;
use crate::state::speed::report;
use crate::state::speed::results::{Results, Row};
use crate::view::chart::Ceiling;
use crate::view::chart::bars::{Bar, Bars};
use crate::view::chart::lines::{Lines, Series};
use crate::view::scene::Scene;

/// The rows in display order: layouts by speed, the others as measured.
pub fn in_order(results: &Results) -> Vec<&Row> {
    let mut rows: Vec<&Row> = results.rows.iter().collect();
    if results.setup.view == View::Layouts {
        rows.sort_by(|a, b| {
            let key = |row: &Row| row.best().unwrap_or(f64::MAX);
            key(a).total_cmp(&key(b))
        });
    }
    rows
}

fn ceilings(results: &Results, language: Language) -> Vec<Ceiling> {
    let ceiling =
        |(limit, value): &(_, f64)| Ceiling { label: report::limit(*limit).say(language), value: *value };
    results.limits.iter().map(ceiling).collect()
}

/// The chart of the results so far.
pub fn scene(results: &Results, language: Language, width: f64) -> Scene {
    let unit = report::unit(&results.setup).to_owned();
    let ceilings = ceilings(results, language);
    if results.setup.view == View::Sizes {
        return lines(results, language, ceilings, unit).scene(width);
    }
    let bar = |row: &Row| {
        let rate = results.rate(row);
        let text = match (&row.by, rate) {
            (Err(why), _) => report::omission_short(why).say(language),
            (_, None) => "…".to_owned(),
            (_, Some(rate)) => match results.ratio(row) {
                Some(ratio) => format!(
                    "{} {unit} · {}×",
                    crate::view::chart::short(rate),
                    crate::view::chart::short(ratio)
                ),
                None => format!("{} {unit}", crate::view::chart::short(rate)),
            },
        };
        Bar { label: report::row_name(results, row, language), value: rate, text }
    };
    let bars = in_order(results).into_iter().map(bar).collect();
    Bars { bars, ceilings, unit }.scene(width)
}

fn lines(results: &Results, language: Language, ceilings: Vec<Ceiling>, unit: String) -> Lines {
    let sweep = results.setup.sweep();
    #[allow(clippy::cast_precision_loss, reason = "sizes of a sweep are small")]
    let sizes: Vec<f64> = sweep.iter().map(|(size, _)| *size as f64).collect();
    let series = |way: Way| {
        let rows = results.rows.iter().filter(|row| row.way == way);
        let points = rows.filter_map(|row| Some((*sizes.get(row.point)?, results.rate(row)?))).collect();
        Series { label: report::way(way).say(language), points }
    };
    Lines {
        series: [Way::Scalar, Way::Strict, Way::Fast].into_iter().map(series).collect(),
        ceilings,
        sizes: sizes.clone(),
        unit,
        axis: crate::i18n::Message::speed("speed-axis-size").say(language),
    }
}
