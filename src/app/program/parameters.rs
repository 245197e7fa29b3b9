//! The values of the parameters: random with a seed, in order, or typed.

use gloo::timers::callback::Timeout;
use web_sys::{HtmlInputElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::app::components::select::BareSelect;
use crate::app::context::{Context, use_app_context};
use crate::i18n::Message;
use crate::state::program::session::{Action, Session};
use crate::worker::program::wire::{Argument, Opened, Parameter};

/// Maximum parameters that are listed.
const MAX_LISTED: usize = 64;

/// Milliseconds after the last key until typed values are set.
const TYPING_PAUSE_MS: u32 = 300;

/// Properties of [`TypedValue`].
#[derive(Clone, PartialEq, Properties)]
struct TypedValueProps {
    number: usize,
    name: AttrValue,
    value: AttrValue,
    dispatch: Callback<Action>,
}

/// The field of a typed value.
#[component]
fn TypedValue(props: &TypedValueProps) -> Html {
    let context = use_app_context();
    let timer = use_mut_ref(|| None::<Timeout>);
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with(props.value.clone(), move |value| {
            if let Some(area) = node.cast::<HtmlTextAreaElement>()
                && area.value() != **value
            {
                area.set_value(value);
            }
        });
    }
    let oninput = {
        let (dispatch, number) = (props.dispatch.clone(), props.number);
        Callback::from(move |event: InputEvent| {
            let typed = event.target_unchecked_into::<HtmlTextAreaElement>().value();
            let dispatch = dispatch.clone();
            let set = move || dispatch.emit(Action::SetArgument(number, Argument::Typed(typed)));
            *timer.borrow_mut() = Some(Timeout::new(TYPING_PAUSE_MS, set));
        })
    };
    let label = Message::program("program-values-of").with("name", props.name.as_str());
    html! {
        <textarea class="text" id={format!("argument-text-{}", props.number)} ref={node} rows="2" {oninput} spellcheck="false" autocomplete="off"
            placeholder="{1, 2, 3}" aria-label={context.text(&label)} />
    }
}

fn parameter(
    context: &Context,
    number: usize,
    parameter: &Parameter,
    argument: &Argument,
    dispatch: &Callback<Action>,
) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let options = vec![
        ("random".into(), text("program-random")),
        ("iota".into(), text("program-iota")),
        ("typed".into(), text("program-typed")),
    ];
    let value = match argument {
        Argument::Random => "random",
        Argument::Iota => "iota",
        Argument::Typed(_) => "typed",
    };
    let onchange = dispatch.reform(move |chosen: AttrValue| {
        let argument = match &*chosen {
            "iota" => Argument::Iota,
            "typed" => Argument::Typed(String::new()),
            _ => Argument::Random,
        };
        Action::SetArgument(number, argument)
    });
    let typed = match argument {
        Argument::Typed(typed) => Some(typed.clone()),
        _ => None,
    };
    let label = Message::program("program-values-of").with("name", parameter.name.as_str());
    html! {
        <li key={number}>
            <span class="parameter"><b>{&parameter.name}</b>{" "}<code class="dim">{&parameter.shape}</code></span>
            <BareSelect id={format!("argument-{number}")} label={context.text(&label)} {options} {value} {onchange} />
            if let Some(value) = typed { <TypedValue {number} name={parameter.name.clone()} {value} dispatch={dispatch.clone()} /> }
        </li>
    }
}

/// The parameters in a foldable section.
pub fn parameters(
    context: &Context,
    opened: &Opened,
    session: &Session,
    dispatch: &Callback<Action>,
) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    if opened.parameters.is_empty() {
        return html! { <p class="dim">{text("program-no-parameters")}</p> };
    }
    let random = Argument::Random;
    let rows = opened.parameters.iter().take(MAX_LISTED).enumerate().map(|(number, each)| {
        parameter(context, number, each, session.arguments.get(number).unwrap_or(&random), dispatch)
    });
    let set_seed = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            if let Ok(seed) = input.value().parse() {
                dispatch.emit(Action::SetSeed(seed));
            }
        })
    };
    let more = opened.parameters.len().saturating_sub(MAX_LISTED);
    let count = Message::program("program-parameters").with("count", opened.parameters.len());
    html! {
        <details class="parameters" id="program-parameters">
            <summary>{context.text(&count)}</summary>
            <p class="field row">
                <label for="program-seed">{text("program-seed")}</label>
                <input type="number" class="step" id="program-seed" min="0" max="4294967295" value={session.seed.to_string()} onchange={set_seed} />
            </p>
            <ul>{for rows}</ul>
            if more > 0 { <p class="dim">{context.text(&Message::new("problems-more").with("count", more))}</p> }
        </details>
    }
}
