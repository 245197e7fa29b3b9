//! The graph of the program: instructions as buttons, lines from their operands, and called computations in boxes.
//!
//! A button of the entry computation selects its instruction; one of a called computation shows it in the HLO text. The
//! lines are decoration: every button names its operands.

use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use super::attributes::SharedModule;
use super::in_text::select_in_text;
use crate::app::context::{Context, grouped, use_app_context};
use crate::hlo::{Computation, InstructionId, Module};
use crate::i18n::Message;
use crate::state::experiment::session::Action;
use crate::view::graph::{Frame, Graph, Node, Plane, Region};

/// Properties of [`ProgramGraph`].
#[derive(Clone, PartialEq, Properties)]
pub struct ProgramGraphProps {
    /// The module.
    pub module: SharedModule,
    /// Its text.
    pub text: AttrValue,
    /// The selected instruction.
    pub focus: InstructionId,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The graph; nothing for a single chain.
#[component]
pub fn ProgramGraph(props: &ProgramGraphProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let graph =
        use_memo((props.module.clone(), props.focus), |(module, focus)| Graph::new(&module.0, *focus));
    let frame = use_node_ref();
    {
        let frame = frame.clone();
        use_effect_with((graph.clone(), props.focus), move |(graph, focus)| {
            let nodes = (**graph).as_ref().map(|graph| &graph.entry.nodes);
            let selected = nodes.and_then(|nodes| nodes.iter().find(|node| node.id == *focus));
            if let (Some(selected), Some(frame)) = (selected, frame.cast::<Element>()) {
                reveal(&frame, selected.head);
            }
        });
    }
    let Some(graph) = &*graph else { return Html::default() };
    let plane = &graph.entry;
    let part = (plane.nodes.len() < plane.total).then(|| {
        let number = |count: usize| grouped(i64::try_from(count).unwrap_or(i64::MAX));
        let message = Message::ops("graph-part").with("shown", number(plane.nodes.len()));
        context.text(&message.with("total", number(plane.total)))
    });
    let drawing = Drawing { context: &context, props };
    let size = format!("width:{}px;height:{}px", graph.width, graph.height);
    html! {
        <section id="graph" aria-labelledby="h-graph">
            <h2 id="h-graph">{text("graph")}</h2>
            if let Some(part) = part { <p class="dim" id="graph-part">{part}</p> }
            <div class="graph" ref={frame} role="group" tabindex="0" aria-labelledby="h-graph">
                <div class="graph-plane" style={size}>
                    <svg width={graph.width.to_string()} height={graph.height.to_string()} aria-hidden="true">
                        {lines(plane)}
                    </svg>
                    <ol>{for plane.nodes.iter().map(|node| drawing.node(node, None))}</ol>
                </div>
            </div>
            <p class="dim">
                {text("graph-numbers")}
                if graph.has_loop() { {" "}{text("graph-loop")} }
            </p>
        </section>
    }
}

/// The space beside what is revealed, twice.
const MARGIN: i32 = 24;

/// Scrolls the box, and not the page, as far as needed to show a part of the graph.
fn reveal(frame: &Element, part: Frame) {
    let nearest = |start: i32, room: i32, from: i32, length: i32| {
        let is_shown = from >= start && from + length <= start + room;
        // The beginning of what is wider than the box.
        if is_shown { start } else { from - (room - length).max(MARGIN) / 2 }
    };
    frame.set_scroll_left(nearest(frame.scroll_left(), frame.client_width(), part.x, part.width));
    frame.set_scroll_top(nearest(frame.scroll_top(), frame.client_height(), part.y, part.height));
}

/// The boxes and lines of a computation and those it calls.
fn lines(plane: &Plane) -> Html {
    let calls = plane.nodes.iter().filter(|node| !node.regions.is_empty()).map(|node| {
        let regions = node.regions.iter().map(|region| {
            let Frame { x, y, .. } = region.frame;
            html! {
                <>
                    {rectangle(region.frame, "graph-region")}
                    <text class="graph-label" x={(x + 12).to_string()} y={(y + 17).to_string()}>{region.label()}</text>
                    {lines(&region.plane)}
                </>
            }
        });
        let arrows = node.arrows.iter().flat_map(crate::view::graph::Loop::paths);
        html! {
            <>
                {rectangle(node.frame, "graph-call")}
                {for regions}
                {for arrows.map(|d| html! { <path class="graph-loop" {d} /> })}
            </>
        }
    });
    let edges = plane.edges.iter().map(|edge| {
        let number = edge.number.zip(edge.end()).map(|(number, end)| {
            // On the side that the line does not come from.
            let (dx, anchor) = if edge.is_from_right() { (-6, "end") } else { (6, "start") };
            html! {
                <text class="graph-number" x={(end.x + dx).to_string()} y={(end.y - 7).to_string()} text-anchor={anchor}>
                    {number}
                </text>
            }
        });
        html! {
            <><path class={classes!("graph-edge", edge.is_cut.then_some("cut"))} d={edge.path()} />{number}</>
        }
    });
    html! { <>{for calls}{for edges}</> }
}

fn rectangle(frame: Frame, class: &'static str) -> Html {
    let Frame { x, y, width, height } = frame;
    html! {
        <rect {class} x={x.to_string()} y={y.to_string()} width={width.to_string()} height={height.to_string()} rx="6" />
    }
}

struct Drawing<'a> {
    context: &'a Context,
    props: &'a ProgramGraphProps,
}

impl Drawing<'_> {
    /// An instruction of the entry computation, or of a called one.
    fn node(&self, node: &Node, called: Option<&Region>) -> Html {
        let Frame { x, y, width, height } = node.head;
        let style = format!("left:{x}px;top:{y}px;width:{width}px;height:{height}px");
        let pressed = called.is_none().then(|| (node.id == self.props.focus).to_string());
        let title = called.map(|_| self.context.text(&Message::ops("graph-in-text")));
        let operands = (!node.operands.is_empty()).then(|| {
            let message = Message::ops("graph-operands").with("names", node.operands.join(", "));
            html! { <span class="sr-only">{self.context.text(&message)}</span> }
        });
        let undrawn = (node.undrawn > 0).then(|| {
            let message = Message::ops("graph-undrawn").with("count", node.undrawn);
            html! { <>{" · "}{self.context.text(&message)}</> }
        });
        let calls = !node.regions.is_empty();
        let class = classes!("graph-node", called.is_some().then_some("called"), calls.then_some("caller"));
        html! {
            <li key={node.id.0}>
                <button {class} {style} {title} aria-pressed={pressed} onclick={self.onclick(node, called)}>
                    <span>
                        if node.is_root { <span class="dim">{"ROOT "}</span> }
                        {&node.opcode}{" "}<span class="dim">{&node.name}</span>
                    </span>
                    <small>{&node.shape}{undrawn}</small>
                    {operands}
                </button>
                {for node.regions.iter().map(|region| html! {
                    <ol aria-label={region.label()}>
                        {for region.plane.nodes.iter().map(|node| self.node(node, Some(region)))}
                    </ol>
                })}
            </li>
        }
    }

    fn onclick(&self, node: &Node, called: Option<&Region>) -> Callback<MouseEvent> {
        let id = node.id;
        let Some(region) = called else {
            return self.props.dispatch.reform(move |_: MouseEvent| Action::SelectInstruction(id));
        };
        let (module, computation) = (Rc::clone(&self.props.module.0), region.computation);
        let text = self.props.text.clone();
        Callback::from(move |_: MouseEvent| {
            let instruction = Module::get(&module, computation).and_then(|own: &Computation| own.get(id));
            if let Some(instruction) = instruction {
                select_in_text(&text, instruction);
            }
        })
    }
}
