//! The diagnostic of a valid shape that is too large to show, with a fix that makes it fit.
//!
//! A fix is applied and checked before it is offered.

use super::document::{MAX_RANK, check};
use crate::array::text::{self, ArraySpans, Parsed};
use crate::array::{ArrayShape, Dynamic, Layout, Shape};
use crate::diagnostic::{Diagnostic, Edit, Hint, Span};
use crate::i18n::Message;

/// The diagnostic for `shape`, parsed from `text`, which [`check`] rejects with `message`.
pub fn diagnostic(text: &str, shape: &Shape, parsed: &Parsed, message: Message) -> Diagnostic {
    let too_large = parsed.spans.arrays.iter().find_map(|spans| {
        let array = leaf_at(shape, &spans.path)?;
        check(&Shape::Array(array.clone())).is_err().then_some((spans, array))
    });
    let rule = message.key;
    let Some((spans, array)) = too_large else {
        return Diagnostic::error(Span::new(0, text.len()), rule, message);
    };
    let diagnostic = Diagnostic::error(spans.whole, rule, message);
    let hint = shrink(array).and_then(|smaller| {
        let hint = single_size_hint(array, &smaller, spans).unwrap_or_else(|| {
            let printed = smaller.to_string();
            let label = Message::new("text-hint-write").with("text", printed.as_str());
            Hint::replace(label, spans.whole, printed)
        });
        fits_after(text, &hint, &spans.path).then_some(hint)
    });
    diagnostic.with_hint(hint.unwrap_or_else(|| Hint::advice(Message::new("limit-cells-hint"))))
}

/// The array reduced until it can be shown: an unbounded dimension gets a bound, dimensions beyond the limit are
/// removed, and the largest size is halved repeatedly. `None` if it is still too large, as with huge tiles.
fn shrink(array: &ArrayShape) -> Option<ArrayShape> {
    let mut array = array.clone();
    if array.rank() > MAX_RANK {
        let sizes = array.dimensions.iter().copied().take(MAX_RANK);
        array = ArrayShape::new(array.element_type, sizes).with_layout(Layout::descending(MAX_RANK));
    }
    for (size, dynamic) in array.dimensions.iter_mut().zip(array.dynamic.iter_mut()) {
        if *dynamic == Dynamic::Unbounded {
            (*size, *dynamic) = (DEFAULT_BOUND, Dynamic::Bounded);
        }
    }
    while check(&Shape::Array(array.clone())).is_err() {
        let padding = array.layout.as_mut().and_then(|layout| layout.padding.as_mut());
        let padded = padding.map_or(&mut array.dimensions, |padding| &mut padding.dimensions);
        let (d, largest) = padded.iter_mut().enumerate().max_by_key(|(_, size)| **size)?;
        if *largest < 2 {
            return None;
        }
        *largest /= 2;
        let largest = *largest;
        array.dimensions[d] = array.dimensions[d].min(largest);
    }
    Some(array)
}

/// The bound given to an unbounded dimension.
const DEFAULT_BOUND: i64 = 8;

/// A fix that edits the size of one dimension, if nothing else differs: it is the easiest to review.
fn single_size_hint(array: &ArrayShape, smaller: &ArrayShape, spans: &ArraySpans) -> Option<Hint> {
    let is_same_rank = array.rank() == smaller.rank() && array.dynamic == smaller.dynamic;
    let padded = |array: &ArrayShape, d: usize| {
        let padding = array.layout.as_ref().and_then(|layout| layout.padding.as_ref())?;
        padding.dimensions.get(d).copied()
    };
    let differs = |d: &usize| {
        array.dimensions[*d] != smaller.dimensions[*d] || padded(array, *d) != padded(smaller, *d)
    };
    let changed: Vec<usize> =
        if is_same_rank { (0..array.rank()).filter(differs).collect() } else { Vec::new() };
    let &[d] = changed.as_slice() else { return None };
    let size = smaller.dimensions[d];
    let bound = if smaller.dynamic_of(d) == Dynamic::Bounded { "<=" } else { "" };
    let mut edits = vec![Edit { span: *spans.dimensions.get(d)?, text: format!("{bound}{size}") }];
    if let Some(padded) = padded(smaller, d) {
        edits.push(Edit { span: *spans.padded.get(d)?, text: padded.to_string() });
    }
    let message = Message::new("limit-cells-fix").with("dimension", d).with("size", size);
    Some(Hint { message, edits })
}

/// Whether the array at `path` can be shown after the edits.
fn fits_after(text: &str, hint: &Hint, path: &[usize]) -> bool {
    let Some(fixed) = hint.apply(text) else { return false };
    let parsed = text::parse(&fixed);
    let array = parsed.valid().and_then(|shape| leaf_at(shape, path));
    array.is_some_and(|array| check(&Shape::Array(array.clone())).is_ok())
}

fn leaf_at<'a>(shape: &'a Shape, path: &[usize]) -> Option<&'a ArrayShape> {
    match (shape, path) {
        (Shape::Array(array), []) => Some(array),
        (Shape::Buffer(array), []) => Some(array),
        (Shape::Tuple(elements), [first, rest @ ..]) => leaf_at(elements.get(*first)?, rest),
        _ => None,
    }
}
