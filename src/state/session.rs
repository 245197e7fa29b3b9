//! An editing session with undo: the document, the text in the spec bar (the field with the shape) and its diagnostics.
//!
//! [`Session::apply`] is the only way to change it. It returns how to update the URL: edits of the document push a new one
//! (while typing, the first keystroke pushes and the others replace it), changes of the view (cursor, pins, sliders, colours)
//! replace it. So the browser's back button undoes only edits.

use super::document::{ColourBy, Document, SlotText, ValueRule, check};
use super::limit;
use super::stored_history::History;
use crate::array::text::{self, Parsed};
use crate::array::{ArrayShape, ElementType, Layout, PaddingValue, Tile};
use crate::diagnostic::{Hint, Severity};
use crate::i18n::Message;

/// Maximum number of edits that can be undone.
const MAX_UNDO_STEPS: usize = 200;

/// A change requested by the user.
#[allow(clippy::large_enum_variant, reason = "one per click, moved twice")]
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Replaces the spec bar's text while typing; takes effect if it is valid.
    Type(String),
    /// Ends the typing: it becomes one undo step.
    CommitText,
    /// Applies a fix to the spec bar's text.
    ApplyHint(Hint),
    /// Loads a document: a preset or a link.
    Load(Box<Document>),
    /// Sets the size of a dimension.
    SetSize(usize, i64),
    /// Sets the padded size of a dimension.
    SetPaddedSize(usize, i64),
    /// Sets the value of padding elements.
    SetPaddingValue(PaddingValue),
    /// Sets the element type.
    SetElementType(ElementType),
    /// Moves an entry of `minor_to_major`.
    MoveInOrder {
        /// Its current position; 0 is the most minor.
        from: usize,
        /// Its new position.
        to: usize,
    },
    /// Sets `minor_to_major` to 0, …, N-1 (column-major), or to the reverse (row-major).
    SetOrder {
        /// Whether dimension 0 becomes the most minor one.
        ascending: bool,
    },
    /// Sets the tiles and removes padding.
    SetTiles(Vec<Tile>),
    /// Appends a dimension, the most minor one.
    AddDimension,
    /// Removes a dimension.
    RemoveDimension(usize),
    /// Sets the values of the elements.
    SetValues(ValueRule),
    /// Selects an array of the tuple.
    SelectLeaf(usize),
    /// Fills the array with the values that were typed last.
    RestoreTypedValues,
    /// Types into the field of the values; [`Action::CommitText`] ends it.
    TypeValues(String),
    /// Sets or removes the compared layout.
    SetComparedLayout(Option<Layout>),
    /// Sets what colours show.
    SetColour(ColourBy),
    /// Sets what slots show.
    SetSlotText(SlotText),
    /// Sets the bytes per cache line.
    SetLineBytes(i64),
    /// Sets the dimensions drawn as rows and columns.
    SetAxes(usize, usize),
    /// Sets the slider index of a dimension.
    SetSliderIndex(usize, i64),
    /// Moves the cursor to a memory slot.
    MoveCursor(i64),
    /// Toggles the pin of a slot.
    TogglePin {
        /// The slot to pin or unpin.
        slot: i64,
        /// Whether to keep the other pins.
        keep_others: bool,
    },
    /// Removes all pins.
    ClearPins,
    /// Undoes the last edit.
    Undo,
    /// Redoes the last undone edit.
    Redo,
}

/// How to update the URL after an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkChange {
    /// Leave the URL unchanged.
    Keep,
    /// Replace the URL.
    Replace,
    /// Push a new history entry.
    Push,
}

/// An editing session.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    document: Document,
    /// The document before the current typing.
    before_typing: Option<Document>,
    text: String,
    parsed: Parsed,
    /// Why the last edit was rejected.
    rejection: Option<Message>,
    undo_stack: Vec<Document>,
    redo_stack: Vec<Document>,
}

impl Session {
    /// A session that starts with this document.
    pub fn new(mut document: Document) -> Self {
        if document.normalize().is_err() {
            document = Document::default();
        }
        reveal_loaded_cursor(&mut document);
        let text = document.shape.to_string();
        let parsed = text::parse(&text);
        Self {
            document,
            before_typing: None,
            text,
            parsed,
            rejection: None,
            undo_stack: Vec::new(),
            redo_stack: Vec::new(),
        }
    }

    /// The document; always valid.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The text in the spec bar, which may have errors.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The parsed text, with its diagnostics and spans.
    pub fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    /// Why the last edit was rejected; the document is unchanged then.
    pub fn rejection(&self) -> Option<&Message> {
        self.rejection.as_ref()
    }

    /// Whether there is an edit to undo.
    pub fn can_undo(&self) -> bool {
        !self.undo_stack.is_empty() || self.before_typing.is_some()
    }

    /// Whether there is an edit to redo.
    pub fn can_redo(&self) -> bool {
        !self.redo_stack.is_empty()
    }

    /// Applies an action; returns how to update the URL.
    pub fn apply(&mut self, action: Action) -> LinkChange {
        self.rejection = None;
        match action {
            Action::Type(text) => self.type_text(text),
            Action::TypeValues(text) => {
                let is_first_keystroke = self.before_typing.is_none();
                self.before_typing.get_or_insert_with(|| self.document.clone());
                self.document.values = ValueRule::Text(text);
                typing_change(is_first_keystroke)
            }
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
            Action::MoveCursor(slot) => self.change_view(|d| {
                d.cursor = slot;
                d.reveal_cursor();
            }),
            Action::TogglePin { slot, keep_others } => {
                self.change_view(|d| toggle_pin(&mut d.pins, slot, keep_others))
            }
            Action::ClearPins => self.change_view(|d| d.pins.clear()),
            Action::SetSliderIndex(d, index) => {
                self.change_view(|document| document.set_slider_index(d, index))
            }
            Action::SetAxes(rows, columns) => self.change_view(|d| {
                d.view.axes = Some((rows, columns));
                d.reveal_cursor();
            }),
            Action::SetColour(colour) => self.change_view(|d| d.view.colour = colour),
            Action::SetSlotText(text) => self.change_view(|d| d.view.slot_text = text),
            Action::SetLineBytes(bytes) => self.change_view(|d| d.view.line_bytes = bytes),
            Action::SelectLeaf(leaf) if leaf == self.document.leaf => LinkChange::Keep,
            // The compared layout belongs to its array: dropping it is an edit, so that undo and Back restore it.
            Action::SelectLeaf(leaf) if self.document.compare.is_none() => {
                self.change_view(|d| d.select_leaf(leaf))
            }
            edit => self.edit(edit),
        }
    }

    fn edit(&mut self, action: Action) -> LinkChange {
        let mut next = self.document.clone();
        let keeps_values = !matches!(action, Action::Load(_) | Action::SetValues(_));
        let result = match action {
            Action::Load(document) => {
                next = *document;
                reveal_loaded_cursor(&mut next);
                next.normalize()
            }
            Action::SetSize(d, size) => next.set_size(d, size),
            Action::SetPaddedSize(d, size) => next.set_padded(d, size),
            Action::SetPaddingValue(value) => next.set_padding_value(value),
            Action::SetElementType(element_type) => next.edit(|a| a.element_type = element_type),
            Action::MoveInOrder { from, to } => next.move_minor_to_major_entry(from, to),
            Action::SetOrder { ascending } => next.set_minor_to_major(ascending),
            Action::SetTiles(tiles) => next.edit(|array| {
                if let Some(layout) = array.layout.as_mut() {
                    layout.padding = None;
                    layout.tiles = tiles.into_iter().collect();
                }
            }),
            Action::AddDimension => next.add_dimension(),
            Action::RemoveDimension(d) => next.remove_dimension(d),
            Action::SetValues(values) => {
                next.values = values;
                Ok(())
            }
            Action::RestoreTypedValues => {
                let typed = self.undo_stack.iter().rfind(|before| before.has_typed_values());
                next.values = typed
                    .map_or_else(|| ValueRule::Text(next.values_as_text()), |before| before.values.clone());
                Ok(())
            }
            Action::SelectLeaf(leaf) => {
                next.select_leaf(leaf);
                next.normalize()
            }
            Action::SetComparedLayout(layout) => {
                next.compare = layout;
                next.normalize()
            }
            // `apply` has handled the others.
            _ => Ok(()),
        };
        match result {
            Ok(()) if next == self.document => LinkChange::Keep,
            Ok(()) => {
                if keeps_values {
                    self.tell_replaced_values(&next);
                }
                self.push_current();
                self.document = next;
                self.reset_text();
                LinkChange::Push
            }
            Err(message) => {
                self.rejection = Some(message);
                LinkChange::Keep
            }
        }
    }

    /// Changes view settings, without an undo step.
    fn change_view(&mut self, change: impl Fn(&mut Document)) -> LinkChange {
        if let Some(before) = self.before_typing.as_mut() {
            // The next keystroke starts from this document, so it needs the change too.
            change(before);
            let _ = before.normalize();
        }
        let mut next = self.document.clone();
        change(&mut next);
        // View settings violate no rule: `normalize` only brings them into range.
        if next.normalize().is_err() || next == self.document {
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
        // Each keystroke starts from the document before the typing, so that state dropped by an intermediate shape
        // (pins, the compared layout) reappears.
        let is_first_keystroke = self.before_typing.is_none();
        let mut next = self.before_typing.get_or_insert_with(|| self.document.clone()).clone();
        let rank = next.array().map(ArrayShape::rank);
        let before = next.array().cloned();
        next.shape = shape;
        next.adapt_values(before.as_ref());
        self.tell_replaced_values(&next);
        if next.array().map(ArrayShape::rank) != rank {
            next.reset_view();
        }
        // The shape is valid already: this only brings the rest into range.
        let _ = next.normalize();
        self.document = next;
        typing_change(is_first_keystroke)
    }

    /// Says that typed values do not fit the shape of the next document, if something else replaces them there.
    fn tell_replaced_values(&mut self, next: &Document) {
        let before = self.before_typing.as_ref().unwrap_or(&self.document);
        if before.has_typed_values() && !next.has_typed_values() {
            self.rejection = Some(Message::new("values-replaced"));
        }
    }

    fn has_errors(&self) -> bool {
        self.parsed.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    /// Makes the typing one undo step, and prints the shape canonically.
    fn commit_text(&mut self) {
        if !self.has_errors() {
            self.reset_text();
        }
        let is_changed =
            |before: &Document| before.shape != self.document.shape || before.values != self.document.values;
        if let Some(before) = self.before_typing.take().filter(is_changed) {
            self.push_undo(before);
        }
    }

    /// The documents that undo and redo return to.
    pub fn history(&self) -> History<&Document> {
        History {
            undo: self.undo_stack.iter().chain(&self.before_typing).collect(),
            redo: self.redo_stack.iter().collect(),
        }
    }

    /// Sets the documents that undo and redo return to, as [`Session::history`] gave them.
    pub fn restore_history(&mut self, history: History<Document>) {
        History { undo: self.undo_stack, redo: self.redo_stack } = history;
    }

    fn push_current(&mut self) {
        let before = self.before_typing.take().unwrap_or_else(|| self.document.clone());
        self.push_undo(before);
    }

    fn push_undo(&mut self, document: Document) {
        if self.undo_stack.len() == MAX_UNDO_STEPS {
            self.undo_stack.remove(0);
        }
        self.undo_stack.push(document);
        self.redo_stack.clear();
    }

    fn undo(&mut self) -> LinkChange {
        self.commit_text();
        let Some(before) = self.undo_stack.pop() else { return LinkChange::Keep };
        self.redo_stack.push(std::mem::replace(&mut self.document, before));
        self.reset_text();
        LinkChange::Push
    }

    fn redo(&mut self) -> LinkChange {
        // New typing clears the redo list.
        self.commit_text();
        let Some(after) = self.redo_stack.pop() else { return LinkChange::Keep };
        self.undo_stack.push(std::mem::replace(&mut self.document, after));
        self.reset_text();
        LinkChange::Push
    }

    fn reset_text(&mut self) {
        self.text = self.document.shape.to_string();
        self.parsed = text::parse(&self.text);
    }
}

/// Moves the sliders of a loaded document, such as that of a share link, to its cursor's cell, unless the document sets the
/// sliders itself.
fn reveal_loaded_cursor(document: &mut Document) {
    if document.cursor != 0 && document.view.slider_indices.is_empty() {
        document.reveal_cursor();
    }
}

/// The update of the URL while the user types: the first keystroke adds the history entry that the others replace.
fn typing_change(is_first_keystroke: bool) -> LinkChange {
    if is_first_keystroke { LinkChange::Push } else { LinkChange::Replace }
}

fn toggle_pin(pins: &mut Vec<i64>, slot: i64, keep_others: bool) {
    let was_pinned = pins.contains(&slot);
    if keep_others {
        pins.retain(|p| *p != slot);
    } else {
        pins.clear();
    }
    if !was_pinned {
        pins.push(slot);
    }
}
