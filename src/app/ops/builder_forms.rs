//! Builder forms on the page: fields for arguments that HLO lacks, buttons for named padding, and notes on what was lowered.
//!
//! A field writes the form into the text, where the session lowers it immediately.

use yew::prelude::*;

use super::draft_field::DraftField;
use super::fields::Fields;
use crate::app::context::Context;
use crate::array::{Edition, Shape};
use crate::diagnostic::Diagnostic;
use crate::hlo::builder::Padding;
use crate::hlo::lowering::arguments::Argument;
use crate::hlo::lowering::window;
use crate::hlo::{Instruction, Module};
use crate::i18n::Message;
use crate::ops::AttrValue as OpAttrValue;
use crate::state::experiment::session::Action;
use crate::state::experiment::session::values::VALUES_FITTED;

/// Maximum number of notes that are displayed.
const MAX_DISPLAYED_NOTES: usize = 8;

/// Fields for the arguments of the builder that HLO has no attributes for; nothing outside of XLA 2017.
pub fn argument_fields(
    context: &Context,
    instruction: &Instruction,
    (text, states): (&str, &Fields),
    edition: Edition,
    dispatch: &Callback<Action>,
) -> Html {
    let has_attribute =
        |name: &str| instruction.op.is_some_and(|op| op.meta().attrs.iter().any(|spec| spec.name == name));
    let arguments: Vec<Argument> = Argument::of_opcode(&instruction.opcode)
        .filter(|argument| edition == Edition::V2017 && !has_attribute(argument.name()))
        // Named padding has buttons at the window.
        .filter(|argument| *argument != Argument::Padding)
        .collect();
    if arguments.is_empty() {
        return Html::default();
    }
    let count = arguments.len();
    // Lowering removes an argument from the text, unless it has an error.
    let spans = &instruction.spans.attrs;
    let span_of = |name: &str| spans.iter().find(|(n, _)| *n == name).map(|(_, span)| *span);
    let has_problem = |name: &str| states.attributes.get(name).is_some_and(|state| state.problem.is_some());
    let is_open =
        arguments.iter().any(|argument| span_of(argument.name()).is_some() || has_problem(argument.name()));
    let fields = arguments.into_iter().map(|argument| {
        let (name, id) = (argument.name(), format!("argument-{}", argument.name()));
        let commit = dispatch.reform(move |text: String| Action::SetAttribute(name, text));
        let label = context.text(&Message::ops(argument.description()));
        let span = span_of(name);
        let value = span.and_then(|span| text.get(span.range())).unwrap_or_default().to_owned();
        let state = states.attributes.get(name).cloned().unwrap_or_default();
        html! {
            <div class="attribute" key={name}>
                <p class="name"><label for={id.clone()}><code>{name}</code></label>{" "}<span class="dim">{label.clone()}</span></p>
                <DraftField {id} class="text mono" {value} {label} {commit} {state} dispatch={dispatch.clone()} />
            </div>
        }
    });
    html! {
        <details id="builder-arguments" open={is_open}>
            <summary>{context.text(&Message::ops("builder-arguments").with("count", count))}</summary>
            <div class="fields">{for fields}</div>
        </details>
    }
}

/// Buttons that write the numbers of named padding into a window. The button whose numbers the window has is pressed; if
/// both have them, `VALID`.
pub fn padding_buttons(
    context: &Context,
    module: &Module,
    instruction: &Instruction,
    commit: &Callback<String>,
) -> Html {
    let Some(entry) = module.entry_computation() else { return Html::default() };
    let operands = Module::operand_shapes(entry, instruction);
    let current = instruction.attrs.get("window");
    let padded = |padding| window::padded(&instruction.opcode, &operands, &instruction.attrs, padding);
    let is_same = padded(Padding::Same) == padded(Padding::Valid);
    let buttons = [(Padding::Same, "SAME"), (Padding::Valid, "VALID")].into_iter().filter_map(|(padding, name)| {
        let value = OpAttrValue::Window(padded(padding)?);
        // If both are the same, there is no padding.
        let is_pressed = current == Some(&value) && !(is_same && padding == Padding::Same);
        let (commit, text) = (commit.clone(), value.to_string());
        let onclick = Callback::from(move |_: MouseEvent| commit.emit(text.clone()));
        let id = format!("padding-{}", name.to_ascii_lowercase());
        Some(html! { <button type="button" class="btn small" {id} {onclick} aria-pressed={is_pressed.to_string()}>{name}</button> })
    });
    let buttons: Vec<Html> = buttons.collect();
    if buttons.is_empty() {
        return Html::default();
    }
    html! {
        <div class="row wrap" role="group" aria-label={context.text(&Message::ops("named-padding"))}>
            <span class="dim">{context.text(&Message::ops("named-padding"))}</span>{for buttons}
            if is_same {
                <span class="dim" id="padding-alike">{context.text(&Message::ops("named-padding-alike"))}</span>
                {unit_stride_button(context, &operands, instruction, commit)}
            } else {
                <span class="dim" id="padding-rule">{context.text(&Message::ops("named-padding-rule"))}</span>
            }
        </div>
    }
}

/// A button that sets the strides of a window to 1 and pads it as `SAME` does then; nothing if that still were no padding.
fn unit_stride_button(
    context: &Context,
    operands: &[&Shape],
    instruction: &Instruction,
    commit: &Callback<String>,
) -> Option<Html> {
    let Some(OpAttrValue::Window(window)) = instruction.attrs.get("window") else { return None };
    if !window.iter().any(|dim| dim.stride > 1 && dim.size > 1) {
        return None;
    }
    let mut dense = window.clone();
    for dim in &mut dense {
        dim.stride = 1;
    }
    let attrs = instruction.attrs.clone().with("window", OpAttrValue::Window(dense));
    let padded = window::padded(&instruction.opcode, operands, &attrs, Padding::Same)?;
    let (commit, text) = (commit.clone(), OpAttrValue::Window(padded).to_string());
    let onclick = Callback::from(move |_: MouseEvent| commit.emit(text.clone()));
    let label = context.text(&Message::ops("named-padding-stride-one"));
    Some(html! { <button type="button" class="btn small" id="stride-one" {onclick}>{label}</button> })
}

/// Notes on the builder forms that were lowered.
pub fn lowered_notes(context: &Context, notes: &[Diagnostic]) -> Html {
    if notes.is_empty() {
        return html! { <div id="lowered" role="status"></div> };
    }
    let is_lowered = notes.iter().any(|note| note.rule != VALUES_FITTED);
    let items = notes.iter().take(MAX_DISPLAYED_NOTES).map(|note| {
        let becomes = note.hints.iter().map(|hint| html! { <>{" "}{context.text(&hint.message)}</> });
        html! { <li>{context.text(&note.message)}<span class="dim mono">{for becomes}</span></li> }
    });
    let more = notes.len().saturating_sub(MAX_DISPLAYED_NOTES);
    html! {
        <div id="lowered" role="status">
            <div class="notice mild">
                if is_lowered { <p><b>{context.text(&Message::ops("lowered-title"))}</b></p> }
                <ul class="plain">{for items}</ul>
                if more > 0 { <p class="dim">{context.text(&Message::new("problems-more").with("count", more))}</p> }
            </div>
        </div>
    }
}
