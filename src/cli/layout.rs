//! `layout`: prints the memory layout of a shape, as text or as JSON.

use std::fmt::Display;
use std::io::Write;

use super::input::Input;
use super::output::{Failure, json_line, padded, padded_start};
use super::slots::join_numbers;
use crate::array::layout_util::NamedOrder;
use crate::array::shape_util::{documented_true_rank, letter, true_rank};
use crate::array::{ArrayShape, Layout, MemoryMap, Shape, SlotContents};
use crate::bug::OrBug as _;
use crate::i18n::Message;
use crate::state::document::{ColourBy, ValueRule};
use crate::view::array_view::ArrayView;
use crate::view::colour_map::ColourMap;
use crate::wire::LayoutReport;

/// Rows of the index table without `--all`.
const DEFAULT_TABLE_ROWS: i64 = 64;
/// Slots of the printed memory without `--all`.
const DEFAULT_STRIP_SLOTS: i64 = 256;
/// Maximum elements that are labelled a to z.
const MAX_LETTERED_ELEMENTS: i64 = 26;

/// Maximum characters of an element's letters.
const MAX_LABEL_CHARS: usize = 24;

/// Prints the report of the shape.
pub(super) fn print(out: &mut impl Write, input: &Input, all: bool, json: bool) -> Result<(), Failure> {
    if json {
        return json_line(out, &LayoutReport::of(&input.shape, all));
    }
    shape(out, &input.shape, all, "")
}

/// Prints the Layout proto of an array.
pub(super) fn print_proto(out: &mut impl Write, input: &Input) -> Result<(), Failure> {
    let (array, _) = input.array()?;
    let layout = array.layout.clone().unwrap_or_else(|| Layout::descending(array.rank()));
    Ok(write!(out, "{}", layout.proto_text())?)
}

fn shape(out: &mut impl Write, value: &Shape, all: bool, path: &str) -> Result<(), Failure> {
    if !path.is_empty() {
        write!(out, "\n{path} ")?;
    }
    writeln!(out, "{value}")?;
    match value {
        Shape::Array(array) => properties(out, array, all),
        Shape::Buffer(array) => properties(out, array, all),
        Shape::Token | Shape::Opaque => Ok(()),
        Shape::Tuple(elements) => elements
            .iter()
            .enumerate()
            .try_for_each(|(i, element)| shape(out, element, all, &format!("{path}[{i}]"))),
    }
}

/// Prints a property: its name, padded to a column, and its value.
fn print_property(out: &mut impl Write, name: &'static str, value: impl Display) -> Result<(), Failure> {
    Ok(writeln!(out, "{} {value}", padded(&Message::terminal(name).to_string(), 10))?)
}

fn properties(out: &mut impl Write, array: &ArrayShape, all: bool) -> Result<(), Failure> {
    print_property(out, "rank", array.rank())?;
    let shape = Shape::Array(array.clone());
    let implemented = true_rank(&shape).or_bug(array.rank(), "an array without a true rank");
    let documented = documented_true_rank(&shape).or_bug(array.rank(), "an array without a true rank");
    let true_ranks = if implemented == documented {
        implemented.to_string()
    } else {
        // XLA's documentation counts sizes above 1, its code sizes other than 1: they differ for size 0.
        Message::terminal("cli-true-ranks")
            .with("code", implemented)
            .with("documents", documented)
            .to_string()
    };
    print_property(out, "cli-true-rank", true_ranks)?;
    let letters: Option<Vec<String>> =
        (0..array.rank()).map(|d| letter(array.rank(), d).map(String::from)).collect();
    if let Some(letters) = letters.filter(|letters| !letters.is_empty()) {
        print_property(out, "cli-letters", letters.join(","))?;
    }
    if let Some(order) = NamedOrder::of_array(array) {
        print_property(out, "cli-order", order.message(array.rank()))?;
    }
    let view = |values| ArrayView::new(array, &values, ColourBy::Slot, ColourMap::Viridis);
    let Some(lettered) = view(ValueRule::Letters) else {
        return print_property(out, "cli-cells", Message::terminal("cli-unbounded"));
    };
    let map = lettered.memory_map().clone();
    // Letters are easier to distinguish than numbers.
    let view = if map.elements() <= MAX_LETTERED_ELEMENTS { Some(lettered) } else { view(ValueRule::Iota) };
    print_property(out, "cli-elements", map.elements())?;
    print_property(out, "cli-cells", map.slot_count())?;
    print_property(out, "bytes", map.bytes())?;
    print_property(out, "kind-padding", format_percent(map.padding_slots(), map.slot_count()))?;
    match map.strides() {
        Some(strides) => print_property(out, "cli-strides", join_numbers(&strides))?,
        None => print_property(out, "cli-strides", Message::terminal("cli-tiled"))?,
    }
    if map.slot_count() == 0 {
        return Ok(());
    }
    writeln!(out)?;
    if let Some(view) = view {
        print_memory(out, &view, all)?;
    }
    writeln!(out)?;
    table(out, &map, all)
}

/// The percentage of padding, with one decimal.
fn format_percent(padding: i64, cells: i64) -> String {
    let (padding, cells) = (i128::from(padding), i128::from(cells.max(1)));
    let tenths = (padding * 2000 + cells) / (cells * 2);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Memory as in XLA's documentation: `a d 0 b e 0 c f 0 0 0 0 0 0 0`. Padding without a value is `.`.
fn print_memory(out: &mut impl Write, view: &ArrayView, all: bool) -> Result<(), Failure> {
    let slots = view.memory_map().slot_count();
    let shown = if all { slots } else { slots.min(DEFAULT_STRIP_SLOTS) };
    let padding = Some(view.padding_text()).filter(|text| !text.is_empty()).unwrap_or_else(|| ".".to_owned());
    for slot in 0..shown {
        let separator = if slot == 0 { "" } else { " " };
        match view.memory_map().contents(slot) {
            Some(SlotContents::Element(index)) => write!(out, "{separator}{}", label(view, &index))?,
            _ => write!(out, "{separator}{padding}")?,
        }
    }
    writeln!(out, "{}", if shown < slots { " …" } else { "" })?;
    Ok(())
}

/// The letter of an element, or its row-major index, even if the element type cannot represent it.
fn label(view: &ArrayView, index: &[i64]) -> String {
    if view.shows_letters() {
        view.label(index, MAX_LABEL_CHARS)
    } else {
        view.row_major_index(index).to_string()
    }
}

fn table(out: &mut impl Write, map: &MemoryMap, all: bool) -> Result<(), Failure> {
    let shown = if all { map.slot_count() } else { map.slot_count().min(DEFAULT_TABLE_ROWS) };
    let width = map.slot_count().to_string().len().max(4);
    let address = |slot| match map.byte_address(slot) {
        Some((byte, 0)) if map.bits_per_slot() % 8 == 0 => byte.to_string(),
        Some((byte, bit)) => format!("{byte}.{bit}"),
        None => String::new(),
    };
    let bytes = address(shown.max(1) - 1).len().max(4);
    let (slot, byte) =
        (Message::terminal("word-slot").to_string(), Message::terminal("cli-byte").to_string());
    let (slot, byte) = (padded_start(&slot, width), padded_start(&byte, bytes));
    writeln!(out, "{slot}  {byte}  {}", Message::terminal("cli-index-head"))?;
    for slot in 0..shown {
        write!(out, "{slot:>width$}  {:>bytes$}  ", address(slot))?;
        match map.contents(slot) {
            Some(SlotContents::Element(index)) => writeln!(out, "{}", join_numbers(&index))?,
            Some(SlotContents::Padding(Some(index))) => {
                writeln!(out, "{} {}", join_numbers(&index), Message::terminal("kind-padding"))?;
            }
            _ => writeln!(out, "{}", Message::terminal("kind-padding"))?,
        }
    }
    if shown < map.slot_count() {
        writeln!(out, "{}", Message::terminal("cli-more").with("rows", map.slot_count() - shown))?;
    }
    Ok(())
}
