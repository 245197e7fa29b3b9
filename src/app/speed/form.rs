//! The form for a setup, derived from the op's entry in [`OPS`].

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::components::select::Select;
use crate::app::context::{Context, grouped, use_app_context};
use crate::i18n::Message;
use crate::state::speed::ops::{DimsRole, Sizes};
use crate::state::speed::setup::MAX_DIMENSION_SIZE;
use crate::state::speed::{OPS, Op, Setup};

/// Properties of [`Form`].
#[derive(Clone, PartialEq, Properties)]
pub struct FormProps {
    /// The setup that is edited.
    pub setup: Setup,
    /// Replaces the setup.
    pub set: Callback<Setup>,
    /// Reports whether a field holds an invalid size.
    pub invalid: Callback<bool>,
}

fn number(size: i64) -> AttrValue {
    grouped(size).into()
}

/// The form for the setup of a measurement.
#[component]
pub fn Form(props: &FormProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::speed(key));
    let setup = &props.setup;
    // The index of a field with an invalid size, and the nearest valid size.
    let invalid_field = use_state_eq(|| None::<(usize, u64)>);
    {
        let invalid = props.invalid.clone();
        use_effect_with(invalid_field.is_some(), move |is_invalid| invalid.emit(*is_invalid));
    }
    {
        let invalid_field = invalid_field.clone();
        use_effect_with(setup.clone(), move |_| invalid_field.set(None));
    }
    let ops: Vec<(AttrValue, AttrValue)> = OPS.iter().map(|op| (op.name.into(), text(op.label))).collect();
    let choose = {
        let (set, view) = (props.set.clone(), setup.view);
        Callback::from(move |name: AttrValue| {
            if let Some(op) = Op::by_name(&name) {
                set.emit(Setup { view, ..Setup::new(op) });
            }
        })
    };
    let resize = |i: usize| {
        let (set, setup, invalid_field) = (props.set.clone(), setup.clone(), invalid_field.clone());
        Callback::from(move |event: Event| {
            let field: HtmlInputElement = event.target_unchecked_into();
            let typed = field.value_as_number();
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to what fits"
            )]
            #[allow(clippy::cast_precision_loss, reason = "2^24 fits")]
            let size = if typed.is_nan() { 1 } else { typed.clamp(1.0, MAX_DIMENSION_SIZE as f64) as u64 };
            #[allow(clippy::cast_precision_loss, reason = "2^24 fits")]
            if (size as f64).to_bits() == typed.to_bits() {
                let mut setup = setup.clone();
                setup.sizes[i] = size;
                invalid_field.set(None);
                set.emit(setup);
            } else {
                invalid_field.set(Some((i, size)));
            }
        })
    };
    let name = |i: usize| match setup.op.sizes {
        Sizes::Named(names) => names.get(i).map_or_else(AttrValue::default, |name| text(name)),
        Sizes::Dimensions { .. } => context.text(&Message::speed("speed-dimension").with("dimension", i)),
    };
    let fields = setup.sizes.iter().enumerate().map(|(i, size)| {
        let (id, is_invalid) = (format!("size-{i}"), invalid_field.as_ref().is_some_and(|(at, _)| *at == i));
        html! {
            <span class="field row">
                <label for={id.clone()}>{name(i)}</label>
                <input class="step wide" {id} key={format!("{}-{i}-{size}", setup.op.name)} type="number" min="1"
                    max={MAX_DIMENSION_SIZE.to_string()} step="1" value={size.to_string()} onchange={resize(i)}
                    aria-invalid={is_invalid.then_some("true")} aria-describedby={is_invalid.then_some("size-problem")} />
            </span>
        }
    });
    let size_fix = invalid_field.as_ref().map(|(i, size)| {
        let (i, size) = (*i, *size);
        let (set, setup, invalid_field) = (props.set.clone(), setup.clone(), invalid_field.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            let mut setup = setup.clone();
            setup.sizes[i] = size;
            invalid_field.set(None);
            // If the valid size equals the previous one, no property changes: the field must be reset here.
            let field = gloo::utils::document().get_element_by_id(&format!("size-{i}"));
            if let Some(field) = field {
                wasm_bindgen::JsCast::unchecked_into::<HtmlInputElement>(field).set_value(&size.to_string());
            }
            set.emit(setup);
        });
        let limit = i64::try_from(MAX_DIMENSION_SIZE).unwrap_or(i64::MAX);
        let message = Message::speed("speed-size-range").with("limit", number(limit).to_string());
        let fix = Message::speed("speed-smaller").with("sizes", size.to_string());
        html! {
            <div class="problem" role="alert">
                <p class="error-line" id="size-problem">{context.text(&message)}</p>
                <p class="hints"><button class="fix" id="size-fix" {onclick}>{context.text(&fix)}</button></p>
            </div>
        }
    });
    let problem = setup.problem().filter(|_| invalid_field.is_none()).map(|problem| {
        let (set, fixed) = (props.set.clone(), problem.fixed.clone());
        let onclick = Callback::from(move |_: MouseEvent| set.emit(fixed.clone()));
        html! {
            <div class="problem" role="alert" id="too-much">
                <p class="error-line">{context.text(&problem.message)}</p>
                <p class="hints"><button class="fix" id="too-much-fix" {onclick}>{context.text(&problem.fix)}</button></p>
            </div>
        }
    });
    html! {
        <section aria-label={text("speed-op")} class="fields">
            <Select id="op" label={text("speed-op")} options={ops} value={setup.op.name} onchange={choose} />
            {rank(&context, props)}
            {for fields}
            {dims(&context, props)}
            {size_fix}
            {problem}
        </section>
    }
}

/// The choice of the rank, if the op has one.
fn rank(context: &Context, props: &FormProps) -> Html {
    let Sizes::Dimensions { min_rank, max_rank } = props.setup.op.sizes else { return Html::default() };
    let options = (min_rank..=max_rank)
        .map(|rank| (rank.to_string().into(), rank.to_string().into()))
        .collect::<Vec<_>>();
    let choose = {
        let (set, setup) = (props.set.clone(), props.setup.clone());
        Callback::from(move |rank: AttrValue| {
            let Ok(rank) = rank.parse::<usize>() else { return };
            set.emit(setup.clone().with_rank(rank));
        })
    };
    html! {
        <Select id="rank" label={context.text(&Message::speed("speed-rank"))} {options}
            value={props.setup.sizes.len().to_string()} onchange={choose} />
    }
}

/// The list of dimensions.
fn dims(context: &Context, props: &FormProps) -> Html {
    let setup = &props.setup;
    match setup.op.dims_role {
        DimsRole::None => Html::default(),
        DimsRole::Reduced => {
            let boxes = (0..setup.sizes.len()).map(|d| {
                let onchange = {
                    let (set, setup) = (props.set.clone(), setup.clone());
                    Callback::from(move |_: Event| {
                        let mut next = setup.clone();
                        if next.dims.contains(&d) {
                            next.dims.retain(|other| *other != d);
                        } else {
                            next.dims.push(d);
                            next.dims.sort_unstable();
                        }
                        set.emit(next);
                    })
                };
                let name = context.text(&Message::speed("speed-over-dimension").with("dimension", d));
                html! {
                    <span class="field row">
                        <label for={format!("over-{d}")}>{name}</label>
                        <input type="checkbox" id={format!("over-{d}")} checked={setup.dims.contains(&d)} {onchange} />
                    </span>
                }
            });
            html! {
                <fieldset class="plain">
                    <legend class="sr-only">{context.text(&Message::speed("speed-over"))}</legend>
                    {for boxes}
                </fieldset>
            }
        }
        DimsRole::Permutation => {
            let text = |dims: &[usize]| dims.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let mut permutations: Vec<Vec<usize>> =
                setup.orders().into_iter().filter_map(|orders| orders.into_iter().next()).collect();
            permutations.sort();
            let options: Vec<(AttrValue, AttrValue)> = permutations
                .iter()
                .map(|dims| (text(dims).into(), format!("{{{}}}", text(dims)).into()))
                .collect();
            let choose = {
                let (set, setup) = (props.set.clone(), setup.clone());
                Callback::from(move |chosen: AttrValue| {
                    let dims: Option<Vec<usize>> = chosen.split(',').map(|d| d.parse().ok()).collect();
                    if let Some(dims) = dims {
                        set.emit(Setup { dims, ..setup.clone() }.with_valid_dims());
                    }
                })
            };
            html! {
                <Select id="to" label={context.text(&Message::speed("speed-to"))} {options} value={text(&setup.dims)}
                    onchange={choose} />
            }
        }
    }
}
