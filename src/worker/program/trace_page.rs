//! The pictures of a trace, for the page.

use super::tracing::Traced;
use super::window::window_within;
use super::wire::{InstructionPath, Region, Trace, TracePicture, TraceQuery, TracedParameter, Window};
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

/// Maximum cells whose values are written.
const MAX_DESCRIBED: usize = 8;

/// Maximum parameters that are listed.
pub(super) const MAX_PARAMETERS: usize = 64;

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
    /// The name of its computation, if that is not the one of the traced cell.
    pub within: Option<String>,
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
    (parameters, parameter_count): (&[PicturedValue], usize),
    (mut hidden_values, is_complete): (usize, bool),
) -> Result<(Trace, Vec<u8>), LiteralError> {
    let mut bytes = Vec::new();
    let mut pictures = Vec::new();
    for value in values {
        let traced = value.traced;
        for (path, array, cells) in value.arrays() {
            if pictures.len() >= MAX_PICTURES {
                hidden_values += 1;
                break;
            }
            let (window, raw) = window_around(array, &cells)?;
            let start = bytes.len();
            bytes.extend(raw);
            pictures.push(TracePicture {
                instruction: value.instruction.clone(),
                execution: value.execution,
                is_repeated: value.is_repeated,
                device: number(traced.place.device),
                name: value.name.clone(),
                opcode: value.opcode.clone(),
                within: value.within.clone(),
                distance: traced.distance,
                path: path.to_vec(),
                window,
                bytes: (number(start), number(bytes.len())),
                region: region(array, &cells),
                described: describe_cells(array, &cells),
            });
        }
    }
    let parameters = parameters.iter().flat_map(parameter_cells).take(MAX_PARAMETERS).collect();
    let trace =
        Trace { query, is_forward, pictures, parameters, parameter_count, hidden_values, is_complete };
    Ok((trace, bytes))
}

fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The cells of a chain in the arrays of a parameter.
fn parameter_cells<'v>(value: &'v PicturedValue) -> impl Iterator<Item = TracedParameter> + 'v {
    value.arrays().into_iter().map(|(path, array, cells)| TracedParameter {
        instruction: value.instruction.clone(),
        device: number(value.traced.place.device),
        name: value.name.clone(),
        path: path.to_vec(),
        region: region(array, &cells),
    })
}

impl PicturedValue<'_> {
    /// The arrays with cells of the chain, by their paths through tuples.
    fn arrays(&self) -> Vec<(&[usize], &ArrayLiteral, Vec<&CellAt>)> {
        let cells = &self.traced.cells;
        let mut paths: Vec<&[usize]> = cells.iter().map(|cell| cell.path.as_slice()).collect();
        paths.sort_unstable();
        paths.dedup();
        let array = |path: &'_ [usize]| self.value.part(path).and_then(Data::as_array);
        let of_path = |path: &[usize]| cells.iter().filter(|cell| cell.path.as_slice() == path).collect();
        paths.into_iter().filter_map(|path| Some((path, array(path)?, of_path(path)))).collect()
    }
}

/// Distinct cells of an array as a region.
fn region(array: &ArrayLiteral, cells: &[&CellAt]) -> Region {
    let sizes = &array.shape().dimensions;
    let bounds = (0..sizes.len()).map(|d| {
        let indices = || cells.iter().filter_map(|cell| cell.index.get(d).copied());
        (indices().min().unwrap_or(0), indices().max().map_or(0, |last| last + 1))
    });
    let bounds: Vec<(i64, i64)> = bounds.collect();
    let is_whole_array = bounds.iter().zip(sizes).all(|(bounds, size)| *bounds == (0, *size));
    let slice_cells = bounds.iter().try_fold(1_i64, |product, (first, end)| product.checked_mul(end - first));
    let is_slice = slice_cells == i64::try_from(cells.len()).ok();
    let indices = || cells.iter().map(|cell| cell.index.to_vec()).collect();
    Region { bounds, is_whole_array, cells: (!is_slice).then(indices) }
}

/// The part of an array around cells, and its bytes.
fn window_around(array: &ArrayLiteral, cells: &[&CellAt]) -> Result<(Window, Vec<u8>), LiteralError> {
    let first: Dims = (0..array.shape().rank())
        .map(|d| cells.iter().filter_map(|cell| cell.index.get(d)).min().copied().unwrap_or(0))
        .collect();
    let (start, part) = window_within(array, &first, (MAX_CELLS, MAX_SIDE))?;
    let ValueRange { finite, non_finite } = array.value_range();
    let window = Window {
        start: start.to_vec(),
        shape: part.shape().to_string(),
        sizes: array.shape().dimensions.to_vec(),
        finite,
        non_finite,
    };
    Ok((window, part.to_raw()?))
}

/// Few cells with their values; empty if there are many.
fn describe_cells(array: &ArrayLiteral, cells: &[&CellAt]) -> String {
    if cells.len() > MAX_DESCRIBED {
        return String::new();
    }
    let described = cells.iter().map(|cell| {
        let index: Vec<String> = cell.index.iter().map(i64::to_string).collect();
        let value = array.get(&cell.index).map(|value| value.text(array.element_type(), Exactness::Xla));
        format!("[{}] = {}", index.join(","), value.unwrap_or_default())
    });
    described.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_the_whole_array_a_slice_or_cells_of_one() {
        let array = ArrayLiteral::from_slice([2, 3], &[0_f32; 6]).unwrap();
        let of = |array: &ArrayLiteral, indices: &[&[i64]]| {
            let cells: Vec<CellAt> = indices
                .iter()
                .map(|index| CellAt { path: Vec::new().into(), index: (*index).into() })
                .collect();
            let found = region(array, &cells.iter().collect::<Vec<_>>());
            assert_eq!(found.count(), indices.len());
            let mut of_region = found.indices();
            of_region.sort_unstable();
            let mut expected: Vec<Vec<i64>> = indices.iter().map(|index| index.to_vec()).collect();
            expected.sort_unstable();
            assert_eq!(of_region, expected);
            (found.slice(), found.is_whole_array, found.cells.is_none())
        };
        let slice =
            |text: &str, is_whole_array: bool, is_slice: bool| (text.to_owned(), is_whole_array, is_slice);
        assert_eq!(of(&array, &[&[1, 0], &[1, 2], &[1, 1]]), slice("[1:2,0:3]", false, true));
        assert_eq!(of(&array, &[&[0, 0], &[1, 2]]), slice("[0:2,0:3]", true, false));
        let all: [&[i64]; 6] = [&[0, 0], &[0, 1], &[0, 2], &[1, 0], &[1, 1], &[1, 2]];
        assert_eq!(of(&array, &all), slice("[0:2,0:3]", true, true));
        let scalar = ArrayLiteral::from_slice([], &[1_f32]).unwrap();
        assert_eq!(of(&scalar, &[&[]]), slice("[]", true, true));
    }
}
