//! `index` and `at`: convert an index to its slot and back.

use std::io::Write;

use super::input::Input;
use super::output::{Failure, json_line};
use crate::array::MemoryMap;
use crate::array::memory::SlotContents;
use crate::diagnostic::{Diagnostic, Hint, Span};
use crate::i18n::Message;
use crate::wire::{SlotContentsReport, SlotOfIndexReport};

/// Prints the slot of `index`.
pub(super) fn print_slot(
    out: &mut impl Write,
    input: &Input,
    index: &str,
    json: bool,
) -> Result<(), Failure> {
    let (_, map) = input.array()?;
    let numbers = read_index(index, &map)?;
    let Some(slot) = map.slot(&numbers) else {
        return Err(Failure::input(out_of_bounds(index, &numbers, &map), index));
    };
    if json { json_line(out, &SlotOfIndexReport { slot }) } else { Ok(writeln!(out, "{slot}")?) }
}

/// Prints the index of `slot`.
pub(super) fn print_index(
    out: &mut impl Write,
    input: &Input,
    slot: &str,
    json: bool,
) -> Result<(), Failure> {
    let (_, map) = input.array()?;
    let whole = Span::new(0, slot.len());
    let Ok(number) = slot.trim().parse::<i64>() else {
        let message = Message::terminal("text-number").with("text", slot);
        let hint = Hint::replace(Message::terminal("text-hint-write").with("text", "0"), whole, "0");
        return Err(Failure::input(Diagnostic::error(whole, "cli-slot", message).with_hint(hint), slot));
    };
    let Some(cell) = map.contents(number) else {
        let message = Message::terminal("cli-slot").with("slot", number).with("cells", map.slot_count());
        let hint = if map.slot_count() == 0 {
            Hint::advice(Message::terminal("cli-hint-empty"))
        } else {
            let last = if number < 0 { 0 } else { map.slot_count() - 1 };
            let message = Message::terminal("text-hint-write").with("text", last.to_string());
            Hint::replace(message, whole, last.to_string())
        };
        return Err(Failure::input(Diagnostic::error(whole, "cli-slot", message).with_hint(hint), slot));
    };
    let report = match cell {
        SlotContents::Element(index) => SlotContentsReport::Element { index: index.to_vec() },
        SlotContents::Padding(_) => SlotContentsReport::Padding { padding: true },
    };
    if json {
        return json_line(out, &report);
    }
    match report {
        SlotContentsReport::Element { index } => writeln!(out, "{}", join_numbers(&index))?,
        SlotContentsReport::Padding { .. } => writeln!(out, "{}", Message::terminal("kind-padding"))?,
    }
    Ok(())
}

/// Parses an index, `1,2` or `[1,2]`, with one number per dimension.
fn read_index(text: &str, map: &MemoryMap) -> Result<Vec<i64>, Failure> {
    let inner = text.trim().trim_start_matches(['[', '(', '{']).trim_end_matches([']', ')', '}']);
    let mut numbers = Vec::new();
    let mut start = text.find(inner).unwrap_or(0);
    for part in inner.split(',').filter(|_| !inner.trim().is_empty()) {
        let span = Span::new(start, start + part.len());
        start = span.end + 1;
        let Ok(number) = part.trim().parse() else {
            let message = Message::terminal("text-number").with("text", part);
            let hint = Hint::replace(Message::terminal("text-hint-write").with("text", "0"), span, "0");
            return Err(Failure::input(Diagnostic::error(span, "cli-index", message).with_hint(hint), text));
        };
        numbers.push(number);
    }
    if numbers.len() != map.rank() {
        let message =
            Message::terminal("cli-index-count").with("rank", map.rank()).with("given", numbers.len());
        let whole = Span::new(0, text.len());
        let mut resized = numbers.clone();
        resized.resize(map.rank(), 0);
        let resized = join_numbers(&resized);
        let hint =
            Hint::replace(Message::terminal("text-hint-write").with("text", resized.clone()), whole, resized);
        return Err(Failure::input(Diagnostic::error(whole, "cli-index", message).with_hint(hint), text));
    }
    Ok(numbers)
}

/// The diagnostic of an index that is out of bounds; its fix clamps the numbers.
fn out_of_bounds(text: &str, numbers: &[i64], map: &MemoryMap) -> Diagnostic {
    let whole = Span::new(0, text.len());
    if map.sizes().contains(&0) {
        let diagnostic = Diagnostic::error(whole, "cli-index", Message::terminal("cli-empty"));
        return diagnostic.with_hint(Hint::advice(Message::terminal("cli-hint-empty")));
    }
    let d = numbers.iter().zip(map.sizes()).position(|(e, size)| !(0..*size).contains(e)).unwrap_or(0);
    let message = Message::terminal("cli-index-outside")
        .with("dimension", d)
        .with("index", numbers.get(d).copied().unwrap_or(0))
        .with("size", map.sizes().get(d).copied().unwrap_or(0));
    let clamped: Vec<i64> =
        numbers.iter().zip(map.sizes()).map(|(e, size)| (*e).clamp(0, size - 1)).collect();
    let clamped = join_numbers(&clamped);
    let hint =
        Hint::replace(Message::terminal("text-hint-write").with("text", clamped.clone()), whole, clamped);
    let start = text.match_indices(',').nth(d.wrapping_sub(1)).map_or(0, |(comma, _)| comma + 1);
    let end = text[start..].find(',').map_or(text.len(), |comma| start + comma);
    Diagnostic::error(Span::new(start, end), "cli-index", message).with_hint(hint)
}

/// Numbers separated by commas.
pub(super) fn join_numbers(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}
