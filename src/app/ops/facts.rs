//! The result in words: its shape, its values if they are few, the steps, and what computed it.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::running::{Check, Values};
use crate::app::components::remedies::remedies;
use crate::app::context::{grouped, use_app_context};
use crate::app::prefs::{KernelChoice, Preferences};
use crate::array::value::text::Exactness;
use crate::cause::{Cause, Part};
use crate::hlo::eval::kernel::{Build, ComputedBy, MIN_KERNEL_STEPS, Mode};
use crate::i18n::Message;
use crate::ops::Fallback;
use crate::state::experiment::run::leaves;
use crate::worker::evaluation::wire::Difference;

/// The most elements of a result that is printed.
const MAX_WRITTEN_ELEMENTS: i64 = 4_096;

/// The choices of what computes large ops, with the message keys of their names.
const KERNELS: [(KernelChoice, &str); 3] = [
    (KernelChoice::Strict, "kernels-strict"),
    (KernelChoice::Fast, "kernels-fast"),
    (KernelChoice::Off, "kernels-off"),
];

/// What computed a value, as a message.
fn sentence(made: &ComputedBy, asked: KernelChoice, Values { ran, focus }: &Values) -> Message {
    match made {
        ComputedBy::Kernel(name, rounding, workers) => {
            let key = if *rounding == Mode::Fast { "made-fast" } else { "made-strict" };
            Message::engine(key).with("name", name.as_str()).with("workers", i64::from(*workers))
        }
        ComputedBy::Substitute(name, build, _) => {
            let key = if *build == Build::Scalar { "made-scalar" } else { "made-strict" };
            Message::engine(key).with("name", name.as_str()).with("workers", 1_i64)
        }
        ComputedBy::Body(Fallback::Unavailable(cause)) => {
            Message::engine("fallback-unavailable").with("cause", cause.message(Part::Kernels))
        }
        ComputedBy::Body(Fallback::Off) if asked != KernelChoice::Off => {
            Message::engine(if ran.has_host_or_devices() {
                "fallback-host"
            } else if ran.steps < MIN_KERNEL_STEPS {
                Fallback::Small.key()
            } else {
                "fallback-page"
            })
        }
        ComputedBy::Body(why @ (Fallback::ElementType | Fallback::Unsupported)) => {
            let entry = ran.module().entry_computation();
            let instruction = entry.and_then(|entry| Some((entry, entry.get(*focus)?)));
            let types = instruction.map(|(entry, instruction)| {
                let operands = instruction.operands.iter().filter_map(|id| entry.get(*id));
                let shapes = operands.map(|operand| operand.shape.to_string());
                shapes.chain([instruction.shape.to_string()]).collect::<Vec<_>>().join(", ")
            });
            let opcode = instruction.map(|(_, instruction)| instruction.opcode.clone());
            Message::engine(why.key())
                .with("opcode", opcode.unwrap_or_default())
                .with("types", types.unwrap_or_default())
        }
        ComputedBy::Body(why) => Message::engine(why.key()),
    }
}

/// Why the requested kernels did not compute a value.
fn unavailable(made: &ComputedBy) -> Option<&Cause> {
    match made {
        ComputedBy::Body(Fallback::Unavailable(cause)) | ComputedBy::Substitute(_, _, cause) => Some(cause),
        ComputedBy::Body(_) | ComputedBy::Kernel(..) => None,
    }
}

/// The difference between kernels and reference evaluator, as a message.
fn compared(found: &Difference) -> Message {
    let cells = |key| {
        Message::engine(key)
            .with("count", found.all)
            .with("all", grouped(found.all))
            .with("differing", grouped(found.differing))
    };
    match &found.worst {
        None => cells("kernels-same"),
        Some((index, kernel, definition, units)) => {
            let index = index.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
            let message = cells(if units.is_some() { "kernels-near" } else { "kernels-other" });
            message
                .with("cell", format!("out[{index}]"))
                .with("kernel", kernel.as_str())
                .with("definition", definition.as_str())
                .with("units", i64::try_from(units.unwrap_or_default()).unwrap_or(i64::MAX))
        }
    }
}

/// Properties of [`Facts`].
#[derive(Clone, PartialEq, Properties)]
pub struct FactsProps {
    /// The values.
    pub values: Values,
    /// Whether they predate the current experiment.
    pub is_stale: bool,
    /// The comparison of kernels with the reference evaluator.
    pub check: Check,
    /// Runs it again.
    pub again: Callback<()>,
}

/// The facts.
#[component]
pub fn Facts(props: &FactsProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::engine(key));
    let written = use_memo(props.values.clone(), |Values { ran, focus }| {
        let value = ran.value(*focus);
        let elements = |value: &_| leaves(value).iter().map(|(_, array)| array.map().elements()).sum::<i64>();
        let value = value.filter(|value| elements(value) <= MAX_WRITTEN_ELEMENTS);
        value.map(|value| AttrValue::from(value.to_literal().text(Exactness::Xla)))
    });
    let Values { ran, focus } = &props.values;
    let asked = context.preferences.kernels;
    let made = ran.computed_by().get(focus.index()).and_then(Option::as_ref);
    let check =
        props.check.ask.reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().checked());
    let choose = {
        let context = context.clone();
        Callback::from(move |event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().value();
            if let Some((kernels, _)) = KERNELS.iter().find(|(_, key)| **key == *chosen) {
                context.prefer.emit(Preferences { kernels: *kernels, ..context.preferences.clone() });
            }
        })
    };
    let shape = ran.module().entry_computation().and_then(|entry| Some(entry.get(*focus)?.shape.to_string()));
    html! {
        <section>
            <h2>{text("result")}if props.is_stale { {" "}<span class="stale">{text("stale")}</span> }</h2>
            <dl class="kv">
                <dt>{text("result-shape")}</dt><dd id="result-shape">{shape.unwrap_or_default()}</dd>
                if let Some(value) = &*written {
                    <dt>{text("result-value")}</dt>
                    <dd><pre class="strip-text" id="result-value" tabindex="0">{value}</pre></dd>
                }
                <dt>{text("steps")}</dt><dd id="result-steps">{grouped(i64::try_from(ran.steps).unwrap_or(i64::MAX))}</dd>
                if let Some(made) = made {
                    <dt>{text("made")}</dt>
                    <dd id="result-made">{context.text(&sentence(made, asked, &props.values))}</dd>
                }
            </dl>
            if let Some(cause) = made.and_then(unavailable) {
                <div id="made-cause" role="status" data-cause={cause.name()}>
                    if matches!(made, Some(ComputedBy::Substitute(..))) {
                        <p class="dim">{context.text(&cause.message(Part::Kernels))}</p>
                    }
                    {remedies(&context, cause, "kernels", &props.again)}
                </div>
            }
            <div class="computed">
                <label for="kernels">{text("kernels")}</label>
                <select class="btn small" id="kernels" onchange={choose}>
                    {for KERNELS.iter().map(|(of, key)| html! {
                        <option value={*key} selected={*of == asked}>{text(key)}</option>
                    })}
                </select>
            </div>
            if made.is_some_and(|made| matches!(made, ComputedBy::Kernel(..) | ComputedBy::Substitute(..))) || props.check.is_on {
                <label class="row"><input type="checkbox" id="compare-kernels" checked={props.check.is_on} onchange={check} />
                    {text("kernels-compare")}</label>
                if let Some(found) = &props.check.found {
                    <p id="kernels-compared" role="status">{context.text(&compared(found))}</p>
                }
            }
            if ran.is_partial() { <p class="dim" id="left-out">{text("run-left-out")}</p> }
        </section>
    }
}
