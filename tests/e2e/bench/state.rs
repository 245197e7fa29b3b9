//! The Ops screen's links and errors against their goals; everything here runs natively.

use std::collections::BTreeMap;

use harness::measure::{Metric, Samples};
use xla_playground::array::Edition;
use xla_playground::diagnostic::{Diagnostic, Hint, Severity, Span};
use xla_playground::hlo::parse;
use xla_playground::ops;
use xla_playground::state::document::ValueRule;
use xla_playground::state::experiment::next::next_ops;
use xla_playground::state::experiment::session::{Action, Session};
use xla_playground::state::experiment::{Experiment, link, preset};

/// Every measurement, in the order of the goals.
pub fn measure_all() -> Vec<Metric> {
    let mut measures = vec![links(), chain()];
    measures.extend(errors());
    measures
}

/// A count with its goal.
fn count(name: String, counted: usize, max: f64) -> Metric {
    let counted = f64::from(u32::try_from(counted).unwrap_or(u32::MAX));
    Metric { name, samples: Samples::new(vec![counted]), goals: vec![(100, max)] }
}

/// Every example with all settings besides its text.
fn states() -> impl Iterator<Item = Experiment> {
    let staged = ops::all().flat_map(preset::host_examples);
    let examples = preset::all().map(|preset| preset.experiment()).chain(staged);
    examples.flat_map(|experiment| {
        (0..48_u32).map(move |number| {
            let mut state = experiment.clone();
            let values = [
                ValueRule::Iota,
                ValueRule::Random(number * 97),
                ValueRule::Text(format!("{{{number}; ü=3%}}#\n")),
                ValueRule::Letters,
            ];
            for (at, parameter) in state.values.iter_mut().enumerate() {
                if !(number as usize + at).is_multiple_of(3) {
                    parameter.clone_from(&values[(number as usize + at) % 4]);
                }
            }
            // Trailing defaults are omitted from a link.
            while state.values.last() == Some(&ValueRule::Iota) {
                state.values.pop();
            }
            if number % 2 == 1 {
                state.edition = Edition::V2017;
            }
            state.seed = u64::from(number % 5) << 40;
            state.cursor = i64::from(number % 7);
            state.leaf = number as usize % 3;
            state.environment.replicas = 1 + number as usize % 8;
            state.environment.selected_replica = number as usize % state.environment.replicas;
            state
        })
    })
}

/// Goal 8: links round trip.
fn links() -> Metric {
    let (mut total, mut lost) = (0_usize, 0);
    for state in states() {
        let loaded = link::read(&link::write(&state));
        total += 1;
        lost += usize::from(loaded.experiment != state || !loaded.problems.is_empty());
    }
    count(format!("8: Ops, states that their link loses, of {total}"), lost, 0.0)
}

/// Goal 8: a chain of three ops has a short link.
fn chain() -> Metric {
    let mut lengths = Vec::new();
    for [first, second, third] in [
        ["broadcast", "transpose", "negate"],
        ["dot", "transpose", "tanh"],
        ["pad", "reverse", "reduce-window"],
    ] {
        let Some(first) = preset::all().find(|preset| preset.meta.opcode == first) else { continue };
        let mut session = Session::new(first.experiment());
        for opcode in [second, third] {
            let offered = next_ops(session.experiment(), session.module());
            let next = offered.into_iter().find(|next| next.meta.opcode == opcode);
            if let Some(Ok(next)) = next.map(|next| next.outcome) {
                session.apply(Action::Load(Box::new(next)));
            }
        }
        let length = link::write(session.experiment()).len();
        lengths.push(f64::from(u32::try_from(length).unwrap_or(u32::MAX)));
    }
    Metric {
        name: "8: Ops, characters of the link of a chain of three ops".to_owned(),
        samples: Samples::new(lengths),
        goals: vec![(100, 499.0)],
    }
}

/// Texts with one error each, with the experiment that they replace: every violation of every op's rules, and every changed
/// number in every example's instruction.
fn mistakes() -> BTreeMap<String, Experiment> {
    let whole = |text: &str| format!("HloModule m\n\nENTRY e {{\n{text}\n}}\n");
    let mut texts = BTreeMap::new();
    for meta in ops::all().map(ops::OpDef::meta) {
        let Some(example) = preset::for_op(meta).next() else { continue };
        for rule in meta.rules {
            let is_whole = rule.violated_by.contains("ENTRY");
            let text = if is_whole { rule.violated_by.to_owned() } else { whole(rule.violated_by) };
            texts.insert(text, example.experiment());
        }
    }
    for preset in preset::all() {
        let experiment = preset.experiment();
        let text = &experiment.text;
        let module = parse(text).module;
        let Some(entry) = module.entry_computation() else { continue };
        for instruction in entry.instructions.iter().filter(|i| i.opcode == preset.meta.opcode) {
            let mut spans: Vec<_> = instruction.spans.attrs.iter().map(|(_, span)| *span).collect();
            spans.push(instruction.spans.whole);
            for span in spans {
                let part = text.get(span.range()).unwrap_or_default();
                let digits = part.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at);
                for at in digits.take(12) {
                    let mut changed = text.clone();
                    let at = span.start + at;
                    changed.replace_range(at..=at, "9");
                    texts.insert(changed, experiment.clone());
                }
            }
        }
    }
    texts
}

/// Goal 11: every error has a hint, and nearly every one a fix.
fn errors() -> [Metric; 3] {
    let (mut total, mut without_hint, mut without_fix, mut only_reverts) =
        (0_usize, 0_usize, 0_usize, 0_usize);
    for (text, experiment) in mistakes() {
        let mut session = Session::new(experiment);
        session.apply(Action::Type(text));
        let Some(error) = session.diagnostics().iter().find(|d| d.severity == Severity::Error) else {
            continue;
        };
        total += 1;
        without_hint += usize::from(error.hints.is_empty());
        let fixes = fixed_texts(session.text(), session.diagnostics());
        without_fix += usize::from(fixes.is_empty());
        only_reverts += usize::from(!fixes.is_empty() && fixes.iter().all(|(is_whole, _)| *is_whole));
    }
    let percent = |name: &str, part: usize, max: f64| Metric {
        name: format!("11: Ops, percent of {total} errors {name}"),
        samples: Samples::new(vec![
            f64::from(u32::try_from((part * 1_000).div_ceil(total.max(1))).unwrap_or(u32::MAX)) / 10.0,
        ]),
        goals: vec![(100, max)],
    };
    [
        count(format!("11: Ops, errors without a hint, of {total}"), without_hint, 0.0),
        percent("without a fix", without_fix, 10.0),
        percent("that only a revert fixes", only_reverts, 100.0),
    ]
}

/// The valid texts that a fix leads to, and whether the fix replaces the whole text, which is a revert.
fn fixed_texts(text: &str, diagnostics: &[Diagnostic]) -> Vec<(bool, String)> {
    let fixes = diagnostics.iter().flat_map(|diagnostic| &diagnostic.hints);
    let is_whole = |hint: &Hint| hint.edits.iter().any(|edit| edit.span == Span::new(0, text.len()));
    let texts = fixes.filter_map(|hint| Some((is_whole(hint), hint.apply(text)?)));
    texts.filter(|(_, fixed)| fixed != text && parse(fixed).error().is_none()).collect()
}
