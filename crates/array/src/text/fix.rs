//! Turns a violation into a diagnostic: its span in the text, and the edits that fix it.

use super::diagnostics::{excerpt, remove_message, write_message};
use super::spans::{ArraySpans, Property, SpanMap};
use crate::validate::{self, ShapePart, Violation};
use crate::{ArrayShape, Dynamic, Layout, Shape, TileDim};
use xla_messages::bug::OrBug as _;
use xla_messages::compact::sort_pairs;
use xla_messages::diagnostic::{Diagnostic, Edit, Hint, Span, sort_by_span};
use xla_messages::i18n::Message;

/// Maximum number of edits in a hint that reduces the sizes of a shape that is too large.
const MAX_SHRINK_EDITS: usize = 64;

/// The diagnostic of a rule that `shape`, read from `text`, violates.
pub(super) fn diagnostic(text: &str, shape: &Shape, spans: &SpanMap, violation: Violation) -> Diagnostic {
    let array = at_path(shape, &violation.path).zip(spans.array(&violation.path));
    let Some((array, spans)) = array else {
        return Diagnostic::error(Span::new(0, text.len()), violation.rule, violation.message);
    };
    let mut diagnostic = Diagnostic::error(spans.of(violation.part), violation.rule, violation.message);
    let fixer = Fixer { text, array, spans };
    diagnostic.hints = fixer.hints(violation.rule, violation.part);
    diagnostic
}

fn at_path<'s>(shape: &'s Shape, path: &[usize]) -> Option<&'s ArrayShape> {
    match (shape, path) {
        (Shape::Array(array), []) => Some(array),
        (Shape::Buffer(array), []) => Some(array),
        (Shape::Tuple(elements), [first, rest @ ..]) => at_path(elements.get(*first)?, rest),
        _ => None,
    }
}

/// The permutation with the valid entries of `minor_to_major` in their order, then the missing ones from
/// the highest dimension number to the lowest; negative numbers count from the end.
pub(super) fn complete_permutation(given: &[i64], rank: usize) -> Vec<i64> {
    let rank = i64::try_from(rank).or_bug(0, "a rank exceeds i64");
    let mut out: Vec<i64> = Vec::new();
    let mut missing: Vec<Option<i64>> = (0..rank).map(Some).collect();
    for d in given.iter().map(|d| if *d < 0 { d.saturating_add(rank) } else { *d }) {
        let entry = usize::try_from(d).ok().and_then(|d| missing.get_mut(d));
        out.extend(entry.and_then(Option::take));
    }
    out.extend(missing.into_iter().rev().flatten());
    out
}

struct Fixer<'t> {
    text: &'t str,
    array: &'t ArrayShape,
    spans: &'t ArraySpans,
}

impl Fixer<'_> {
    fn hints(&self, rule: &str, part: ShapePart) -> Vec<Hint> {
        let layout = self.array.layout.as_ref();
        match (part, layout) {
            // The size in memory of a `?` dimension is unknown: suggest a bound.
            (ShapePart::Dimension(d), _) if self.array.dynamic_of(d) == Dynamic::Unbounded => {
                vec![self.replace(self.spans.of(part), "<=4")]
            }
            (ShapePart::Dimension(d), _) => {
                // `i64::MIN`, which has no absolute value, becomes 0.
                let size = self.array.dimensions[d].checked_abs().unwrap_or(0);
                let bounded = self.array.dynamic_of(d) == Dynamic::Bounded;
                vec![self.replace(self.spans.of(part), &format!("{}{size}", if bounded { "<=" } else { "" }))]
            }
            (ShapePart::DimensionsFrom(d), _) => self.keep_first_dimensions(d),
            (ShapePart::Dimensions, _) => self.shrink(),
            (ShapePart::MinorToMajor, _) if rule == "layout-slots" => self.shrink(),
            (ShapePart::MinorToMajor | ShapePart::MinorToMajorEntry(_), Some(layout)) => {
                self.complete_minor_to_major(layout)
            }
            (ShapePart::Padded | ShapePart::PaddedEntry(_), Some(layout)) => {
                self.fix_padding(rule, part, layout)
            }
            (ShapePart::TailPaddingAlignment, _) => {
                let mut hints = self.without_property(Property::TailPaddingAlignment);
                if let Some(span) = self.spans.property(Property::TailPaddingAlignment) {
                    hints.insert(0, self.replace(span, "L(1)"));
                }
                hints
            }
            (ShapePart::IndexType, _) => self.without_property(Property::IndexType),
            (ShapePart::PointerType, _) => self.without_property(Property::PointerType),
            (ShapePart::PhysicalShape, _) => self.without_property(Property::PhysicalShape),
            (ShapePart::MetadataPrefix, _) => self.without_property(Property::MetadataPrefix),
            (ShapePart::ElementSize, Some(layout)) => {
                let mut hints = self.without_property(Property::ElementSize);
                let bits = layout.element_size_in_bits.saturating_abs();
                if let Some(span) = self.spans.property(Property::ElementSize).filter(|_| bits <= 128) {
                    hints.insert(0, self.replace(span, &format!("E({bits})")));
                }
                hints
            }
            (ShapePart::TilesFrom(t), _) => {
                let message = Message::new("limit-tiles-fix").with("count", t);
                vec![Hint::replace(message, self.spans.of(part), "")]
            }
            (ShapePart::TileSizesFrom(..), _) => {
                let message = Message::new("limit-tile-sizes-fix").with("count", validate::MAX_TILE_SIZES);
                vec![Hint::replace(message, self.spans.of(part), ")")]
            }
            (ShapePart::Tile(t), Some(layout)) => self.empty_tile(t, layout),
            (ShapePart::TileEntry(..), _) => vec![self.replace(self.spans.of(part), "1")],
            (ShapePart::Split(i), Some(layout)) => self.fix_split(rule, i, layout),
            (ShapePart::Tuple, _) | (_, None) => Vec::new(),
        }
    }

    fn replace(&self, span: Span, text: &str) -> Hint {
        if text.is_empty() {
            return Hint::replace(remove_message(excerpt(self.text, span)), span, "");
        }
        Hint::replace(write_message(text), span, text)
    }

    /// Removes a property: together with the colon if it is the only one, and with the braces if they have nothing else.
    fn without_property(&self, property: Property) -> Vec<Hint> {
        let Some(span) = self.spans.property(property) else { return Vec::new() };
        let only = self.spans.properties.len() == 1;
        let whole = match (only, self.spans.minor_to_major.is_empty()) {
            (true, true) => self.spans.layout,
            (true, false) => self.spans.colon.map(|colon| colon.join(span)),
            _ => None,
        };
        vec![self.replace(whole.unwrap_or(span), "")]
    }

    /// Keeps the first `count` dimensions. The layout, which also refers to the others, becomes the default one.
    fn keep_first_dimensions(&self, count: usize) -> Vec<Hint> {
        let mut array = self.array.clone();
        array.dimensions.truncate(count);
        array.dynamic.truncate(count);
        array.layout = None;
        let message = Message::new("limit-dimensions-fix").with("count", count);
        vec![Hint::replace(message, self.spans.whole, Shape::Array(array).to_string())]
    }

    /// Completes `minor_to_major`, which is no permutation: `layout-2` to `layout-4`.
    fn complete_minor_to_major(&self, layout: &Layout) -> Vec<Hint> {
        let Some(span) = self.spans.order() else { return Vec::new() };
        let order = complete_permutation(&layout.minor_to_major, self.array.rank());
        if order.is_empty() {
            let braces = self.spans.layout.filter(|_| self.spans.properties.is_empty());
            return vec![self.replace(braces.unwrap_or(span), "")];
        }
        vec![self.replace(span, &joined(&order))]
    }

    /// Fixes padded sizes, of which there is one per dimension (`layout-5`), at least its size (`layout-6`), and
    /// padding combined with tiles.
    fn fix_padding(&self, rule: &str, part: ShapePart, layout: &Layout) -> Vec<Hint> {
        let (Some(padding), Some(whole)) = (&layout.padding, self.spans.padding) else { return Vec::new() };
        let before = self.text.get(..whole.start).unwrap_or_default();
        let with_leading_space = Span::new(before.trim_end().len(), whole.end);
        let remove_padding = self.replace(with_leading_space, "");
        if rule == "layout-padded-tiled" {
            let mut hints = vec![remove_padding];
            hints.extend(self.without_property(Property::Tiles));
            return hints;
        }
        if let ShapePart::PaddedEntry(d) = part {
            return vec![
                self.replace(self.spans.of(part), &self.array.dimensions[d].to_string()),
                remove_padding,
            ];
        }
        let mut sizes = padding.dimensions.clone();
        sizes.truncate(self.array.rank());
        sizes.extend(self.array.dimensions.iter().skip(sizes.len()).map(|size| (*size).max(0)));
        if sizes.is_empty() {
            return vec![remove_padding];
        }
        // From the first entry of the text to the last; `layout-5` is about non-empty lists only.
        let entries = self.spans.padded.iter().copied().reduce(Span::join).unwrap_or(whole);
        vec![self.replace(entries, &joined(&sizes)), remove_padding]
    }

    /// Removes a tile without dimensions: `layout-9`.
    fn empty_tile(&self, t: usize, layout: &Layout) -> Vec<Hint> {
        let only = layout.tiles.len() == 1;
        match self.spans.tiles.get(t) {
            Some((span, _)) if !only => vec![self.replace(*span, "")],
            _ => self.without_property(Property::Tiles),
        }
    }

    /// Removes a split of an invalid dimension (`layout-12`), or keeps its valid indices (`layout-13`).
    fn fix_split(&self, rule: &str, i: usize, layout: &Layout) -> Vec<Hint> {
        let (Some(split), Some(span)) = (layout.split_configs.get(i), self.spans.splits.get(i)) else {
            return Vec::new();
        };
        let mut hints = if layout.split_configs.len() == 1 {
            self.without_property(Property::Splits)
        } else {
            vec![self.replace(*span, "")]
        };
        if rule == "layout-13" {
            let physical = usize::try_from(split.dimension).ok();
            let logical = physical.and_then(|p| layout.minor_to_major.iter().rev().nth(p));
            let size = logical.and_then(|d| self.array.dimensions.get(usize::try_from(*d).ok()?)).copied();
            let indices = split.indices.iter().copied().filter(|n| *n > 0 && size.is_some_and(|s| *n < s));
            let mut indices = sort_pairs(indices.map(|n| (n, n)).collect());
            indices.dedup();
            let indices: Vec<i64> = indices.into_iter().map(|(n, _)| n).collect();
            if !indices.is_empty() {
                hints.insert(0, self.replace(*span, &format!("({}:{})", split.dimension, joined(&indices))));
            }
        }
        hints
    }

    /// Reduces the largest number of an array that is too large, and the next largest, until it fits.
    fn shrink(&self) -> Vec<Hint> {
        let mut array = self.array.clone();
        let mut edits: Vec<Edit> = Vec::new();
        // Text with more numbers to reduce is fixed by applying the hint repeatedly.
        while edits.len() < MAX_SHRINK_EDITS
            && let Err(violation) = validate::array(&array)
            && matches!(violation.rule, "shape-3" | "layout-slots")
            && let Some(edit) = self.shrink_largest(&mut array)
        {
            edits.retain(|e| e.span != edit.span);
            edits.push(edit);
        }
        sort_by_span(&mut edits, |edit| edit.span);
        let Some(first) = edits.first() else { return Vec::new() };
        vec![Hint { message: write_message(&first.text), edits }]
    }

    fn shrink_largest(&self, array: &mut ArrayShape) -> Option<Edit> {
        let smaller = |n: i64| if n > 1024 { 1024 } else { 1 };
        let mut largest = (1, Span::default(), 0, NumberLocation::Dimension(0));
        let mut consider = |n: i64, span: Option<&Span>, location: NumberLocation| {
            if let Some(span) = span.filter(|_| n > largest.0) {
                largest = (n, *span, smaller(n), location);
            }
        };
        for (d, size) in array.dimensions.iter().enumerate() {
            consider(*size, self.spans.dimensions.get(d), NumberLocation::Dimension(d));
        }
        let tail = self.spans.property(Property::TailPaddingAlignment);
        let bits = self.spans.property(Property::ElementSize);
        if let Some(layout) = &array.layout {
            for (d, size) in layout.padding.iter().flat_map(|p| p.dimensions.iter().enumerate()) {
                // A padded size cannot be less than the size, which is reduced first.
                let floor = array.dimensions.get(d).copied().unwrap_or(0);
                if *size > floor {
                    consider(*size, self.spans.padded.get(d), NumberLocation::Padded(d));
                }
            }
            for (t, tile) in layout.tiles.iter().enumerate() {
                for (i, size) in tile.0.iter().enumerate() {
                    if let TileDim::Size(size) = size {
                        let span = self.spans.tiles.get(t).and_then(|(_, sizes)| sizes.get(i));
                        consider(*size, span, NumberLocation::Tile(t, i));
                    }
                }
            }
            consider(layout.tail_padding_alignment, tail.as_ref(), NumberLocation::TailAlignment);
            consider(layout.element_size_in_bits, bits.as_ref(), NumberLocation::ElementBits);
        }
        let (n, span, to, location) = largest;
        if n <= 1 {
            return None;
        }
        let layout = array.layout.as_mut();
        let text = match location {
            NumberLocation::Dimension(d) => {
                array.dimensions[d] = to;
                format!("{}{to}", if array.dynamic_of(d) == Dynamic::Bounded { "<=" } else { "" })
            }
            NumberLocation::Padded(d) => {
                let to = to.max(array.dimensions.get(d).copied().unwrap_or(0));
                layout?.padding.as_mut()?.dimensions[d] = to;
                to.to_string()
            }
            NumberLocation::Tile(t, i) => {
                layout?.tiles[t].0[i] = TileDim::Size(to);
                to.to_string()
            }
            NumberLocation::TailAlignment => {
                layout?.tail_padding_alignment = 1;
                "L(1)".to_owned()
            }
            NumberLocation::ElementBits => {
                let bits = i64::from(array.element_type.bits());
                layout?.element_size_in_bits = bits;
                if bits >= n {
                    return None;
                }
                format!("E({bits})")
            }
        };
        Some(Edit { span, text })
    }
}

/// The location of a number that can be too large.
#[derive(Clone, Copy)]
enum NumberLocation {
    Dimension(usize),
    Padded(usize),
    Tile(usize, usize),
    TailAlignment,
    ElementBits,
}

fn joined(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completes_a_permutation_from_its_valid_entries() {
        assert_eq!(complete_permutation(&[1], 2), [1, 0]);
        assert_eq!(complete_permutation(&[0, 0, 7], 3), [0, 2, 1]);
        assert_eq!(complete_permutation(&[-1, 0], 2), [1, 0]);
        assert_eq!(complete_permutation(&[i64::MIN], 1), [0]);
        assert_eq!(complete_permutation(&[3, 2], 0), [] as [i64; 0]);
    }
}
