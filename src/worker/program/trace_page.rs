//! The pictures of a trace, for the page.

use super::tracing::Traced;
use super::window::window_within;
use super::wire::{InstructionPath, Trace, TracePicture, TraceQuery, Window};
use crate::array::literal::LiteralError;
use crate::array::value::ValueRange;
use crate::array::value::text::Exactness;
use crate::array::{ArrayLiteral, Dims};
use crate::ops::{CellAt, Data};

/// Maximum pictures of a trace.
const MAX_PICTURES: usize = 12;

/// Maximum cells of a picture, and its maximum side.
const MAX_CELLS: i64 = 1 << 10;
const MAX_SIDE: i64 = 64;

/// Maximum cells that are described in words.
const MAX_DESCRIBED: usize = 8;

/// A value with the cells of a chain.
pub(super) struct PicturedValue<'c> {
    /// The cells.
    pub traced: &'c Traced,
    /// The instruction, with the calls that lead to it.
    pub instruction: InstructionPath,
    /// Its execution.
    pub execution: u64,
    /// Whether it was executed several times.
    pub is_repeated: bool,
    /// Its name.
    pub name: String,
    /// Its opcode.
    pub opcode: String,
    /// Its value.
    pub value: Data,
}

/// The instructions to show, the nearest first. If there are too many, neighbours take precedence, then the ends of the chain.
pub(super) fn pictured(chain: &[Traced], is_end: impl Fn(&Traced) -> bool) -> Vec<&Traced> {
    let priority = |traced: &Traced| match traced.distance {
        0 | 1 => 0,
        _ if is_end(traced) => 1,
        _ => 2,
    };
    let mut numbered: Vec<(usize, &Traced)> = chain.iter().enumerate().collect();
    numbered.sort_by_key(|(_, traced)| priority(traced));
    numbered.truncate(MAX_PICTURES);
    numbered.sort_by_key(|(number, _)| *number);
    numbered.into_iter().map(|(_, traced)| traced).collect()
}

/// The trace, and the cells of its windows.
pub(super) fn trace_page(
    query: TraceQuery,
    is_forward: bool,
    values: &[PicturedValue],
    mut is_complete: bool,
) -> Result<(Trace, Vec<u8>), LiteralError> {
    let mut bytes = Vec::new();
    let mut pictures = Vec::new();
    for value in values {
        let traced = value.traced;
        let mut paths: Vec<&[usize]> = traced.cells.iter().map(|cell| cell.path.as_slice()).collect();
        paths.sort_unstable();
        paths.dedup();
        for path in paths {
            let Some(array) = value.value.part(path).and_then(Data::as_array) else { continue };
            if pictures.len() >= MAX_PICTURES {
                is_complete = false;
                break;
            }
            let cells: Vec<&CellAt> =
                traced.cells.iter().filter(|cell| cell.path.as_slice() == path).collect();
            let (window, indices, raw) = picture(array, &cells)?;
            let start = bytes.len();
            bytes.extend(raw);
            let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            pictures.push(TracePicture {
                instruction: value.instruction.clone(),
                execution: value.execution,
                is_repeated: value.is_repeated,
                device: number(traced.place.device),
                name: value.name.clone(),
                opcode: value.opcode.clone(),
                distance: traced.distance,
                path: path.to_vec(),
                window,
                bytes: (number(start), number(bytes.len())),
                cells: indices,
                cell_count: cells.len(),
                described: describe_cells(array, &cells),
            });
        }
    }
    Ok((Trace { query, is_forward, pictures, is_complete }, bytes))
}

/// The part of an array around cells, these cells in it, and its bytes.
type CellsWindow = (Window, Vec<Vec<i64>>, Vec<u8>);

fn picture(array: &ArrayLiteral, cells: &[&CellAt]) -> Result<CellsWindow, LiteralError> {
    let first: Dims = (0..array.shape().rank())
        .map(|d| cells.iter().filter_map(|cell| cell.index.get(d)).min().copied().unwrap_or(0))
        .collect();
    let (start, part) = window_within(array, &first, (MAX_CELLS, MAX_SIDE))?;
    let sizes = &part.shape().dimensions;
    let inside = cells.iter().filter_map(|cell| {
        let index: Vec<i64> = cell.index.iter().zip(&start).map(|(at, start)| at - start).collect();
        index.iter().zip(sizes).all(|(at, size)| (0..*size).contains(at)).then_some(index)
    });
    let ValueRange { finite, non_finite } = array.value_range();
    let window = Window {
        start: start.to_vec(),
        shape: part.shape().to_string(),
        sizes: array.shape().dimensions.to_vec(),
        finite,
        non_finite,
    };
    Ok((window, inside.collect(), part.to_raw()?))
}

/// The first cells with their values.
fn describe_cells(array: &ArrayLiteral, cells: &[&CellAt]) -> String {
    let first = cells.iter().take(MAX_DESCRIBED).map(|cell| {
        let index: Vec<String> = cell.index.iter().map(i64::to_string).collect();
        let value = array.get(&cell.index).map(|value| value.text(array.element_type(), Exactness::Xla));
        format!("[{}] = {}", index.join(","), value.unwrap_or_default())
    });
    let mut first: Vec<String> = first.collect();
    if cells.len() > first.len() {
        first.push("…".to_owned());
    }
    first.join(", ")
}
