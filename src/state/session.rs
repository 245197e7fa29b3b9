//! One sitting: the document, the text in the spec bar, what is wrong with it, and undo.
//!
//! [`Session::apply`] is the only way anything changes. It answers what the link should do: steps and drags
//! replace it, edits push a new one (of typing the first letter does, the others replace), so that the browser's
//! back button undoes edits, not mouse moves.

use super::document::{ColourBy, Document, SlotText, Values, check};
use super::limit;
use crate::array::text::{self, Parsed};
use crate::array::{ElementType, Layout, PaddingValue, Tile};
use crate::diagnostic::{Hint, Severity};
use crate::i18n::Message;

/// Edits kept for undo.
const HISTORY: usize = 200;

/// A change the visitor asks for.
#[allow(clippy::large_enum_variant, reason = "one is made a click, and moved twice")]
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The spec bar's text while it is typed: takes effect at once where it is valid.
    Type(String),
    /// The typing is done: one step of undo.
    CommitText,
    /// A hint's edits are applied to the spec bar's text.
    ApplyHint(Hint),
    /// Another document: a preset or a link.
    Load(Box<Document>),
    /// The size of a dimension.
    Size(usize, i64),
    /// The padded size of a dimension.
    Padded(usize, i64),
    /// What padding cells hold.
    PaddingValue(PaddingValue),
    /// The element type.
    ElementType(ElementType),
    /// Moves one entry of `minor_to_major`.
    MoveInOrder {
        /// Its place now; 0 is the most minor.
        from: usize,
        /// Its place after.
        to: usize,
    },
    /// The tiles, in place of any padding.
    Tiles(Vec<Tile>),
    /// One more dimension, the most minor.
    AddDimension,
    /// One dimension less.
    RemoveDimension(usize),
    /// What the elements hold.
    Values(Values),
    /// Which array of a tuple is looked at.
    Leaf(usize),
    /// The layout to compare with, or none.
    Compare(Option<Layout>),
    /// What colours say.
    Colour(ColourBy),
    /// What slots show.
    SlotText(SlotText),
    /// Bytes of a cache line.
    LineBytes(i64),
    /// Dimensions drawn as rows and columns.
    Axes(usize, usize),
    /// A slider for an outer dimension.
    Position(usize, i64),
    /// Steps to a memory slot.
    Cursor(i64),
    /// Lights a slot for good, or no longer; with `add` the others stay lit.
    Pin {
        /// The slot.
        slot: i64,
        /// Keep the others.
        add: bool,
    },
    /// Nothing is lit any longer.
    ClearPins,
    /// Takes the last edit back.
    Undo,
    /// Takes the last undo back.
    Redo,
}

/// What the link in the address bar should do after an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkChange {
    /// Nothing changed.
    Keep,
    /// Changed in place.
    Replace,
    /// A new entry of the browser's history.
    Push,
}

/// One sitting.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    document: Document,
    /// The document before the typing that is under way.
    before_typing: Option<Document>,
    text: String,
    parsed: Parsed,
    /// Why the last edit was refused; the document is as it was before it.
    refusal: Option<Message>,
    past: Vec<Document>,
    future: Vec<Document>,
}

impl Session {
    /// A sitting that starts with this document.
    pub fn new(mut document: Document) -> Self {
        if document.settle().is_err() {
            document = Document::default();
        }
        let text = document.shape.to_string();
        let parsed = text::parse(&text);
        Self {
            document,
            before_typing: None,
            text,
            parsed,
            refusal: None,
            past: Vec::new(),
            future: Vec::new(),
        }
    }

    /// The document, always valid.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The text in the spec bar, which may be wrong.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as it was read, with its diagnostics and spans.
    pub fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    /// Why the last edit was refused.
    pub fn refusal(&self) -> Option<&Message> {
        self.refusal.as_ref()
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty() || self.before_typing.is_some()
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Carries out an action.
    pub fn apply(&mut self, action: Action) -> LinkChange {
        self.refusal = None;
        match action {
            Action::Type(text) => self.type_text(text),
            Action::CommitText => {
                self.commit_text();
                LinkChange::Keep
            }
            Action::ApplyHint(hint) => match hint.apply(&self.text) {
                Some(fixed) => {
                    let change = self.type_text(fixed);
                    if change != LinkChange::Keep {
                        self.commit_text();
                    }
                    change
                }
                None => LinkChange::Keep,
            },
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Cursor(slot) => self.look(|d| d.cursor = slot),
            Action::Pin { slot, add } => self.look(|d| toggle_pin(&mut d.pins, slot, add)),
            Action::ClearPins => self.look(|d| d.pins.clear()),
            Action::Position(d, index) => self.look(|document| document.set_position(d, index)),
            Action::Axes(rows, columns) => self.look(|d| d.view.axes = Some((rows, columns))),
            Action::Colour(colour) => self.look(|d| d.view.colour = colour),
            Action::SlotText(text) => self.look(|d| d.view.slot_text = text),
            Action::LineBytes(bytes) => self.look(|d| d.view.line_bytes = bytes),
            Action::Leaf(leaf) => self.look(|d| {
                (d.leaf, d.cursor, d.compare) = (leaf, 0, None);
                d.pins.clear();
                d.view.axes = None;
                d.view.positions.clear();
            }),
            edit => self.edit(edit),
        }
    }

    fn edit(&mut self, action: Action) -> LinkChange {
        let mut next = self.document.clone();
        let result = match action {
            Action::Load(document) => {
                next = *document;
                next.settle()
            }
            Action::Size(d, size) => next.set_size(d, size),
            Action::Padded(d, size) => next.set_padded(d, size),
            Action::PaddingValue(value) => next.set_padding_value(value),
            Action::ElementType(element_type) => next.edit(|a| a.element_type = element_type),
            Action::MoveInOrder { from, to } => next.move_in_order(from, to),
            Action::Tiles(tiles) => next.edit(|array| {
                if let Some(layout) = array.layout.as_mut() {
                    layout.padding = None;
                    layout.tiles = tiles.into_iter().collect();
                }
            }),
            Action::AddDimension => next.add_dimension(),
            Action::RemoveDimension(d) => next.remove_dimension(d),
            Action::Values(values) => {
                next.values = values;
                Ok(())
            }
            Action::Compare(layout) => {
                next.compare = layout;
                next.settle()
            }
            // The others are no edits; `apply` has dealt with them.
            _ => Ok(()),
        };
        match result {
            Ok(()) if next == self.document => LinkChange::Keep,
            Ok(()) => {
                self.remember();
                self.document = next;
                self.show_text();
                LinkChange::Push
            }
            Err(message) => {
                self.refusal = Some(message);
                LinkChange::Keep
            }
        }
    }

    /// Changes how the array is looked at, which is no step of undo.
    fn look(&mut self, change: impl Fn(&mut Document)) -> LinkChange {
        if let Some(before) = self.before_typing.as_mut() {
            // Typing goes on from there: what is looked at meanwhile must not be lost with the next letter.
            change(before);
            let _ = before.settle();
        }
        let mut next = self.document.clone();
        change(&mut next);
        // Looking never breaks a rule: `settle` only brings numbers into range.
        if next.settle().is_err() || next == self.document {
            return LinkChange::Keep;
        }
        self.document = next;
        LinkChange::Replace
    }

    fn type_text(&mut self, text: String) -> LinkChange {
        self.parsed = text::parse(&text);
        self.text = text;
        let Some(shape) = self.parsed.shape.clone().filter(|_| !self.has_errors()) else {
            return LinkChange::Keep;
        };
        if let Err(message) = check(&shape) {
            self.parsed.diagnostics.push(limit::diagnostic(&self.text, &shape, &self.parsed, message));
            return LinkChange::Keep;
        }
        if shape == self.document.shape {
            return LinkChange::Keep;
        }
        // Each letter starts anew from before the typing: what a shape on the way has no room for (pins, the
        // layout to compare with) is there again where the last one has.
        let begins = self.before_typing.is_none();
        let mut next = self.before_typing.get_or_insert_with(|| self.document.clone()).clone();
        next.shape = shape;
        // The shape was checked; this only brings the rest into range.
        let _ = next.settle();
        self.document = next;
        // The first letter makes the entry of the history that the others change.
        if begins { LinkChange::Push } else { LinkChange::Replace }
    }

    fn has_errors(&self) -> bool {
        self.parsed.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    /// Makes what was typed one step of undo, and shows it as the shape is printed.
    fn commit_text(&mut self) {
        if !self.has_errors() {
            self.show_text();
        }
        if let Some(before) = self.before_typing.take().filter(|before| before.shape != self.document.shape) {
            self.push_past(before);
        }
    }

    fn remember(&mut self) {
        let before = self.before_typing.take().unwrap_or_else(|| self.document.clone());
        self.push_past(before);
    }

    fn push_past(&mut self, document: Document) {
        if self.past.len() == HISTORY {
            self.past.remove(0);
        }
        self.past.push(document);
        self.future.clear();
    }

    fn undo(&mut self) -> LinkChange {
        self.commit_text();
        let Some(before) = self.past.pop() else { return LinkChange::Keep };
        self.future.push(std::mem::replace(&mut self.document, before));
        self.show_text();
        LinkChange::Push
    }

    fn redo(&mut self) -> LinkChange {
        // New typing leaves nothing to redo.
        self.commit_text();
        let Some(after) = self.future.pop() else { return LinkChange::Keep };
        self.past.push(std::mem::replace(&mut self.document, after));
        self.show_text();
        LinkChange::Push
    }

    fn show_text(&mut self) {
        self.text = self.document.shape.to_string();
        self.parsed = text::parse(&self.text);
    }
}

fn toggle_pin(pins: &mut Vec<i64>, slot: i64, add: bool) {
    let was = pins.contains(&slot);
    if add {
        pins.retain(|p| *p != slot);
    } else {
        pins.clear();
    }
    if !was {
        pins.push(slot);
    }
}
