//! The state of the spec bar as a form: dimensions, order, storage, values.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::chips::Chips;
use super::problems::problem_list;
use super::select::Select;
use crate::app::context::{Context, dimension_class, use_app_context};
use crate::array::memory::MemoryMap;
use crate::array::shape_util::letter;
use crate::array::text;
use crate::array::values::ValuesError;
use crate::array::{ArrayShape, ElementType, PaddingValue};
use crate::diagnostic::Diagnostic;
use crate::i18n::Message;
use crate::state::document::{MAX_RANK, ValueRule};
use crate::state::session::Action;

/// Properties of [`Form`].
#[derive(Clone, PartialEq, Properties)]
pub struct FormProps {
    /// The shown array.
    pub array: ArrayShape,
    /// The values of its elements.
    pub values: ValueRule,
    /// The error of typed values.
    pub values_error: Option<ValuesError>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The form next to the picture.
#[component]
pub fn Form(props: &FormProps) -> Html {
    let context = use_app_context();
    let array = &props.array;
    let rank = array.rank();
    let Ok(map) = MemoryMap::new(array) else { return Html::default() };
    let strides = map.strides();
    let layout = array.layout.clone();
    let padding = layout.as_ref().and_then(|l| l.padding.clone());
    let tiled = map.is_tiled();
    let act = |action: Action| {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.emit(action.clone()))
    };
    let rows = (0..rank).map(|d| {
        let dispatch = props.dispatch.clone();
        let size = dispatch.reform(move |n| Action::SetSize(d, n));
        let padded = dispatch.reform(move |n| Action::SetPaddedSize(d, n));
        let name = |key| context.text(&Message::new(key).with("dimension", d));
        html! {
            <tr key={d}>
                <th scope="row" class="tag">
                    <span class={dimension_class(d)}>{format!("d{d}")}</span>
                    if let Some(letter) = letter(rank, d) { <span class="dim">{format!(" ({letter})")}</span> }
                </th>
                <td><NumberField id={format!("size-{d}")} label={name("size-of")} value={array.dimensions[d]}
                    min=0 onchange={size} /></td>
                <td><NumberField id={format!("padded-{d}")} label={name("padded-of")} value={map.padded_sizes()[d]}
                    min={array.dimensions[d]} disabled={tiled} onchange={padded} /></td>
                <td class="mono num" title={strides.as_ref().map(|s| s[d].to_string())}>
                    {strides.as_ref().map_or("–".to_owned(), |s| s[d].to_string())}</td>
                <td><button class="btn tiny" onclick={act(Action::RemoveDimension(d))}
                    aria-label={name("remove-dimension")} title={name("remove-dimension")}>{"×"}</button></td>
            </tr>
        }
    });
    let table = html! {
        <table class="dims">
            <thead><tr>
                <th scope="col"><span class="sr-only">{context.text_of_key("dimension")}</span></th>
                <th scope="col">{context.text_of_key("size")}</th>
                <th scope="col">{context.text_of_key("padded")}</th>
                <th scope="col">{context.text_of_key("stride")}</th>
                <td></td>
            </tr></thead>
            <tbody>{for rows}</tbody>
        </table>
    };
    html! {
        <>
            <section aria-labelledby="h-dims">
                <h2 id="h-dims">{context.text_of_key("dimensions")}</h2>
                {if rank > 0 { table } else { html! { <p class="dim">{context.text_of_key("scalar-has-none")}</p> } }}
                <button class="btn small" id="add-dimension" onclick={act(Action::AddDimension)}
                    disabled={rank >= MAX_RANK}>{context.text_of_key("add-dimension")}</button>
            </section>
            <Chips array={array.clone()} dispatch={props.dispatch.clone()} />
            <Storage array={array.clone()} padding_value={padding.map(|p| p.value)} dispatch={props.dispatch.clone()} />
            {values_form(&context, props)}
        </>
    }
}

#[derive(Clone, PartialEq, Properties)]
struct NumberFieldProps {
    id: AttrValue,
    label: AttrValue,
    value: i64,
    min: i64,
    #[prop_or_default]
    disabled: bool,
    onchange: Callback<i64>,
}

/// An integer that takes effect on change; invalid or rejected input is reset.
#[component]
fn NumberField(props: &NumberFieldProps) -> Html {
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with(props.value, move |value| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                input.set_value(&value.to_string());
            }
        });
    }
    let onchange = {
        let (onchange, value) = (props.onchange.clone(), props.value);
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let typed = input.value().trim().parse::<i64>();
            // An accepted number is set as the new value; a rejected or invalid one must not stay in the field.
            input.set_value(&value.to_string());
            if let Ok(n) = typed {
                onchange.emit(n);
            }
        })
    };
    html! {
        <input class="step" ref={node} id={&props.id} type="number" min={props.min.to_string()} step="1"
            aria-label={&props.label} value={props.value.to_string()} disabled={props.disabled} {onchange} />
    }
}

#[derive(Clone, PartialEq, Properties)]
struct StorageProps {
    array: ArrayShape,
    padding_value: Option<PaddingValue>,
    dispatch: Callback<Action>,
}

/// Element type, padding value, tiles.
#[component]
fn Storage(props: &StorageProps) -> Html {
    let context = use_app_context();
    let problem = use_state_eq(|| None::<AttrValue>);
    let types = ElementType::ALL.iter().map(|t| (t.name().into(), t.name().into())).collect::<Vec<_>>();
    let choose_type = props.dispatch.clone();
    let choose_type = Callback::from(move |name: AttrValue| {
        if let Some(element_type) = ElementType::from_name(&name) {
            choose_type.emit(Action::SetElementType(element_type));
        }
    });
    let words = PaddingValue::ALL
        .iter()
        .map(|v| (v.word().into(), context.text_of_key(padding_key(*v))))
        .collect::<Vec<(AttrValue, AttrValue)>>();
    let choose_padding = props.dispatch.clone();
    let choose_padding = Callback::from(move |word: AttrValue| {
        if let Some(value) = PaddingValue::from_word(&word) {
            choose_padding.emit(Action::SetPaddingValue(value));
        }
    });
    let tiles = props.array.layout.as_ref().map_or(String::new(), tiles_text);
    let node = use_node_ref();
    {
        let (node, tiles) = (node.clone(), tiles.clone());
        use_effect_with(tiles, move |tiles| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                input.set_value(tiles);
            }
        });
    }
    let change_tiles = {
        let (dispatch, context) = (props.dispatch.clone(), context.clone());
        let (array, problem) = (props.array.clone(), problem.clone());
        Callback::from(move |event: Event| {
            let typed = event.target_unchecked_into::<HtmlInputElement>().value();
            match read_tiles(&array, &typed) {
                Ok(action) => {
                    problem.set(None);
                    dispatch.emit(action);
                }
                Err(message) => problem.set(Some(context.text(&message))),
            }
        })
    };
    html! {
        <section aria-labelledby="h-storage">
            <h2 id="h-storage">{context.text_of_key("storage")}</h2>
            <div class="fields">
                <Select id="element-type" label={context.text_of_key("element-type")} options={types}
                    value={props.array.element_type.name()} onchange={choose_type} />
                <Select id="padding-value" label={context.text_of_key("padding-value")} options={words}
                    value={props.padding_value.unwrap_or_default().word()} onchange={choose_padding}
                    disabled={props.padding_value.is_none()} />
                <span class="field row">
                    <label for="tiles">{context.text_of_key("tiles")}</label>
                    <input id="tiles" ref={node} class="text" type="text" placeholder="(8,128)(2,1)" value={tiles}
                        onchange={change_tiles} spellcheck="false" autocomplete="off"
                        aria-invalid={problem.is_some().to_string()} aria-describedby="tiles-problem" />
                </span>
                <p class="error-line" id="tiles-problem" aria-live="polite">{(*problem).clone()}</p>
            </div>
        </section>
    }
}

/// The message key of a padding value.
fn padding_key(value: PaddingValue) -> &'static str {
    match value {
        PaddingValue::Invalid => "pad-invalid",
        PaddingValue::Zero => "pad-zero",
        PaddingValue::One => "pad-one",
        PaddingValue::Lowest => "pad-lowest",
        PaddingValue::Highest => "pad-highest",
        PaddingValue::Unknown => "pad-unknown",
    }
}

fn tiles_text(layout: &crate::array::Layout) -> String {
    layout.tiles.iter().map(ToString::to_string).collect()
}

/// Parses `(8,128)(2,1)` like the spec bar.
fn read_tiles(array: &ArrayShape, typed: &str) -> Result<Action, Message> {
    let typed = typed.trim().trim_start_matches('T');
    if typed.is_empty() {
        return Ok(Action::SetTiles(Vec::new()));
    }
    let order: Vec<String> =
        array.layout.iter().flat_map(|l| l.minor_to_major.iter().map(i64::to_string)).collect();
    let sizes: Vec<String> = array.dimensions.iter().map(i64::to_string).collect();
    let spec = format!("{}[{}]{{{}:T{typed}}}", array.element_type, sizes.join(","), order.join(","));
    let parsed = text::parse(&spec);
    match (parsed.diagnostics.first(), parsed.shape.as_ref().and_then(|s| s.as_array())) {
        (None, Some(read)) => {
            Ok(Action::SetTiles(read.layout.iter().flat_map(|l| l.tiles.iter().cloned()).collect()))
        }
        (Some(problem), _) => Err(problem.message.clone()),
        (None, None) => Err(Message::new("tiles-unreadable")),
    }
}

/// The values of the elements.
fn values_form(context: &Context, props: &FormProps) -> Html {
    let kind = match props.values {
        ValueRule::Letters => "letters",
        ValueRule::Iota => "iota",
        ValueRule::Random(_) => "random",
        ValueRule::Text(_) => "typed",
    };
    let options = vec![
        ("letters".into(), context.text_of_key("values-letters")),
        ("iota".into(), context.text_of_key("values-iota")),
        ("random".into(), context.text_of_key("values-random")),
        ("typed".into(), context.text_of_key("values-typed")),
    ];
    let choose = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |kind: AttrValue| {
            let values = match kind.as_str() {
                "typed" => return dispatch.emit(Action::RestoreTypedValues),
                "iota" => ValueRule::Iota,
                "random" => ValueRule::Random(1),
                _ => ValueRule::Letters,
            };
            dispatch.emit(Action::SetValues(values));
        })
    };
    let more = match &props.values {
        ValueRule::Random(seed) => {
            let change = props.dispatch.reform(|n: i64| {
                Action::SetValues(ValueRule::Random(
                    u32::try_from(n.clamp(0, i64::from(u32::MAX))).unwrap_or(0),
                ))
            });
            html! {
                <span class="field row">
                    <label for="seed">{context.text_of_key("seed")}</label>
                    <NumberField id="seed" label={context.text_of_key("seed")} value={i64::from(*seed)} min=0
                        onchange={change} />
                </span>
            }
        }
        ValueRule::Text(typed) => {
            let oninput = props.dispatch.reform(|event: InputEvent| {
                Action::TypeValues(event.target_unchecked_into::<web_sys::HtmlTextAreaElement>().value())
            });
            let onchange = props.dispatch.reform(|_: Event| Action::CommitText);
            html! {
                <>
                    <label class="sr-only" for="typed">{context.text_of_key("values-typed")}</label>
                    <textarea id="typed" class="text" rows="4" value={typed.clone()} {oninput} {onchange}
                        spellcheck="false" placeholder={"{ { 1, 2, 3 }, { 4, 5, 6 } }"}
                        aria-invalid={props.values_error.is_some().to_string()} aria-describedby="values-problem" />
                    <div class="field-problem" id="values-problem" aria-live="polite">
                        if let Some(error) = &props.values_error {
                            {problem_list(context, error, |d| fixes(context, d, typed, &props.dispatch))}
                            <p class="dim">{context.text_of_key("values-unknown")}</p>
                        }
                    </div>
                </>
            }
        }
        _ => Html::default(),
    };
    html! {
        <section aria-labelledby="h-values">
            <h2 id="h-values">{context.text_of_key("values")}</h2>
            <div class="fields">
                <Select id="values" label={context.text_of_key("values-hold")} {options} value={kind} onchange={choose} />
                {more}
            </div>
        </section>
    }
}

/// The clickable fixes of an error in typed values.
fn fixes(context: &Context, diagnostic: &Diagnostic, typed: &str, dispatch: &Callback<Action>) -> Html {
    let fixed = diagnostic.hints.iter().filter_map(|hint| {
        let fixed = hint.apply(typed)?;
        let dispatch = dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            dispatch.emit(Action::SetValues(ValueRule::Text(fixed.clone())));
        });
        Some(html! { <button class="fix" {onclick}>{context.text(&hint.message)}</button> })
    });
    html! { <>{" "}{for fixed}</> }
}
