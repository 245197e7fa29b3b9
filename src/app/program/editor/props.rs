//! The properties of both editors, and conversions between positions and offsets.

use yew::prelude::*;

use crate::app::program::reading::Reading;
use crate::state::program::session::Action;
use crate::state::program::source_text::SourceText;
use crate::worker::program::editing::Position;
use crate::worker::program::wire::Query;

/// Milliseconds after the last change until an edited text is read.
pub const TYPING_PAUSE_MS: u32 = 300;

/// Properties of [`Editor`].
#[derive(Clone, PartialEq, Properties)]
pub struct EditorProps {
    /// The program.
    pub reading: Reading,
    /// The bytes of the selected instruction.
    pub selected: Option<(usize, usize)>,
    /// The line to begin at, where the user has scrolled away from the selected instruction.
    pub start_line: Option<usize>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
}

/// The offset of a position in the text.
pub fn offset_of(source: &SourceText, position: Position) -> usize {
    let mut units = 0;
    let line = source.line(position.line);
    let within = line.char_indices().find(|(_, c)| {
        let is_reached = units >= position.column;
        units += c.len_utf16();
        is_reached
    });
    source.line_start(position.line) + within.map_or(line.len(), |(at, _)| at)
}

/// The position of an offset in the text.
pub fn position_of(source: &SourceText, offset: usize) -> Position {
    let line = source.line_of(offset);
    let text = source.line(line);
    let within = text.floor_char_boundary(offset.saturating_sub(source.line_start(line)));
    Position { line, column: text[..within].encode_utf16().count() }
}
