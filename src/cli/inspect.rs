//! `inspect`: what a program costs, what forces its copies, what tiles waste, its peak memory and its source lines; of a
//! memory report, the buffers with the padding.

use std::fmt::Display;
use std::io::Write;

use super::arguments::InspectArgs;
use super::clock::Clock;
use super::module::{module_of_source_or_report, read_or_report};
use super::output::{Failure, json_line, padded};
use crate::array::Edition;
use crate::i18n::Message;
use crate::wire::inspect::{ChainReport, MemoryReport, ProgramReport, SourceReport, SuggestionReport};
use xla_inspect::report;

/// Maximum characters of the operator or label of a buffer.
const MAX_LABEL_CHARS: usize = 80;

/// Runs the command.
pub(super) fn run(out: &mut impl Write, args: &InspectArgs, clock: &Clock) -> Result<(), Failure> {
    let source = read_or_report(&args.file, clock)?;
    let limit = if args.all { usize::MAX } else { args.top };
    if let Some(found) = report::detect(&source) {
        let report = MemoryReport::of(&found, limit);
        return if args.json { json_line(out, &report) } else { print_buffers(out, &report) };
    }
    let module = module_of_source_or_report(&source, Edition::Current)?;
    let report = ProgramReport::of(&module, args.by.into(), limit);
    if args.json { json_line(out, &report) } else { print_program(out, &report) }
}

/// Prints a fact: its name, padded to a column, and its value.
fn print_fact(out: &mut impl Write, name: &Message, value: impl Display) -> Result<(), Failure> {
    Ok(writeln!(out, "{} {value}", padded(&name.to_string(), 22))?)
}

/// Formats a number of bytes: exact below 1 KiB, else with a binary unit.
fn format_bytes(count: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let Some(power) = count.checked_ilog2().map(|log| log / 10).filter(|power| *power > 0) else {
        return format!("{count} B");
    };
    // Rounded to hundredths; no overflow in 128 bits.
    let hundredths = (u128::from(count) * 100 + (1 << (power * 10 - 1))) >> (power * 10);
    let unit = UNITS.get(power as usize - 1).copied().unwrap_or("EiB");
    format!("{}.{:02} {unit}", hundredths / 100, hundredths % 100)
}

/// Prints the heading of a list.
fn print_heading(out: &mut impl Write, title: &Message) -> Result<(), Failure> {
    Ok(writeln!(out, "\n{title}")?)
}

fn print_program(out: &mut impl Write, report: &ProgramReport) -> Result<(), Failure> {
    print_fact(out, &Message::terminal("cli-inspect-flops"), report.flops)?;
    print_fact(out, &Message::terminal("cli-inspect-transcendentals"), report.transcendentals)?;
    print_fact(out, &Message::terminal("cli-inspect-read"), format_bytes(report.bytes_read))?;
    print_fact(out, &Message::terminal("cli-inspect-written"), format_bytes(report.bytes_written))?;
    if let Some(intensity) = report.intensity {
        print_fact(out, &Message::terminal("cli-inspect-intensity"), format!("{intensity:.3}"))?;
    }
    if report.unknown_instructions > 0 {
        print_fact(out, &Message::terminal("cli-inspect-unknown"), report.unknown_instructions)?;
    }
    if report.unknown_loops > 0 {
        print_fact(out, &Message::terminal("cli-inspect-loops"), report.unknown_loops)?;
    }
    let memory = &report.memory;
    print_fact(out, &Message::terminal("cli-inspect-peak"), format_bytes(memory.peak_bytes))?;
    print_fact(out, &Message::terminal("cli-inspect-padding"), format_bytes(report.padding_bytes))?;
    if !report.copies.is_empty() {
        let title = Message::terminal("cli-inspect-copies");
        print_heading(
            out,
            &title.with("count", report.copy_count).with("bytes", format_bytes(report.copy_bytes)),
        )?;
        for copy in &report.copies {
            writeln!(
                out,
                "{:>12}  {} ({}) × {}",
                format_bytes(copy.bytes),
                copy.instruction,
                copy.opcode,
                copy.executions
            )?;
            print_chain(out, &Message::terminal("cli-inspect-reads"), &copy.source)?;
            print_chain(out, &Message::terminal("cli-inspect-writes"), &copy.demand)?;
        }
    }
    if !report.padding.is_empty() {
        print_heading(out, &Message::terminal("cli-inspect-padded"))?;
        for shape in &report.padding {
            let padding = (shape.memory_bytes - shape.data_bytes).saturating_mul(shape.count);
            writeln!(
                out,
                "{:>12}  {} × {}  {}",
                format_bytes(padding),
                shape.shape,
                shape.count,
                shape.instruction
            )?;
            suggestions(out, shape.suggestion.as_slice())?;
        }
    }
    let title = Message::terminal("cli-inspect-live").with("name", memory.path.join(" › "));
    print_heading(out, &title)?;
    for value in &memory.values {
        writeln!(out, "{:>12}  {}  {}", format_bytes(value.bytes), value.instruction, value.shape)?;
    }
    print_heading(out, &Message::terminal("cli-inspect-sources"))?;
    for source in &report.sources {
        let counted = Message::terminal("cli-inspect-group")
            .with("count", source.instructions)
            .with("flops", source.flops.to_string())
            .with("bytes", format_bytes(source.bytes));
        writeln!(out, "{}  {counted}", location(source))?;
    }
    Ok(())
}

/// The location of a group.
fn location(source: &SourceReport) -> String {
    match (&source.file, source.line, &source.function, &source.op_name) {
        (Some(file), Some(line), ..) => format!("{file}:{line}"),
        (Some(file), None, Some(function), _) => format!("{file} {function}"),
        (Some(file), ..) => file.clone(),
        (None, _, _, Some(name)) => name.clone(),
        _ => Message::terminal("cli-inspect-nowhere").to_string(),
    }
}

/// Prints what determines a layout, with the instructions on the way.
fn print_chain(out: &mut impl Write, side: &Message, chain: &ChainReport) -> Result<(), Failure> {
    let number = chain.number.unwrap_or_default();
    let opcode = chain.opcode.as_deref().unwrap_or_default();
    let reason = match chain.reason {
        "entry-parameter" => Message::terminal("cli-inspect-entry-parameter").with("number", number),
        "entry-result" => Message::terminal("cli-inspect-entry-result"),
        "loop-state" => Message::terminal("cli-inspect-loop-state"),
        "branch" => Message::terminal("cli-inspect-branch"),
        "call" => Message::terminal("cli-inspect-call"),
        "constant" => Message::terminal("cli-inspect-constant"),
        "operand" => Message::terminal("cli-inspect-operand").with("number", number).with("opcode", opcode),
        "result" => Message::terminal("cli-inspect-result").with("opcode", opcode),
        "movement" => Message::terminal("cli-inspect-movement").with("opcode", opcode),
        _ => Message::terminal("cli-inspect-unused"),
    };
    let path = chain.path.join(" › ");
    Ok(writeln!(out, "{:14}{side}: {reason}{}{path}", "", if path.is_empty() { "" } else { "  " })?)
}

fn suggestions(out: &mut impl Write, suggestions: &[SuggestionReport]) -> Result<(), Failure> {
    for suggestion in suggestions.iter().filter(|suggestion| suggestion.saved_bytes > 0) {
        let saves =
            Message::terminal("cli-inspect-saves").with("bytes", format_bytes(suggestion.saved_bytes));
        writeln!(out, "{:14}{}  {saves}", "", suggestion.shape)?;
    }
    Ok(())
}

fn print_buffers(out: &mut impl Write, report: &MemoryReport) -> Result<(), Failure> {
    if let Some(used) = report.used_bytes {
        print_fact(out, &Message::terminal("cli-inspect-used"), format_bytes(used))?;
    }
    if let Some(capacity) = report.capacity_bytes {
        print_fact(out, &Message::terminal("cli-inspect-capacity"), format_bytes(capacity))?;
    }
    if let Some(requested) = report.requested_bytes {
        print_fact(out, &Message::terminal("cli-inspect-requested"), format_bytes(requested))?;
    }
    print_fact(out, &Message::terminal("cli-inspect-padding"), format_bytes(report.padding_bytes))?;
    print_heading(out, &Message::terminal("cli-inspect-buffers").with("count", report.buffer_count))?;
    for buffer in &report.buffers {
        let memory = Message::terminal("cli-inspect-of").with("bytes", format_bytes(buffer.memory_bytes));
        let label = buffer.operator.as_ref().or(buffer.label.as_ref());
        // Operators and labels have the whole text of an instruction.
        let label = label.map_or_else(String::new, |label| label.chars().take(MAX_LABEL_CHARS).collect());
        writeln!(out, "{:>12}  {memory}  {}  {label}", format_bytes(buffer.padding_bytes), buffer.shape)?;
        suggestions(out, &buffer.suggestions)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::format_bytes;

    #[test]
    fn bytes_have_binary_units() {
        for (count, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.00 KiB"),
            (1536, "1.50 KiB"),
            (14 << 30, "14.00 GiB"),
            (u64::MAX, "16.00 EiB"),
        ] {
            assert_eq!(format_bytes(count), text);
        }
    }
}
