//! One array, ready to be drawn: memory layout, values and colours of its cells.
//!
//! Nothing is stored per cell: letters, numbers and pseudo-random values are functions of the index, so that the cost
//! of a large array is that of its visible part.

use std::sync::Arc;

use super::colour_map::ColourMap;
use super::pixels;
use super::scene::Rgb;
use super::slot_scale::Scale;
use super::value_colours::{of_non_finite, swatches};
use crate::options::ColourBy;
use xla_array::index::{offset_of, row_major_strides};
use xla_array::memory::{MemoryMap, SlotKind};
use xla_array::value::{Value, ValueRange, fields};
use xla_array::values::{ReadUserText, ValueRule, ValueSource, ValuesError, read_user_text};
use xla_array::{ArrayLiteral, ArrayShape, Dims, ElementType, PaddingValue, TileDim};
use xla_messages::bug::OrBug as _;
use xla_messages::compact::contains;

/// The magnitudes that are written without an exponent.
const PLAIN_MAGNITUDES: (f64, f64) = (1e-4, 1e15);

/// The text for an unknown value.
pub const UNKNOWN: &str = "?";

/// One array, ready to be drawn.
#[derive(Clone, Debug)]
pub struct ArrayView {
    shape: ArrayShape,
    map: MemoryMap,
    source: ValueSource,
    /// Row-major strides, in elements.
    row_major_strides: Dims,
    colour_by: ColourBy,
    colours: &'static [Rgb; 256],
    /// The values of the first and the last colour.
    range: Option<(f64, f64)>,
    values_error: Option<ValuesError>,
    /// Whether cells large enough to show their values have no colours.
    hides_value_colours: bool,
    /// Whether colours encode values and there is a NaN, +inf and -inf.
    non_finite: [bool; 3],
}

impl ArrayView {
    /// The array of a valid shape with these values. `sequential` is the colour map for non-negative values; others use
    /// a diverging one.
    pub fn new(
        shape: &ArrayShape,
        values: &ValueRule,
        colour_by: ColourBy,
        sequential: ColourMap,
    ) -> Option<Self> {
        Self::with_reader(shape, values, colour_by, sequential, Some(read_user_text))
    }

    /// Like [`ArrayView::new`]; without a reader, typed values are unknown.
    pub fn with_reader(
        shape: &ArrayShape,
        values: &ValueRule,
        colour_by: ColourBy,
        sequential: ColourMap,
        read: Option<ReadUserText>,
    ) -> Option<Self> {
        let map = MemoryMap::new(shape).ok()?;
        let (source, values_error) = match ValueSource::with_reader(values, shape, read) {
            Ok(source) => (source, None),
            Err(values_error) => (ValueSource::unknown(shape.element_type), Some(values_error)),
        };
        // Unknown values have no colour.
        let colour_by = if source.is_unknown() { ColourBy::Slot } else { colour_by };
        Some(Self::from_parts(shape, map, source, values_error, (colour_by, None), sequential))
    }

    /// The array of a literal.
    pub fn from_literal(literal: Arc<ArrayLiteral>, colour_by: ColourBy, sequential: ColourMap) -> Self {
        let range = (colour_by == ColourBy::Value).then(|| literal.value_range());
        Self::with_range(literal, range, colour_by, sequential)
    }

    /// Like [`ArrayView::from_literal`], with the known range of its values, or of those of the whole array that it is a part of.
    pub fn from_literal_with_range(
        literal: Arc<ArrayLiteral>,
        range: ValueRange,
        colour_by: ColourBy,
        sequential: ColourMap,
    ) -> Self {
        Self::with_range(literal, Some(range), colour_by, sequential)
    }

    fn with_range(
        literal: Arc<ArrayLiteral>,
        range: Option<ValueRange>,
        colour_by: ColourBy,
        sequential: ColourMap,
    ) -> Self {
        let (shape, map) = (literal.shape().clone(), literal.memory_map().clone());
        let source = ValueSource::from_literal(literal);
        Self::from_parts(&shape, map, source, None, (colour_by, range), sequential)
    }

    fn from_parts(
        shape: &ArrayShape,
        map: MemoryMap,
        source: ValueSource,
        values_error: Option<ValuesError>,
        (colour_by, range): (ColourBy, Option<ValueRange>),
        sequential: ColourMap,
    ) -> Self {
        let mut view = Self {
            shape: shape.clone(),
            map,
            source,
            row_major_strides: row_major_strides(&shape.dimensions),
            colour_by,
            colours: ColourMap::Batlow.table(),
            range: None,
            non_finite: [false; 3],
            values_error,
            hides_value_colours: false,
        };
        if colour_by == ColourBy::Value {
            let ValueRange { finite, non_finite } = range.unwrap_or_else(|| view.value_range());
            let is_signed = finite.is_some_and(|(low, _)| low < 0.0);
            view.range = finite.map(|(low, high)| {
                let max_magnitude = high.max(-low);
                if is_signed { (-max_magnitude, max_magnitude) } else { (low, high) }
            });
            view.non_finite = non_finite;
            view.colours = if is_signed { ColourMap::Vik.table() } else { sequential.table() };
        }
        view
    }

    /// Omits colours of cells that are large enough to show their values, so that highlights stand out.
    #[must_use]
    pub fn without_value_colours(mut self) -> Self {
        self.hides_value_colours = true;
        self
    }

    /// Whether cells large enough to show their values have no colours.
    pub fn hides_value_colours(&self) -> bool {
        self.hides_value_colours
    }

    /// Its memory layout.
    pub fn memory_map(&self) -> &MemoryMap {
        &self.map
    }

    /// Its shape and layout.
    pub fn shape(&self) -> &ArrayShape {
        &self.shape
    }

    /// The error of typed values that cannot be parsed; no element has a value then.
    pub fn values_error(&self) -> Option<&ValuesError> {
        self.values_error.as_ref()
    }

    /// Whether its elements have values; those of invalid text do not.
    pub fn has_values(&self) -> bool {
        !self.source.is_unknown()
    }

    /// The row-major index of an element.
    pub fn row_major_index(&self, index: &[i64]) -> i64 {
        offset_of(index, &self.row_major_strides)
    }

    /// The value of the element with this row-major index; letters have their indices as values.
    pub fn value(&self, row_major_index: i64) -> Value {
        self.source.value(row_major_index)
    }

    /// Whether elements are shown as letters.
    pub fn shows_letters(&self) -> bool {
        self.source.shows_letters()
    }

    /// The text of the cell at an index, with at most `max_chars` characters.
    pub fn label(&self, index: &[i64], max_chars: usize) -> String {
        if self.is_padding(index) {
            return self.padding_text();
        }
        if !self.has_values() {
            return UNKNOWN.to_owned();
        }
        let row_major_index = self.row_major_index(index);
        if self.shows_letters() {
            return letter_label(row_major_index);
        }
        self.value(row_major_index).short(self.shape.element_type, max_chars)
    }

    /// Like [`ArrayView::label`], but empty if the text does not fit: a number is rounded only after its point, and
    /// written with an exponent only if it is very large or small.
    pub fn fitting_label(&self, index: &[i64], max_chars: usize) -> String {
        let text = self.label(index, max_chars);
        let is_number = self.has_values() && !self.shows_letters() && !self.is_padding(index);
        let has_plain_magnitude = |value: Value| {
            let magnitude = value.real().abs();
            !matches!(value, Value::Pred(_)) && (PLAIN_MAGNITUDES.0..PLAIN_MAGNITUDES.1).contains(&magnitude)
        };
        let has_exponent = || {
            text.as_bytes().contains(&b'e') && has_plain_magnitude(self.value(self.row_major_index(index)))
        };
        if is_number && (contains(&text, "…") || has_exponent()) { String::new() } else { text }
    }

    fn is_padding(&self, index: &[i64]) -> bool {
        index.iter().zip(self.map.sizes()).any(|(e, size)| e >= size)
    }

    /// The value of padding cells, as text: `0`, `-inf`, `?` if it is unknown, empty if it is not set.
    pub fn padding_text(&self) -> String {
        let rule = self.padding_rule();
        match rule.and_then(|rule| Value::of_padding(rule, self.shape.element_type)) {
            Some(value) => value.short(self.shape.element_type, 6),
            None if rule == Some(PaddingValue::Unknown) => "?".to_owned(),
            None => String::new(),
        }
    }

    /// The padding value of the layout; `None` for tiles, whose padding is unspecified.
    pub fn padding_rule(&self) -> Option<PaddingValue> {
        self.shape.layout.as_ref()?.padding.as_ref().map(|p| p.value)
    }

    /// The stored bytes of an element in hexadecimal, lowest address first.
    pub fn bytes_text(&self, index: &[i64]) -> String {
        if !self.has_values() {
            return UNKNOWN.to_owned();
        }
        let value = self.value(self.row_major_index(index));
        fields::hex(self.shape.element_type, value)
    }

    /// The colour of an element.
    pub fn colour(&self, index: &[i64], slot: i64) -> Rgb {
        match self.colour_by {
            ColourBy::Slot => self.slot_colour(slot, self.map.slot_count()),
            ColourBy::Value => self.value_colour(index),
        }
    }

    fn slot_colour(&self, slot: i64, slot_count: i64) -> Rgb {
        self.colours[Scale::new(slot_count).entry(slot)]
    }

    fn value_colour(&self, index: &[i64]) -> Rgb {
        self.colour_of(self.source.value_at(index, || self.row_major_index(index)).real())
    }

    /// The colour of a number.
    fn colour_of(&self, value: f64) -> Rgb {
        let (low, high) = self.range.unwrap_or((0.0, 1.0));
        if let Some(colour) = of_non_finite(value) {
            return colour;
        }
        let t = pixels::clamped((value - low) / (high - low).max(f64::MIN_POSITIVE), 0.0, 1.0);
        // An infinite value in an infinite range has no ratio.
        let entry = if t.is_nan() { 0 } else { pixels::index_at(t * 255.0) };
        self.colours[usize::try_from(entry).or_bug(0, "a negative colour entry").min(255)]
    }

    /// The minimum and maximum finite value: exact for typed values, sampled for generated ones.
    fn value_range(&self) -> ValueRange {
        // One instance serves all iterators, on the page's first download.
        let range_of = |values: &mut dyn Iterator<Item = f64>| ValueRange::of(values);
        let last = self.map.elements() - 1;
        // Without padding, the cells in memory order are the elements. Fast enough for a million.
        let unpadded = self
            .source
            .literal()
            .filter(|literal| literal.memory_map().slot_count() == literal.memory_map().elements());
        if let Some(cells) = unpadded.and_then(ArrayLiteral::as_slice::<f32>) {
            return range_of(&mut cells.iter().map(|x| f64::from(*x)));
        }
        if self.source.is_literal() {
            return range_of(&mut (0..=last).map(|n| self.value(n).real()));
        }
        // Sampling suffices: generated values of narrow integers wrap, so that samples cover their range.
        let step = (last / 4_096).max(1);
        let sampled = (0..=last / step).map(|n| self.value(n * step).real());
        range_of(&mut sampled.chain((last >= 0).then(|| self.value(last).real())))
    }

    /// The colours of the elements at `rows` × `columns` (each a dimension and its indices), with the other indices as
    /// in `base`: RGBA, 4 bytes per pixel, row by row.
    pub fn raster(
        &self,
        base: &[i64],
        rows: (Option<usize>, &[i64]),
        columns: (Option<usize>, &[i64]),
    ) -> Vec<u8> {
        let scale = Scale::new(self.map.slot_count());
        let literal = self.source.literal().filter(|_| self.colour_by == ColourBy::Value);
        let map = literal.map_or(&self.map, ArrayLiteral::memory_map);
        // If the slot is a sum of one table entry per dimension, a pixel costs an addition and a look-up.
        if let (ColourBy::Slot, Some(tables)) = (self.colour_by, map.tables()) {
            let term = |d: usize, e: i64| entry(&tables[d], e);
            return raster_of_sums(base, rows, columns, &term, &|slot| self.colours[scale.entry(slot)]);
        }
        if let (Some(literal), Some(tables)) = (literal, map.tables()) {
            let term = |d: usize, e: i64| entry(&tables[d], e);
            let cells = literal.as_slice::<f32>();
            return raster_of_sums(base, rows, columns, &term, &|slot| {
                let cell = cells.and_then(|cells| cells.get(usize::try_from(slot).ok()?));
                let value = || literal.at_slot(slot).map_or(0.0, Value::real);
                self.colour_of(cell.map_or_else(value, |x| f64::from(*x)))
            });
        }
        if self.colour_by == ColourBy::Value && literal.is_none() {
            let term = |d: usize, e: i64| e.saturating_mul(self.row_major_strides[d]);
            return raster_of_sums(base, rows, columns, &term, &|n| self.colour_of(self.value(n).real()));
        }
        let mut rgba = Vec::with_capacity(rows.1.len() * columns.1.len() * 4);
        let mut index = Dims::from_slice(base);
        for row in rows.1 {
            if let Some(d) = rows.0 {
                index[d] = *row;
            }
            for column in columns.1 {
                if let Some(d) = columns.0 {
                    index[d] = *column;
                }
                let slot = map.slot(&index).or_bug(0, "a drawn element without a slot");
                let Rgb([r, g, b]) = match literal {
                    Some(literal) => self.colour_of(literal.at_slot(slot).map_or(0.0, Value::real)),
                    None => self.colours[scale.entry(slot)],
                };
                rgba.extend_from_slice(&[r, g, b, 255]);
            }
        }
        rgba
    }

    /// The size of the outermost tile along logical dimension `d`, if tiles do not combine dimensions.
    pub fn tile_edge(&self, d: usize) -> Option<i64> {
        let layout = self.shape.layout.as_ref()?;
        let tile = layout.tiles.first()?;
        if tile.0.contains(&TileDim::Combine) {
            return None;
        }
        let position = self.map.minor_to_major().iter().position(|e| *e == d)?;
        match tile.0.iter().rev().nth(position)? {
            TileDim::Size(size) => Some(*size),
            TileDim::Combine => None,
        }
    }

    /// Per dimension, the number of indices past the last one that complete the last of the outermost tiles.
    pub fn tile_padding(&self) -> Dims {
        let edge = |d: usize| self.tile_edge(d).filter(|edge| *edge > 0).unwrap_or(1);
        let sizes = self.map.padded_sizes().iter().enumerate();
        sizes.map(|(d, size)| (-size).rem_euclid(edge(d))).collect()
    }

    /// The property that colours encode.
    pub fn colour_by(&self) -> ColourBy {
        self.colour_by
    }

    /// The colours from lowest to highest, and the texts of the lowest and the highest value.
    pub fn legend(&self) -> Option<(Vec<Rgb>, String, String)> {
        Some(match self.colour_by {
            ColourBy::Slot => {
                let slot_count = self.map.slot_count();
                let scale = Scale::new(9);
                let colours = (0..=8).map(|step| self.colours[scale.entry(step)]).collect();
                (colours, "0".to_owned(), (slot_count - 1).max(0).to_string())
            }
            ColourBy::Value => {
                let colours = self.colours.iter().step_by(31).copied().collect();
                let text = |v: f64| Value::Float(v).short(ElementType::F32, 8);
                let (low, high) = self.range?;
                (colours, text(low), text(high))
            }
        })
    }

    /// The values that are not finite and have colours of their own, as text with their colours; those that the array has.
    pub fn non_finite(&self) -> impl Iterator<Item = (&'static str, Rgb)> {
        swatches(self.non_finite)
    }

    /// The kind of a slot, and the index of its cell if it has one.
    pub fn slot_content(&self, slot: i64) -> (SlotKind, Dims) {
        let mut index = Dims::from_elem(0, self.map.rank());
        (self.map.index_of(slot, &mut index), index)
    }
}

/// An entry of a table of [`MemoryMap::tables`].
fn entry(table: &[i64], e: i64) -> i64 {
    usize::try_from(e).ok().and_then(|e| table.get(e)).copied().or_bug(0, "an index out of bounds")
}

/// [`ArrayView::raster`] for colours that depend on a sum of one term per dimension, `term(dimension, index)`.
fn raster_of_sums(
    base: &[i64],
    (row_dimension, rows): (Option<usize>, &[i64]),
    (column_dimension, columns): (Option<usize>, &[i64]),
    term: &dyn Fn(usize, i64) -> i64,
    colour: &dyn Fn(i64) -> Rgb,
) -> Vec<u8> {
    let mut rgba = Vec::with_capacity(rows.len() * columns.len() * 4);
    let is_fixed = |d: &usize| Some(*d) != row_dimension && Some(*d) != column_dimension;
    let fixed_sum: i64 = (0..base.len()).filter(is_fixed).map(|d| term(d, base[d])).sum();
    let optional_term = |d: Option<usize>, e: i64| d.map_or(0, |d| term(d, e));
    let columns: Vec<i64> = columns.iter().map(|e| optional_term(column_dimension, *e)).collect();
    for row in rows {
        let start = fixed_sum + optional_term(row_dimension, *row);
        for column in &columns {
            let Rgb([r, g, b]) = colour(start + column);
            rgba.extend_from_slice(&[r, g, b, 255]);
        }
    }
    rgba
}

/// The letters of an element: a, b … z, aa, ab …, starting with `a` for 0.
pub fn letter_label(number: i64) -> String {
    let mut out = Vec::new();
    let mut rest = number.max(0) + 1;
    while rest > 0 {
        rest -= 1;
        out.push(b'a' + u8::try_from(rest % 26).or_bug(0, "a remainder of 26 fits in u8"));
        rest /= 26;
    }
    out.reverse();
    String::from_utf8(out).or_bug(String::new(), "letters that are not UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour_map::{INFINITY_COLOUR, NAN_COLOUR, NEGATIVE_INFINITY_COLOUR};
    use xla_array::text;

    #[test]
    fn numbers_that_do_not_fit_are_omitted() {
        let label = |shape: &str, values: &str, max_chars: usize| {
            let shape = text::parse(shape).valid().unwrap().as_array().unwrap().clone();
            let values = ValueRule::Text(values.to_owned());
            let array = ArrayView::new(&shape, &values, ColourBy::Slot, ColourMap::Viridis).unwrap();
            array.fitting_label(&[0], max_chars)
        };
        assert_eq!(label("s32[1]", "{419999}", 6), "419999");
        assert_eq!(label("s32[1]", "{419999}", 5), "", "not 4.2e5");
        assert_eq!(label("f32[1]", "{419999.5}", 5), "");
        assert_eq!(label("f32[1]", "{0.123456}", 4), "0.12");
        assert_eq!(label("f32[1]", "{1e30}", 5), "1e30");
        assert_eq!(label("f32[1]", "{0}", 1), "0");
        assert_eq!(label("f32[1]", "{-inf}", 4), "-inf");
        assert_eq!(label("pred[1]", "{true}", 4), "true");
    }

    #[test]
    fn infinities_have_colours_of_their_own() {
        let shape = text::parse("f32[4]").valid().unwrap().as_array().unwrap().clone();
        let array = |values: &str, by: ColourBy| {
            let values = ValueRule::Text(values.to_owned());
            ArrayView::new(&shape, &values, by, ColourMap::Viridis).unwrap()
        };
        for values in ["{0, 3, inf, -inf}", "{-3, 3, inf, -inf}"] {
            let array = array(values, ColourBy::Value);
            let colours: Vec<Rgb> = (0..4).map(|n| array.colour(&[n], n)).collect();
            assert_eq!(colours[2..], [INFINITY_COLOUR, NEGATIVE_INFINITY_COLOUR], "{values}");
            assert!(!colours[..2].contains(&INFINITY_COLOUR), "{values}");
            let rgba = array.raster(&[0], (None, &[0]), (Some(0), &[0, 1, 2, 3]));
            assert_eq!(rgba[8..], [255, 90, 255, 255, 0, 0, 0, 255], "{values}");
            assert!(array.non_finite().eq([("inf", INFINITY_COLOUR), ("-inf", NEGATIVE_INFINITY_COLOUR)]));
        }
        assert!(array("{1, nan, 2, nan}", ColourBy::Value).non_finite().eq([("nan", NAN_COLOUR)]));
        assert_eq!(array("{1, 2, 3, 4}", ColourBy::Value).non_finite().count(), 0);
        assert_eq!(array("{inf, nan, 3, 4}", ColourBy::Slot).non_finite().count(), 0);
    }

    #[test]
    fn letters_continue_with_aa_after_z() {
        let labels: Vec<String> = [0, 5, 25, 26, 27, 701, 702].into_iter().map(letter_label).collect();
        assert_eq!(labels, ["a", "f", "z", "aa", "ab", "zz", "aaa"]);
    }
}
