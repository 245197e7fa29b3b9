//! Formats results as text and as a Markdown table to copy.

// Writing to a string cannot fail.
use std::fmt::Write as _;

use super::measurement::{CeilingKind, Implementation, Omission};
use super::ops::Unit;
use super::results::{Case, Results, Verdict};
use super::setup::{Setup, View};
use crate::bug::OrBug as _;
use crate::cause::{Cause, Part};
use crate::escape::{comment, markdown as md};
use crate::i18n::{Language, Message};
use crate::view::chart::format_rate;

/// The facts about the machine that are needed to compare results, and no others.
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

/// The name of an implementation.
pub fn implementation(implementation: Implementation) -> Message {
    match implementation {
        Implementation::Reference => Message::speed("speed-implementation-reference"),
        Implementation::Scalar => Message::speed("speed-implementation-scalar"),
        Implementation::Strict => Message::speed("speed-implementation-strict"),
        Implementation::Fast => Message::speed("speed-implementation-fast"),
        Implementation::Workers(count) => {
            Message::speed("speed-implementation-workers").with("count", i64::from(count))
        }
    }
}

/// The reason why an implementation is omitted.
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

/// Why kernels were not available for a case.
fn unavailable(cause: &Cause) -> Message {
    match cause {
        Cause::NoSimd => Message::speed("speed-out-no-simd"),
        Cause::NoRelaxedSimd => Message::speed("speed-out-no-relaxed-simd"),
        cause => Message::speed("speed-out-unavailable").with("cause", cause.message(Part::Kernels)),
    }
}

/// The name of a ceiling.
pub fn ceiling_name(kind: CeilingKind) -> Message {
    Message::speed(match kind {
        CeilingKind::Workers(count) => {
            return Message::speed("speed-limit-workers").with("count", i64::from(count));
        }
        CeilingKind::MulAdd => "speed-limit-mul-add",
        CeilingKind::Fused => "speed-limit-fused",
        CeilingKind::Copy => "speed-limit-copy",
    })
}

/// `GFLOP/s` or `GB/s`.
pub fn unit(setup: &Setup) -> &'static str {
    match setup.op.unit {
        Unit::Flops => "GFLOP/s",
        Unit::Bytes => "GB/s",
    }
}

/// The name of a case: its implementation, its size or its layout.
pub fn case_name(results: &Results, case: &Case, language: Language) -> String {
    match results.setup.view {
        View::Implementations => implementation(case.implementation).localize(language),
        View::Sizes => {
            format!(
                "{} · {}",
                results.setup_of(case).sizes_text().replace('x', "×"),
                implementation(case.implementation).localize(language)
            )
        }
        View::Layouts if case.point == 0 => {
            Message::speed("speed-row-major").with("order", order_of(results, case)).localize(language)
        }
        View::Layouts => order_of(results, case),
    }
}

/// The layout of a case.
pub fn order_of(results: &Results, case: &Case) -> String {
    let orders = results.setup.orders();
    let orders = orders.get(case.point).map(|orders| results.setup.order_text(orders));
    orders.or_bug(String::new(), "a case without a layout")
}

/// The setup on one line: `Reduce: sum · f32[64,256] → f32[64] · dimensions={1}`.
pub fn setup_line(setup: &Setup, language: Language) -> String {
    let list = |numbers: Vec<String>| numbers.join(",");
    let shape = |sizes: &Vec<u64>| format!("f32[{}]", list(sizes.iter().map(u64::to_string).collect()));
    let mut shapes: Vec<String> = setup.shapes().iter().map(shape).collect();
    let out = shapes.pop().or_bug(String::new(), "a setup without a result");
    let label = Message::speed(setup.op.label).localize(language);
    let mut line = format!("{label} · {} → {out}", shapes.join(", "));
    if !setup.dims.is_empty() {
        let _ = write!(line, " · dimensions={{{}}}", list(setup.dims.iter().map(usize::to_string).collect()));
    }
    line
}

/// The results as a Markdown table, with browser and processors.
pub fn markdown(results: &Results, machine: &Machine, address: &str, language: Language) -> String {
    let facts = Message::speed("speed-machine")
        .with("browser", machine.browser)
        .with("cores", i64::from(machine.cores))
        .localize(language);
    let mut out = format!("{}\n\n{}\n", md(&setup_line(&results.setup, language)), md(&facts));
    let columns = columns(results, language);
    let _ = write!(
        out,
        "\n| {} |\n|---{}|---|\n",
        cells(&columns),
        "|--:".repeat(columns.len().saturating_sub(2))
    );
    for case in &results.cases {
        let _ = writeln!(out, "| {} |", cells(&fields(results, case, language)));
    }
    let _ = write!(out, "\n{}\n", comment(address));
    out
}

/// The cells of a row of a table.
fn cells(texts: &[String]) -> String {
    texts.iter().map(|text| md(text)).collect::<Vec<_>>().join(" | ")
}

/// The titles of the table's columns: the case, numbers, and the kernel.
pub fn columns(results: &Results, language: Language) -> [String; COLUMNS] {
    let text = |key: &'static str| Message::speed(key).localize(language);
    [
        text("speed-column-case"),
        text("speed-column-median"),
        text("speed-column-quartiles"),
        text("speed-column-fastest"),
        unit(&results.setup).to_owned(),
        text(match results.setup.view {
            View::Layouts => "speed-column-ratio-layout",
            _ => "speed-column-ratio",
        }),
        text("speed-column-verdict"),
        text("speed-column-ceiling"),
        text("speed-column-samples"),
        text("speed-column-kernel"),
    ]
}

/// The number of columns of the table.
pub const COLUMNS: usize = 10;

/// The index of the column with the rate.
pub const RATE_COLUMN: usize = 4;

/// A case as a row of the table; of an omitted case only the first and the last field.
pub fn fields(results: &Results, case: &Case, language: Language) -> [String; COLUMNS] {
    let number = |x: Option<f64>| x.map_or_else(String::new, format_rate);
    let kernel = match &case.kernel {
        Ok(kernel) => kernel.clone(),
        Err(why) => omission(why).localize(language),
    };
    let spread = case.spread().filter(|_| case.kernel.is_ok());
    if spread.is_none() {
        let mut fields = [const { String::new() }; COLUMNS];
        fields[0] = case_name(results, case, language);
        fields[COLUMNS - 1] = kernel;
        return fields;
    }
    let percent = results.rate(case).zip(results.ceiling(case)).map(|(rate, ceiling)| 100.0 * rate / ceiling);
    [
        case_name(results, case, language),
        number(spread.map(|spread| spread.median)),
        spread.map_or_else(String::new, |s| format!("{} – {}", format_rate(s.lower), format_rate(s.upper))),
        number(spread.map(|spread| spread.fastest)),
        number(results.rate(case)),
        number(results.speedup(case)),
        results.verdict(case).map_or_else(String::new, |verdict| self::verdict(verdict).localize(language)),
        percent.map_or_else(String::new, |percent| {
            if percent < 1.0 { "< 1 %".to_owned() } else { format!("{percent:.0} %") }
        }),
        case.samples.len().to_string(),
        kernel,
    ]
}

/// How a case compares with the fastest one.
fn verdict(verdict: Verdict) -> Message {
    match verdict {
        Verdict::Fastest => Message::speed("speed-verdict-fastest"),
        Verdict::Unclear => Message::speed("speed-verdict-unclear"),
        Verdict::Slower(factor) => Message::speed("speed-verdict-slower").with("factor", format_rate(factor)),
    }
}

/// The sentences at the end: the fastest cases, and how the slowest one compares.
pub fn summary(results: &Results, language: Language) -> Vec<Message> {
    fastest(results, language).into_iter().chain(slowest(results, language)).collect()
}

/// The fastest case, or the cases between which there is no clear difference.
fn fastest(results: &Results, language: Language) -> Option<Message> {
    let cases = results.fastest();
    let rate = results.rate(cases.first()?)?;
    let names: Vec<String> = cases.iter().map(|case| case_name(results, case, language)).collect();
    let key = if names.len() == 1 { "speed-done" } else { "speed-done-unclear" };
    let separator = Message::speed("speed-list-separator").localize(language);
    Some(
        Message::speed(key)
            .with("name", names.join(&separator))
            .with("rate", format_rate(rate))
            .with("unit", unit(&results.setup)),
    )
}

/// How much longer the slowest way to compute the result takes than the fastest one, if the difference is clear.
fn slowest(results: &Results, language: Language) -> Option<Message> {
    let factor = |case| match results.verdict(case) {
        Some(Verdict::Slower(factor)) => Some((case, factor)),
        Some(Verdict::Fastest | Verdict::Unclear) | None => None,
    };
    // Over sizes, every case computes another result.
    let cases = (results.setup.view != View::Sizes).then_some(&results.cases).into_iter().flatten();
    let (case, factor) = cases.filter_map(factor).max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(
        Message::speed("speed-slowest")
            .with("name", case_name(results, case, language))
            .with("factor", format_rate(factor)),
    )
}

/// The names of the cases above their ceilings, if there are any.
pub fn above_ceiling(results: &Results, language: Language) -> Option<Message> {
    let names: Vec<String> = results.above_ceiling().map(|case| case_name(results, case, language)).collect();
    let separator = Message::speed("speed-list-separator").localize(language);
    (!names.is_empty()).then(|| Message::speed("speed-above-ceiling").with("names", names.join(&separator)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::speed::measurement::Observation;

    #[test]
    fn results_are_formatted_as_a_markdown_table() {
        let mut results = Results::new(Setup::default());
        results.observe(Observation::Ceiling { kind: CeilingKind::MulAdd, point: 0, rate: 0.0839 });
        results.observe(Observation::Case {
            implementation: Implementation::Scalar,
            point: 0,
            kernel: Ok("dot f32".to_owned()),
        });
        results.observe(Observation::Case {
            implementation: Implementation::Workers(2),
            point: 0,
            kernel: Err(Omission::NotSplit),
        });
        results.observe(Observation::Sample { implementation: Implementation::Scalar, point: 0, ms: 100.0 });
        let machine = Machine { cores: 2, browser: browser("Mozilla/5.0 … Gecko/20100101 Firefox/153.0") };
        let text = markdown(&results, &machine, "https://x/#speed1/dot/128x128x128", Language::ENGLISH);
        assert!(text.contains("Firefox"), "{text}");
        assert!(
            text.contains("| 100 | 100 – 100 | 100 | 0.0419 | 1.00 | fastest | 50 % | 1 | dot f32 |"),
            "{text}"
        );
        assert_eq!(text.lines().filter(|line| line.starts_with('|')).count(), 4, "{text}");
        assert!(
            text.lines().filter(|line| line.starts_with('|')).all(|l| l.matches('|').count() == 11),
            "{text}"
        );
        assert!(text.ends_with("#speed1/dot/128x128x128\n"));
    }

    #[test]
    fn the_summary_compares_the_slowest_with_the_fastest() {
        let english = |setup: Setup, implementations: &[(Implementation, f64)]| {
            let mut results = Results::new(setup);
            for (implementation, ms) in implementations {
                let (implementation, point) = (*implementation, 0);
                results.observe(Observation::Case {
                    implementation,
                    point,
                    kernel: Ok("dot f32".to_owned()),
                });
                results.observe(Observation::Sample { implementation, point, ms: *ms });
            }
            let summary = summary(&results, Language::ENGLISH);
            summary.iter().map(|message| message.localize(Language::ENGLISH)).collect::<Vec<_>>()
        };
        let cases =
            [(Implementation::Scalar, 30.0), (Implementation::Reference, 300.0), (Implementation::Fast, 3.0)];
        let sentences = english(Setup::default(), &cases);
        assert!(sentences[0].starts_with("Fastest: SIMD (fast), "), "{sentences:?}");
        assert_eq!(sentences[1..], ["Reference takes 100 times as long."]);
        assert_eq!(english(Setup::default(), &cases[2..]).len(), 1);
        assert_eq!(english(Setup { view: View::Sizes, ..Setup::default() }, &cases).len(), 1);
    }

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.0123, 0.5, 1.234, 12.34, 1234.5].map(format_rate);
        assert_eq!(texts, ["0.0123", "0.500", "1.23", "12.3", "1234"]);
    }
}
