//! The selected instruction and its edges in words, for screen readers.

use crate::app::context::Context;
use crate::app::program::neighbourhood::bytes_text;
use crate::i18n::Message;
use crate::worker::program::wire::{Details, Edge};

/// Maximum operands, and users, that are named.
const MAX_NAMED: usize = 6;

/// An edge: the instruction at its other end, with shape, layout and size of the value.
pub fn edge_text(edge: &Edge) -> String {
    let bytes = edge.bytes.map(|bytes| format!(" {}", bytes_text(bytes))).unwrap_or_default();
    format!("{} {}{}{bytes}", edge.row.name, edge.shape, edge.layout)
}

/// The names of the first edges.
fn name_edges(edges: &[Edge], count: usize) -> String {
    let mut names: Vec<String> = edges.iter().take(MAX_NAMED).map(edge_text).collect();
    if count > names.len() {
        names.push("…".to_owned());
    }
    names.join(", ")
}

/// The description of the selected instruction.
pub fn description(context: &Context, details: &Details) -> String {
    let mut parts = vec![format!("{} {}, {}", details.row.opcode, details.row.name, details.shape)];
    let mut add = |key: &'static str, names: String| {
        if !names.is_empty() {
            parts.push(context.text(&Message::program(key).with("names", names)).to_string());
        }
    };
    add("graph-operands-are", name_edges(&details.operands, details.operand_count));
    add("graph-users-are", name_edges(&details.users, details.user_count));
    let bodies: Vec<String> =
        details.called.iter().map(|called| format!("{}: {}", called.attribute, called.name)).collect();
    add("graph-calls", bodies.join(", "));
    parts.join(". ")
}
