//! The selected cell of a snapshot: by indices for the page, by names for the embedding page. Its requests are untrusted: requests
//! for what does not exist are rejected.

use serde::{Deserialize, Serialize};

use super::Snapshot;
use super::data::{Array, Entry, Values};
use crate::array::index::{multi_index, row_major_index};

/// The selected entry and the current cell of its value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The index of the entry.
    pub entry: usize,
    /// The index of an array of its value; `None` for the first one with values.
    pub array: Option<usize>,
    /// The row-major index of the cell.
    pub cell: i64,
}

/// A position by names, which the embedding page is sent as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Selection {
    /// The name of the instruction; empty for an array alone.
    pub instruction: String,
    /// The tuple path of the array.
    pub path: Vec<usize>,
    /// The index of the cell; `None` if the value has no cells or, in a snapshot of an array alone, the current slot is padding.
    pub index: Option<Vec<i64>>,
}

/// A position that the embedding page requests, as JSON. Omitted fields keep their current value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct SelectionRequest {
    /// The name of the instruction.
    pub instruction: Option<String>,
    /// The tuple path of the array.
    pub path: Option<Vec<usize>>,
    /// The index of the cell.
    pub index: Option<Vec<i64>>,
}

/// The index of the first array of a value whose elements were recorded.
fn first_recorded(entry: &Entry) -> Option<usize> {
    entry.arrays.iter().position(|array| array.values != Values::Omitted)
}

impl Snapshot {
    /// The initial position in an entry.
    pub fn start_of(&self, entry: usize) -> Position {
        let cell = if entry == self.selected { self.cursor } else { 0 };
        Position { entry, array: None, cell }
    }

    /// Converts a position to names. The cell is clamped to the last one.
    pub fn selection(&self, position: &Position) -> Selection {
        let entry = self.entries.get(position.entry);
        let array_index = entry.and_then(|entry| position.array.or_else(|| first_recorded(entry)));
        let array = entry.zip(array_index).and_then(|(entry, index)| entry.arrays.get(index));
        let sizes = array.and_then(Array::shape).map(|shape| shape.dimensions);
        let index = sizes.and_then(|sizes| {
            let last = sizes.iter().product::<i64>() - 1;
            (last >= 0).then(|| multi_index(position.cell.clamp(0, last), &sizes).to_vec())
        });
        Selection {
            instruction: entry.map(|entry| entry.name.clone()).unwrap_or_default(),
            path: array.map(|array| array.path.clone()).unwrap_or_default(),
            index,
        }
    }

    /// The requested position, from the current one; `None` if the snapshot has no such instruction, array or cell.
    pub fn requested(&self, request: &SelectionRequest, current: &Position) -> Option<Position> {
        let entry_index = match &request.instruction {
            Some(name) => self.entries.iter().position(|entry| entry.name == *name)?,
            None => current.entry,
        };
        let entry = self.entries.get(entry_index)?;
        let is_current = entry_index == current.entry;
        let array = match &request.path {
            Some(path) => {
                let is_requested = |array: &Array| array.path == *path && array.values != Values::Omitted;
                Some(entry.arrays.iter().position(is_requested)?)
            }
            None => current.array.filter(|_| is_current),
        };
        let Some(index) = &request.index else {
            let stays = is_current && array == current.array;
            return Some(if stays {
                current.clone()
            } else {
                Position { array, ..self.start_of(entry_index) }
            });
        };
        let array = array.or_else(|| first_recorded(entry))?;
        let sizes = entry.arrays.get(array)?.shape()?.dimensions;
        let is_inside =
            index.len() == sizes.len() && index.iter().zip(&sizes).all(|(i, size)| (0..*size).contains(i));
        is_inside.then(|| Position {
            entry: entry_index,
            array: Some(array),
            cell: row_major_index(index, &sizes),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;

    /// An instruction whose value has these arrays, each with its tuple path.
    fn entry(name: &str, arrays: &[(&[usize], &str, bool)]) -> Entry {
        let array = |(path, shape, is_recorded): &(&[usize], &str, bool)| Array {
            path: path.to_vec(),
            shape: (*shape).to_owned(),
            values: if *is_recorded { Values::Letters } else { Values::Omitted },
        };
        Entry { name: name.to_owned(), arrays: arrays.iter().map(array).collect(), ..Entry::default() }
    }

    fn snapshot() -> Snapshot {
        let entries = vec![
            entry("x", &[(&[], "f32[2,3]{0,1}", true)]),
            entry("scalar", &[(&[], "f32[]", true)]),
            entry(
                "tuple",
                &[(&[0], "f32[9]{0}", false), (&[1], "s32[4]{0}", true), (&[2, 0], "f32[2]{0}", true)],
            ),
            entry("empty", &[(&[], "f32[0,3]{1,0}", true)]),
            entry("token", &[]),
            entry("omitted", &[(&[], "f32[5]{0}", false)]),
            entry("damaged", &[(&[], "nonsense", true)]),
        ];
        Snapshot { entries, selected: 0, cursor: 4, ..Snapshot::default() }
    }

    /// The position after a request in JSON, by names.
    fn after(request: &str, current: &Position) -> Option<(Position, Selection)> {
        let position = snapshot().requested(&serde_json::from_str(request).ok()?, current)?;
        let selection = snapshot().selection(&position);
        Some((position, selection))
    }

    fn selected(instruction: &str, path: &[usize], index: Option<&[i64]>) -> Selection {
        Selection {
            instruction: instruction.to_owned(),
            path: path.to_vec(),
            index: index.map(<[i64]>::to_vec),
        }
    }

    #[test]
    fn requests_select_instructions_arrays_and_cells() {
        let start = snapshot().start_of(0);
        assert_eq!(snapshot().selection(&start), selected("x", &[], Some(&[1, 1])));
        let cases = [
            ("{}", selected("x", &[], Some(&[1, 1]))),
            (r#"{"index":[1,2]}"#, selected("x", &[], Some(&[1, 2]))),
            (r#"{"instruction":"x"}"#, selected("x", &[], Some(&[1, 1]))),
            (r#"{"instruction":"scalar","index":[]}"#, selected("scalar", &[], Some(&[]))),
            (r#"{"instruction":"tuple"}"#, selected("tuple", &[1], Some(&[0]))),
            (r#"{"instruction":"tuple","path":[2,0],"index":[1]}"#, selected("tuple", &[2, 0], Some(&[1]))),
            (r#"{"instruction":"empty"}"#, selected("empty", &[], None)),
            (r#"{"instruction":"token"}"#, selected("token", &[], None)),
            (r#"{"instruction":"damaged"}"#, selected("damaged", &[], None)),
        ];
        for (request, expected) in cases {
            assert_eq!(after(request, &start).unwrap().1, expected, "{request}");
        }
        // The array stays while the instruction does.
        let second = Position { entry: 2, array: Some(2), cell: 1 };
        assert_eq!(after("{}", &second).unwrap().0, second);
        assert_eq!(after(r#"{"index":[0]}"#, &second).unwrap().1, selected("tuple", &[2, 0], Some(&[0])));
        assert_eq!(after(r#"{"instruction":"x"}"#, &second).unwrap().0, start);
    }

    #[test]
    fn requests_for_missing_items_are_rejected() {
        let requests = [
            r#"{"instruction":"y"}"#,
            r#"{"instruction":""}"#,
            r#"{"instruction":5}"#,
            r#"{"index":[2,0]}"#,
            r#"{"index":[0,-1]}"#,
            r#"{"index":[0]}"#,
            r#"{"index":[0,0,0]}"#,
            r#"{"index":[0.5,0]}"#,
            r#"{"index":[9223372036854775807,0]}"#,
            r#"{"index":[9223372036854775808,0]}"#,
            r#"{"index":"00"}"#,
            r#"{"path":[0]}"#,
            r#"{"path":[-1]}"#,
            r#"{"instruction":"tuple","path":[0]}"#,
            r#"{"instruction":"tuple","index":[4]}"#,
            r#"{"instruction":"scalar","index":[0]}"#,
            r#"{"instruction":"empty","index":[0,0]}"#,
            r#"{"instruction":"token","index":[]}"#,
            r#"{"instruction":"omitted","index":[0]}"#,
            r#"{"instruction":"damaged","index":[]}"#,
            "null",
            "",
        ];
        for request in requests {
            assert_eq!(after(request, &snapshot().start_of(0)), None, "{request}");
        }
        // A position beyond the snapshot shows nothing.
        let beyond = Position { entry: 99, array: Some(99), cell: i64::MAX };
        assert_eq!(snapshot().selection(&beyond), selected("", &[], None));
        assert_eq!(after("{}", &beyond), None);
        let cell = Position { entry: 0, array: Some(0), cell: i64::MAX };
        assert_eq!(snapshot().selection(&cell).index, Some(vec![1, 2]));
    }
}
