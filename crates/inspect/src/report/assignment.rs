//! Dumps of buffer assignments: `allocation 3: size 64, …:` and the values in it.

use super::contents::{Allocation, Buffer, Format, Report, Use, parse_bytes};

/// Reads the allocations of the text.
pub(super) fn read(text: &str, report: &mut Report) {
    for (index, line) in text.lines().enumerate() {
        let content = line.trim();
        if let Some(allocation) = content.strip_prefix("allocation ").and_then(allocation) {
            report.format = Format::BufferAssignment;
            report.allocations.push(allocation);
        } else if let Some(rest) = content.strip_prefix("value: <")
            && let Some(allocation) = report.allocations.last()
            && let Some(mut buffer) = value(rest)
        {
            buffer.usage = allocation.usage;
            buffer.line = index;
            let offset = buffer.allocation.map_or(0, |(_, offset)| offset);
            buffer.allocation = Some((report.allocations.len() - 1, offset));
            report.buffers.push(buffer);
        } else if let Some(rest) = content.strip_prefix("Total bytes used: ")
            && let Some(bytes) = parse_bytes(rest)
        {
            report.used = Some(bytes);
        }
    }
}

/// `3: size 64, output shape is |f32[16]|, maybe-live-out:` after `allocation`.
fn allocation(text: &str) -> Option<Allocation> {
    let (number, rest) = text.split_once(':')?;
    let rest = rest.trim_start().strip_prefix("size ")?;
    // The order of the tests matters: a parameter that is also the result says both.
    let is = |word: &str| rest.contains(word);
    let usage = if is("parameter ") {
        Use::Parameter
    } else if is("maybe-live-out") || is("output shape") {
        Use::Output
    } else if is("constant") {
        Use::Constant
    } else if is("thread-local") {
        Use::ThreadLocal
    } else if is("temp") {
        Use::Temporary
    } else {
        Use::Unknown
    };
    Some(Allocation { number: number.trim().parse().ok()?, bytes: parse_bytes(rest)?, usage })
}

/// `19 fusion @0> (size=4096,offset=0): f32[64,16]{1,0}` after `value: <`.
fn value(text: &str) -> Option<Buffer> {
    let (name, rest) = text.split_once('>')?;
    let label = name.split_whitespace().nth(1).unwrap_or(name).to_owned();
    let field = |name: &str| rest.split_once(name).and_then(|(_, value)| parse_bytes(value));
    let mut buffer = Buffer {
        label: Some(label),
        stated: field("size=")?,
        allocation: Some((0, field("offset=")?)),
        values: 1,
        ..Buffer::default()
    };
    if let Some((_, shape)) = rest.split_once("): ") {
        buffer.set_shape(shape);
    }
    Some(buffer)
}
