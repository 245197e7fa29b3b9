//! `svg`: prints the picture that the app exports.

use std::io::Write;

use super::input::Input;
use super::output::Failure;
use crate::array::{MemoryMap, Shape};
use crate::diagnostic::{Diagnostic, Hint, Span};
use crate::i18n::Message;
use crate::state::document::{Document, check};
use crate::view::array_view::ArrayView;
use crate::view::colour_map::ColourMap;
use crate::view::export::picture;
use crate::view::highlights::SlotHighlights;
use crate::view::palette::Theme;
use crate::view::svg::svg;

/// Prints the picture of the array at index `leaf` of the shape.
pub(super) fn print(out: &mut impl Write, input: &Input, leaf: usize, dark: bool) -> Result<(), Failure> {
    let report = |rule, message, hint: Message| {
        let whole = Span::new(0, input.source.len());
        let diagnostic = Diagnostic::error(whole, rule, message).with_hint(Hint::advice(hint));
        Err(Failure::input(diagnostic, &input.source))
    };
    let document = Document { leaf, ..Document::with_shape(input.shape.clone()) };
    let leaves = document.leaves();
    let Some((path, array)) = leaves.get(leaf) else {
        let message = Message::terminal("cli-no-array").with("arrays", leaves.len());
        return report("cli-no-array", message, Message::terminal("cli-hint-one-array"));
    };
    if let Err(mut violation) = MemoryMap::new(array) {
        violation.path.clone_from(path);
        return Err(Failure::input(input.parsed.diagnose(&input.source, violation), &input.source));
    }
    let one = Shape::Array((*array).clone());
    if let Err(message) = check(&one) {
        return report("cli-limit", message, Message::terminal("cli-hint-smaller"));
    }
    let view = ArrayView::new(array, &document.values, document.view.colour, ColourMap::Viridis);
    let Some(view) = view else {
        return report(
            "cli-limit",
            Message::terminal("cli-unbounded"),
            Message::terminal("cli-hint-smaller"),
        );
    };
    print_view_svg(out, &document, &view, dark)
}

/// Prints the picture of a document that can be shown.
pub(super) fn print_svg(out: &mut impl Write, document: &Document, dark: bool) -> Result<(), Failure> {
    let view = document
        .array()
        .filter(|array| check(&Shape::Array((*array).clone())).is_ok())
        .and_then(|array| ArrayView::new(array, &document.values, document.view.colour, ColourMap::Viridis));
    match view {
        Some(view) => print_view_svg(out, document, &view, dark),
        None => Err(Failure::input(
            Diagnostic::error(Span::default(), "cli-limit", Message::terminal("cli-unbounded"))
                .with_hint(Hint::advice(Message::terminal("cli-hint-smaller"))),
            "",
        )),
    }
}

fn print_view_svg(
    out: &mut impl Write,
    document: &Document,
    view: &ArrayView,
    dark: bool,
) -> Result<(), Failure> {
    let highlights =
        SlotHighlights { cursor: Some(document.cursor), hover: None, pins: document.pins.clone() };
    let scene = picture(view, &document.view, &highlights, &Message::terminal("cache-line").to_string());
    let theme = if dark { Theme::dark() } else { Theme::light() };
    let title = document.shape.to_string();
    Ok(out.write_all(svg(&scene, &theme, &title, &Message::terminal("picture-of").to_string()).as_bytes())?)
}
