//! The settings of the run, as a disclosure: the kernels for large ops, what computed the result in how many steps, and the
//! comparison with the reference evaluator.
//!
//! The choice of the edition and the comparison with the other one are in [`super::editions`]: the edition determines the meaning of
//! the text, not how it runs.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::disclosure::Disclosure;
use super::running::{KernelComparison, RunValues};
use crate::app::components::remedies::remedies;
use crate::app::context::{Context, grouped, use_app_context};
use crate::app::prefs::{KernelChoice, Preferences};
use crate::cause::{Cause, Part};
use crate::hlo::eval::kernel::{Build, ComputedBy, MIN_KERNEL_WORK, MinKernelWork, Mode};
use crate::i18n::Message;
use crate::ops::Fallback;
use crate::worker::evaluation::wire::Difference;

/// The choices of what computes large ops, with the message keys of their names.
const KERNELS: [(KernelChoice, &str); 3] = [
    (KernelChoice::Strict, "kernels-strict"),
    (KernelChoice::Fast, "kernels-fast"),
    (KernelChoice::Off, "kernels-off"),
];

/// The kernel or evaluator that computed a value, as a message.
fn computed_by_message(
    by: &ComputedBy,
    requested: KernelChoice,
    RunValues { finished, focus }: &RunValues,
) -> Message {
    match by {
        ComputedBy::Kernel(name, rounding, workers) => {
            let key = if *rounding == Mode::Fast { "made-fast" } else { "made-strict" };
            Message::ops(key).with("name", name.as_str()).with("workers", i64::from(*workers))
        }
        ComputedBy::Substitute { kernel: name, build, .. } => {
            let key = if *build == Build::Scalar { "made-scalar" } else { "made-strict" };
            Message::ops(key).with("name", name.as_str()).with("workers", 1_i64)
        }
        ComputedBy::Reference(Fallback::Unavailable(cause)) => {
            Message::ops("fallback-unavailable").with("cause", cause.message(Part::Kernels))
        }
        ComputedBy::Reference(Fallback::KernelsOff) if requested != KernelChoice::Off => {
            Message::ops(if finished.ran_with_host_or_multiple_devices() {
                "fallback-host"
            } else if finished.steps < MinKernelWork::for_module(finished.module(), MIN_KERNEL_WORK).lowest()
            {
                Fallback::TooSmall.key()
            } else {
                "fallback-page"
            })
        }
        ComputedBy::Reference(why @ (Fallback::UnsupportedElementType | Fallback::UnsupportedTask)) => {
            let entry = finished.module().entry_computation();
            let instruction = entry.and_then(|entry| Some((entry, entry.get(*focus)?)));
            let types = instruction.map(|(entry, instruction)| {
                let operands = instruction.operands.iter().filter_map(|id| entry.get(*id));
                let shapes = operands.map(|operand| operand.shape.to_string());
                shapes.chain([instruction.shape.to_string()]).collect::<Vec<_>>().join(", ")
            });
            let opcode = instruction.map(|(_, instruction)| instruction.opcode.clone());
            Message::ops(why.key())
                .with("opcode", opcode.unwrap_or_default())
                .with("types", types.unwrap_or_default())
        }
        ComputedBy::Reference(why) => Message::ops(why.key()),
    }
}

/// Why the requested kernels did not compute a value.
fn unavailable_cause(by: &ComputedBy) -> Option<&Cause> {
    match by {
        ComputedBy::Reference(Fallback::Unavailable(cause)) | ComputedBy::Substitute { cause, .. } => {
            Some(cause)
        }
        ComputedBy::Reference(_) | ComputedBy::Kernel(..) => None,
    }
}

/// The difference between kernels and reference evaluator, as a message.
fn difference_message(difference: &Difference) -> Message {
    let cells = |key| {
        Message::ops(key)
            .with("count", difference.total)
            .with("all", grouped(difference.total))
            .with("differing", grouped(difference.mismatches))
    };
    match &difference.worst {
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

/// Properties of [`RunSection`].
#[derive(Clone, PartialEq, Properties)]
pub struct RunSectionProps {
    /// The values, if there are any.
    pub values: Option<RunValues>,
    /// The comparison of kernels with the reference evaluator.
    pub kernel_comparison: KernelComparison,
    /// Runs it again.
    pub rerun: Callback<()>,
}

/// The kernel or evaluator that computed the selected value.
fn computed_by(values: Option<&RunValues>) -> Option<&ComputedBy> {
    let RunValues { finished, focus } = values?;
    finished.computed_by().get(focus.index()).and_then(Option::as_ref)
}

/// The differences from a run with default settings, as text.
fn summary(context: &Context, props: &RunSectionProps, requested: KernelChoice) -> String {
    let by = match (computed_by(props.values.as_ref()), requested) {
        (Some(ComputedBy::Kernel(_, Mode::Fast, _)), _) => Some("run-on-fast"),
        (Some(ComputedBy::Substitute { build: Build::Scalar, .. }), _) => Some("run-on-scalar"),
        (Some(ComputedBy::Kernel(..) | ComputedBy::Substitute { .. }), _) => Some("run-on-kernels"),
        (_, KernelChoice::Fast) => Some("run-fast"),
        (_, KernelChoice::Off) => Some("run-off"),
        (_, KernelChoice::Strict) => None,
    };
    let checked = props.kernel_comparison.is_enabled.then_some("run-checked");
    let words = [by, checked].into_iter().flatten();
    words.map(|key| context.text(&Message::ops(key)).to_string()).collect::<Vec<_>>().join(" · ")
}

/// The settings of the run, what computed the result, and the comparisons.
#[component]
pub fn RunSection(props: &RunSectionProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let requested = context.preferences.kernels;
    let by = computed_by(props.values.as_ref());
    let kernel_comparison = props
        .kernel_comparison
        .set_enabled
        .reform(|event: Event| event.target_unchecked_into::<HtmlInputElement>().checked());
    let choose = {
        let context = context.clone();
        Callback::from(move |event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().value();
            if let Some((kernels, _)) = KERNELS.iter().find(|(_, key)| **key == *chosen) {
                context
                    .set_preferences
                    .emit(Preferences { kernels: *kernels, ..context.preferences.clone() });
            }
        })
    };
    let cause = by.and_then(unavailable_cause);
    let has_kernel =
        by.is_some_and(|by| matches!(by, ComputedBy::Kernel(..) | ComputedBy::Substitute { .. }));
    html! {
        <Disclosure id="run" title={text("run")} summary={summary(&context, props, requested)} needs_attention={cause.is_some()}>
            <div class="computed">
                <label for="kernels">{text("kernels")}</label>
                <select class="btn small" id="kernels" onchange={choose}>
                    {for KERNELS.iter().map(|(choice, key)| html! {
                        <option value={*key} selected={*choice == requested}>{text(key)}</option>
                    })}
                </select>
            </div>
            if let Some(values) = &props.values {
                <dl class="kv">
                    if let Some(by) = by {
                        <dt>{text("made")}</dt>
                        <dd id="result-computed-by">{context.text(&computed_by_message(by, requested, values))}</dd>
                    }
                    <dt>{text("steps")}</dt>
                    <dd id="result-steps">{grouped(i64::try_from(values.finished.steps).unwrap_or(i64::MAX))}</dd>
                </dl>
            }
            if let Some(cause) = cause {
                <div id="made-cause" role="status" data-cause={cause.name()}>
                    if matches!(by, Some(ComputedBy::Substitute { .. })) {
                        <p class="dim">{context.text(&cause.message(Part::Kernels))}</p>
                    }
                    {remedies(&context, cause, "kernels", &props.rerun)}
                </div>
            }
            if has_kernel || props.kernel_comparison.is_enabled {
                <label class="row"><input type="checkbox" id="compare-kernels" checked={props.kernel_comparison.is_enabled} onchange={kernel_comparison} />
                    {text("kernels-compare")}</label>
                if let Some(difference) = &props.kernel_comparison.difference {
                    <p id="kernels-compared" role="status">{context.text(&difference_message(difference))}</p>
                }
            }
        </Disclosure>
    }
}
