//! Formats results as text and as a Markdown table to copy.

// Writing to a string cannot fail.
use std::fmt::Write as _;

use super::measurement::{Limit, Omission, Way};
use super::ops::Unit;
use super::results::{Results, Row};
use super::setup::{Setup, View};
use crate::cause::{Cause, Part};
use crate::escape::{comment, markdown as md};
use crate::i18n::{Language, Message};
use crate::view::chart::short;

/// What is reported about the machine: only what is needed to compare results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The number of logical processors, as the browser reports it.
    pub cores: u32,
    /// The browser's name.
    pub browser: &'static str,
}

/// The name of the browser with this `User-Agent`.
pub fn browser(agent: &str) -> &'static str {
    let known = [("Firefox/", "Firefox"), ("Edg/", "Edge"), ("Chrome/", "Chrome"), ("Safari/", "Safari")];
    known.iter().find(|(token, _)| agent.contains(token)).map_or("?", |(_, name)| name)
}

/// The name of a way.
pub fn way(way: Way) -> Message {
    match way {
        Way::Reference => Message::speed("speed-way-reference"),
        Way::Scalar => Message::speed("speed-way-scalar"),
        Way::Strict => Message::speed("speed-way-strict"),
        Way::Fast => Message::speed("speed-way-fast"),
        Way::Workers(count) => Message::speed("speed-way-workers").with("count", i64::from(count)),
    }
}

/// Why a way is omitted.
pub fn omission(why: &Omission) -> Message {
    Message::speed(match why {
        Omission::TooLong => "speed-out-too-long",
        Omission::NoKernel => "speed-out-no-kernel",
        Omission::Unavailable(cause) => return unavailable(cause),
        Omission::NotSplit => "speed-out-not-split",
        Omission::NoWorkers => "speed-out-no-workers",
        Omission::Failed => "speed-out-failed",
    })
}

/// A shorter form for the chart.
pub fn omission_short(why: &Omission) -> Message {
    match why {
        Omission::Unavailable(_) => Message::speed("speed-out-see-table"),
        why => omission(why),
    }
}

/// Why kernels were not available for a row.
fn unavailable(cause: &Cause) -> Message {
    match cause {
        Cause::NoSimd => Message::speed("speed-out-no-simd"),
        Cause::NoRelaxedSimd => Message::speed("speed-out-no-relaxed-simd"),
        cause => Message::speed("speed-out-unavailable").with("cause", cause.message(Part::Kernels)),
    }
}

/// The name of a ceiling.
pub fn limit(limit: Limit) -> Message {
    Message::speed(match limit {
        Limit::MulAdd => "speed-limit-mul-add",
        Limit::Fused => "speed-limit-fused",
        Limit::Copy => "speed-limit-copy",
    })
}

/// `GFLOP/s` or `GB/s`.
pub fn unit(setup: &Setup) -> &'static str {
    match setup.op.unit {
        Unit::Flops => "GFLOP/s",
        Unit::Bytes => "GB/s",
    }
}

/// The name of a row: its way, its size or its layout.
pub fn row_name(results: &Results, row: &Row, language: Language) -> String {
    match results.setup.view {
        View::Ways => way(row.way).say(language),
        View::Sizes => {
            format!(
                "{} · {}",
                results.setup_of(row).sizes_text().replace('x', "×"),
                way(row.way).say(language)
            )
        }
        View::Layouts if row.point == 0 => {
            Message::speed("speed-row-major").with("order", order_of(results, row)).say(language)
        }
        View::Layouts => order_of(results, row),
    }
}

/// The layout of a row.
pub fn order_of(results: &Results, row: &Row) -> String {
    let orders = results.setup.orders();
    orders.get(row.point).map(|orders| results.setup.order_text(orders)).unwrap_or_default()
}

/// The setup on one line: `Reduce: sum · f32[64,256] → f32[64] · dimensions={1}`.
pub fn setup_line(setup: &Setup, language: Language) -> String {
    let list = |numbers: Vec<String>| numbers.join(",");
    let shape = |sizes: &Vec<u64>| format!("f32[{}]", list(sizes.iter().map(u64::to_string).collect()));
    let mut shapes: Vec<String> = setup.shapes().iter().map(shape).collect();
    let out = shapes.pop().unwrap_or_default();
    let label = Message::speed(setup.op.label).say(language);
    let mut line = format!("{label} · {} → {out}", shapes.join(", "));
    if !setup.dims.is_empty() {
        let _ = write!(line, " · dimensions={{{}}}", list(setup.dims.iter().map(usize::to_string).collect()));
    }
    line
}

/// The results as a Markdown table, with browser and processors.
pub fn markdown(results: &Results, machine: &Machine, address: &str, language: Language) -> String {
    let text = |key: &'static str| Message::speed(key).say(language);
    let facts = Message::speed("speed-machine")
        .with("browser", machine.browser)
        .with("cores", i64::from(machine.cores))
        .say(language);
    let mut out = format!("{}\n\n{}\n", md(&setup_line(&results.setup, language)), md(&facts));
    for (ceiling, value) in &results.limits {
        let unit = if *ceiling == Limit::Copy { "GB/s" } else { "GFLOP/s" };
        let _ = write!(out, "\n- {}: {} {unit}", md(&limit(*ceiling).say(language)), short(*value));
    }
    let columns = [
        text("speed-column-row"),
        "ms".to_owned(),
        text("speed-column-median"),
        unit(&results.setup).to_owned(),
        text(ratio_key(results)),
        text("speed-column-kernel"),
    ];
    let _ = write!(out, "\n\n| {} |\n|---|--:|--:|--:|--:|---|\n", cells(&columns));
    for row in &results.rows {
        let number = |x: Option<f64>| x.map_or_else(String::new, short);
        let by = match &row.by {
            Ok(kernel) => kernel.clone(),
            Err(why) => omission(why).say(language),
        };
        let fields = [
            row_name(results, row, language),
            number(row.best()),
            number(row.median()),
            number(results.rate(row)),
            number(results.ratio(row)),
            by,
        ];
        let _ = writeln!(out, "| {} |", cells(&fields));
    }
    let _ = write!(out, "\n{}\n", comment(address));
    out
}

/// The cells of a row of a table.
fn cells(texts: &[String]) -> String {
    texts.iter().map(|text| md(text)).collect::<Vec<_>>().join(" | ")
}

/// The message key of the ratio's column.
pub fn ratio_key(results: &Results) -> &'static str {
    match results.setup.view {
        View::Layouts => "speed-column-ratio-layout",
        _ => "speed-column-ratio",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::speed::measurement::Observation;

    #[test]
    fn results_are_formatted_as_a_markdown_table() {
        let mut results = Results::new(Setup::default());
        results.observe(Observation::Limit(Limit::MulAdd, 47.123));
        results.observe(Observation::Row { way: Way::Scalar, point: 0, by: Ok("dot f32".to_owned()) });
        results.observe(Observation::Row { way: Way::Workers(2), point: 0, by: Err(Omission::NotSplit) });
        results.observe(Observation::Sample { way: Way::Scalar, point: 0, ms: 100.0 });
        let machine = Machine { cores: 2, browser: browser("Mozilla/5.0 … Gecko/20100101 Firefox/153.0") };
        let text = markdown(&results, &machine, "https://x/#speed1/dot/512x512x512", Language::ENGLISH);
        assert!(text.contains("Firefox") && text.contains("47.1 GFLOP/s"), "{text}");
        assert!(text.contains("| 100 | 100 | 2.68 | 1.00 | dot f32 |"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with('|')).count(), 4, "{text}");
        assert!(
            text.lines().filter(|line| line.starts_with('|')).all(|l| l.matches('|').count() == 7),
            "{text}"
        );
        assert!(text.ends_with("#speed1/dot/512x512x512\n"));
    }

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.0123, 0.5, 1.234, 12.34, 1234.5].map(short);
        assert_eq!(texts, ["0.0123", "0.500", "1.23", "12.3", "1234"]);
    }
}
