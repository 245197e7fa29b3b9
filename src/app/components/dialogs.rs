//! The dialogs of the Layout screen: examples, help, and "Go to".

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement, HtmlInputElement};
use yew::prelude::*;

use super::help::Help;
use super::modal::Modal;
use crate::app::canvas::SharedArray;
use crate::app::components::skip_link::focus;
use crate::app::context::{Context, use_app_context};
use crate::i18n::Message;
use crate::state::presets::{Group, PRESETS};
use crate::state::session::Action;

/// All presets, by group.
pub fn examples(context: &Context, dispatch: &Callback<Action>, close: &Callback<()>) -> Html {
    let groups = [
        (Group::XlaDocs, "group-documents"),
        (Group::RealWorld, "group-practice"),
        (Group::EdgeCases, "group-corners"),
    ];
    let groups = groups.into_iter().map(|(group, key)| {
        let items = PRESETS.iter().filter(|p| p.group == group).map(|preset| {
            let onclick = {
                let (dispatch, close) = (dispatch.clone(), close.clone());
                Callback::from(move |_: MouseEvent| {
                    dispatch.emit(Action::Load(Box::new(preset.document())));
                    close.emit(());
                })
            };
            html! {
                <li>
                    <button class="example" id={preset.name} {onclick}>
                        <span>{context.text_of_key(preset.name)}</span>
                        <code>{preset.spec}{(!preset.compare.is_empty()).then(|| format!(" · {}", preset.compare))}</code>
                    </button>
                </li>
            }
        });
        html! { <><h3>{context.text_of_key(key)}</h3><ul class="examples">{for items}</ul></> }
    });
    html! {
        <Modal id="examples-dialog" title={context.text_of_key("examples")} close={close.clone()}>{for groups}</Modal>
    }
}

/// Properties of [`GoTo`].
#[derive(Clone, PartialEq, Properties)]
pub struct GoToProps {
    /// The array to navigate in.
    pub array: SharedArray,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Closes the dialog.
    pub close: Callback<()>,
}

/// A field for a slot or an index to go to.
#[component]
pub fn GoTo(props: &GoToProps) -> Html {
    let context = use_app_context();
    let node = use_node_ref();
    let problem = use_state_eq(|| None::<Message>);
    let onsubmit = {
        let (node, problem) = (node.clone(), problem.clone());
        let (array, dispatch, close) = (props.array.clone(), props.dispatch.clone(), props.close.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let typed = node.cast::<HtmlInputElement>().map(|i| i.value()).unwrap_or_default();
            match parse_target(&array, &typed) {
                Ok(slot) => {
                    dispatch.emit(Action::MoveCursor(slot));
                    // Closing gives the focus back to the button; keys are to step on from the cell.
                    if let Some(dialog) =
                        node.cast::<Element>().and_then(|field| field.closest("dialog").ok().flatten())
                        && let Ok(dialog) = dialog.dyn_into::<HtmlDialogElement>()
                    {
                        dialog.close();
                    }
                    focus("grid");
                    close.emit(());
                }
                Err(message) => problem.set(Some(message)),
            }
        })
    };
    html! {
        <Modal id="goto-dialog" title={context.text_of_key("go-to")} close={props.close.clone()}>
            <form {onsubmit}>
                <label for="goto-target">{context.text_of_key("goto-label")}</label>
                <div class="row">
                    <input id="goto-target" class="text" ref={node} type="text" inputmode="text" autocomplete="off"
                        autofocus=true placeholder="6  ·  0,2  ·  0x18" aria-invalid={problem.is_some().to_string()}
                        aria-describedby="goto-problem" />
                    <button class="btn primary" type="submit">{context.text_of_key("go")}</button>
                </div>
                <p class="error-line" id="goto-problem" role="alert">
                    {problem.as_ref().map(|m| context.text(m))}
                </p>
            </form>
        </Modal>
    }
}

/// Parses a slot: `6` is a slot, `0,2` or `(0, -1)` an index, `0x18` a byte address.
fn parse_target(array: &SharedArray, typed: &str) -> Result<i64, Message> {
    let map = array.0.memory_map();
    let typed = typed.trim().trim_matches(['(', ')', '[', ']', '{', '}']);
    let last = (map.slot_count() - 1).max(0);
    let within = |slot: i64| {
        if (0..map.slot_count()).contains(&slot) {
            Ok(slot)
        } else {
            Err(Message::new("goto-outside").with("slot", slot).with("last", last))
        }
    };
    if let Some(hex) = typed.strip_prefix("0x") {
        let byte = i64::from_str_radix(hex, 16).map_err(|_| Message::new("goto-unreadable"))?;
        let bits = byte.checked_mul(8).ok_or_else(|| Message::new("goto-unreadable"))?;
        return within(bits / map.bits_per_slot().max(1));
    }
    let numbers: Result<Vec<i64>, _> =
        typed.split([',', ' ']).filter(|p| !p.is_empty()).map(str::parse).collect();
    let mut numbers = numbers.map_err(|_| Message::new("goto-unreadable"))?;
    // As in Python, a negative index counts from the end of its dimension.
    if numbers.len() == map.rank() {
        for (number, size) in numbers.iter_mut().zip(map.sizes()).filter(|(number, _)| **number < 0) {
            *number = number.saturating_add(*size);
        }
    }
    match numbers.as_slice() {
        [] => Err(Message::new("goto-unreadable")),
        [slot] => within(*slot),
        index if index.len() == map.rank() => map.slot(index).ok_or_else(|| {
            Message::new("goto-no-index")
                .with("index", typed)
                .with("sizes", format!("{:?}", map.padded_sizes()))
        }),
        index => Err(Message::new("goto-rank").with("given", index.len()).with("rank", map.rank())),
    }
}

/// Shortcuts, with the message keys of their descriptions.
const KEYS: &[(&str, &str)] = &[
    ("↑ ↓ ← →  Home End PgUp PgDn", "key-arrows"),
    (",  .", "key-slots"),
    ("Space", "key-play"),
    ("g", "key-goto"),
    ("Enter  Esc", "key-pin"),
    ("Alt+←  Alt+→", "key-chip"),
    ("+  −", "key-zoom"),
    ("t  p  f", "key-panels"),
    ("Ctrl+Z  Ctrl+Shift+Z", "key-undo"),
    ("s  e", "key-share"),
    ("?", "key-help"),
];

/// The help of the Layout screen.
pub fn layout_help(context: &Context, close: Callback<()>) -> Html {
    let keys: Vec<_> = KEYS.iter().map(|(keys, key)| (*keys, context.text_of_key(key))).collect();
    let notes =
        ["help-layout", "help-padding", "help-padding-text", "help-tiles", "help-limit", "help-private"];
    let notes: Vec<_> = notes.into_iter().map(|key| context.text_of_key(key)).collect();
    html! { <Help {keys} {notes} {close} /> }
}
