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
    /// The text of the term.
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
    /// "tile".
    pub tile: String,
    /// The label of the physical index (dimensions major to minor).
    pub physical: String,
    /// "within" (a tile).
    pub within: String,
}

/// The formula from an index to its slot. `None` if the index is out of bounds.
pub fn forward(map: &MemoryMap, tiles: &[Tile], index: &[i64], words: &Words) -> Option<Vec<Line>> {
    let slot = map.slot(index)?;
    if let Some(strides) = map.strides() {
        let mut lines = vec![vec![plain(format!("{} = Σ {} · {}", words.slot, words.index, words.stride))]];
        let mut line = vec![plain("= ")];
        for (d, (i, stride)) in index.iter().zip(&strides).enumerate() {
            if d > 0 {
                line.push(plain(" + "));
            }
            line.extend([in_dimension(d, i), plain("·"), in_dimension(d, stride)]);
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
    let mut lines = Vec::new();
    for (k, (level, dimensions)) in levels.iter().zip(dimensions_by_level(map, &levels)).enumerate() {
        if k > 0 {
            lines.extend(entering_line(&levels[k - 1], level));
            lines.extend(division_lines(level, &dimensions, words));
        }
        lines.push(level_line(level, &dimensions, tiles, words));
        if k + 1 == levels.len() {
            lines.push(strided_sum(level, &dimensions, slot, words));
        }
    }
    Some(lines)
}

/// The slot of an index as a sum of products, in one line: `slot = 0·1 + 2·3 = 6`. `None` if the index is out of bounds.
pub fn slot_sum(map: &MemoryMap, tiles: &[Tile], index: &[i64], words: &Words) -> Option<Line> {
    let last = forward(map, tiles, index, words)?.pop()?;
    if map.strides().is_none() {
        return Some(last);
    }
    Some([plain(format!("{} ", words.slot))].into_iter().chain(last).collect())
}

/// The logical dimension of each physical one; `None` for one that a tile added or that combines several.
type Dimensions = Vec<Option<usize>>;

/// The dimensions of each level, starting with the physical ones. A tile keeps the dimensions it does not cover, and splits
/// each of the others into the index of the tile and the index within it.
fn dimensions_by_level(map: &MemoryMap, levels: &[Level]) -> Vec<Dimensions> {
    let mut by_level: Vec<Dimensions> = Vec::new();
    for (k, level) in levels.iter().enumerate() {
        by_level.push(match k.checked_sub(1) {
            None => map.minor_to_major().iter().rev().map(|d| Some(*d)).collect(),
            Some(previous) if level.entering_sizes == levels[previous].sizes => {
                let previous = &by_level[previous];
                previous.iter().chain(&previous[previous.len() - level.tile_sizes.len()..]).copied().collect()
            }
            Some(_) => vec![None; level.sizes.len()],
        });
    }
    by_level
}

/// The index that a tile divides, if it is not that of the previous level: `= (57) / [64]` for dimensions combined by `*`.
fn entering_line(previous: &Level, level: &Level) -> Option<Line> {
    (previous.sizes != level.entering_sizes).then(|| {
        let mut line = vec![plain("= ")];
        line.extend(index_in_sizes(&level.entering_indices, &level.entering_sizes, &[]));
        line
    })
}

/// The division of one dimension by a tile.
struct Division {
    index: i64,
    size: i64,
    tile: i64,
    dimension: Option<usize>,
}

/// The divisions of the entering index by the tile. `dimensions` are those after tiling.
fn divisions<'a>(level: &'a Level, dimensions: &'a [Option<usize>]) -> impl Iterator<Item = Division> + 'a {
    let first = level.entering_indices.len() - level.tile_sizes.len();
    level.tile_sizes.iter().enumerate().map(move |(k, tile)| Division {
        index: level.entering_indices[first + k],
        size: level.entering_sizes[first + k],
        tile: (*tile).max(1),
        dimension: dimensions.get(first + k).copied().flatten(),
    })
}

/// The index of the tile, and the index within it: `tile ⌊9/8⌋ = 1, within 9 mod 8 = 1`.
fn division_lines(level: &Level, dimensions: &[Option<usize>], words: &Words) -> Vec<Line> {
    let lines = divisions(level, dimensions).map(|Division { index, tile, dimension, .. }| {
        let number = || Term { text: index.to_string(), dimension, strong: false };
        vec![
            plain(format!("{} ⌊", words.tile)),
            number(),
            plain(format!("/{tile}⌋ = ")),
            strong(&index.div_euclid(tile)),
            plain(", "),
            plain(format!("{} ", words.within)),
            number(),
            plain(format!(" mod {tile} = ")),
            strong(&index.rem_euclid(tile)),
        ]
    });
    lines.collect()
}

/// The inverse of [`division_lines`]: `1·8 + 1 = 9`, followed by `≥ 9` if that is padding of the tile.
fn product_lines(level: &Level, dimensions: &[Option<usize>]) -> Vec<Line> {
    let lines = divisions(level, dimensions).map(|Division { index, size, tile, dimension }| {
        let mut line = vec![
            plain(format!("{}·{tile} + {} = ", index.div_euclid(tile), index.rem_euclid(tile))),
            Term { text: index.to_string(), dimension, strong: dimension.is_none() },
        ];
        if index >= size {
            line.push(plain(format!(" ≥ {size}")));
        }
        line
    });
    lines.collect()
}

/// The index after one tiling step: `T(2,2)  (1,1,0,1) / [2,3,2,2]`.
fn level_line(level: &Level, dimensions: &[Option<usize>], tiles: &[Tile], words: &Words) -> Line {
    let name = match level.tile {
        None => format!("{}  ", words.physical),
        Some(t) => format!("{} {}  ", words.tile, tiles.get(t).map(ToString::to_string).unwrap_or_default()),
    };
    let mut line = vec![plain(name)];
    line.extend(index_in_sizes(&level.indices, &level.sizes, dimensions));
    line
}

/// An index and its sizes: `(1, 1) / [2,3]`.
fn index_in_sizes(indices: &[i64], sizes: &[i64], dimensions: &[Option<usize>]) -> Line {
    let mut line = list("(", indices, ", ", dimensions);
    line.extend(list(") / [", sizes, ",", dimensions));
    line.push(plain("]"));
    line
}

fn list(opening: &str, numbers: &[i64], between: &str, dimensions: &[Option<usize>]) -> Line {
    let mut line = vec![plain(opening)];
    for (k, number) in numbers.iter().enumerate() {
        if k > 0 {
            line.push(plain(between));
        }
        let dimension = dimensions.get(k).copied().flatten();
        line.push(Term { text: number.to_string(), dimension, strong: false });
    }
    line
}

/// The sum of products with the physical strides: `slot = 1·12 + 1·4 + 0·2 + 1·1 = 17`.
fn strided_sum(level: &Level, dimensions: &[Option<usize>], slot: i64, words: &Words) -> Line {
    let strides = row_major_strides(&level.sizes);
    let mut line = vec![plain(format!("{} = ", words.slot))];
    for (k, (i, stride)) in level.indices.iter().zip(&strides).enumerate() {
        if k > 0 {
            line.push(plain(" + "));
        }
        let dimension = dimensions.get(k).copied().flatten();
        line.push(Term { text: i.to_string(), dimension, strong: false });
        line.push(plain(format!("·{stride}")));
    }
    line.push(plain(" = "));
    line.push(strong(&slot));
    line
}

/// The formula from a slot to its index. `None` if the slot is out of bounds, or padding without any index.
pub fn backward(map: &MemoryMap, tiles: &[Tile], slot: i64, words: &Words) -> Option<Vec<Line>> {
    let mut index = Dims::from_elem(0, map.rank());
    if !(0..map.slot_count()).contains(&slot) {
        return None;
    }
    let kind = map.index_of(slot, &mut index);
    if let Some(strides) = map.strides() {
        if kind == SlotKind::UnindexedPadding {
            return None;
        }
        let lines = (0..map.rank()).map(|d| {
            let (stride, size) = (strides[d], map.padded_sizes()[d]);
            vec![
                in_dimension(d, &format!("d{d}")),
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
    let levels = map.inverse_levels(slot);
    let mut lines = slot_division_lines(levels.first()?, slot);
    // Tile padding has no index, and so no logical dimensions.
    let dimensions = match kind {
        SlotKind::UnindexedPadding => vec![Dimensions::new(); levels.len()],
        _ => dimensions_by_level(map, &map.levels(&index)),
    };
    for (k, (level, dimensions)) in levels.iter().zip(dimensions.iter().rev()).enumerate() {
        lines.push(level_line(level, dimensions, tiles, words));
        if level.tile.is_some() {
            lines.extend(product_lines(level, dimensions));
            lines.extend(levels.get(k + 1).and_then(|before| entering_line(before, level)));
        }
    }
    if kind != SlotKind::UnindexedPadding {
        let mut line = vec![plain(format!("{} = ", words.index))];
        let all: Dimensions = (0..index.len()).map(Some).collect();
        line.extend(list("(", &index, ", ", &all));
        line.push(plain(")"));
        lines.push(line);
    }
    Some(lines)
}

/// The slot divided by the strides after the last tile: `⌊17/4⌋ mod 3 = 1`, one line per dimension of size > 1.
fn slot_division_lines(level: &Level, slot: i64) -> Vec<Line> {
    let strides = row_major_strides(&level.sizes);
    let nontrivial = level.sizes.iter().zip(&strides).zip(&level.indices).filter(|((size, _), _)| **size > 1);
    let lines = nontrivial.enumerate().map(|(k, ((size, stride), i))| {
        let quotient = if *stride > 1 { format!("⌊{slot}/{stride}⌋") } else { slot.to_string() };
        // There is nothing to divide by the outermost size.
        let rest = if k > 0 { format!(" mod {size}") } else { String::new() };
        vec![plain(format!("{quotient}{rest} = ")), strong(i)]
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use xla_array::text;

    fn words() -> Words {
        Words {
            slot: "slot".to_owned(),
            index: "index".to_owned(),
            stride: "stride".to_owned(),
            tile: "tile".to_owned(),
            physical: "physical".to_owned(),
            within: "within".to_owned(),
        }
    }

    fn map(shape: &str) -> (MemoryMap, Vec<Tile>) {
        let shape = text::parse(shape).valid().unwrap().as_array().unwrap().clone();
        (MemoryMap::new(&shape).unwrap(), shape.layout.unwrap().tiles.to_vec())
    }

    fn texts(lines: &[Line]) -> Vec<String> {
        lines.iter().map(|line| line.iter().map(|term| term.text.as_str()).collect()).collect()
    }

    #[test]
    fn tiles_divide_the_index_and_the_inverse_multiplies() {
        let (map, tiles) = map("bf16[16,256]{1,0:T(8,128)(2,1)}");
        let lines = forward(&map, &tiles, &[9, 130], &words()).unwrap();
        assert_eq!(
            texts(&lines),
            [
                "physical  (9, 130) / [16,256]",
                "tile ⌊9/8⌋ = 1, within 9 mod 8 = 1",
                "tile ⌊130/128⌋ = 1, within 130 mod 128 = 2",
                "tile (8,128)  (1, 1, 1, 2) / [2,2,8,128]",
                "tile ⌊1/2⌋ = 0, within 1 mod 2 = 1",
                "tile ⌊2/1⌋ = 2, within 2 mod 1 = 0",
                "tile (2,1)  (1, 1, 0, 2, 1, 0) / [2,2,4,128,2,1]",
                "slot = 1·2048 + 1·1024 + 0·256 + 2·2 + 1·1 + 0·1 = 3077",
            ]
        );
        let back = backward(&map, &tiles, 3077, &words()).unwrap();
        assert_eq!(
            texts(&back),
            [
                "⌊3077/2048⌋ = 1",
                "⌊3077/1024⌋ mod 2 = 1",
                "⌊3077/256⌋ mod 4 = 0",
                "⌊3077/2⌋ mod 128 = 2",
                "3077 mod 2 = 1",
                "tile (2,1)  (1, 1, 0, 2, 1, 0) / [2,2,4,128,2,1]",
                "0·2 + 1 = 1",
                "2·1 + 0 = 2",
                "tile (8,128)  (1, 1, 1, 2) / [2,2,8,128]",
                "1·8 + 1 = 9",
                "1·128 + 2 = 130",
                "physical  (9, 130) / [16,256]",
                "index = (9, 130)",
            ]
        );
    }

    #[test]
    fn terms_have_the_colour_of_their_dimension_through_all_tiles() {
        let (map, tiles) = map("f32[16,256]{0,1:T(8,128)}");
        let lines = forward(&map, &tiles, &[9, 130], &words()).unwrap();
        let dimensions = |line: &Line| line.iter().filter_map(|term| term.dimension).collect::<Vec<_>>();
        assert_eq!(dimensions(&lines[0]), [1, 0, 1, 0], "the array is column-major");
        assert_eq!(dimensions(&lines[1]), [1, 1]);
        assert_eq!(dimensions(&lines[3]), [1, 0, 1, 0, 1, 0, 1, 0]);
    }

    #[test]
    fn combined_dimensions_show_the_index_that_is_divided() {
        let (map, tiles) = map("f32[4,16]{1,0:T(*,8)}");
        let lines = forward(&map, &tiles, &[3, 9], &words()).unwrap();
        assert_eq!(
            texts(&lines)[..4],
            [
                "physical  (3, 9) / [4,16]",
                "= (57) / [64]",
                "tile ⌊57/8⌋ = 7, within 57 mod 8 = 1",
                "tile (*,8)  (7, 1) / [8,8]",
            ]
        );
        let back = texts(&backward(&map, &tiles, 57, &words()).unwrap());
        assert!(back.ends_with(&[
            "7·8 + 1 = 57".to_owned(),
            "= (57) / [64]".to_owned(),
            "physical  (3, 9) / [4,16]".to_owned(),
            "index = (3, 9)".to_owned(),
        ]));
    }

    #[test]
    fn the_inverse_of_a_tile_padding_slot_is_an_index_outside_the_array() {
        let (map, tiles) = map("f32[3,5]{1,0:T(2,2)}");
        let back = texts(&backward(&map, &tiles, 9, &words()).unwrap());
        assert_eq!(back.last().unwrap(), "2·2 + 1 = 5 ≥ 5");
    }
}
