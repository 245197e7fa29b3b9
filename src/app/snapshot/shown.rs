//! The arrays of the selected instruction, and the cells that the current one was computed from.

use std::rc::Rc;

use super::shared::SharedSnapshot;
use crate::app::canvas::SharedArray;
use crate::array::Dims;
use crate::array::index::{multi_index, row_major_index};
use crate::ops::{CellAt, Role, Source};
use crate::snapshot::Snapshot;
use crate::snapshot::data::{Arithmetic, Array, SnapshotError, Term, Values};
use crate::snapshot::reads::{Read, Reads, role_of_number};
use crate::state::document::{ColourBy, ValueRule};
use crate::view::array_view::ArrayView;
use crate::view::colour_map::ColourMap;
use crate::view::derivation::{Derivation, Part};
use crate::view::sources::{HighlightedCell, operand_highlights};

/// The picture of a recorded array; `None` if its values are missing or malformed.
pub fn view_of(snapshot: &Snapshot, array: &Array, map: ColourMap) -> Option<SharedArray> {
    let view = match &array.values {
        Values::Raw(_) => ArrayView::from_literal(snapshot.literal(array)?, ColourBy::Value, map),
        Values::Letters => ArrayView::new(&array.shape()?, &ValueRule::Letters, ColourBy::Value, map)?,
        Values::Omitted => return None,
    };
    Some(SharedArray(Rc::new(view)))
}

/// An array on the page.
#[derive(Clone, PartialEq)]
pub struct ShownArray {
    /// The index of the operand; `None` for the result.
    pub operand: Option<usize>,
    /// Its title: the label of the operand, or `out`, with the tuple path.
    pub title: String,
    /// The name of the instruction that has this value.
    pub name: String,
    /// Its tuple path.
    pub path: Vec<usize>,
    /// Its shape as text.
    pub shape: String,
    /// Its sizes.
    pub sizes: Dims,
    /// The picture; `None` if the values were not recorded.
    pub array: Option<SharedArray>,
}

/// The selected instruction.
#[derive(Clone)]
pub struct Shown {
    /// The arrays of the operands, then those of the result.
    pub arrays: Vec<ShownArray>,
    /// The source cells of each cell of the result, if they were recorded.
    pub reads: Option<Rc<Reads>>,
    /// How each cell was computed; empty if it was not recorded.
    pub arithmetic: Rc<Vec<Arithmetic>>,
    /// Why a part cannot be shown, if one is malformed.
    pub problem: Option<SnapshotError>,
}

fn with_path(label: &str, path: &[usize]) -> String {
    path.iter().fold(label.to_owned(), |title, i| format!("{title}.{i}"))
}

impl Shown {
    /// The arrays of an entry.
    pub fn new(SharedSnapshot(snapshot): &SharedSnapshot, entry_index: usize, map: ColourMap) -> Self {
        let Some(entry) = snapshot.entries.get(entry_index) else {
            let (arrays, arithmetic) = (Vec::new(), Rc::default());
            return Self {
                arrays,
                reads: None,
                arithmetic,
                problem: Some(SnapshotError::Entry(entry_index)),
            };
        };
        let plain = |array: &Array| {
            // Only highlights have colours.
            view_of(snapshot, array, map)
                .map(|view| SharedArray(Rc::new((*view.0).clone().without_value_colours())))
        };
        let mut arrays = Vec::new();
        for (operand, array) in snapshot.operand_arrays(entry) {
            let operand_entry = &entry.operands[operand];
            arrays.push(ShownArray {
                operand: Some(operand),
                title: with_path(&operand_entry.label, &array.path),
                name: snapshot
                    .entries
                    .get(operand_entry.entry)
                    .map(|entry| entry.name.clone())
                    .unwrap_or_default(),
                path: array.path.clone(),
                shape: array.shape.clone(),
                sizes: sizes(array),
                array: plain(array),
            });
        }
        for array in &entry.arrays {
            arrays.push(ShownArray {
                operand: None,
                title: with_path("out", &array.path),
                name: entry.name.clone(),
                path: array.path.clone(),
                shape: array.shape.clone(),
                sizes: sizes(array),
                array: plain(array),
            });
        }
        let (reads, arithmetic) = (snapshot.reads(entry_index), snapshot.arithmetic(entry_index));
        let results = arrays.iter().filter(|shown| shown.operand.is_none()).zip(&entry.arrays);
        let mut malformed_arrays =
            results.filter(|(shown, array)| shown.array.is_none() && matches!(array.values, Values::Raw(_)));
        let is_malformed = reads.is_err() || arithmetic.is_err() || malformed_arrays.next().is_some();
        Self {
            arrays,
            reads: reads.ok().flatten().map(Rc::new),
            arithmetic: Rc::new(arithmetic.unwrap_or_default()),
            problem: is_malformed.then_some(SnapshotError::Entry(entry_index)),
        }
    }

    /// The number of cells of the results before array `index`.
    fn cells_before(&self, index: usize) -> usize {
        let results = self.arrays[..index].iter().filter(|each| each.operand.is_none());
        results.map(|each| count(&each.sizes)).sum()
    }

    /// The index of the cell of a result among the recorded ones.
    fn recorded_index(&self, array: usize, index: &Dims) -> Option<usize> {
        let linear = row_major_index(index, &self.arrays.get(array)?.sizes);
        Some(self.cells_before(array) + usize::try_from(linear).ok()?)
    }

    /// The cells that a cell of a result was computed from, for each array.
    pub fn sources(&self, array: usize, index: &Dims) -> Vec<Vec<HighlightedCell>> {
        let recorded_index = self.recorded_index(array, index);
        let reads = self
            .reads
            .as_ref()
            .zip(recorded_index)
            .map(|(reads, index)| reads.of_cell(index))
            .unwrap_or_default();
        let sources: Vec<Source> = reads.iter().filter_map(|read| self.source(read)).collect();
        let highlighted = |each: &ShownArray| match each.operand {
            Some(operand) => operand_highlights(&sources, operand, &each.path),
            None => Vec::new(),
        };
        self.arrays.iter().map(highlighted).collect()
    }

    fn source(&self, read: &Read) -> Option<Source> {
        let array = self.arrays.get(read.array)?;
        let index = multi_index(i64::try_from(read.cell).ok()?, &array.sizes);
        let cell = CellAt { path: array.path.iter().copied().collect(), index };
        Some(Source { operand: array.operand?, cell, role: read.role })
    }

    /// The cells of the results that were computed from a cell of an operand, for each array.
    pub fn uses(&self, array: usize, index: &Dims) -> Vec<Vec<HighlightedCell>> {
        let mut out = vec![Vec::new(); self.arrays.len()];
        let cell = self.arrays.get(array);
        let cell = cell.and_then(|each| u64::try_from(row_major_index(index, &each.sizes)).ok());
        let uses = self.reads.as_ref().zip(cell).map(|(reads, cell)| reads.uses(array, cell));
        for &recorded_index in uses.unwrap_or_default() {
            for (i, each) in self.arrays.iter().enumerate().filter(|(_, each)| each.operand.is_none()) {
                let before = self.cells_before(i);
                if (before..before + count(&each.sizes)).contains(&recorded_index) {
                    let linear = i64::try_from(recorded_index - before).unwrap_or(i64::MAX);
                    let index = multi_index(linear, &each.sizes);
                    out[i].push(HighlightedCell { index, role: Role::Value, order: 0, times: 1 });
                }
            }
        }
        out
    }

    /// How a cell of a result was computed.
    pub fn derivation(&self, array: usize, index: &Dims) -> Option<Derivation> {
        let arithmetic = self.arithmetic.get(self.recorded_index(array, index)?)?;
        let parts = arithmetic.terms.iter().map(|term| {
            Some(match term {
                Term::Text(text) => Part::Plain(text.clone()),
                Term::Read(text, number) => {
                    Part::Read { text: text.clone(), source: 0, role: role_of_number(*number)? }
                }
                Term::More(count) => Part::Omitted(*count),
                Term::Result(text) => Part::Result(text.clone()),
            })
        });
        let roles = arithmetic.roles.iter().map(|number| role_of_number(*number));
        Some(Derivation {
            parts: parts.collect::<Option<_>>()?,
            reads: arithmetic.reads,
            roles: roles.collect::<Option<_>>()?,
            update_label: arithmetic.update_label.clone(),
        })
    }
}

/// The sizes of an array. Those of a malformed shape are not used: its reads are malformed, too.
fn sizes(array: &Array) -> Dims {
    array.shape().map(|shape| shape.dimensions).unwrap_or_default()
}

/// The number of elements of an array of these sizes.
fn count(sizes: &[i64]) -> usize {
    usize::try_from(sizes.iter().product::<i64>()).unwrap_or(usize::MAX)
}
