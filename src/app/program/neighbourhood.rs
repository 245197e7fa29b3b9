//! The selected instruction with its operands above and its users below. Edges carry the shape of the value that flows
//! along them, and their width grows with its bytes.
//!
//! The edges are decorative for screen readers: every button states its relation to the selected instruction.

use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use crate::app::context::{Context, use_app_context};
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::{Details, Edge, InstructionKey, InstructionPath};

/// The size of a node, and the distance between two, pixels; see the style sheet.
const NODE_WIDTH: i32 = 148;
const NODE_HEIGHT: i32 = 40;
const GAP: i32 = 14;
/// The height of the edges between two rows.
const EDGE_HEIGHT: i32 = 66;
const MARGIN: i32 = 10;

/// Maximum characters of the shape on an edge.
const MAX_LABEL_CHARS: usize = 19;

/// The width of an edge for a value of this size: one pixel for a scalar, one more for each factor of 64.
#[allow(clippy::cast_precision_loss, reason = "a width in pixels")]
fn stroke_width(bytes: Option<u64>) -> f64 {
    let bytes = bytes.unwrap_or(0).max(4) as f64;
    (1.0 + (bytes / 4.0).log2() / 6.0).min(5.0)
}

/// Formats the bytes of a value.
#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
pub fn bytes_text(bytes: u64) -> String {
    let mut amount = bytes as f64;
    let mut unit = "B";
    for larger in ["kB", "MB", "GB", "TB"] {
        if amount < 1000.0 {
            break;
        }
        amount /= 1000.0;
        unit = larger;
    }
    if unit == "B" || amount >= 100.0 { format!("{amount:.0} {unit}") } else { format!("{amount:.1} {unit}") }
}

/// One row of neighbours.
struct Neighbours<'a> {
    edges: &'a [Edge],
    /// Whether they are operands, which are above the selected instruction.
    are_operands: bool,
    /// The left edge of the first one, and the top of the row.
    origin: (i32, i32),
}

fn node_left(origin: i32, index: usize) -> i32 {
    origin + i32::try_from(index).unwrap_or(i32::MAX).saturating_mul(NODE_WIDTH + GAP)
}

fn label(edge: &Edge) -> String {
    match edge.shape.char_indices().nth(MAX_LABEL_CHARS) {
        Some((end, _)) => format!("{}…", &edge.shape[..end]),
        None => edge.shape.clone(),
    }
}

impl Neighbours<'_> {
    fn width(count: usize) -> i32 {
        node_left(0, count).saturating_sub(GAP).max(NODE_WIDTH)
    }

    /// The edges to a node whose upper left corner is at `center`.
    fn drawn_edges(&self, center: (i32, i32)) -> Html {
        let count = self.edges.len();
        let edges = self.edges.iter().enumerate().map(|(index, edge)| {
            let x = node_left(self.origin.0, index) + NODE_WIDTH / 2;
            // The ends at the selected instruction are spread over its width.
            let spread = |index: usize| {
                let part = i32::try_from(index + 1).unwrap_or(1) * NODE_WIDTH;
                center.0 + part / i32::try_from(count + 1).unwrap_or(2)
            };
            let (from, to) = if self.are_operands {
                ((x, self.origin.1 + NODE_HEIGHT), (spread(index), center.1))
            } else {
                ((spread(index), center.1 + NODE_HEIGHT), (x, self.origin.1))
            };
            let middle = i32::midpoint(from.1, to.1);
            let path = format!(
                "M{} {}C{} {middle} {} {middle} {} {}",
                from.0,
                from.1,
                from.0,
                to.0,
                to.0,
                to.1 - 4
            );
            let y = if self.are_operands { from.1 + 17 } else { to.1 - 13 };
            html! {
                <g key={index}>
                    <path class="flow-edge" d={path} style={format!("stroke-width:{:.2}px", stroke_width(edge.bytes))} marker-end="url(#arrow)" />
                    <text class="flow-label" x={x.to_string()} y={y.to_string()}>{label(edge)}</text>
                </g>
            }
        });
        edges.collect()
    }

    fn nodes(&self, context: &Context, details: &Details, dispatch: &Callback<Action>) -> Html {
        let key = if self.are_operands { "program-operand" } else { "program-user" };
        let nodes = self.edges.iter().enumerate().map(|(index, edge)| {
            let at =
                InstructionKey { computation: details.at.computation, instruction: edge.row.instruction };
            let path = details.path.iter().map(|crumb| crumb.call).collect();
            let instruction = InstructionPath { at, calls: path };
            let onclick = dispatch.reform(move |_: MouseEvent| Action::Select(instruction.clone()));
            let role = Message::program(key).with("number", usize::try_from(edge.number).unwrap_or(0));
            let bytes = edge.bytes.map(bytes_text).unwrap_or_default();
            let title = format!("{} {}{} · {bytes}", edge.row.name, edge.shape, edge.layout);
            let style = format!("left:{}px;top:{}px", node_left(self.origin.0, index), self.origin.1);
            html! {
                <li key={index}>
                    <button class="flow-node" {style} {onclick} {title}>
                        <span class="sr-only">{context.text(&role)}{" "}</span>
                        <b>{&edge.row.name}</b><small>{&edge.row.opcode}</small>
                    </button>
                </li>
            }
        });
        nodes.collect()
    }
}

/// Properties of [`Neighbourhood`].
#[derive(Clone, PartialEq, Properties)]
pub struct NeighbourhoodProps {
    /// The instruction.
    pub details: Rc<Details>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The neighbourhood; if it is wider than the pane, the selected instruction is in the middle.
#[component]
pub fn Neighbourhood(props: &NeighbourhoodProps) -> Html {
    let context = use_app_context();
    let NeighbourhoodProps { details, dispatch } = props;
    let frame = use_node_ref();

    let (operands, users) = (details.operands.len(), details.users.len());
    let width = Neighbours::width(operands).max(Neighbours::width(users));
    let start = |count: usize| MARGIN + (width - Neighbours::width(count)) / 2;
    let top = MARGIN;
    let center_top = if operands == 0 { top } else { top + NODE_HEIGHT + EDGE_HEIGHT };
    let users_top = center_top + NODE_HEIGHT + EDGE_HEIGHT;
    let bottom = if users == 0 { center_top } else { users_top } + NODE_HEIGHT + MARGIN;
    let center = (start(1), center_top);
    {
        let frame = frame.clone();
        use_effect_with(details.at, move |_| {
            if let Some(element) = frame.cast::<Element>() {
                element.set_scroll_left(center.0 + NODE_WIDTH / 2 - element.client_width() / 2);
            }
        });
    }
    let above = Neighbours { edges: &details.operands, are_operands: true, origin: (start(operands), top) };
    let below = Neighbours { edges: &details.users, are_operands: false, origin: (start(users), users_top) };
    let more = |shown: usize, total: usize, key: &'static str| {
        (total > shown).then(|| context.text(&Message::program(key).with("count", total - shown)))
    };
    // An instruction may read a value twice: the edges are more than the users.
    let distinct = {
        let mut ids: Vec<u32> = details.users.iter().map(|edge| edge.row.instruction).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.len()
    };
    let size = format!("width:{}px;height:{bottom}px", width + 2 * MARGIN);
    let here = format!("left:{}px;top:{}px", center.0, center.1);
    html! {
        <div class="flow-frame" ref={frame} tabindex="0" role="group" aria-label={context.text(&Message::program("program-neighbours"))} id="neighbourhood">
            <div class="flow-plane" style={size}>
                <svg width={(width + 2 * MARGIN).to_string()} height={bottom.to_string()} aria-hidden="true">
                    <defs>
                        <marker id="arrow" viewBox="0 0 8 8" refX="5" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">
                            <path d="M0 0L8 4L0 8z" class="flow-arrow" />
                        </marker>
                    </defs>
                    {above.drawn_edges(center)}{below.drawn_edges(center)}
                </svg>
                <ol>{above.nodes(&context, details, dispatch)}</ol>
                <p class="flow-node here" style={here}><b>{&details.row.name}</b><small>{&details.row.opcode}</small></p>
                <ol>{below.nodes(&context, details, dispatch)}</ol>
            </div>
            if let Some(more) = more(operands, details.operand_count, "program-more-operands") { <p class="dim">{more}</p> }
            if let Some(more) = more(distinct, details.user_count, "program-more-users") { <p class="dim">{more}</p> }
        </div>
    }
}
