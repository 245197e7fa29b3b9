//! The graph of the program: instructions as buttons, edges from their operands, and called computations in boxes.
//!
//! A button of the entry computation selects its instruction; one of a called computation shows it in the HLO text. The
//! edges are decorative for screen readers: every button names its operands.

use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use super::attributes::SharedModule;
use super::in_text::select_in_text;
use crate::app::context::{Context, grouped, use_app_context};
use crate::hlo::{Computation, InstructionId, Module};
use crate::i18n::Message;
use crate::state::experiment::session::Action;
use crate::view::graph::{CalledComputation, Graph, LoopArrows, Node, Rect, Subgraph};

/// Properties of [`ProgramGraph`].
#[derive(Clone, PartialEq, Properties)]
pub struct ProgramGraphProps {
    /// The module that is drawn.
    pub module: SharedModule,
    /// The text that the module was parsed from.
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
    let scale = use_state_eq(|| FULL_SCALE_PERCENT);
    {
        let (frame, scale) = (frame.clone(), *scale);
        use_effect_with((graph.clone(), props.focus), move |(graph, focus)| {
            let nodes = (**graph).as_ref().map(|graph| &graph.entry.nodes);
            let selected = nodes.and_then(|nodes| nodes.iter().find(|node| node.id == *focus));
            if let (Some(selected), Some(frame)) = (selected, frame.cast::<Element>()) {
                scroll_to(&frame, scale_rect(selected.label_rect, scale));
            }
        });
    }
    let Some(graph) = &*graph else { return Html::default() };
    let entry = &graph.entry;
    let part = (entry.nodes.len() < entry.instruction_count).then(|| {
        let number = |count: usize| grouped(i64::try_from(count).unwrap_or(i64::MAX));
        let message = Message::ops("graph-part").with("shown", number(entry.nodes.len()));
        context.text(&message.with("total", number(entry.instruction_count)))
    });
    let drawing = Drawing { context: &context, props };
    let size = format!("width:{}px;height:{}px", graph.width, graph.height);
    let scaled_size = format!(
        "width:{}px;height:{}px",
        graph.width * *scale / FULL_SCALE_PERCENT,
        graph.height * *scale / FULL_SCALE_PERCENT
    );
    let zoomed = format!("{size};transform:scale({}%)", *scale);
    let to = |scale: &UseStateHandle<i32>, to: i32| {
        let scale = scale.setter();
        Callback::from(move |_: MouseEvent| scale.set(to.clamp(MIN_SCALE_PERCENT, MAX_SCALE_PERCENT)))
    };
    let fit = {
        let (frame, scale, sizes) = (frame.clone(), scale.setter(), (graph.width, graph.height));
        Callback::from(move |_: MouseEvent| {
            if let Some(frame) = frame.cast::<Element>() {
                let part = |room: i32, size: i32| (room - SCROLL_MARGIN) * FULL_SCALE_PERCENT / size.max(1);
                let fitting = part(frame.client_width(), sizes.0).min(part(frame.client_height(), sizes.1));
                scale.set(fitting.clamp(MIN_SCALE_PERCENT, FULL_SCALE_PERCENT));
            }
        })
    };
    let button = |id: &'static str,
                  sign: &'static str,
                  key: &'static str,
                  onclick: Callback<MouseEvent>,
                  disabled: bool| {
        let label = context.text_of_key(key);
        html! { <button class="btn tiny" {id} {onclick} {disabled} aria-label={label.clone()} title={label}>{sign}</button> }
    };
    html! {
        <section id="graph" aria-labelledby="h-graph">
            <div class="row wrap">
                <h2 id="h-graph">{text("graph")}</h2>
                <span class="row">
                    {button("graph-smaller", "−", "zoom-out", to(&scale, *scale * 3 / 4), *scale == MIN_SCALE_PERCENT)}
                    {button("graph-larger", "+", "zoom-in", to(&scale, *scale * 4 / 3), *scale == MAX_SCALE_PERCENT)}
                    <button class="btn tiny" id="graph-fit" onclick={fit}>{context.text_of_key("zoom-fit")}</button>
                </span>
            </div>
            if let Some(part) = part { <p class="dim" id="graph-part">{part}</p> }
            <div class="graph" ref={frame} role="group" tabindex="0" aria-labelledby="h-graph">
                <div style={scaled_size}><div class="graph-plane" style={zoomed}>
                    <svg width={graph.width.to_string()} height={graph.height.to_string()} aria-hidden="true">
                        {edges(entry)}
                    </svg>
                    <ol>{for entry.nodes.iter().map(|node| drawing.node(node, None))}</ol>
                </div></div>
            </div>
            <p class="dim">
                {text("graph-numbers")}
                if graph.has_loop() { {" "}{text("graph-loop")} }
            </p>
        </section>
    }
}

/// The initial scale of the graph, and the bounds of the scale, percent.
const FULL_SCALE_PERCENT: i32 = 100;
const MIN_SCALE_PERCENT: i32 = 25;
const MAX_SCALE_PERCENT: i32 = 200;

/// A part of the graph at a scale.
fn scale_rect(part: Rect, scale: i32) -> Rect {
    let scaled = |length: i32| length * scale / FULL_SCALE_PERCENT;
    Rect { x: scaled(part.x), y: scaled(part.y), width: scaled(part.width), height: scaled(part.height) }
}

/// The total margin on both sides of a node after scrolling to it, pixels.
const SCROLL_MARGIN: i32 = 24;

/// Scrolls the box, and not the page, as far as needed to show a part of the graph.
fn scroll_to(frame: &Element, part: Rect) {
    let nearest = |start: i32, room: i32, from: i32, length: i32| {
        let is_shown = from >= start && from + length <= start + room;
        // Of a node wider than the box, its start is shown.
        if is_shown { start } else { from - (room - length).max(SCROLL_MARGIN) / 2 }
    };
    frame.set_scroll_left(nearest(frame.scroll_left(), frame.client_width(), part.x, part.width));
    frame.set_scroll_top(nearest(frame.scroll_top(), frame.client_height(), part.y, part.height));
}

/// The boxes and edges of a computation and those it calls.
fn edges(subgraph: &Subgraph) -> Html {
    let calls = subgraph.nodes.iter().filter(|node| !node.called.is_empty()).map(|node| {
        let boxes = node.called.iter().map(|called| {
            let Rect { x, y, .. } = called.rect;
            html! {
                <>
                    {rectangle(called.rect, "graph-region")}
                    <text class="graph-label" x={(x + 12).to_string()} y={(y + 17).to_string()}>{called.label()}</text>
                    {edges(&called.subgraph)}
                </>
            }
        });
        let arrows = node.loop_arrows.iter().flat_map(LoopArrows::paths);
        html! {
            <>
                {rectangle(node.rect, "graph-call")}
                {for boxes}
                {for arrows.map(|d| html! { <path class="graph-loop" {d} /> })}
            </>
        }
    });
    let edge_paths = subgraph.edges.iter().map(|edge| {
        let number = edge.operand_index.zip(edge.end()).map(|(number, end)| {
            // On the side opposite to the incoming edge.
            let (dx, anchor) = if edge.is_from_right() { (-6, "end") } else { (6, "start") };
            html! {
                <text class="graph-number" x={(end.x + dx).to_string()} y={(end.y - 7).to_string()} text-anchor={anchor}>
                    {number}
                </text>
            }
        });
        html! {
            <><path class={classes!("graph-edge", edge.is_operand_hidden.then_some("cut"))} d={edge.path()} />{number}</>
        }
    });
    html! { <>{for calls}{for edge_paths}</> }
}

fn rectangle(rect: Rect, class: &'static str) -> Html {
    let Rect { x, y, width, height } = rect;
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
    fn node(&self, node: &Node, within: Option<&CalledComputation>) -> Html {
        let Rect { x, y, width, height } = node.label_rect;
        let style = format!("left:{x}px;top:{y}px;width:{width}px;height:{height}px");
        let pressed = within.is_none().then(|| (node.id == self.props.focus).to_string());
        let title = within.map(|_| self.context.text(&Message::ops("graph-in-text")));
        let operands = (!node.operands.is_empty()).then(|| {
            let message = Message::ops("graph-operands").with("names", node.operands.join(", "));
            html! { <span class="sr-only">{self.context.text(&message)}</span> }
        });
        let hidden = (node.hidden_computations > 0).then(|| {
            let message = Message::ops("graph-undrawn").with("count", node.hidden_computations);
            html! { <>{" · "}{self.context.text(&message)}</> }
        });
        let calls = !node.called.is_empty();
        let class = classes!("graph-node", within.is_some().then_some("called"), calls.then_some("caller"));
        html! {
            <li key={node.id.0}>
                <button {class} {style} {title} aria-pressed={pressed} onclick={self.onclick(node, within)}>
                    <span>
                        if node.is_root { <span class="dim">{"ROOT "}</span> }
                        {&node.opcode}{" "}<span class="dim">{&node.name}</span>
                    </span>
                    <small>{&node.shape}{hidden}</small>
                    {operands}
                </button>
                {for node.called.iter().map(|called| html! {
                    <ol aria-label={called.label()}>
                        {for called.subgraph.nodes.iter().map(|node| self.node(node, Some(called)))}
                    </ol>
                })}
            </li>
        }
    }

    fn onclick(&self, node: &Node, within: Option<&CalledComputation>) -> Callback<MouseEvent> {
        let id = node.id;
        let Some(called) = within else {
            return self.props.dispatch.reform(move |_: MouseEvent| Action::SelectInstruction(id));
        };
        let (module, computation) = (Rc::clone(&self.props.module.0), called.computation);
        let text = self.props.text.clone();
        Callback::from(move |_: MouseEvent| {
            let instruction =
                Module::get(&module, computation).and_then(|computation: &Computation| computation.get(id));
            if let Some(instruction) = instruction {
                select_in_text(&text, instruction);
            }
        })
    }
}
