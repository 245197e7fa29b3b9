//! The arithmetic between an index and its memory slot, in live numbers, both ways.
//!
//! A formula is a list of lines of [`Term`]s: text with the dimension it belongs to, so that each number can be
//! shown in its dimension's colour. Source: "Shapes and layout", and for tiles "Tiled layout" of today's XLA.

use xla_array::index::row_major_strides;
use xla_array::memory::{Level, MemoryMap, SlotKind};
use xla_array::{Dims, Tile};

/// A piece of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What is written.
    pub text: String,
    /// The dimension it belongs to, which gives it its colour.
    pub dimension: Option<usize>,
    /// A result.
    pub strong: bool,
}

/// One line of a formula.
pub type Line = Vec<Term>;

fn plain(text: impl Into<String>) -> Term {
    Term { text: text.into(), dimension: None, strong: false }
}

fn of(d: usize, text: &impl ToString) -> Term {
    Term { text: text.to_string(), dimension: Some(d), strong: false }
}

fn strong(text: &impl ToString) -> Term {
    Term { text: text.to_string(), dimension: None, strong: true }
}

/// The words a formula needs, in the reader's language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// "slot".
    pub slot: String,
    /// "index".
    pub index: String,
    /// "stride".
    pub stride: String,
    /// "dim".
    pub dim: String,
    /// "tile".
    pub tile: String,
    /// "order" (of memory, major to minor).
    pub physical: String,
}

/// From an index to its slot. `None` where the index is outside.
pub fn forward(map: &MemoryMap, tiles: &[Tile], index: &[i64], words: &Words) -> Option<Vec<Line>> {
    let slot = map.slot(index)?;
    if let Some(strides) = map.strides() {
        let mut lines = vec![vec![plain(format!("{} = Σ {} · {}", words.slot, words.index, words.stride))]];
        let mut line = vec![plain("= ")];
        for (d, (e, stride)) in index.iter().zip(&strides).enumerate() {
            if d > 0 {
                line.push(plain(" + "));
            }
            line.extend([of(d, e), plain("·"), of(d, stride)]);
        }
        if index.is_empty() {
            line.push(plain("0"));
        } else {
            line.push(plain(" = "));
            line.push(strong(&slot));
        }
        lines.push(line);
        return Some(lines);
    }
    let levels = map.levels(index);
    let mut lines: Vec<Line> = levels.iter().map(|level| level_line(map, tiles, level, words)).collect();
    if let Some(last) = levels.last() {
        lines.push(horner(last, slot, words));
    }
    Some(lines)
}

/// "T(2,2)  (1,1,0,1) of [2,3,2,2]": where the index is after one tile.
fn level_line(map: &MemoryMap, tiles: &[Tile], level: &Level, words: &Words) -> Line {
    let mut line = match level.tile {
        None => vec![plain(format!("{}  ", words.physical))],
        Some(t) => {
            let tile = tiles.get(t).map(ToString::to_string).unwrap_or_default();
            vec![plain(format!("{} {tile}  ", words.tile))]
        }
    };
    line.push(plain("("));
    // Before any tile, physical dimension k is logical dimension minor_to_major[rank - 1 - k].
    let logical = |k: usize| {
        let order = map.minor_to_major();
        (level.tile.is_none() && level.indices.len() == order.len()).then(|| order[order.len() - 1 - k])
    };
    for (k, e) in level.indices.iter().enumerate() {
        if k > 0 {
            line.push(plain(", "));
        }
        line.push(Term { text: e.to_string(), dimension: logical(k), strong: false });
    }
    line.push(plain(") / ["));
    for (k, size) in level.sizes.iter().enumerate() {
        if k > 0 {
            line.push(plain(","));
        }
        line.push(Term { text: size.to_string(), dimension: logical(k), strong: false });
    }
    line.push(plain("]"));
    line
}

/// "slot = ((1·3 + 1)·2 + 0)·2 + 1 = 17", as a sum of products with the final strides.
fn horner(level: &Level, slot: i64, words: &Words) -> Line {
    let strides = row_major_strides(&level.sizes);
    let mut line = vec![plain(format!("{} = ", words.slot))];
    for (k, (e, stride)) in level.indices.iter().zip(&strides).enumerate() {
        if k > 0 {
            line.push(plain(" + "));
        }
        line.push(plain(format!("{e}·{stride}")));
    }
    line.push(plain(" = "));
    line.push(strong(&slot));
    line
}

/// From a slot back to its index. `None` outside memory, and in the tail that no index leads to.
pub fn backward(map: &MemoryMap, tiles: &[Tile], slot: i64, words: &Words) -> Option<Vec<Line>> {
    let mut index = Dims::from_elem(0, map.rank());
    if !(0..map.slot_count()).contains(&slot) {
        return None;
    }
    let kind = map.index_of(slot, &mut index);
    if let Some(strides) = map.strides() {
        if kind == SlotKind::Unindexed {
            return None;
        }
        let lines = (0..map.rank()).map(|d| {
            let (stride, size) = (strides[d], map.padded_sizes()[d]);
            vec![
                of(d, &format!("{} {d}", words.dim)),
                plain(format!(" = ⌊{slot}/")),
                of(d, &stride),
                plain("⌋ mod "),
                of(d, &size),
                plain(" = "),
                strong(&index[d]),
            ]
        });
        return Some(lines.collect());
    }
    Some(map.inverse_levels(slot).iter().map(|level| level_line(map, tiles, level, words)).collect())
}
