//! Shape, attributes, bodies and source of the selected instruction.

use yew::prelude::*;

use super::neighbourhood::bytes_text;
use crate::app::context::Context;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::{Details, InstructionPath};

/// The bodies that the instruction calls, as buttons that enter them.
pub fn bodies(context: &Context, details: &Details, dispatch: &Callback<Action>) -> Html {
    if details.called.is_empty() {
        return Html::default();
    }
    let buttons = details.called.iter().enumerate().map(|(number, called)| {
        let mut path: Vec<_> = details.path.iter().map(|crumb| crumb.call).collect();
        path.push(called.call);
        let instruction = called.root.map(|at| InstructionPath { at, calls: path });
        let disabled = instruction.is_none();
        let dispatch = dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            if let Some(instruction) = instruction.clone() {
                dispatch.emit(Action::Select(instruction));
            }
        });
        let size = Message::program("program-size").with("count", called.size);
        html! {
            <button class="btn small call-body" {onclick} {disabled} key={number}>
                <span class="opcode">{&called.attribute}</span>{" "}<b>{&called.name}</b>{" "}<span class="dim">{context.text(&size)}</span>
            </button>
        }
    });
    html! {
        <div class="row wrap bodies" id="program-bodies" role="group" aria-label={context.text(&Message::program("program-bodies"))}>
            {for buttons}
        </div>
    }
}

/// The bytes of the elements, and those in memory if padding makes them more.
fn size(context: &Context, bytes: u64, padded_bytes: u64) -> AttrValue {
    if padded_bytes <= bytes {
        return bytes_text(bytes).into();
    }
    let message = Message::program("program-padded").with("bytes", bytes_text(bytes));
    context.text(&message.with("padded", bytes_text(padded_bytes)))
}

/// The properties.
pub fn details(context: &Context, details: &Details) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let pair = |name: &str, value: &str| {
        html! { <><dt>{name.to_owned()}</dt><dd><code>{value.to_owned()}</code></dd></> }
    };
    let attributes = details.attributes.iter().map(|(name, value)| pair(name, value));
    let annotations = details.annotations.iter().map(|(name, value)| pair(name, value));
    let source = details.source.iter().map(|line| {
        let function = if line.function.is_empty() { String::new() } else { format!(" {}", line.function) };
        html! { <li><code>{format!("{}:{}", line.file, line.line)}</code><span class="dim">{function}</span></li> }
    });
    html! {
        <div class="facts-of" id="program-details">
            <dl>
                <dt>{text("program-shape")}</dt>
                <dd><code id="program-shape">{&details.shape}</code>
                    if let Some(bytes) = details.bytes { <span class="dim">{" "}{size(context, bytes, details.padded_bytes)}</span> }
                </dd>
                {for attributes}
                if let Some(name) = &details.op_name { <dt>{text("program-op-name")}</dt><dd><code>{name}</code></dd> }
                if !details.source.is_empty() {
                    <dt>{text("program-source")}</dt><dd><ol class="frames">{for source}</ol></dd>
                }
            </dl>
            if !details.annotations.is_empty() {
                <details class="annotations">
                    <summary>{text("program-annotations")}</summary>
                    <dl>{for annotations}</dl>
                </details>
            }
        </div>
    }
}
