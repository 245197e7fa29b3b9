//! `diff`: what differs between two modules, and where their values begin to differ.

use std::collections::BTreeMap;
use std::io::Write;

use super::clock::Clock;
use super::module::module_or_report;
use super::output::{Failure, print_error};
use super::program_arguments::DiffArgs;
use super::recording::{Recording, record, run_arguments_like, values_by_name};
use super::report::report_run_error;
use crate::array::value::text::Exactness;
use crate::array::{Edition, ElementType, Value};
use crate::hlo::{Computation, InstructionId, Module};
use crate::i18n::Message;
use crate::inspect::compare::values::{compare_values, pairs};
use crate::inspect::compare::written::counterparts;
use crate::inspect::compare::{
    Change, ChangeKind, Detail, Diff, Group, InstructionAt, Matching, ValueComparison, ValueDifference, diff,
};
use crate::inspect::values::{Difference, DifferentCell, Distance, Tolerance};
use crate::ops::Data;

/// Maximum differences of a group, computations, and instructions whose values differ, unless all are asked for.
const MAX_LISTED: usize = 10;

/// Prints a message on a line.
fn print_line(out: &mut impl Write, message: &Message) -> Result<(), Failure> {
    Ok(writeln!(out, "{message}")?)
}

/// Compares two modules, or a module's values with others.
pub(super) fn run(out: &mut impl Write, args: &DiffArgs, clock: &Clock) -> Result<(), Failure> {
    let (source, a) = module_or_report(&args.a, Edition::Current, clock)?;
    let tolerance = Tolerance::new(args.ulp).absolute(args.absolute);
    if let Some(file) = &args.values {
        let (values, unknown) = values_by_name(out, file, &a, args.run.memory, clock)?;
        for name in unknown {
            print_error(&Message::terminal("cli-diff-unknown").with("name", name).to_string());
        }
        let recording = record_run(out, args, (&a, &source), &a, clock)?;
        let recording = recording.ok_or_else(|| report_missing_arguments(out))?;
        let found = compare_with(&a, &recording, &values, &tolerance);
        return print_values(out, args, &found, [&a, &a]);
    }
    let file = args.b.as_deref().unwrap_or("-");
    let (other_source, b) = module_or_report(file, Edition::Current, clock)?;
    let found = diff(&a, &b);
    print_diff(out, args, &found, [&a, &b])?;
    let Some(first) = record_run(out, args, (&a, &source), &a, clock)? else { return Ok(()) };
    let Some(second) = record_run(out, args, (&b, &other_source), &a, clock)? else { return Ok(()) };
    if let (Some(in_a), Some(in_b)) = (a.entry, b.entry)
        && let Some(entry) = a.entry_computation()
    {
        let pairs = pairs(&found.matching, [&a, &b], [in_a, in_b]);
        let value =
            |recording: &Recording, id: InstructionId| recording.values.get(id.index()).cloned().flatten();
        let values = |x, y| Some((value(&first, x)?, value(&second, y)?));
        let compared = compare_values(entry, &pairs, &tolerance, values);
        print_values(out, args, &compared, [&a, &b])?;
    }
    Ok(())
}

/// Reports that a comparison of values needs arguments.
pub(super) fn report_missing_arguments(out: &mut impl Write) -> Failure {
    let message = Message::terminal("cli-needs-arguments");
    let error =
        crate::diagnostic::Diagnostic::error(crate::diagnostic::Span::default(), "arguments", message);
    super::report::report(out, false, &error, "")
}

/// Runs a module on the arguments of the command line and records its values; `None` if there are no arguments. Random ones
/// are those of the first module.
fn record_run<'m>(
    out: &mut impl Write,
    args: &DiffArgs,
    (module, source): (&'m Module, &str),
    first: &Module,
    clock: &Clock,
) -> Result<Option<Recording<'m>>, Failure> {
    let Some(arguments) = run_arguments_like(out, &args.run, 1, (module, first), clock)? else {
        return Ok(None);
    };
    let mut recording = record(module, arguments, args.run.limits(), clock);
    match recording.error.take() {
        Some(error) => Err(report_run_error(out, false, error, module, source)),
        None => Ok(Some(recording)),
    }
}

/// Compares the values of a run with values by instruction.
pub(super) fn compare_with(
    module: &Module,
    recording: &Recording,
    values: &BTreeMap<InstructionId, Data>,
    tolerance: &Tolerance,
) -> ValueComparison {
    let Some(entry) = module.entry_computation() else { return ValueComparison::default() };
    let pairs: Vec<_> = values.keys().map(|id| (*id, *id)).collect();
    compare_values(entry, &pairs, tolerance, |id, _| {
        Some((recording.values.get(id.index())?.clone()?, values.get(&id)?.clone()))
    })
}

fn print_diff(
    out: &mut impl Write,
    args: &DiffArgs,
    found: &Diff,
    modules: [&Module; 2],
) -> Result<(), Failure> {
    let summary = Message::terminal("cli-diff-summary");
    print_line(out, &summary.with("matched", found.matched).with("unchanged", found.unchanged))?;
    let computations = [
        ("cli-diff-deleted-computation", modules[0], &found.deleted_computations),
        ("cli-diff-inserted-computation", modules[1], &found.inserted_computations),
    ];
    for (key, module, ids) in computations {
        let listed = if args.all { ids.len() } else { MAX_LISTED };
        for computation in ids.iter().take(listed).filter_map(|id| module.get(*id)) {
            let message = Message::terminal(key).with("name", computation.name.as_str());
            print_line(out, &message.with("instructions", computation.instructions.len()))?;
        }
        if ids.len() > listed {
            print_line(out, &Message::terminal("cli-diff-more").with("count", ids.len() - listed))?;
        }
    }
    for group in &found.groups {
        print_group(out, args, found, group, modules)?;
    }
    if found.is_equivalent() {
        print_line(out, &Message::terminal("cli-diff-equivalent"))?;
    }
    Ok(())
}

fn kind_key(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Changed => "cli-diff-changed",
        ChangeKind::Deleted => "cli-diff-deleted",
        ChangeKind::Inserted => "cli-diff-inserted",
        ChangeKind::Moved => "cli-diff-moved",
        ChangeKind::LayoutChanged => "cli-diff-layout",
        ChangeKind::AnnotationsChanged => "cli-diff-annotations",
        ChangeKind::Renamed => "cli-diff-renamed",
        ChangeKind::Reordered => "cli-diff-reordered",
    }
}

fn print_group(
    out: &mut impl Write,
    args: &DiffArgs,
    found: &Diff,
    group: &Group,
    modules: [&Module; 2],
) -> Result<(), Failure> {
    let count = group.changes.len();
    let title =
        Message::terminal(kind_key(group.kind)).with("count", count).with("opcode", group.opcode.as_str());
    let properties = if group.properties.is_empty() {
        String::new()
    } else {
        format!(": {}", group.properties.join(", "))
    };
    writeln!(out, "{title}{properties}")?;
    // Names alone say little.
    let is_minor = group.kind >= ChangeKind::AnnotationsChanged;
    let listed = if args.all { count } else { MAX_LISTED.min(if is_minor { 0 } else { count }) };
    for change in group.changes.iter().take(listed).filter_map(|index| found.changes.get(*index)) {
        writeln!(out, "  {}", describe(change, &found.matching, modules))?;
    }
    if listed < count && !is_minor {
        print_line(out, &Message::terminal("cli-diff-more").with("count", count - listed))?;
    }
    Ok(())
}

fn name_at(module: &Module, at: Option<InstructionAt>) -> Option<String> {
    let at = at?;
    Some(module.get(at.computation)?.get(at.instruction)?.display_name().to_owned())
}

/// The names of a changed instruction, and its parts in both modules.
fn describe(change: &Change, matching: &Matching, [a, b]: [&Module; 2]) -> String {
    let names = [name_at(a, change.a), name_at(b, change.b)];
    let mut text = match &names {
        [Some(a), Some(b)] if a != b => format!("{a} → {b}"),
        [Some(name), _] | [None, Some(name)] => name.clone(),
        [None, None] => String::new(),
    };
    let node = |module: &Module, at: Option<InstructionAt>| {
        let at = at?;
        Some(module.get(at.computation)?.get(at.instruction)?.clone())
    };
    let (Some(in_a), Some(in_b)) = (node(a, change.a), node(b, change.b)) else { return text };
    for detail in &change.details {
        let pair = match detail {
            Detail::Opcode => [in_a.opcode.clone(), in_b.opcode.clone()],
            Detail::Shape => [in_a.shape.human_string(), in_b.shape.human_string()],
            Detail::Layout => [in_a.shape.to_string(), in_b.shape.to_string()],
            Detail::Attribute { texts, .. } => {
                texts.clone().map(|text| text.unwrap_or_else(|| "-".to_owned()))
            }
            Detail::Operand(_, ids) => {
                let operand = |module: &Module, at: Option<InstructionAt>, id: Option<InstructionId>| {
                    let at = at?;
                    name_at(module, Some(InstructionAt { instruction: id?, ..at }))
                        .map(|name| format!("%{name}"))
                };
                let pair = [operand(a, change.a, ids[0]), operand(b, change.b, ids[1])];
                let mut pair = pair.map(|text| text.unwrap_or_else(|| "-".to_owned()));
                for (text, counterpart) in
                    pair.iter_mut().zip(counterparts([a, b], matching, change, *ids).iter().flatten())
                {
                    text.extend([" ", counterpart]);
                }
                pair
            }
            Detail::Computation => {
                let computation = |module: &Module, at: Option<InstructionAt>| {
                    at.and_then(|at| Some(module.get(at.computation)?.name.clone()))
                };
                [computation(a, change.a), computation(b, change.b)].map(Option::unwrap_or_default)
            }
            Detail::Annotation(_) | Detail::Name => continue,
        };
        for piece in ["; ", &detail.property(), " ", &pair[0], " → ", &pair[1]] {
            text.push_str(piece);
        }
    }
    text
}

fn print_values(
    out: &mut impl Write,
    args: &DiffArgs,
    found: &ValueComparison,
    [a, b]: [&Module; 2],
) -> Result<(), Failure> {
    let summary = Message::terminal("cli-diff-values").with("compared", found.compared);
    print_line(out, &summary.with("different", found.different.len()).with("missing", found.missing))?;
    let (Some(entry), Some(other)) = (a.entry_computation(), b.entry_computation()) else { return Ok(()) };
    let listed = if args.all { usize::MAX } else { MAX_LISTED };
    // Where differences begin comes first.
    let origins = found.origins().map(|origin| ("cli-diff-begins", origin));
    let others =
        found.different.iter().filter(|found| !found.is_origin).map(|found| ("cli-diff-follows", found));
    for (key, difference) in origins.chain(others).take(listed) {
        print_line(out, &value_message(key, difference, entry, other))?;
    }
    let more = found.different.len().saturating_sub(listed);
    if more > 0 {
        print_line(out, &Message::terminal("cli-diff-more").with("count", more))?;
    }
    Ok(())
}

fn value_message(
    key: &'static str,
    found: &ValueDifference,
    entry: &Computation,
    other: &Computation,
) -> Message {
    let name = |computation: &Computation, id| {
        computation.get(id).map(|instruction| instruction.name.clone()).unwrap_or_default()
    };
    let (a, b) = (name(entry, found.a), name(other, found.b));
    let names = if a == b { a } else { format!("{a} → {b}") };
    Message::terminal(key).with("name", names).with("what", difference_message(&found.difference))
}

/// How two values differ: their most distant elements, or the first that differ otherwise.
fn difference_message(difference: &Difference) -> Message {
    let Difference::Arrays(arrays) = difference else { return Message::terminal("cli-diff-shape") };
    let beyond: u64 = arrays.iter().map(|(_, array)| array.beyond).sum();
    let elements: u64 = arrays.iter().map(|(_, array)| array.elements).sum();
    let first =
        arrays.iter().find_map(|(path, array)| Some((path, array.element_type, array.first.as_ref()?)));
    let Some((path, element_type, first)) = first else { return Message::terminal("cli-diff-shape") };
    let max = difference.max().and_then(|(_, cell)| cell.distance());
    let (key, max) = match max {
        Some(Distance::Integer(max)) => ("cli-diff-elements-integers", max.to_string()),
        Some(Distance::Ulps(max)) => ("cli-diff-elements", max.to_string()),
        None => ("cli-diff-elements-alone", String::new()),
    };
    let message = Message::terminal(key)
        .with("beyond", i64::try_from(beyond).unwrap_or(i64::MAX))
        .with("elements", i64::try_from(elements).unwrap_or(i64::MAX))
        .with("index", position(path, first))
        .with("a", number(element_type, first.values[0]))
        .with("b", number(element_type, first.values[1]));
    if max.is_empty() { message } else { message.with("max", max) }
}

fn number(element_type: ElementType, value: Value) -> String {
    value.text(element_type, Exactness::RoundTrip)
}

/// The path of a tuple and the index: `1[0,2]`.
fn position(path: &[usize], cell: &DifferentCell) -> String {
    let list = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(",");
    let index = list(&mut cell.index.iter().map(i64::to_string));
    format!("{}[{index}]", list(&mut path.iter().map(usize::to_string)))
}
