//! Errors of programs that run out of memory: records of `key: value` lines.

use super::contents::{Buffer, Format, Report, Use, parse_bytes};

/// The keys of a record, each with whether its value takes the rest of the line.
const KEYS: &[(&str, bool)] = &[
    ("Size:", false),
    ("Operator:", true),
    ("Shape:", false),
    ("Entry Parameter Subshape:", false),
    ("Unpadded size:", false),
    ("Extra memory due to padding:", false),
    ("XLA label:", true),
    ("XLA Label:", true),
    ("Allocation type:", false),
    ("Tag:", true),
];

/// Names of amounts before the list of allocations.
const TOTALS: &[&str] = &[
    "parameter allocation:",
    "constant allocation:",
    "maybe_live_out allocation:",
    "preallocated temp allocation:",
    "preallocated temp fragmentation:",
    "total allocation:",
    "total fragmentation:",
    "reserved ",
    "program ",
    "arguments ",
    "global ",
    "scoped ",
    "HLO temp ",
    "overlays ",
    "stack ",
];

/// Reads the records of the text.
pub(super) fn read(text: &str, report: &mut Report) {
    let mut record: Option<Buffer> = None;
    let mut is_listing = false;
    for (index, line) in text.lines().enumerate() {
        head(line, report);
        let content = line.trim_start();
        if content.starts_with("=====") || is_buffer_heading(content) {
            finish(&mut record, report);
            continue;
        }
        let mut fields = fields(content).peekable();
        if fields.peek().is_none() {
            if !is_listing {
                totals(content, report);
            }
            continue;
        }
        for (key, value) in fields {
            // A size begins a record, as does a label in lists without sizes.
            let begins = match key {
                "Size:" => record.as_ref().is_none_or(|record| record.stated > 0),
                "XLA label:" | "XLA Label:" => record.as_ref().is_none_or(|record| record.label.is_some()),
                _ => false,
            };
            if begins {
                finish(&mut record, report);
                record = Some(Buffer { line: index, values: 1, ..Buffer::default() });
                is_listing = true;
            }
            if let Some(record) = &mut record {
                set(record, key, value);
            }
        }
    }
    finish(&mut record, report);
}

/// Adds a complete record: one that states a size or a shape.
fn finish(record: &mut Option<Buffer>, report: &mut Report) {
    if let Some(buffer) = record.take()
        && (buffer.stated > 0 || buffer.array.is_some())
    {
        report.format = Format::OutOfMemory;
        report.buffers.push(buffer);
    }
}

/// `Buffer 3:`.
fn is_buffer_heading(line: &str) -> bool {
    let number = line.strip_prefix("Buffer ").and_then(|rest| rest.trim_end().strip_suffix(':'));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// The fields of a line: each key that begins a word, with the text up to the next one.
fn fields(line: &str) -> impl Iterator<Item = (&'static str, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let (at, key, takes_rest) = next_key(rest)?;
        let value = rest.get(at + key.len()..)?;
        let end = if takes_rest { value.len() } else { next_key(value).map_or(value.len(), |(at, ..)| at) };
        let (value, after) = value.split_at_checked(end)?;
        rest = after;
        Some((key, value.trim()))
    })
}

/// The first key of a line, its offset, and whether its value takes the rest of the line.
fn next_key(line: &str) -> Option<(usize, &'static str, bool)> {
    let keys = KEYS.iter().filter_map(|(key, takes_rest)| {
        let at = line.find(key)?;
        let before = line.get(..at)?;
        let begins_word = before.chars().next_back().is_none_or(char::is_whitespace);
        begins_word.then_some((at, *key, *takes_rest))
    });
    // Of keys that overlap, the longest begins first.
    keys.min_by_key(|(at, key, _)| (*at, std::cmp::Reverse(key.len())))
}

fn set(record: &mut Buffer, key: &str, value: &str) {
    match key {
        "Size:" => record.stated = parse_bytes(value).unwrap_or(0),
        "Operator:" => record.operator = Some(value.to_owned()),
        "Shape:" => record.set_shape(value),
        "Entry Parameter Subshape:" => {
            record.set_shape(value);
            record.usage = Use::Parameter;
        }
        "Unpadded size:" => record.stated_unpadded = parse_bytes(value),
        "Extra memory due to padding:" if record.stated_unpadded.is_none() => {
            record.stated_unpadded = parse_bytes(value).map(|padding| record.stated.saturating_sub(padding));
        }
        "XLA label:" | "XLA Label:" => record.label = Some(value.to_owned()),
        "Tag:" if record.label.is_none() => record.label = Some(value.to_owned()),
        "Allocation type:" => {
            record.usage = match value {
                "HLO temp" | "scoped" => Use::Temporary,
                "arguments" | "argument" | "parameter" => Use::Parameter,
                "output" => Use::Output,
                "constant" | "global" => Use::Constant,
                _ => Use::Unknown,
            };
        }
        _ => {}
    }
}

/// Reads the sentences that state the needed and the available bytes.
fn head(line: &str, report: &mut Report) {
    if let Some((_, after)) = line.split_once("Used ")
        && let Some((used, capacity)) = after.split_once(" of ")
        && let (Some(used), Some(capacity)) = (parse_bytes(used), parse_bytes(capacity))
    {
        report.used = report.used.or(Some(used));
        report.capacity = report.capacity.or(Some(capacity));
        report.format = Format::OutOfMemory;
    }
    for phrase in ["trying to allocate ", "Failed to allocate request for ", "Attempting to allocate "] {
        if let Some((_, after)) = line.split_once(phrase)
            && let Some(bytes) = parse_bytes(after)
        {
            report.requested = Some(bytes);
            report.format = Format::OutOfMemory;
        }
    }
}

/// Reads a line that names an amount.
fn totals(line: &str, report: &mut Report) {
    let Some(name) = TOTALS.iter().find(|name| line.starts_with(**name)) else { return };
    if let Some(bytes) = line.get(name.len()..).and_then(parse_bytes) {
        report.totals.push((name.trim_end_matches([':', ' ']).to_owned(), bytes));
    }
}
