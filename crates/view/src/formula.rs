//! The arithmetic from an index to its memory slot and back, with the actual numbers.
//!
//! A formula is a list of lines of [`Term`]s: text with its dimension, whose colour it is shown in. Source: XLA's
//! "Shapes and layout" and "Tiled layout" pages.

use xla_array::index::row_major_strides;
use xla_array::memory::{Level, MemoryMap, SlotKind};
use xla_array::{Dims, Tile};

/// A term of a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The text.
    pub text: String,
    /// The dimension whose colour it has.
    pub dimension: Option<usize>,
    /// Whether it is emphasized as a result.
    pub strong: bool,
}

/// One line of a formula.
pub type Line = Vec<Term>;

fn plain(text: impl Into<String>) -> Term {
    Term { text: text.into(), dimension: None, strong: false }
}

fn in_dimension(d: usize, text: &impl ToString) -> Term {
    Term { text: text.to_string(), dimension: Some(d), strong: false }
}

fn strong(text: &impl ToString) -> Term {
    Term { text: text.to_string(), dimension: None, strong: true }
}

/// The words of a formula in the user's language.
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

/// The formula from an index to its slot. `None` if the index is out of bounds.
pub fn forward(map: &MemoryMap, tiles: &[Tile], index: &[i64], words: &Words) -> Option<Vec<Line>> {
    let slot = map.slot(index)?;
    if let Some(strides) = map.strides() {
        let mut lines = vec![vec![plain(format!("{} = Σ {} · {}", words.slot, words.index, words.stride))]];
        let mut line = vec![plain("= ")];
        for (d, (e, stride)) in index.iter().zip(&strides).enumerate() {
            if d > 0 {
                line.push(plain(" + "));
            }
            line.extend([in_dimension(d, e), plain("·"), in_dimension(d, stride)]);
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
        lines.push(strided_sum(last, slot, words));
    }
    Some(lines)
}

/// The index after one tiling step: `T(2,2)  (1,1,0,1) / [2,3,2,2]`.
fn level_line(map: &MemoryMap, tiles: &[Tile], level: &Level, words: &Words) -> Line {
    let mut line = match level.tile {
        None => vec![plain(format!("{}  ", words.physical))],
        Some(t) => {
            let tile = tiles.get(t).map(ToString::to_string).unwrap_or_default();
            vec![plain(format!("{} {tile}  ", words.tile))]
        }
    };
    line.push(plain("("));
    // Before tiling, physical dimension k is logical dimension minor_to_major[rank - 1 - k].
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

/// The sum of products with the physical strides: `slot = 1·12 + 1·4 + 0·2 + 1·1 = 17`.
fn strided_sum(level: &Level, slot: i64, words: &Words) -> Line {
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

/// The formula from a slot to its index. `None` if the slot is out of bounds or has no index.
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
                in_dimension(d, &format!("{} {d}", words.dim)),
                plain(format!(" = ⌊{slot}/")),
                in_dimension(d, &stride),
                plain("⌋ mod "),
                in_dimension(d, &size),
                plain(" = "),
                strong(&index[d]),
            ]
        });
        return Some(lines.collect());
    }
    Some(map.inverse_levels(slot).iter().map(|level| level_line(map, tiles, level, words)).collect())
}
